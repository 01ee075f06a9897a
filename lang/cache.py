"""Where Lambent keeps what it can make again: compiled libraries, expanded sources.

Everything there is found under a hash of all that it was made from, so nothing there is ever out
of date, and deleting the folder costs only time.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path


def cache_folder() -> Path:
    """$LAMBENT_CACHE, or `lambent` in the user's cache folder."""
    if chosen := os.environ.get("LAMBENT_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "lambent"


def key_of(parts: Iterable[str | bytes]) -> str:
    """A short hash of the parts; where one ends and the next begins counts, too."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:20]
