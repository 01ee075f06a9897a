"""Programs of several files: the C of each follows from it, and is compiled when that changes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lambent.lang.compile.build import object_files
from lambent.lang.compile.build.build import build_executable
from lambent.lang.compile.build.object_files import ObjectText
from lambent.lang.compile.build.toolchain import Options, compile_objects
from lambent.lang.compile.units.program_files import program_files, program_texts
from lambent.lang.pipeline import compile_source, read_source
from tests.suites.compile.test_emit import NO_LEAKS
from tests.support.binaries import CHECKED, finish
from tests.support.programs_run import prepare_cache, prepare_runtime, prepare_units

_COUNT = 10
_NAMES = [f"part{i}.lisp" for i in range(_COUNT)]


def part(index: int) -> str:
    """A module with loops, closures, constants and a variable that its procedures change."""
    before = f"(walk{index - 1} (cdr l))" if index else "'()"
    used = f'(import "part{index - 1}.lisp")\n' if index else ""
    return f"""{used}
(define calls{index} 0)
(define (walk{index} l)
  (set! calls{index} (+ calls{index} 1))
  (cond ((null? l) '(end {index}))
        ((pair? (car l)) (append (walk{index} (car l)) {before}))
        (else (let loop ((k 0) (sum 0))
                (if (= k (length l))
                    (cons sum (map (lambda (x) (list "part" x {index})) {before}))
                    (loop (+ k 1) (+ sum (* k {index + 1}))))))))
(define (keep{index} p l) (let loop ((l l)) (if (and (pair? l) (p (car l))) (loop (cdr l)) l)))
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a program of eleven files, in the present folder."""
    monkeypatch.chdir(tmp_path)
    for index, name in enumerate(_NAMES):
        Path(name).write_text(part(index))
    imports = " ".join(f'"{name}"' for name in _NAMES)
    calls = "\n".join(f"(print (walk{i} '(1 (2) 3)) (keep{i} odd? '(1 2)))" for i in range(_COUNT))
    Path("main.lisp").write_text(f"(import {imports})\n{calls}\n(print calls0 calls9)\n")
    return "main.lisp"


def texts(path: str) -> list[str]:
    return program_texts(compile_source(read_source(path)), ())


def changed_texts(path: str, name: str, old: str, new: str) -> tuple[int, int]:
    """How many files a program's C is in, and how many of them a change of its text changes."""
    before = texts(path)
    text = Path(name).read_text()
    assert old in text
    Path(name).write_text(text.replace(old, new))
    after = texts(path)
    return len(after), len([text for text in after if text not in before])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(* k 6)", "(* k 7)"),
        ("(list ", "(vector "),
        # More procedures and loops than before: names in other files do not count them.
        ("(define (keep5", "(define (loop x) (map (lambda (y) (loop y)) x))\n(define (keep5"),
        ("'(end 5)", "(let more ((n 5)) (map (lambda (y) (list y n)) (more (- n 1))))"),
    ],
)
def test_a_change_of_one_file_changes_its_c(program: str, old: str, new: str) -> None:
    assert changed_texts(program, "part5.lisp", old, new) == (_COUNT + 1, 1)


def test_the_top_level_is_in_the_c_of_the_program(program: str) -> None:
    assert changed_texts(program, program, "(print calls0", "(print 'calls calls0") == (11, 1)


def test_the_same_program_becomes_the_same_c(program: str) -> None:
    assert texts(program) == texts(program)


def test_a_program_of_one_file_is_one_c_file(tmp_path: Path) -> None:
    path = tmp_path / "one.lisp"
    path.write_text("(define (f x) (if (null? x) 0 (+ 1 (f (cdr x)))))\n(print (map f '((1) (2))))")
    assert len(texts(str(path))) == 1


def test_an_included_file_has_its_own_c(program: str) -> None:
    Path("whole.lisp").write_text('(include "part0.lisp")\n(print (walk0 (list 1 2)) calls0)\n')
    assert list(program_files(compile_source(read_source("whole.lisp"))).files) == ["part0.lisp"]


def test_what_has_changed_is_compiled(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Path("cache").absolute()
    prepare_cache(cache)
    prepare_runtime(cache)
    prepare_units(cache)
    monkeypatch.setenv("LAMBENT_CACHE", str(cache))
    compiled: list[int] = []

    def counted(sources: Sequence[Path], *rest: Any) -> list[Path]:
        if any("walk" in source.read_text() for source in sources):
            compiled.append(len(sources))
        return compile_objects(sources, *rest)

    monkeypatch.setattr(object_files, "compile_objects", counted)
    options = Options(optimize=False)
    first = built(program, options)
    assert built(program, options) == first
    path = Path("part3.lisp")
    path.write_text(path.read_text().replace("(* k 4)", "(* k 5)"))
    assert built(program, options) != first
    assert compiled == [_COUNT + 1, 1]


def test_what_was_compiled_before_a_failure_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt and a full disk end a compilation as this mistake does."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    texts = [*(f"int number{k} = {k};" for k in range(3)), "#error a mistake"]
    with pytest.raises(AssertionError, match="a mistake"):
        object_files.object_files([ObjectText(text) for text in texts], tmp_path, ["-std=c99"])
    again = [ObjectText(text) for text in texts[:3]]
    kept = object_files.object_files(again, tmp_path, ["no-such-flag"])
    assert sorted(kept) == sorted(tmp_path.iterdir())


def test_a_constant_is_one_object_in_all_files(tmp_path: Path) -> None:
    (tmp_path / "state.lisp").write_text("(define (state) '(start))\n(define (text) \"text\")\n")
    (tmp_path / "user.lisp").write_text(
        '(import "state.lisp")\n'
        "(define (same? x) (if (pair? x) (eq? x (state)) (eq? x (text))))\n"
        "(define (all-same? l) (or (null? l) (and (same? (car l)) (all-same? (cdr l)))))\n"
    )
    path = tmp_path / "main.lisp"
    path.write_text(
        '(import "state.lisp" "user.lisp")\n'
        "(define (mine) (list (state) (text)))\n"
        "(print (all-same? (mine)) (all-same? (append (mine) (list '(start)))))\n"
    )
    assert built(str(path), Options(optimize=False)) == "#t #f\n"


def test_a_constant_that_moves_takes_its_other_holders_along(tmp_path: Path) -> None:
    (tmp_path / "x.lisp").write_text(
        '(define (c i) (get #f))\n(define (get w) (if w "ab" "cd"))\n'
    )
    path = tmp_path / "main.lisp"
    path.write_text(
        '(import "x.lisp")\n(define (a i) (get #t))\n(define ps (list a c get))\n'
        "(define (at k) (list-ref ps k))\n"
        "(print (eq? ((at 0) 1) ((at 2) #t)) (eq? ((at 1) 1) ((at 2) #f)))\n"
    )
    assert built(str(path), Options(optimize=False)) == "#t #t\n"


def built(path: str, options: Options) -> str:
    """What the executable of a program prints."""
    output = Path(path).with_suffix(".out").absolute()
    build_executable(compile_source(read_source(path)), output, options)
    out, err, status = finish([output], output.parent, CHECKED)
    assert (err, status) == (NO_LEAKS, 0)
    return out
