"""The application: command line and window around the pure library `packs`."""

__version__ = "0.1.0"
