"""The library is compiled once, in units: what follows from its text, interfaces, object files."""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lambent.lang import compile_library
from lambent.lang.compile.build import library_files, object_files
from lambent.lang.compile.build.build import build_executable
from lambent.lang.compile.build.library_files import library_objects
from lambent.lang.compile.build.toolchain import Options
from lambent.lang.compile.closures.top_level import analyze_top_level
from lambent.lang.compile.ir.anf import Anf, DirectTailCall, Representation
from lambent.lang.compile.ir.operands import all_blocks
from lambent.lang.compile.tensors.tensor_flow import names_with_tensors
from lambent.lang.compile.units import library
from lambent.lang.compile.units.library import library_function, unit_key
from lambent.lang.compile.units.library_units import library_units, reached
from lambent.lang.core.modules.library import definition_names, library_uses, load_library
from lambent.lang.deep import call_deep
from lambent.lang.pipeline import compile_source, read_source
from lambent.lang.syntax.source import Source
from tests.suites.compile.test_emit import NO_LEAKS, ROOT
from tests.support.binaries import CHECKED, finish
from tests.support.programs_run import prepare_cache, prepare_runtime, prepare_units

VARIED = ("programs/higher_order", "programs/json", "errors/in_library", "programs/modules")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a new cache for object files of the library; it does not exist yet."""
    cache = tmp_path / "cache"
    prepare_cache(cache)
    prepare_runtime(cache)
    prepare_units(cache)
    monkeypatch.setenv("LAMBENT_CACHE", str(cache))
    return library_files._folder()


def compiled(text: str) -> Anf:
    return compile_source(Source("case.lisp", text))


# What follows from the text.


def test_a_unit_comes_after_those_that_it_uses() -> None:
    units = library_units()
    for index, uses in enumerate(units.uses):
        assert all(other < index for other in uses), units.files[index]
    for name in definition_names():
        others = {units.unit_of[used] for used in library_uses()[name]} - {units.unit_of[name]}
        assert others <= set(units.uses[units.unit_of[name]]), name


def test_every_file_is_in_one_unit() -> None:
    units = library_units()
    files = [file for group in units.files for file in group]
    assert len(files) == len(set(files))
    assert set(units.file_of.values()) == set(files)
    assert units.file_of["%type:%accumulation.lib"] == "stdlib/optim/accumulation.lisp"
    assert units.file_of["%make-accumulation"] == "stdlib/optim/accumulation.lisp"


def test_what_copies_of_bodies_use_is_exported() -> None:
    units, uses = library_units(), library_uses()
    for name in units.copied:
        assert {used for used in uses[name] if used not in units.variables} <= units.heads.keys()


def test_no_variable_of_the_library_is_used_before_it_has_a_value() -> None:
    """Units trust this: their code tests none of them."""
    top = call_deep(analyze_top_level, load_library())
    assert [key for key, variable in top.variables.items() if variable.early] == []


def test_programs_without_tensors_reach_none() -> None:
    units = library_units()
    assert "for-each" not in units.tensors and "linear" in units.tensors
    for name in units.heads.keys() - units.tensors:
        assert units.tensors.isdisjoint(reached([name]))


# Interfaces.


def test_a_program_has_no_functions_of_the_library() -> None:
    anf = compiled("(print (delete-duplicates (list 2 1)) (list-tabulate 3 -))")
    assert anf.functions == ()
    assert {function.name for function in anf.externals} == {"delete-duplicates", "-"}
    assert all(function.interface is not None for function in anf.externals)


def test_procedures_that_are_given_procedures_are_copied() -> None:
    anf = compiled("(define (f v) (vector-count even? v)) (print (f (vector 1 2)))")
    assert "vector-count" not in {function.name for function in anf.externals}


def test_interfaces_say_what_functions_do() -> None:
    def interface_of(name: str, tensors: bool = False) -> library.Function:
        compiled(f"(print {name})")
        return library_function(name, tensors)

    taking = interface_of("take").interface
    assert taking is not None
    assert taking.allocates and not taking.calls_unknown and not taking.catches
    sorting = interface_of("sort").interface
    assert sorting is not None and sorting.calls_unknown
    assert interface_of("<").result is Representation.BOOLEAN
    guarded = interface_of("with-exception-handler").interface
    assert guarded is not None and guarded.catches


def test_results_that_are_no_values_end_no_tail_call() -> None:
    """The function around may return something else."""
    anf = compiled("(define (f x) (if (pair? x) (string-count (car x) #\\a) '())) (print f)")
    assert [function.result for function in anf.externals] == [Representation.FIXNUM]
    blocks = [block for function in anf.functions for block in all_blocks(function.body)]
    assert not any(isinstance(block.end, DirectTailCall) for block in blocks)


def test_tensors_flow_through_functions_elsewhere() -> None:
    anf = compiled("""
        (define (sizes l) (list-copy (map tensor-shape (take l 2))))
        (define l (list (tensor '(1 2)) (tensor '(3))))
        (define some (take l 1))
        (define shapes (sizes l))
        (print some shapes)
        """)
    names = names_with_tensors(anf)["main"]
    assert any(name.startswith("some") for name in names)
    assert not any(name.startswith("shapes") for name in names)


# Object files.


@pytest.mark.parametrize("name", VARIED)
def test_object_files_and_whole_programs_agree(name: str, tmp_path: Path) -> None:
    anf = compile_source(read_source(f"tests/{name}.lisp"))
    build_executable(anf, tmp_path / "linked")
    build_executable(anf, tmp_path / "whole", Options(strict=True))
    linked, whole = [finish([tmp_path / n], ROOT, CHECKED) for n in ("linked", "whole")]
    assert linked == whole
    assert linked[1].endswith(NO_LEAKS)


def test_files_are_compiled_once(folder: Path) -> None:
    first = compiled("(print (sort (list 2 1) <) (string-split \"a b\" \" \"))")
    files = library_objects(first)
    assert {file.path.parent for file in files} == {folder}
    times = [file.path.stat().st_mtime_ns for file in files]
    again = library_objects(compiled("(define x 1) (print (sort (list 2 x) <))"))
    assert set(again) <= set(files)
    assert [file.path.stat().st_mtime_ns for file in files] == times


def test_a_damaged_file_is_compiled_again(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = compiled("(print (sort (list 2 1) <))")
    path = library_objects(program)[0].path
    data = path.read_bytes()
    path.write_bytes(bytes(len(data)))  # a crash of the machine
    assert library_objects(program)[0].path.read_bytes() == data
    assert "a file of the cache is damaged" in capfd.readouterr().err


def test_a_damaged_unit_is_compiled_again(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled("(print (take '(1 2) 1))")
    index = library_units().unit_of["take"]
    path = library._path(index, unit_key(index, False), "interfaces")
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    monkeypatch.setattr(library, "_UNITS", {})
    compiled("(print (take '(1 2) 1))")
    assert path.stat().st_size == len(data)
    assert "a file of the cache is damaged" in capfd.readouterr().err


def test_two_processes_may_compile_at_once(folder: Path, tmp_path: Path) -> None:
    index = library_units().unit_of["take"]
    for ending in ("interfaces", "functions"):
        library._path(index, unit_key(index, False), ending).unlink(missing_ok=True)
    (tmp_path / "case.lisp").write_text("(print (take '(1 2) 1))")

    def compile_in_process(number: int) -> tuple[str, str, int]:
        command = [sys.executable, "-m", "lambent.lang", "compile", "case.lisp", "-o",
                   f"case{number}"]
        return finish(command, tmp_path, {**os.environ, "LAMBENT_CACHE": str(folder.parent)})

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(compile_in_process, range(2))) == [("", "", 0)] * 2
    programs = [(tmp_path / f"case{number}").read_bytes() for number in range(2)]
    assert programs[0] == programs[1]


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
            build_executable(compiled(text), program)
            bytes_of[text] = program.read_bytes()
        made.append([bytes_of[text] for text in SAME])
    assert made[0] == made[1] == made[2]


def test_files_that_were_not_used_for_long_are_deleted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_files, "_MOST_FILES", 1)
    first, second, third = [
        compiled(f"(print {call})")
        for call in ("(take '(1 2) 1)", "(string-split \"a\" \" \")", "(sort '(2 1) <)")
    ]
    old = [file.path for program in (first, second) for file in library_objects(program)]
    assert len(old) >= 2
    library_objects(third)  # may be linked: they stay
    assert set(old) <= set(folder.iterdir())
    for path in folder.iterdir():
        os.utime(path, (0, 0) if path in old else (1, 1))
    object_files.drop_old_files(folder)
    assert not set(old) <= set(folder.iterdir())
    assert library_objects(first)[0].path.exists()


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


def test_programs_may_have_the_names_of_library_functions(tmp_path: Path) -> None:
    text = """
        (define (%merge-parts! x) (list 'mine x))
        (define (sort.lambda x) x)
        (print (sort (list 3 1 2) <) (%merge-parts! 1) (sort.lambda 2))
        """
    assert built(text, tmp_path / "program") == "(1 2 3) (mine 1) 2\n"
    build_executable(compiled(text), tmp_path / "whole", Options(strict=True))
    assert finish([tmp_path / "whole"], ROOT, CHECKED) == ("(1 2 3) (mine 1) 2\n", NO_LEAKS, 0)


def test_users_are_told_what_takes_long(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_library, "_MANY", 1)
    monkeypatch.setattr(library_files, "_MANY", 1)
    monkeypatch.setattr(compile_library, "has_unit", lambda index, tensors: False)
    build_executable(compiled("(print (take '(1 2) 1))"), folder.parent / "program")
    assert capfd.readouterr().err == (
        "lambent: compiling the library for programs without tensors (once)\n"
        "lambent: compiling the C of 2 files of the library (once)\n"
    )


def built(text: str, program: Path, words: Sequence[str] = ()) -> str:
    """The output of a program that is linked with the library's object files."""
    build_executable(compiled(text), program)
    output, errors, status = finish([program, *words], ROOT, CHECKED)
    assert (errors, status) == (NO_LEAKS, 0)
    return output


