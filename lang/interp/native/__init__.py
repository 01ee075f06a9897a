"""The interpreter's own C module: values, lists, and the library's procedures that loop over them.

    structure    a class of values whose objects C creates, instead of an `__init__`
    in_native    a function of the same name in C, instead of the one in Python

A start finds the module in the cache; the first one compiles it (`build.py`), in less time than it
saves that start.  Without a C compiler or Python's headers there is no module, and the definitions
in Python and Lisp are used: they are the reference, and tests hold both to one behaviour.
LAMBENT_NATIVE=off chooses them.
"""

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH100, PTH108, PTH110, PTH112, PTH116, PTH118, PTH120, PTH123, PTH208

import gc
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any, TypeVar
from zlib import crc32

from lambent.lang.system.cache_path import cache_path, is_closed, report_damage, spare_path

T = TypeVar("T", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

NAME = "lambent_native"
COMPILERS = ("gcc", "cc")  # unless CC names one
_SECONDS_BETWEEN_TRIES = 24 * 60 * 60
HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = os.path.join(HERE, "../../../runtime/text")
SHARED = ("json.c", "json.h", "pattern.c", "pattern.h", "pcre2_abi.h")  # with executables
CARRIED = os.path.join(HERE, "../../../built/native")  # of a wheel; a working copy has none


def sources() -> list[str]:
    """The paths of the C files and of their headers."""
    own = [os.path.join(HERE, name) for name in os.listdir(HERE) if name.endswith((".c", ".h"))]
    return sorted(own) + [os.path.join(RUNTIME, name) for name in SHARED]


def key(python: str = sys.version) -> str:
    """Identifies the module: its sources, how they are compiled, and what loads it."""
    check = crc32(f"{python} {sys.abiflags} {os.uname().machine}".encode())
    for path in (*sources(), os.path.join(HERE, "build.py")):
        with open(path, "rb") as file:
            check = crc32(file.read(), check)
    return f"{check:08x}"


def load() -> ModuleType | None:
    """The module; None if it is not wanted, or cannot be compiled or loaded here."""
    if os.environ.get("LAMBENT_NATIVE") == "off" or sys.implementation.name != "cpython":
        return None
    try:
        if carried := _carried():
            return _loaded(carried)
        name = key()
        path = found_file(name)
    except OSError:  # another process cleans the cache
        return None
    if path is None and _can_compile():
        from lambent.lang.interp.native.build import build

        path = build(name)
    return _loaded(path) if path else None


def carried_key() -> str:
    """The module's key in a wheel, which is for all builds of a version of Python."""
    return key(str(sys.implementation.cache_tag))


def _carried() -> str | None:
    """The file that a wheel has brought, if it is of these sources."""
    if not os.path.isdir(CARRIED):
        return None
    name = carried_key()
    for file in os.listdir(CARRIED):
        path = os.path.join(CARRIED, file)
        if file.startswith(name) and file == file_name(name, read(path)):
            return path
    return None


def found_file(name: str) -> str | None:
    """The file in the cache, if it is complete and no other user can have written it; the empty
    string if its compilation has failed not long ago."""
    for cache in (cache_path(), spare_path()):
        folder = os.path.join(cache, "native")
        if not (os.path.isdir(folder) and is_closed(cache) and is_closed(folder)):
            continue
        for file in os.listdir(folder):
            if not file.startswith(name):
                continue
            path = os.path.join(folder, file)
            status = os.stat(path)
            if file == failure_of(name) and time.time() < status.st_mtime + _SECONDS_BETWEEN_TRIES:
                return ""
            is_own = status.st_uid in (os.getuid(), 0) and not status.st_mode & 0o022
            if file.endswith(".so") and is_own:
                if file == file_name(name, read(path)):
                    return path
                report_damage(path)
                with suppress(OSError):
                    os.unlink(path)  # the new one can have another name
    return None


def file_name(name: str, data: bytes) -> str:
    """The name of the module's file, with its check sum: loading a damaged one ends the process."""
    return f"{name}-{crc32(data):08x}.so"


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def failure_of(name: str) -> str:
    """The file that records that a compilation has failed, so that not every start tries it."""
    return f"{name}.failed"


def _can_compile() -> bool:
    """Whether there may be a compiler, and Python's headers.

    It is asked at each start without the module: what `build.py` imports would take longer.
    """
    headers = f"python{sys.version_info[0]}.{sys.version_info[1]}{sys.abiflags}"
    if not os.path.exists(os.path.join(sys.base_prefix, "include", headers, "Python.h")):
        return False
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return "CC" in os.environ or any(
        os.access(os.path.join(folder, name), os.X_OK) for folder in folders for name in COMPILERS
    )


def _loaded(path: str) -> ModuleType | None:
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import ExtensionFileLoader
    from _imp import create_dynamic, exec_dynamic

    try:
        spec = ModuleSpec(NAME, ExtensionFileLoader(NAME, path), origin=path)
        module: ModuleType = create_dynamic(spec)
        exec_dynamic(module)
    except ImportError:  # the device is mounted noexec
        return None
    gc.callbacks.append(module.collection_begins)
    return module


NATIVE: Any = load()


def structure(python_class: T) -> T:
    """The class, made by the C module from its name, its base and the parameters of `__init__`."""
    if NATIVE is None:
        return python_class
    made: T = _made(python_class, True)
    return made


def atoms(python_class: T) -> T:
    """As `structure`, for objects that refer to no Lisp value, so never are on a cycle."""
    if NATIVE is None:
        return python_class
    made: T = _made(python_class, False)
    return made


def _made(python_class: Any, tracked: bool) -> Any:
    name = f"{python_class.__module__}.{python_class.__name__}"
    code = python_class.__init__.__code__
    fields = code.co_varnames[1 : code.co_argcount]  # in the order of the call
    made = NATIVE.structure(name, python_class.__base__, fields, tracked)
    made.__slots__ = fields
    return made


def in_native(function: F) -> F:
    """The C function of the same name; without the module, the function itself."""
    in_c: F = getattr(NATIVE, function.__name__, function)
    return in_c


# Primitives whose calls, but not their values, are C functions: a value is a Python function.
DIRECT = {
    f"rt_{name}": name
    for name in (
        "length", "reverse", "append", "list_ref", "list_tail", "memq", "memv", "member", "assq",
        "assv", "assoc", "list_to_vector", "vector_to_list",
        "hash_ref", "hash_set", "hash_has_key", "add_keys", "unite_tables",
        "selected_keys",
        "hash_text", "string_length", "string_ref", "substring", "string_append", "string_join",
        "string_split", "string_to_list", "string_equal", "number_to_string",
        "string_to_number",
        "write_char", "write_string", "display", "read_char", "peek_char", "read_line",
        "regexp_compile", "regexp_groups", "regexp_subject", "regexp_match", "regexp_parts",
    )
} | {"rt_raise": "raise_value", "rt_error": "raise_error"}
_RAISING = frozenset(("rt_raise", "rt_error"))


def direct(symbol: str) -> Any:
    """The C function of a primitive in DIRECT; None without the module."""
    if symbol in _RAISING:
        import lambent.lang.interp.errors.caught  # noqa: F401  # it tells C the classes
    return getattr(NATIVE, DIRECT[symbol], None)
