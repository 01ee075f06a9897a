"""A bundle as one file: an archive, or a script that unpacks itself.

    digits.tar.gz    digits/digits, digits/lambent-libraries/ ...
    digits.run       the same behind a shell script, which unpacks it once and starts the program

What an archive holds follows from the bundle alone: it has no times, users or groups.
"""

import gzip
import hashlib
import shlex
import shutil
import tarfile
from pathlib import Path
from typing import IO

ARCHIVES = (".tar", ".tar.gz", ".tgz", ".run")  # the endings of names
_COMPRESSION = 6  # of 1 to 9
EVERYONE_RUNS = 0o755
EVERYONE_READS = 0o644
_CHUNK = 1 << 20  # bytes
_OFFSET_WIDTH = 6  # digits
_SCRIPT = """\
#!/bin/sh
# A program with all that it needs, made by `lambent bundle`.  The first run unpacks it, into the
# folder that LAMBENT_UNPACK names, or into the user's cache folder.
program={program}
fail() {{ echo "$program: $1" >&2; exit 70; }}
base=${{LAMBENT_UNPACK:-${{XDG_CACHE_HOME:-${{HOME:+$HOME/.cache}}}}}}
[ -n "$base" ] || fail "set LAMBENT_UNPACK to the folder in which it may unpack itself"
folder=$base/$program-{digest}
if [ ! -e "$folder" ]; then
    mkdir -p "$base" || fail "cannot unpack itself in $base"
    part=$(mktemp -d "$base/.unpacking-XXXXXX") || fail "cannot unpack itself in $base"
    trap 'rm -rf "$part"' EXIT
    trap 'exit 130' HUP INT TERM
    tail -c +{offset} "$0" | tar -xzf - -C "$part" || fail "$0 is damaged, or $base is full"
    [ -x "$part/bundle/$program" ] || fail "$0 is damaged"
    # Another process may have finished first.
    [ -e "$folder" ] || mv "$part/bundle" "$folder" || fail "cannot unpack itself in $base"
    rm -rf "$part"
    trap - EXIT HUP INT TERM
fi
exec "$folder/$program" "$@"
"""


def pack(tree: Path, program: str, archive: Path, kind: str) -> Path:
    """Write a bundle's folder into a file.  kind: the ending of its final name."""
    with archive.open("wb") as file:
        if kind == ".tar":
            _write_tar(tree, tree.name, file)
        elif kind == ".run":
            _write_script(tree, program, file, archive.with_name("packed"))
        else:
            _write_compressed(tree, tree.name, file)
    archive.chmod(EVERYONE_RUNS if kind == ".run" else EVERYONE_READS)
    return archive


def _write_script(tree: Path, program: str, file: IO[bytes], packed: Path) -> None:
    """packed: an intermediate file, with what the script unpacks."""
    with packed.open("w+b") as contents:
        _write_compressed(tree, "bundle", contents)
        contents.seek(0)
        digest = hashlib.file_digest(contents, "sha256").hexdigest()[:16]

        def script(offset: int) -> bytes:
            text = _SCRIPT.format(
                program=shlex.quote(program), digest=digest, offset=f"{offset:0{_OFFSET_WIDTH}}"
            )
            return text.encode("utf-8", "surrogateescape")

        file.write(script(len(script(0)) + 1))  # tail counts from 1
        contents.seek(0)
        shutil.copyfileobj(contents, file, _CHUNK)


def _write_compressed(tree: Path, name: str, file: IO[bytes]) -> None:
    with gzip.GzipFile("", "wb", _COMPRESSION, file, mtime=0) as compressed:
        _write_tar(tree, name, compressed)


def _write_tar(tree: Path, name: str, file: IO[bytes] | gzip.GzipFile) -> None:
    """Write the folder as `name`; its files are in the order of their names."""

    def anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        return entry

    with tarfile.open(fileobj=file, mode="w", bufsize=_CHUNK) as archive:
        archive.add(tree, name, filter=anonymous)
