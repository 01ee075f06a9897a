"""The names and usages of LibTorch's operators, cached beside the built library.

Hints and checks use them, as loading LibTorch would take longer than everything else.

    cached_operators()["tensor-relu"]  =>  "(tensor-relu self)\\n(tensor-relu self :out out)\\n"
"""

import contextlib
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lambent.ctorch import build

_FILE = "operators.json"


def cached_operators() -> Mapping[str, str] | None:
    """Usages by Lisp name; None if the library has not been built, which takes minutes."""
    folder = built_folder()
    if folder is None:
        return None
    try:
        usages: dict[str, str] = json.loads((folder / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        usages = _read()
        _write(folder / _FILE, usages)
    return usages


@cache
def built_folder() -> Path | None:
    """The folder of the built library; None if it has not been built."""
    try:
        return build.built_already()
    except Exception:  # no torch, compiler or cache: the build reports it
        return None


def _read() -> dict[str, str]:
    """The usages from LibTorch itself."""
    from lambent.ctorch import operator_names, operator_usage
    from lambent.lang.primitives.table import operator_name

    return {name: operator_usage(operator_name(name)) or "" for name in operator_names()}


def _write(path: Path, usages: dict[str, str]) -> None:
    """Write the file completely or not at all; without it the next process asks LibTorch again."""
    new = path.with_name(f"{path.name}-{os.getpid()}")
    with contextlib.suppress(OSError):
        new.write_text(json.dumps(usages), encoding="utf-8")
        new.replace(path)
