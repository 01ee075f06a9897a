"""Which folder may import which.  The folders are layers: syntax <- core <- {interp, compile}."""

import ast
from pathlib import Path

import pytest

from tests.support.paths import ROOT

# What each folder may import of lambent, itself left out.  A name means its whole folder;
# the modules directly in lang/ are named one by one.
BELOW_ALL = {"lang.system", "lang.deep", "lang.errors"}
SHARED = {*BELOW_ALL, "lang.syntax", "lang.primitives", "lang.core"}
ALLOWED = {
    "lang/system": {"lang.errors"},
    "lang/syntax": BELOW_ALL,
    "lang/primitives": BELOW_ALL,
    "lang/core": {*BELOW_ALL, "lang.syntax", "lang.primitives"},
    "lang/interp": {*SHARED, "ctorch", "lang.reference"},
    "lang/compile": {*SHARED, "ctorch", "runtime"},
    # A third back end, which becomes the only one (docs/decisions.md, "One machine").
    "lang/evaluator": {
        *SHARED, "lang.compile", "lang.compile_library", "lang.interp.code_cache",
        "lang.interp.run", "lang.interp.repl", "lang.interp.errors.faults",
        "lang.interp.builtins.plots",
        # Sessions in Python programs: the threads, Ctrl-C, the classes that Python sees.
        "lang.interp.embed", "lang.interp.interrupts", "lang.interp.values.values",
        "lang.interp.builtins.tensors",
    },
    "ctorch": {*BELOW_ALL, "lang.primitives"},
    "runtime": set[str](),
    "stdlib": set[str](),
}


def imports(file: Path) -> set[str]:
    """The dotted names of the modules that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {f"{module}.{alias.name}" for alias in names} | {module}
    return found


def python_files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


# The compiler's folders in the order of its passes: each imports only those before it.
PASSES = ("ir", "closures", "types", "versions", "tensors", "ownership", "c", "units", "build")


@pytest.mark.parametrize("folder", ALLOWED)
def test_a_folder_imports_only_the_layers_below(folder: str) -> None:
    own = folder.replace("/", ".")
    for file in python_files(folder):
        for module in imports(file):
            if not module.startswith("lambent."):
                continue
            inside = module.removeprefix("lambent.")
            allowed = {own, *ALLOWED[folder]}
            assert inside in ("lang", *ALLOWED) or any(
                inside == layer or inside.startswith(f"{layer}.") for layer in allowed
            ), f"{file.relative_to(ROOT)} imports {module}"


def test_only_ctorch_interp_and_embedding_touch_cffi() -> None:
    for file in python_files("lang"):
        if "interp" not in file.parts and file.parts[-3:-1] != ("evaluator", "embed"):
            touched = {name.split(".")[0] for name in imports(file)} & {"cffi", "_cffi_backend"}
            assert not touched, f"{file.relative_to(ROOT)} imports cffi"


def test_nothing_imports_python_torch() -> None:
    for folder in ("lang", "ctorch", "runtime", "stdlib"):
        for file in python_files(folder):
            names = {name.split(".")[0] for name in imports(file)}
            assert "torch" not in names, f"{file.relative_to(ROOT)} imports torch"


def test_each_room_of_the_compiler_has_its_place_in_the_order() -> None:
    rooms = {path.parent.name for path in (ROOT / "lang/compile").glob("*/__init__.py")}
    assert rooms == set(PASSES)


@pytest.mark.parametrize("room", PASSES)
def test_a_room_of_the_compiler_imports_only_those_before_it(room: str) -> None:
    later = tuple(f"lambent.lang.compile.{name}." for name in PASSES[PASSES.index(room) + 1 :])
    for file in python_files(f"lang/compile/{room}"):
        for module in imports(file):
            assert not module.startswith(later), f"{file.relative_to(ROOT)} imports {module}"


def test_no_folder_is_crowded() -> None:
    """A folder of many files needs sub-folders, unless it is a list of like things."""
    lists = {"docs", "examples", "tests/programs", "tests/programs/r7rs", "tests/errors",
             "tests/bench/language"}
    for top in ("lang", "ctorch", "runtime", "stdlib", "tests", "docs", "examples"):
        for folder in (ROOT / top, *(ROOT / top).rglob("*/")):
            files = [path for path in folder.iterdir() if path.is_file()]
            name = str(folder.relative_to(ROOT))
            if "__pycache__" not in folder.parts and name not in lists:
                assert len(files) <= 27, f"{name} holds {len(files)} files"
