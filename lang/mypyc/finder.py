"""Python's import system finds the compiled modules."""

import sys
from collections.abc import Sequence
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from pathlib import Path
from types import ModuleType

from lambent.lang.mypyc.modules import SUFFIX, compiled_folder


class _Finder:
    def __init__(self, folder: Path) -> None:
        self.files = {path.name.removesuffix(SUFFIX): str(path) for path in folder.glob("*.so")}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of a compiled module; None for any other."""
        file = self.files.get(name)
        if file is None:
            return None
        return ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)


def use_compiled_modules() -> bool:
    """Let imports from here on find the compiled modules; whether they will.

    If one of the modules runs as Python already, they all must: two copies of a module do not know
    each other's classes.
    """
    folder = compiled_folder()
    if folder is None:
        return False
    finder = _Finder(folder)
    if not finder.files.keys().isdisjoint(sys.modules):
        return False
    sys.meta_path.insert(0, finder)
    return True
