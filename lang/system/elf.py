"""What a bundle needs to know of ELF files, Linux's executables and shared libraries.

    Elf.read(Path("liblambent_ctorch.so")).needed  =>  ("libtorch_cpu.so", "libc10.so", "libz.so.1")

Only the tables that the loader reads are read here, and only those of 64-bit little-endian
processors, which LibTorch is made for.  Names follow elf(5).
"""

import re
import struct
from collections.abc import Callable, Iterator
from mmap import ACCESS_COPY, mmap
from pathlib import Path

from lambent.lang.errors import UsageFault
from lambent.lang.system.dataclass import dataclass

_MAGIC = b"\x7fELF\x02\x01"  # 64-bit, little-endian
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_ENTRY = struct.Struct("<qQ")  # of the dynamic section
_SYMBOL = struct.Struct("<IBBHQQ")
_NEED = struct.Struct("<HHIII")  # a file whose versions are needed
_NEED_VERSION = struct.Struct("<IHHII")
_DEFINITION = struct.Struct("<HHHHIII")
_DEFINITION_NAME = struct.Struct("<II")
_PT_LOAD, _PT_DYNAMIC, _SHT_DYNSYM = 1, 2, 11
_NEEDED, _STRTAB, _RPATH, _RUNPATH = 1, 5, 15, 29
_VERSYM, _VERDEF, _VERNEED = 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFE
_WEAK_SYMBOL = 2  # STB_WEAK: a symbol that is not found is 0
_HIDDEN = 0x8000  # a bit of a symbol's version
_UNVERSIONED = 1  # VER_NDX_GLOBAL
_FIRST_VERSIONS = ("GLIBC_2.2.5", "GLIBC_2.17")  # of x86-64 and aarch64
_GLIBC = re.compile(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?")


# Whether a library defines a symbol in a version.
Defines = Callable[[str, str, str], bool]


@dataclass(frozen=True, slots=True)
class _Need:
    """A version of a library's symbols that a file uses.  at: where in the file.  number: what
    symbols call it."""

    at: int
    number: int
    library: str
    version: str


@dataclass(frozen=True, slots=True)
class Elf:
    """A file, and its contents, which may be changed and written to another file."""

    path: Path
    data: mmap
    segments: tuple[tuple[int, ...], ...]  # the program headers
    dynamic: tuple[tuple[int, int, int], ...]  # each entry's tag, value and offset in the file

    @staticmethod
    def read(path: Path) -> "Elf":
        """A UsageFault if the file is not one that is described above, or is damaged."""
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise UsageFault(f"{path} is not a library or executable of a 64-bit Linux machine")
            data = mmap(file.fileno(), 0, access=ACCESS_COPY)
        try:
            head = _HEADER.unpack_from(data)
            segments = tuple(
                _SEGMENT.unpack_from(data, head[5] + i * head[9]) for i in range(head[10])
            )
            return Elf(path, data, segments, tuple(_dynamic(data, segments)))
        except struct.error:
            raise UsageFault(f"{path} is damaged: its tables are incomplete") from None

    @property
    def needed(self) -> tuple[str, ...]:
        """The names of the libraries that it is linked with."""
        return tuple(self._text(value) for tag, value, _ in self.dynamic if tag == _NEEDED)

    @property
    def search_path(self) -> tuple[str, ...]:
        """The folders in which the loader looks for them, as they stand in the file."""
        paths = [self._text(value) for tag, value, _ in self.dynamic if tag in (_RPATH, _RUNPATH)]
        return tuple(folder for text in paths for folder in text.split(":") if folder)

    @property
    def is_of_libc(self) -> bool:
        """Whether it is one of the C library's own, which define the versions of its symbols."""
        return any(_GLIBC.fullmatch(name) for name in self._defined_versions())

    def needed_glibc(self) -> tuple[int, int]:
        """The newest version of the GNU C library whose symbols it uses; (0, 0) if none."""
        versions = [_GLIBC.fullmatch(need.version) for need in self._needed_versions()]
        return max([(int(m[1]), int(m[2])) for m in versions if m], default=(0, 0))

    def search_in(self, path: str) -> None:
        """Replace the search path, which then comes before any other, also LD_LIBRARY_PATH.

        path: folders with colons between them.  The file's own must not be shorter.
        """
        new = path.encode()
        strings = self._table(_STRTAB)
        for tag, value, at in self.dynamic:
            if tag in (_RPATH, _RUNPATH) and strings is not None:
                size = len(self._text(value).encode())
                if size < len(new):
                    raise UsageFault(f"{self.path} has no room for the search path {path}")
                # DT_RPATH precedes LD_LIBRARY_PATH, and is also for what these libraries load.
                _ENTRY.pack_into(self.data, at, _RPATH, value)
                start = strings + value
                self.data[start : start + size] = new.ljust(size, b"\0")

    def drop_symbols(self) -> None:
        """Drop what the loader does not read: sections outside of the segments, which are symbols
        and other tables for debuggers, and the list of all sections."""
        head = list(_HEADER.unpack_from(self.data))
        head[6] = head[12] = head[13] = 0
        _HEADER.pack_into(self.data, 0, *head)

    def write(self, path: Path) -> None:
        """Write what is left of the file to another one."""
        head = _HEADER.unpack_from(self.data)
        end = max(offset + size for _, _, offset, _, _, size, *_ in self.segments)
        has_sections = head[6] != 0
        size = len(self.data) if has_sections else max(end, head[5] + head[9] * head[10])
        with path.open("wb") as file, memoryview(self.data) as data:
            file.write(data[:size])

    def tolerate_old_glibc(self, oldest: tuple[int, int], is_defined: Defines) -> None:
        """Let an executable start where the C library is too old, so that it can say so.

        Symbols of versions after `oldest` become those of the first version, or of none if the C
        library has no such, and weak: 0 where the library lacks them.
        """
        versions = self._table(_VERSYM)
        assert versions is not None, self.path
        symbols = dict(enumerate(self._symbols()))
        numbers = [struct.unpack_from("<H", self.data, versions + 2 * i)[0] for i in symbols]
        for need in (needs := list(self._needed_versions())):
            version = _GLIBC.fullmatch(need.version)
            if not version or (int(version[1]), int(version[2])) <= oldest:
                continue
            first = min((n for n in needs if n.version in _FIRST_VERSIONS), key=lambda n: n.at)
            _, flags, number, _, step = _NEED_VERSION.unpack_from(self.data, need.at)
            hashed, _, _, name, _ = _NEED_VERSION.unpack_from(self.data, first.at)
            _NEED_VERSION.pack_into(self.data, need.at, hashed, flags, number, name, step)
            for index, at in symbols.items():
                if numbers[index] & ~_HIDDEN != need.number:
                    continue
                symbol, kind, *rest = _SYMBOL.unpack_from(self.data, at)
                _SYMBOL.pack_into(self.data, at, symbol, _WEAK_SYMBOL << 4 | kind & 15, *rest)
                if not is_defined(need.library, self._text(symbol), first.version):
                    struct.pack_into("<H", self.data, versions + 2 * index, _UNVERSIONED)

    # Its tables.

    def _text(self, offset: int) -> str:
        table = self._table(_STRTAB)
        assert table is not None, self.path
        start = table + offset
        return self.data[start : self.data.find(b"\0", start)].decode()

    def _table(self, tag: int) -> int | None:
        """Where in the file the table begins that an entry names."""
        return next((self._offset(value) for t, value, _ in self.dynamic if t == tag), None)

    def _offset(self, address: int) -> int:
        for kind, _, offset, start, _, size, *_ in self.segments:
            if kind == _PT_LOAD and start <= address < start + size:
                return offset + address - start
        raise UsageFault(f"{self.path} is damaged: nothing is at address {address:#x}")

    def _symbols(self) -> Iterator[int]:
        """Where in the file each dynamic symbol is."""
        head = _HEADER.unpack_from(self.data)
        for i in range(head[12]):
            section = _SECTION.unpack_from(self.data, head[6] + i * head[11])
            if section[1] == _SHT_DYNSYM:
                yield from range(section[4], section[4] + section[5], _SYMBOL.size)

    def _needed_versions(self) -> Iterator[_Need]:
        at = self._table(_VERNEED)
        while at is not None:
            _, count, library, first, following = _NEED.unpack_from(self.data, at)
            inner = at + first
            for _ in range(count):
                _, _, number, name, step = _NEED_VERSION.unpack_from(self.data, inner)
                yield _Need(inner, number, self._text(library), self._text(name))
                inner += step
            at = at + following if following else None

    def _defined_versions(self) -> Iterator[str]:
        at = self._table(_VERDEF)
        while at is not None:
            *_, first, following = _DEFINITION.unpack_from(self.data, at)
            yield self._text(_DEFINITION_NAME.unpack_from(self.data, at + first)[0])
            at = at + following if following else None


def _dynamic(
    data: mmap, segments: tuple[tuple[int, ...], ...]
) -> Iterator[tuple[int, int, int]]:
    for kind, _, offset, _, _, size, *_ in segments:
        if kind == _PT_DYNAMIC:
            for at in range(offset, offset + size, _ENTRY.size):
                tag, value = _ENTRY.unpack_from(data, at)
                if tag == 0:
                    return
                yield tag, value, at
