"""The command line: one small file per command. Parses, calls a service, prints; never touches a display."""
