"""Tools for those who work on Packbench; nothing here is part of the program."""
