"""Library functions that are compiled once and kept behave as in a program compiled whole."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from lambent.lang.compile.build import kept_code
from lambent.lang.compile.build.build import build_executable
from lambent.lang.compile.build.kept_code import library_objects
from lambent.lang.compile.build.library_code import SplitProgram, split_program
from lambent.lang.compile.build.toolchain import Options
from lambent.lang.pipeline import compile_source, read_source
from lambent.lang.syntax.source import Source
from tests.suites.compile.test_emit import NO_LEAKS, ROOT
from tests.support.binaries import CHECKED, finish
from tests.support.programs_run import prepare_cache, prepare_runtime

VARIED = ("programs/higher_order", "programs/json", "errors/in_library")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a new cache where library code is kept; it does not exist yet."""
    cache = tmp_path / "cache"
    prepare_cache(cache)
    prepare_runtime(cache)
    monkeypatch.setenv("LAMBENT_CACHE", str(cache))
    return kept_code._folder(Options())


def split(text: str) -> SplitProgram:
    return split_program(compile_source(Source("case.lisp", text)))


def symbols(text: str) -> dict[str, str]:
    return {name: function.symbol for name, function in split(text).functions.items()}


@pytest.mark.parametrize("name", VARIED)
def test_kept_and_fresh_code_agree(name: str, tmp_path: Path) -> None:
    anf = compile_source(read_source(f"tests/{name}.lisp"))
    build_executable(anf, tmp_path / "kept")
    build_executable(anf, tmp_path / "whole", Options(strict=True))
    kept, whole = [finish([tmp_path / n], ROOT, CHECKED) for n in ("kept", "whole")]
    assert kept == whole
    assert kept[1].endswith(NO_LEAKS)


def test_equal_facts_give_equal_c_names() -> None:
    one = symbols("(print (sort (list 2 1) <))")
    other = symbols("(define (sorted l) (sort l <)) (define sort.lambda 1) (print (sorted '()))")
    assert one["%merge-parts!"] == other["%merge-parts!"]
    assert one["%insert-all!"] == other["%insert-all!"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(print (take '(1 2) 1))", "(print (take '(1 2) (car (list 1))))"),
        ("(print (delete 1 '()))", "(print (delete 1 '()) (list delete))"),
        ("(print (delete 1 '()))", "(print (delete 1 '()) [1])"),
    ],
)
def test_different_facts_give_different_c_names(one: str, other: str) -> None:
    found, others = symbols(one), symbols(other)
    assert found.keys() <= others.keys()
    assert any(found[name] != others[name] for name in found)


def test_kept_code_is_not_recompiled(folder: Path, tmp_path: Path) -> None:
    first = split("(print (sort (list 2 1) <) (string-split \"a b\" \" \"))")
    files = library_objects(first, Options())
    assert {file.path.parent for file in files} == {folder}
    again = library_objects(split("(define x 1) (print (sort (list 2 x) <))"), Options())
    assert set(again) <= set(files)
    files[0].path.write_bytes(b"")  # a crash of the machine
    assert library_objects(first, Options())[0].path.stat().st_size > 0


def test_missing_functions_are_compiled_beside_kept_ones(folder: Path, tmp_path: Path) -> None:
    texts = ["(print (take '(1 2) 1))", "(print (string-split \"a b\" \" \"))"]
    outputs = [built(text, tmp_path / f"program{k}") for k, text in enumerate(texts)]
    assert outputs == ["(1)\n", "(a b)\n"]
    before = set(folder.iterdir())
    assert built("".join(texts), tmp_path / "both") == "(1)\n(a b)\n"
    assert before <= set(folder.iterdir())


SAME = (
    "(print (sort (list 3 1 2) <) (assoc 2 '((1 a) (2 b))) (delete 1 '(1 2)))",
    "(define x (string-split \"a b\" \" \")) (print x (append-map list x) (take x 1))",
    "(print (guard (e (#t (error-object-message e))) (vector-map / #(1 2) #(1 0))))",
)


def test_the_same_source_becomes_the_same_executable(folder: Path, tmp_path: Path) -> None:
    """Whatever the cache holds: nothing, what other programs have left, or all of it."""
    made: list[list[bytes]] = []
    for order in (SAME, SAME[::-1], SAME):
        if len(made) < 2:
            for path in folder.glob("*"):
                path.unlink()
        bytes_of = {}
        for text in order:
            program = tmp_path / f"program{len(made)}"  # a name that is not in it
            build_executable(compile_source(Source("case.lisp", text)), program)
            bytes_of[text] = program.read_bytes()
        made.append([bytes_of[text] for text in SAME])
    assert made[0] == made[1] == made[2]


def test_files_that_were_not_used_for_long_are_deleted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_code, "_MOST_FILES", 1)
    first, second, third = [
        split(f"(print {call})")
        for call in ("(take '(1 2) 1)", "(string-split \"a\" \" \")", "(sort '(2 1) <)")
    ]
    old = [file.path for program in (first, second) for file in library_objects(program, Options())]
    assert len(old) >= 2
    library_objects(third, Options())  # may be linked: they stay
    assert set(old) <= set(folder.iterdir())
    for path in old:
        os.utime(path, (0, 0))
    library_objects(third, Options())
    assert not set(old) <= set(folder.iterdir())
    assert library_objects(first, Options())[0].path.exists()


def test_objects_of_the_library_exist_once(tmp_path: Path) -> None:
    text = """
        (define (same? x y) (eq? x y))
        (print (same? map map) (same? car car) (same? (car (list assoc)) assoc)
               (same? (car (map (lambda (x) car) '(1))) car))
        (define p (make-parameter 1))
        (print (parameterize ((p 2)) (map (lambda (x) (p)) '(1 2))))
        (print (call-with-output-string (lambda (port) (write '(a "b") port))))
        """
    assert built(text, tmp_path / "program") == '#t #t #t #t\n(2 2)\n(a "b")\n'


def built(text: str, program: Path, words: Sequence[str] = ()) -> str:
    """The output of a program that is compiled with the kept functions."""
    build_executable(compile_source(Source("case.lisp", text)), program)
    output, errors, status = finish([program, *words], ROOT, CHECKED)
    assert (errors, status) == (NO_LEAKS, 0)
    return output
