"""Modules, beyond program tests: errors, files that change, executables, the REPL."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lambent.lang.core.modules.library import LibraryMacros, closed_names, library_names
from lambent.lang.core.modules.modules import Modules
from lambent.lang.core.modules.srfi_libraries import LACKING, OWN_FOLDERS
from lambent.lang.core.modules.standard_libraries import FEATURES, STANDARD_LIBRARIES
from lambent.lang.errors import LispError
from lambent.lang.interp.repl.session import Session
from lambent.lang.syntax.source import Source
from tests.support import conformance


def lambent(folder: Path, *command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lambent.lang", *command],
        cwd=folder, input=given, capture_output=True, text=True, timeout=300,
    )


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


# Each row: the files; the whole stderr of main.lisp; its status.
FAULTS = {
    "a missing file": (
        {"main.lisp": '(print 1)\n(import "no.lisp")\n'},
        """\
main.lisp:2:9: import: cannot open no.lisp: No such file or directory
  2 | (import "no.lisp")
    |         ^^^^^^^^^
""", 66),
    "a missing file of a module in a folder": (
        {"main.lisp": '(import "lib/a.lisp")\n', "lib/a.lisp": '(import "no.lisp")\n'},
        """\
lib/a.lisp:1:9: import: cannot open lib/no.lisp: No such file or directory
  1 | (import "no.lisp")
    |         ^^^^^^^^^
""", 66),
    "a name that is not exported": (
        {"main.lisp": '(import (only "a.lisp" volme))\n', "a.lisp": "(define volume 1)\n"},
        """\
main.lisp:1:24: import: "a.lisp" does not export volme
  1 | (import (only "a.lisp" volme))
    |                        ^^^^^
hint: did you mean volume?
""", 65),
    "a private name of a library": (
        {"main.lisp": "(define-library (l) (export a) (begin (define a 1) (define b 2)))\n"
                      "(import (rename (l) (b c)))\n"},
        """\
main.lisp:2:22: import: (l) does not export b
  2 | (import (rename (l) (b c)))
    |                      ^
""", 65),
    "a cycle": (
        {"main.lisp": '(import "a.lisp")\n', "a.lisp": '(import "lib/b.lisp")\n',
         "lib/b.lisp": '(print 1)\n(import "../a.lisp")\n'},
        """\
lib/b.lisp:2:9: import: a.lisp imports lib/b.lisp, which imports a.lisp
  2 | (import "../a.lisp")
    |         ^^^^^^^^^^^
""", 65),
    "the program itself": (
        {"main.lisp": '(import "main.lisp")\n'},
        """\
main.lisp:1:9: import: main.lisp imports main.lisp
  1 | (import "main.lisp")
    |         ^^^^^^^^^^^
""", 65),
    "an unknown library": (
        {"main.lisp": "(import (shapes flat))\n"},
        """\
main.lisp:1:9: import: unknown library (shapes flat)
  1 | (import (shapes flat))
    |         ^^^^^^^^^^^^^
hint: looked for shapes/flat.sld, shapes/flat.lisp and shapes/flat.scm in ., lib; \
-L FOLDER names others
""", 65),
    "a library that is nearly known": (
        {"main.lisp": "(import (scheme bse))\n"},
        """\
main.lisp:1:9: import: unknown library (scheme bse)
  1 | (import (scheme bse))
    |         ^^^^^^^^^^^^
hint: did you mean (scheme base)?
""", 65),
    "a file that holds another library": (
        {"main.lisp": "(import (a))\n", "a.sld": "(define-library (b) (export))\n"},
        """\
main.lisp:1:9: import: a.sld does not define (a)
  1 | (import (a))
    |         ^^^
""", 65),
    "two that export one name": (
        {"main.lisp": '(import "a.lisp" "b.lisp")\n', "a.lisp": "(define x 1)\n",
         "b.lisp": "(define x 1)\n"},
        """\
main.lisp:1:18: import: x comes from "a.lisp" and from "b.lisp"
  1 | (import "a.lisp" "b.lisp")
    |                  ^^^^^^^^
hint: (except set x) leaves it out, (prefix set x:) renames all
""", 65),
    "assignment of an imported name": (
        {"main.lisp": '(import (prefix "a.lisp" a:))\n(set! a:x 2)\n', "a.lisp": "(define x 1)\n"},
        """\
main.lisp:2:7: set!: a:x is imported from "a.lisp"
  2 | (set! a:x 2)
    |       ^^^
hint: a procedure of that module can set it
""", 65),
    "bad syntax in a module": (
        {"main.lisp": '(import "lib/a.lisp")\n', "lib/a.lisp": "(define x 1)\n(let ((y)) y)\n"},
        """\
lib/a.lisp:2:1: let: expected ((name value) ...), got ((y))
  2 | (let ((y)) y)
    | ^^^^^^^^^^^^^
""", 65),
    "an export of nothing": (
        {"main.lisp": "(define-library (l)\n  (export volume)\n  (begin (define volume-1 1)))\n"},
        """\
main.lisp:2:11: export: (l) does not define volume
  2 |   (export volume)
    |           ^^^^^^
hint: did you mean volume-1?
""", 65),
    "a library twice": (
        {"main.lisp": "(define-library (l) (export))\n(define-library (l) (export))\n"},
        """\
main.lisp:2:17: define-library: (l) is defined already
  2 | (define-library (l) (export))
    |                 ^^^
""", 65),
    "an odd declaration": (
        {"main.lisp": "(define-library (l) (define x 1))\n"},
        """\
main.lisp:1:21: define-library: expected a declaration: export, import, begin, include, \
cond-expand ..., got (define x 1)
  1 | (define-library (l) (define x 1))
    |                     ^^^^^^^^^^^^
""", 65),
    "an import in a body": (
        {"main.lisp": "(define (f)\n  (import (scheme base))\n  1)\n"},
        """\
main.lisp:2:3: import: expected at the top level
  2 |   (import (scheme base))
    |   ^^^^^^^^^^^^^^^^^^^^^^
""", 65),
    "a file that includes itself": (
        {"main.lisp": '(include "a.scm")\n', "a.scm": '(include "a.scm")\n'},
        """\
a.scm:1:10: include: a.scm includes itself
  1 | (include "a.scm")
    |          ^^^^^^^
""", 65),
    "an included file that does not exist": (
        {"main.lisp": '(define (f) (include "a.scm"))\n'},
        """\
main.lisp:1:22: include: cannot open a.scm: No such file or directory
  1 | (define (f) (include "a.scm"))
    |                      ^^^^^^^
""", 66),
    "an odd import set": (
        {"main.lisp": "(import 5)\n"},
        """\
main.lisp:1:9: import: expected "file.lisp", (library name), or (only set name ...), except, \
prefix, rename, got 5
  1 | (import 5)
    |         ^
""", 65),
    "an error while a module runs": (
        {"main.lisp": '(import "lib/a.lisp")\n(f 2)\n',
         "lib/a.lisp": "(define (f x)\n  (list (g x 'y)))\n(define (g x y)\n  (+ x y))\n"},
        """\
lib/a.lisp:4:3: +: expected a number, got y
  4 |   (+ x y))
    |   ^^^^^^^
  in g, called at lib/a.lisp:2:9
  in f, called at main.lisp:2:1
""", 70),
    "a name of a module that has no value yet": (
        {"main.lisp": '(import "a.lisp")\n(print (f))\n', "a.lisp": "(define (f) late)\n(f)\n"
         "(define late 1)\n"},
        """\
a.lisp:1:13: unbound variable: late
  1 | (define (f) late)
    |             ^^^^
  in f, called at a.lisp:2:1
""", 70),
}


@pytest.mark.parametrize("name", FAULTS)
def test_error_message(tmp_path: Path, name: str) -> None:
    files, said, status = FAULTS[name]
    write(tmp_path, files)
    script = lambent(tmp_path, "main.lisp")
    assert (script.stderr, script.returncode) == (said, status)
    compiled = lambent(tmp_path, "compile", "main.lisp")
    if status == 70:
        assert compiled.returncode == 0, compiled.stderr
        run = subprocess.run([tmp_path / "main"], capture_output=True, text=True)
        assert (run.stdout, run.stderr, run.returncode) == (script.stdout, said, status)
    else:
        assert (compiled.stderr, compiled.returncode) == (said, status)


def test_paths_are_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    write(tmp_path, {
        "top/main.lisp": '(import "a.lisp" "../side/b.lisp")\n(print a b)\n',
        "top/a.lisp": "(define a 1)\n", "side/b.lisp": '(import "c.lisp")\n(define b (c))\n',
        "side/c.lisp": "(define (c) (car 2))\n",
    })
    done = lambent(tmp_path, "top/main.lisp")
    assert done.stderr.startswith("side/c.lisp:1:13: car: expected a pair, got 2\n")
    assert lambent(tmp_path / "top", "main.lisp").stderr.startswith("../side/c.lisp:1:13: car: ")
    assert lambent(tmp_path, str(tmp_path / "top/main.lisp")).stderr.startswith(f"{tmp_path}/side/")


def test_one_module_under_several_paths(tmp_path: Path) -> None:
    write(tmp_path, {
        "main.lisp": '(import "a.lisp" "lib/../a.lisp" "link.lisp" "lib/b.lisp")\n(print (b))\n',
        "a.lisp": '(print "once")\n(define x 7)\n',
        "lib/b.lisp": '(import "../a.lisp")\n(define (b) x)\n',
    })
    (tmp_path / "link.lisp").symlink_to("a.lisp")
    assert lambent(tmp_path, "main.lisp").stdout == "once\n7\n"


def test_script_notices_changed_files(tmp_path: Path) -> None:
    write(tmp_path, {
        "main.lisp": '(import "a.lisp")\n(cond-expand ((library (opt)) (import (opt))) '
                     '(else (define o "no opt")))\n(print x o (include "part.scm"))\n',
        "a.lisp": "(define x 1)\n", "part.scm": "'part\n",
    })
    assert lambent(tmp_path, "main.lisp").stdout == "1 no opt part\n"
    assert lambent(tmp_path, "main.lisp").stdout == "1 no opt part\n"
    write(tmp_path, {"a.lisp": "(define x 2)\n"})
    assert lambent(tmp_path, "main.lisp").stdout == "2 no opt part\n"
    write(tmp_path, {"part.scm": "'changed\n"})
    assert lambent(tmp_path, "main.lisp").stdout == "2 no opt changed\n"
    write(tmp_path, {"opt.lisp": '(define-library (opt) (export o) (begin (define o "opt")))\n'})
    assert lambent(tmp_path, "main.lisp").stdout == "2 opt changed\n"
    (tmp_path / "a.lisp").unlink()
    done = lambent(tmp_path, "main.lisp")
    assert (done.stdout, done.returncode) == ("", 66)


def test_executable_contains_only_reachable_code(tmp_path: Path) -> None:
    write(tmp_path, {
        "main.lisp": '(import "a.lisp" (lib))\n(print (used))\n'
                     '(define-library (lib) (export) (begin (define s "walrus waltz")))\n',
        "a.lisp": '(import "b.lisp")\n(define (used) "the used one")\n(define secret "zebra")\n'
                  '(define (not-used) (print "giraffe" secret))\n',
        "b.lisp": '(print "b runs")\n(define unused "okapi")\n',
    })
    write(tmp_path, {"main.lisp": '(define-library (lib) (export) (begin (define s "walrus")))\n'
                                  '(import "a.lisp" (lib))\n(print (used))\n'})
    assert lambent(tmp_path, "compile", "main.lisp").returncode == 0
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True)
    assert done.stdout == "b runs\nthe used one\n"
    data = (tmp_path / "main").read_bytes()
    assert b"the used one" in data
    assert not re.search(b"zebra|giraffe|okapi|walrus", data)


def test_the_repl_imports(tmp_path: Path) -> None:
    write(tmp_path, {"a.lisp": '(define x 1)\n(define (f) (list x))\n(print "a runs")\n'})
    done = lambent(tmp_path, given="""\
(import "a.lisp")
(f)
(import (prefix "a.lisp" a:))
(a:f)
(define (f) 'mine)
(f)
(a:f)
(import (scheme base) (srfi 1))
(define-library (l) (export y) (begin (define y 5)))
(import (l))
y
(define-library (l) (export y) (begin (define y 6)))
(import (l))
y
""")
    assert done.stdout == "a runs\n(1)\n(1)\nmine\n(1)\n5\n6\n"
    assert (done.stderr, done.returncode) == ("", 0)


IMPORT_FAULTS = [
    ('(import (prefix "a.lisp" a:))\n(set! a:x 2)\n', 65, """\
stdin:2:7: set!: a:x is imported from "a.lisp"
  2 | (set! a:x 2)
    |       ^^^
hint: a procedure of that module can set it
"""),
    ('(import "no.lisp")\n', 66, """\
stdin:1:9: import: cannot open no.lisp: No such file or directory
  1 | (import "no.lisp")
    |         ^^^^^^^^^
"""),
]


@pytest.mark.parametrize(("given", "status", "errors"), IMPORT_FAULTS)
def test_repl_reports_import_errors(
    given: str, status: int, errors: str, tmp_path: Path
) -> None:
    write(tmp_path, {"a.lisp": "(define x 1)\n"})
    done = lambent(tmp_path, given=given)
    assert (done.stdout, done.stderr, done.returncode) == ("", errors, status)


def test_the_repl_reads_a_changed_file_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that failed when it ran."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"a.lisp": "(define (f) (car 5))\n(f)\n"})
    shown: list[str] = []
    session = Session(shown.append)
    change = Source("repl", '(begin (import "a.lisp") (f))')
    with pytest.raises(LispError, match="car: expected a pair"):
        session.evaluate(change)
    write(tmp_path, {"a.lisp": "(define (f) 'fixed)\n"})
    session.evaluate(change)
    session.evaluate(change)
    assert shown == ["fixed", "fixed"]


# Libraries by name.


@pytest.mark.parametrize("name", STANDARD_LIBRARIES, ids=str)
def test_a_standard_library_is_whole(name: tuple[str | int, ...]) -> None:
    """Every name in the table of a library exists."""
    modules = Modules(library_names(), LibraryMacros(), evaluates=True)
    own = closed_names(OWN_FOLDERS[name]) if name in OWN_FOLDERS else {}
    found = modules._ambient("", STANDARD_LIBRARIES[name], own=own).names
    assert sorted(set(STANDARD_LIBRARIES[name]) - found.keys()) == []
    types = {n for n in own if n.startswith("<") and n.endswith(">")}
    # (srfi 146) and (srfi 146 hash) share a folder.
    folder = OWN_FOLDERS.get(name)
    sharing = [other for other in OWN_FOLDERS if OWN_FOLDERS[other] == folder]
    listed = {n for other in (name, *sharing) for n in STANDARD_LIBRARIES[other]}
    assert sorted(own.keys() - types - listed) == []


def test_the_standard_libraries_hold_the_names_of_the_report() -> None:
    for name, names in conformance.LIBRARIES.items():
        if ("scheme", name) in STANDARD_LIBRARIES:
            listed = {*STANDARD_LIBRARIES["scheme", name], "import", "define-library"}
            assert sorted(set(names.split()) - listed) == []


def test_an_import_says_what_lambent_lacks(tmp_path: Path) -> None:
    for form in ("only", "except", "rename"):
        name = "(string-set! put)" if form == "rename" else "string-set!"
        done = lambent(tmp_path, "-e", f"(import ({form} (srfi 13) {name}))")
        assert "import: Lambent has (srfi 13) without string-set!" in done.stderr
        assert "string-upcase!" in done.stderr.partition("hint: it lacks ")[2]
    done = lambent(tmp_path, "-e", '(import (srfi 13)) (string-reverse! "a")')
    assert "unbound variable: string-reverse!" in done.stderr
    assert "hint: it belongs to (srfi 13), and strings are immutable" in done.stderr


def test_an_import_of_an_unknown_srfi_says_which_exist(tmp_path: Path) -> None:
    done = lambent(tmp_path, "-e", "(import (srfi 4))")
    assert "import: unknown library (srfi 4)" in done.stderr
    assert "hint: the SRFIs that Lambent has are 0, 1, 2, 6," in done.stderr


def test_missing_names_are_really_missing() -> None:
    modules = Modules(library_names(), LibraryMacros(), evaluates=True)
    for name, lacking in LACKING.items():
        assert not set(lacking) & set(STANDARD_LIBRARIES[name])
        assert f"srfi-{name[1]}" not in FEATURES
        there = {n for n in lacking if modules._ambient(n, [n]).names}
        own = {"string-copy!", "string-fill!", "string-hash", "string-replace", "string-set!"}
        assert there <= own  # they take other arguments


def test_features_are_those_of_cond_expand(tmp_path: Path) -> None:
    done = lambent(tmp_path, "-e", "(features)")
    assert done.stdout == f"({' '.join(FEATURES)})\n"
