"""Imports modules of Lambent, each by itself: `python -m tests.support.import_alone`.

A cycle of imports may work or fail depending on which module comes first, so each module is the
first one in a process of its own.  The processes are forked from this one, which has loaded
everything that does not belong to Lambent, so they cost little.  Prints each module that fails.

`import_graph` is what modules import while they are imported, read off their text.
"""

import ast
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("lang", "ctorch", "runtime", "stdlib")
_PROCESSES = 2


def module_names() -> list[str]:
    """Every module of the packages, by its dotted name."""
    names = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            if parts[-1] != "__main__" and parts[:2] != ("lang", "package"):
                names.append(".".join(("lambent", *parts)))
    return names


def load_what_is_not_ours(names: list[str]) -> None:
    """Load the modules of other packages that ours import; a child process reports which ones."""
    reader, writer = os.pipe()

    def tell() -> None:
        for name in names:
            importlib.import_module(name)
        theirs = [name for name in sys.modules if not name.startswith(("lambent", "tests", "__"))]
        os.write(writer, " ".join(theirs).encode())

    child = in_child(tell)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        told = pipe.read().split()
    os.waitpid(child, 0)
    for name in told:
        try:
            importlib.import_module(name)
        except ImportError:  # a module that another one made, such as os.path's
            continue


def in_child(job: Callable[[], object]) -> int:
    """Start a job in a forked process, and return the process id."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            job()
            status = 0
        except BaseException:
            traceback.print_exc(limit=-2)
        finally:
            sys.stderr.flush()
            os._exit(status)
    return child


def failing(names: list[str]) -> list[str]:
    """The modules that cannot be imported first."""
    running: dict[int, str] = {}
    failed = []
    for name in [*names, *[""] * _PROCESSES]:
        if len(running) == _PROCESSES or (not name and running):
            child, status = os.wait()
            ended = running.pop(child)
            failed += [ended] if status else []
        if name:
            running[in_child(partial(importlib.import_module, name))] = name
    return failed


# What imports what.


def import_graph() -> dict[str, set[str]]:
    """For each module, those that it imports at once, not in a function that runs later."""
    names = set(module_names())
    graph: dict[str, set[str]] = {}
    for name in names:
        tree = ast.parse(_path_of(name).read_text(encoding="utf-8"))
        found = {_module_of(word, names) for word in _imported(tree.body)}
        graph[name] = {module for module in found if module and module != name}
    return graph


def _path_of(name: str) -> Path:
    path = ROOT.joinpath(*name.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imported(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """The dotted names that statements import when they run."""
    for statement in statements:
        match statement:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.If(test=ast.Name("TYPE_CHECKING"), orelse=orelse):
                yield from _imported(orelse)
            case ast.If(body=body, orelse=orelse) | ast.Try(body=body, orelse=orelse):
                yield from _imported([*body, *orelse])
            case ast.ClassDef(body=body) | ast.With(body=body):
                yield from _imported(body)


def _module_of(word: str, names: set[str]) -> str | None:
    """Our module that a dotted name means, or that defines it."""
    while word and word not in names:
        word = word.rpartition(".")[0]
    return word or None


if __name__ == "__main__":
    chosen = sys.argv[1:] or module_names()
    load_what_is_not_ours(chosen)
    assert not [name for name in sys.modules if name.startswith("lambent.")]
    for name in failing(chosen):
        print(name, flush=True)
