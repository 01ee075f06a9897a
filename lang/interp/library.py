"""The library at run time: each definition is loaded when code first mentions its variable.

    Machine.globals["l:map"]  =>  missing  =>  library.code("l:map") runs and defines it

So a program pays only for what it uses, however large the library is.  The library is analyzed as
one unit, so that calls between its procedures are direct, but every definition is separate code.
"""

import marshal
from collections.abc import Mapping
from types import CodeType

from lambent.lang.interp.emit.unit import Tables

KEY = "library"  # co_filename of its code
MASKED_KEY = "library, masked"  # of code that restores something: Ctrl-C must not interrupt it


class Library:
    """Reads the bytes that `packed` returns, each definition when it is asked for.

    builtin_modules: as in `CodeUnit`.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.builtin_modules: dict[str, str]
        self._offsets: dict[str, tuple[int, int]]
        header, self._start = int.from_bytes(data[:_SIZE], "little"), _SIZE
        self.builtin_modules, self._offsets = marshal.loads(data[_SIZE : _SIZE + header])
        self._start += header
        self._trampolined: dict[str, bool] | None = None

    def names(self) -> frozenset[str]:
        """The names that it defines."""
        return frozenset(name[2:] for name in self._offsets if name.startswith("l:"))

    def __contains__(self, variable: str) -> bool:
        return variable in self._offsets

    def code(self, variable: str) -> CodeType:
        """The code that defines a variable."""
        code: CodeType = marshal.loads(self._bytes(variable))
        return code

    def tables(self) -> Tables:
        return Tables(self._bytes(_TABLES))

    @property
    def trampolined(self) -> Mapping[str, bool]:
        """Its known procedures, and whether a call of each may return TAIL."""
        if self._trampolined is None:
            self._trampolined = marshal.loads(self._bytes(_TRAMPOLINED))
        assert self._trampolined is not None
        return self._trampolined

    def _bytes(self, name: str) -> bytes:
        start, end = self._offsets[name]
        return self._data[self._start + start : self._start + end]


_SIZE = 8  # bytes of the header's length
_TABLES, _TRAMPOLINED = ":tables", ":trampolined"  # sections beside the definitions


def packed(
    definitions: Mapping[str, CodeType],
    builtin_modules: Mapping[str, str],
    trampolined: Mapping[str, bool],
    tables: Tables,
) -> bytes:
    """A header with the offset of each section, then the sections."""
    sections = {variable: marshal.dumps(code) for variable, code in definitions.items()}
    sections |= {_TRAMPOLINED: marshal.dumps(dict(trampolined)), _TABLES: tables.data}
    offsets: dict[str, tuple[int, int]] = {}
    end = 0
    for name, section in sections.items():
        offsets[name] = (end, end + len(section))
        end += len(section)
    header = marshal.dumps((dict(builtin_modules), offsets))
    return b"".join((len(header).to_bytes(_SIZE, "little"), header, *sections.values()))
