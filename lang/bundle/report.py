"""What `lambent bundle` says when it is done.

    digits: 355 MB, needs glibc 2.36; 89 MB less without the tables for debuggers
"""

import sys

from lambent.lang.bundle.bundle import Bundle

_MEGABYTE = 1_000_000


def print_report(bundle: Bundle) -> None:
    """Print the size of a bundle, and what it lacks to stderr."""
    major, minor = bundle.glibc
    size = f"{bundle.size / _MEGABYTE:.1f} MB"
    if bundle.output.is_file():  # an archive
        size = f"{bundle.output.stat().st_size / _MEGABYTE:.1f} MB, {size} unpacked"
    text = f"{bundle.output}: {size}, needs glibc {major}.{minor}"
    if bundle.saved:
        text += f"; {bundle.saved / _MEGABYTE:.0f} MB less without the tables for debuggers"
    print(text)
    for line in bundle.absent:
        print(f"the bundle lacks {line}", file=sys.stderr)
