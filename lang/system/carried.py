"""What a wheel carries of what the first start makes: it is used where the sources are the same.

    lambent/built/start/library     the check sum, the identity, the data

The identity is a hash of the sources themselves, as an installation gives files new times, and of
the version of Python's bytecode.  The caller puts the data into the user's cache, so only the first
start asks.
"""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from zlib import crc32

from lambent.lang.system.source_stamps import source_paths

_LANG = Path(__file__).parents[1]
BUILT = _LANG.parent / "built"  # a working copy has no such folder
_CHECK = 4  # bytes of the check sum


def carried_entry(name: str) -> bytes | None:
    """The data of an entry; None if there is none, or it is damaged or was made from others."""
    try:
        data = (BUILT / "start" / name).read_bytes()
    except OSError:
        return None
    check, rest = data[:_CHECK], data[_CHECK:]
    if crc32(rest).to_bytes(_CHECK, "little") != check or not rest.startswith(_identity()):
        return None
    return rest.removeprefix(_identity())


def write_entry(built: Path, name: str, data: bytes) -> None:
    """Add an entry to the folder that becomes BUILT."""
    path = built / "start" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    rest = _identity() + data
    path.write_bytes(crc32(rest).to_bytes(_CHECK, "little") + rest)


@cache
def _identity() -> bytes:
    from hashlib import sha256  # here, because it takes long to load
    from importlib.util import MAGIC_NUMBER

    digest = sha256(f"{sys.implementation.cache_tag} {MAGIC_NUMBER.hex()}".encode())
    for path in _sources():
        data = path.read_bytes()
        digest.update(f"{path.relative_to(_LANG.parent)} {len(data)}\n".encode() + data)
    return digest.digest()


def _sources() -> Iterator[Path]:
    # An installation has the one file of `package` elsewhere.
    yield from map(Path, source_paths(str(_LANG), leaving_out=("package",)))
    yield from map(Path, source_paths(str(_LANG.parent / "stdlib")))
