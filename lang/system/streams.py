"""Set up the standard streams as executables have them, whatever the locale is."""

import sys


def prepare_output() -> None:
    """Write UTF-8.  Bytes that are not UTF-8, as in some file names, are written unchanged."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and (
            stream.encoding.lower() != "utf-8" or stream.errors != "surrogateescape"
        ):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
