"""The library's Core in the cache, so that neither the compiler nor `check` analyses it every time.

Its key is a hash of its sources: the front end, the primitives, the library.  A wheel may carry it.
Each definition is pickled separately, and unpickled when a program reaches it.

    map  =>  Define("map", Namespace.LIBRARY, Lambda(...)), 2 KB of pickle
"""

import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from io import BytesIO
from operator import attrgetter
from pathlib import Path
from typing import Any
from zlib import crc32

from lambent.lang.core.ir import Define
from lambent.lang.errors import UsageFault
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.table import Primitive, operator
from lambent.lang.syntax.source import Source
from lambent.lang.system.cache import ensure_folder, key_of, writable_folder
from lambent.lang.system.cache_path import report_damage
from lambent.lang.system.carried import carried_entry
from lambent.lang.system.collector import collector_paused
from lambent.lang.system.source_stamps import source_stamps

_LANG = Path(__file__).parents[2]
LIBRARY = _LANG.parent / "stdlib"
_FORMAT = "1"


@dataclass(frozen=True, slots=True)
class CachedLibrary:
    """definitions: each as a pickle, in order.  uses: the library's names that each mentions.

    files: the public names by file.  macros: the names of the public ones.
    """

    definitions: Mapping[str, bytes]
    uses: Mapping[str, tuple[str, ...]]
    files: Mapping[str, tuple[str, ...]]
    macros: tuple[str, ...]


def cached_library(make: Callable[[], CachedLibrary]) -> CachedLibrary:
    """The library from the cache.  If it is missing or damaged, make it and write it there."""
    return CachedLibrary(*pickle.loads(_entry(CARRIED, _path(), lambda: _data_of(make()))))


def cached_entry(name: str, make: Callable[[], bytes]) -> bytes:
    """What the compiler has found about the whole library, from the cache, or made and written.

    name: that of the entry in a wheel, and of its file.
    """
    return _entry(name, entry_path(name), make)


def entry_path(name: str) -> Path | None:
    """The file of an entry in the cache; None if no cache folder can be used."""
    return _path(name, *compiler_stamps())


def _entry(name: str, path: Path | None, make: Callable[[], bytes]) -> bytes:
    data = read_entry(path) if path is not None else None
    if data is None:
        data = carried_entry(name)
        if data is None:
            with collector_paused():
                data = make()
        if path is not None:
            write_entry(path, data)
    return data


CARRIED = "core"  # the entry's name in a wheel


def _data_of(library: CachedLibrary) -> bytes:
    fields_of = (library.definitions, library.uses, library.files, library.macros)
    return pickle.dumps(fields_of, pickle.HIGHEST_PROTOCOL)


def library_data() -> bytes | None:
    """The data in the cache, for a wheel to carry; None if there is none."""
    path = _path()
    return read_entry(path) if path is not None else None


def _path(*others: str) -> Path | None:
    """The library's file in the cache; None if no cache folder can be used."""
    try:
        return writable_folder() / "core" / key_of([sys.version, _FORMAT, *_stamps(), *others])
    except (UsageFault, OSError):
        return None


@cache
def _stamps() -> tuple[str, ...]:
    """The stamps of the sources, from before this process read the first of them.

    A file that changes while the process runs would otherwise be kept under the key of its new
    text, as it was read before.
    """
    library = source_stamps(str(LIBRARY))
    return (*source_stamps(str(_LANG), ("interp", "compile")), *library)


@cache
def compiler_stamps() -> tuple[str, ...]:
    """The stamps of what the library's compiled code depends on, besides the library."""
    folders = ("compile", "core", "primitives", "syntax")
    stamps = [s for name in folders for s in source_stamps(str(_LANG / name), ("build",))]
    status = (_LANG / "passes.py").stat()
    return (*stamps, f"passes {status.st_mtime_ns} {status.st_size}")


def read_entry(path: Path) -> bytes | None:
    """The data in a file, if no other user can have written it and its check sum is right."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.getuid() or status.st_mode & 0o022:
                return None
            data = file.read()
    except OSError:
        return None
    # A crash can leave zero bytes, and the check sum of nothing is 0.
    if len(data) <= 4 or crc32(data[4:]) != int.from_bytes(data[:4], "little"):
        report_damage(str(path))
        return None
    return data[4:]


def write_entry(path: Path, data: bytes) -> None:
    """Write data to a file of the cache, with its check sum."""
    with suppress(OSError, UsageFault):
        ensure_folder(path.parent)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(crc32(data).to_bytes(4, "little") + data)
        Path(file.name).replace(path)
        for old in path.parent.iterdir():  # made from older sources
            if old.name != path.name and old.stat().st_mtime < path.stat().st_mtime - _OLD:
                old.unlink()


_OLD = 30 * 24 * 3600  # seconds


# One definition, or another node.


def pickled(node: Any) -> bytes:
    """A definition, or another node of the compiler, as bytes."""
    buffer = BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(node)
    return buffer.getvalue()


def unpickled(data: bytes) -> Define:
    """The definition that was pickled."""
    definition = unpickled_node(data)
    assert isinstance(definition, Define), definition
    return definition


def unpickled_node(data: bytes) -> Any:
    """Any node that was pickled."""
    return pickle.loads(data)


class _Pickler(pickle.Pickler):
    """Writes nodes as calls of their classes, and primitives and sources by name."""

    def reducer_override(self, node: Any) -> Any:
        node_class: Any = node.__class__
        if (values := _FIELDS.get(node_class)) is not None:
            return node_class, values(node)
        match node:
            case Primitive():
                return _primitive, (node.name, node.symbol, node.operator)
            case Source(name) if (LIBRARY.parent / name).suffix == ".lisp" and node.library:
                return library_source, (name,)
            case type() | None:
                return NotImplemented
        if not is_dataclass(node):
            return NotImplemented
        values = _values_of([field.name for field in fields(node_class)])
        if node_class is not Source:
            _FIELDS[node_class] = values
        return node_class, values(node)


# The values of a node's fields, by its class, for classes whose nodes are all written alike.
_FIELDS: dict[type, Callable[[Any], tuple[Any, ...]]] = {}


def _values_of(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple([getattr(node, name) for name in names])


@cache
def library_source(name: str) -> Source:
    """The text of a file of the library, by the name that its spans show."""
    _stamps()
    text = (LIBRARY / name.removeprefix("stdlib/")).read_text(encoding="utf-8")
    return Source(name, text, library=True)


def _primitive(name: str, symbol: str, is_operator: bool) -> Primitive:
    return operator(name) if is_operator else _by_name()[name, symbol]


@cache
def _by_name() -> Mapping[tuple[str, str], Primitive]:
    primitives: Iterable[Primitive] = TABLE.values()
    return {(primitive.name, primitive.symbol): primitive for primitive in primitives}
