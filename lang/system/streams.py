"""The standard streams, as executables have them, whatever the locale is."""

import sys


def prepare_output() -> None:
    """UTF-8; what is no text, as the names of some files, is written byte by byte as it came."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and (
            stream.encoding.lower() != "utf-8" or stream.errors != "surrogateescape"
        ):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
