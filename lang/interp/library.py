"""The library at run time: each definition is loaded when something first mentions its variable.

    Machine.globals["l:map"]  =>  not there yet  =>  library.code("l:map"), run  =>  there

A program thus pays for what it reaches, however large the library is.  The library is compiled as
one unit, so that its procedures know each other, but every definition is code of its own.
"""

import marshal
from collections.abc import Mapping
from types import CodeType

from lambent.lang.interp.emit.unit import Tables

KEY = "library"  # co_filename of its code
STEADY = "library, steady"  # that of code into which Ctrl-C must not come: it restores something


class Library:
    """Made of the bytes that `packed` gives; only what is asked for is taken out of them.

    homes: as `CodeUnit.homes`.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.homes: dict[str, str]
        self._locations: dict[str, tuple[int, int]]
        head, self._start = int.from_bytes(data[:_SIZE], "little"), _SIZE
        self.homes, self._locations = marshal.loads(data[_SIZE : _SIZE + head])
        self._start += head
        self._bounces: dict[str, bool] | None = None

    def names(self) -> frozenset[str]:
        """The names that it defines."""
        return frozenset(name[2:] for name in self._locations if name.startswith("l:"))

    def __contains__(self, variable: str) -> bool:
        return variable in self._locations

    def code(self, variable: str) -> CodeType:
        """What defines a variable."""
        code: CodeType = marshal.loads(self._part(variable))
        return code

    def tables(self) -> Tables:
        return Tables(self._part(_TABLES))

    @property
    def bounces(self) -> Mapping[str, bool]:
        """Its known procedures, and whether a call of each may give TAIL."""
        if self._bounces is None:
            self._bounces = marshal.loads(self._part(_BOUNCES))
        assert self._bounces is not None
        return self._bounces

    def _part(self, name: str) -> bytes:
        start, end = self._locations[name]
        return self._data[self._start + start : self._start + end]


_SIZE = 8  # bytes of the head's length
_TABLES, _BOUNCES = ":tables", ":bounces"  # parts beside the definitions


def packed(
    definitions: Mapping[str, CodeType],
    homes: Mapping[str, str],
    bounces: Mapping[str, bool],
    tables: Tables,
) -> bytes:
    """The parts one after the other, behind a head that says where each lies."""
    parts = {variable: marshal.dumps(code) for variable, code in definitions.items()}
    parts |= {_BOUNCES: marshal.dumps(dict(bounces)), _TABLES: tables.data}
    locations: dict[str, tuple[int, int]] = {}
    end = 0
    for name, part in parts.items():
        locations[name] = (end, end + len(part))
        end += len(part)
    head = marshal.dumps((dict(homes), locations))
    return b"".join((len(head).to_bytes(_SIZE, "little"), head, *parts.values()))
