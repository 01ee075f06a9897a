"""Makes a failing program small: `python -m tests.stress.reduce FILE --check CHECK [-o OUT]`.

    --check differ     stdout, stderr or status of script and executable differ
    --check crash      the compiler or the interpreter's analysis has an internal error
    --check verify     a verifier refuses the result of a pass
    --check COMMAND    a shell command, run with the name of a file that holds the program, exits
                       with 0: `grep -q call/cc`

It works on data, not on lines: it leaves forms out, replaces a form by a constant or by one of its
subforms, and keeps every change after which the program still fails in the same way.  The smallest
program found goes to OUT, or to the standard output; comments are lost.
"""

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from lambent.lang.syntax.datum import Brackets, Datum, List, Symbol, Vector
from lambent.lang.syntax.layout import Form, Shape, form, layout
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from lambent.lang.syntax.text import ABBREVIATIONS, to_text

CONSTANTS = ("0", "#f", "'()")
_SECONDS = 120  # for one check: a program that hangs does not fail in the same way

# How a program fails; None for one that does not.  Programs that fail alike have equal ones.
Failure = object
Check = Callable[[str], Failure]


@dataclass(frozen=True, slots=True)
class Node:
    """A form: its items between brackets.  An atom is its text."""

    opening: str
    items: tuple["Tree", ...]
    closing: str


Tree = str | Node


def tree_of(datum: Datum) -> Tree:
    match datum:
        case List((Symbol(name), inner), None) if name in ABBREVIATIONS:
            return Node(ABBREVIATIONS[name], (tree_of(inner),), "")
        case List(items, None):
            return Node("(", tuple(map(tree_of, items)), ")")
        case List(items, tail) if tail is not None:
            return Node("(", (*map(tree_of, items), ".", tree_of(tail)), ")")
        case Vector(items):
            return Node("#(", tuple(map(tree_of, items)), ")")
        case Brackets(items):
            return Node("[", tuple(map(tree_of, items)), "]")
    return to_text(datum)


def text_of(forms: Sequence[Tree]) -> str:
    return "".join(layout(_shape(tree)) + "\n" for tree in forms)


def _shape(tree: Tree) -> Shape:
    if isinstance(tree, str):
        return tree
    parts = [_shape(item) for item in tree.items]
    return form(*parts) if tree.opening == "(" else Form(tuple(parts), tree.opening, tree.closing)


def size(tree: Tree) -> int:
    """How many atoms and brackets."""
    return 1 if isinstance(tree, str) else 1 + sum(map(size, tree.items))


# The search.


@dataclass(slots=True)
class Reducer:
    """check returns how a text fails; failure is how it must continue to fail.  tried: the texts so
    far, and whether they fail like that."""

    check: Check
    failure: Failure
    most: int = 2_000  # checks
    tried: dict[str, bool] = field(default_factory=dict)

    def fails(self, forms: Sequence[Tree]) -> bool:
        text = text_of(forms)
        if text not in self.tried:
            if len(self.tried) >= self.most:
                return False
            self.tried[text] = self.check(text) == self.failure
        return self.tried[text]

    def program(self, forms: Sequence[Tree]) -> list[Tree]:
        """The smallest program found that fails like this one."""
        found = list(forms)
        while True:
            before = sum(map(size, found))
            found = self.dropped(found, self.fails)
            for index in range(len(found)):
                found[index] = self.form(found[index], self.within(found, index))
            found = self.spliced(found)
            if sum(map(size, found)) == before:
                return found

    def within(self, items: list[Tree], index: int) -> Callable[[Tree], bool]:
        return lambda tree: self.fails([*items[:index], tree, *items[index + 1 :]])

    def dropped(
        self, items: Sequence[Tree], fails: Callable[[Sequence[Tree]], bool]
    ) -> list[Tree]:
        """The items without as many as possible: first large pieces, then single ones."""
        found, piece = list(items), max(len(items) // 2, 1)
        while found:
            at = 0
            while at < len(found):
                fewer = [*found[:at], *found[at + piece :]]
                if fails(fewer):
                    found = fewer
                else:
                    at += piece
            if piece == 1:
                break
            piece //= 2
        return found

    def form(self, tree: Tree, fails: Callable[[Tree], bool]) -> Tree:
        """The smallest form found that can replace the given one."""
        if isinstance(tree, str):
            return tree
        for constant in CONSTANTS:
            if fails(constant):
                return constant
        for item in sorted(tree.items, key=size):
            if item != "." and fails(item):
                return self.form(item, fails)
        node = tree
        items = self.dropped(node.items, lambda items: fails(replace(node, items=tuple(items))))
        for index in range(len(items)):
            items[index] = self.form(
                items[index],
                lambda inner, index=index: fails(  # type: ignore[misc]
                    replace(node, items=(*items[:index], inner, *items[index + 1 :]))
                ),
            )
        return replace(node, items=tuple(items))

    def spliced(self, forms: list[Tree]) -> list[Tree]:
        """The program with a top-level form replaced by its inner forms, such as a body."""
        for index, tree in enumerate(forms):
            if isinstance(tree, Node) and tree.opening == "(":
                inner = [item for item in tree.items if isinstance(item, Node)]
                fewer = [*forms[:index], *inner, *forms[index + 1 :]]
                if inner and self.fails(fewer):
                    return fewer
        return forms


def reduced(text: str, check: Check, most: int = 2_000) -> str:
    """The smallest program found that fails like the text; a ValueError if that does not."""
    failure = check(text)
    if failure is None:
        raise ValueError("the program does not fail")
    forms = [tree_of(datum) for datum in read(Source("reduce.lisp", text))]
    reducer = Reducer(check, failure, most)
    if not reducer.fails(forms):
        raise ValueError("the program does not fail any more when it is printed anew")
    return text_of(reducer.program(forms))


# Checks.


def in_child(job: Callable[[], Failure]) -> Failure:
    """The result of a job in a forked process, or how that process ended if it did not end well."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reader)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(nowhere, number)
            with os.fdopen(writer, "wb") as pipe:
                pickle.dump(job(), pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return pickle.loads(told) if status == 0 else ("ended", status)


def crash(text: str) -> Failure:
    """The pass and the exception of an internal error."""
    return in_child(lambda: _internal_error(text, verifies=False))


def verify(text: str) -> Failure:
    """The same, with each pass's result verified."""
    return in_child(lambda: _internal_error(text, verifies=True))


def _internal_error(text: str, *, verifies: bool) -> Failure:
    from lambent.lang.crash_report import examine
    from lambent.lang.errors import LispError
    from lambent.lang.passes import Job, run_to

    source = Source("reduce.lisp", text)
    try:
        run_to("evaluate", Job(source, verifies=verifies))
        run_to("emit_c", Job(source, evaluates=False, verifies=verifies))
    except LispError:
        return None
    except Exception as error:
        return examine(error).step, type(error).__name__
    return None


def differ(text: str) -> Failure:
    """The differences between the two back ends, of stdout, stderr and status."""
    from lambent.lang.errors import LispError
    from tests.support.binaries import build_texts, finish

    with tempfile.TemporaryDirectory(prefix="lambent-reduce-") as name:
        folder = Path(name)
        (folder / "program.lisp").write_text(text, encoding="utf-8")
        try:
            binary = build_texts({"program": text}, folder)
        except LispError:
            return None  # not a program
        except Exception as error:
            return "cannot be compiled", type(error).__name__
        run = partial(finish, folder=folder, seconds=_SECONDS)
        try:
            script = run([sys.executable, "-m", "lambent.lang", "program.lisp"])
            executable = run([str(binary), "program"])
        except subprocess.TimeoutExpired:
            return None  # without its end, a loop may be endless
    pairs = zip(("stdout", "stderr", "status"), script, executable, strict=True)
    return tuple(what for what, one, other in pairs if one != other) or None


def by_command(command: str) -> Check:
    """Whether a shell command exits with 0, given the name of a file with the program."""

    def check(text: str) -> Failure:
        with tempfile.TemporaryDirectory(prefix="lambent-reduce-") as folder:
            path = Path(folder, "program.lisp")
            path.write_text(text, encoding="utf-8")
            words = ["sh", "-c", f'{command} "$1"', "sh", str(path)]
            try:
                done = subprocess.run(
                    words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS
                )
            except subprocess.TimeoutExpired:
                return None
            return True if done.returncode == 0 else None

    return check


CHECKS: dict[str, Check] = {"differ": differ, "crash": crash, "verify": verify}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.stress.reduce", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", required=True, help=f"{', '.join(CHECKS)}, or a command")
    parser.add_argument("-o", dest="output", type=Path)
    parser.add_argument("--most", type=int, default=2_000, help="checks before it gives up")
    options = parser.parse_args()
    text = options.file.read_text(encoding="utf-8")
    check = CHECKS.get(options.check) or by_command(options.check)
    try:
        small = reduced(text, check, options.most)
    except ValueError as error:
        parser.error(str(error))
    if options.output:
        options.output.write_text(small, encoding="utf-8")
    else:
        sys.stdout.write(small)
    print(f"{len(text)} characters became {len(small)}", file=sys.stderr)


if __name__ == "__main__":
    main()
