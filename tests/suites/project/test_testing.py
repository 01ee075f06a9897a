"""lambent new, lambent test, -L and LAMBENT_PATH, through the command."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lambent.lang.test_reports import FileRun, Result, write_junit


def lambent(
    folder: Path, *words: str, status: int = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lambent.lang", *words]
    ended = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, text=True, capture_output=True,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert ended.returncode == status, ended
    assert "Traceback" not in ended.stderr
    return ended


def test_a_new_project_runs_and_tests(tmp_path: Path) -> None:
    assert "cd stock" in lambent(tmp_path, "new", "stock").stdout
    project = tmp_path / "stock"
    assert lambent(project, "main.lisp", "-n2", "Ada").stdout == "Hello, Ada!\n" * 2
    assert "usage: stock [options]" in lambent(project, "main.lisp", "--help").stdout
    lambent(project, "main.lisp", "--tines", "1", status=2)
    assert lambent(project, "test").stdout == "2 passed, 0 failed in 1 file\n"
    assert "is not empty" in lambent(tmp_path, "new", "stock", status=64).stderr
    assert lambent(tmp_path, "new", "../odd name", status=64).stderr.startswith("lambent: new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stock"]


FAILING = """\
(import (srfi 64))
(test-begin "sums")
(test-equal "right" 4 (+ 2 2))
(test-equal "wrong <&>" "a\\n\\x1;" (string #\\b))
(test-group "inner" (test-assert "error" (car 5)))
(test-skip 1)
(test-assert "skipped" #f)
(test-equal "back end" '(interpreter) (cond-expand (no-such 1) (else '(interpreter))))
(test-end)
"""


def test_failures_are_printed(tmp_path: Path) -> None:
    (tmp_path / "a-test.lisp").write_text(FAILING)
    (tmp_path / "other.lisp").write_text("(car 5)")
    shown = lambent(tmp_path, "test", "--interpreted", "--junit", "j.xml", ".", status=1).stdout
    assert shown == """\
FAIL a-test.lisp:4: sums > wrong <&>
  (test-equal "wrong <&>" "a\\n\\x1;" (string #\\b))
  expected: "a\\n\\x1;"
  got:      "b"
FAIL a-test.lisp:5: sums > inner > error
  (test-assert "error" (car 5))
  error:    car: expected a pair, got 5
2 passed, 2 failed, 1 skipped in 1 file
"""
    (suite,) = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert dict(suite.attrib) == {
        "name": "a-test.lisp (script)", "tests": "5", "failures": "2", "errors": "0",
        "skipped": "1",
    }  # fmt: skip
    assert [case.get("name") for case in suite if case.find("failure") is not None] == [
        "sums > wrong <&>",
        "sums > inner > error",
    ]
    shown = lambent(
        tmp_path, "test", "--interpreted", "--filter=right", "a-test.lisp"
    ).stdout
    assert shown == "1 passed, 0 failed, 4 skipped in 1 file\n"


def test_programs_that_break(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    test = tmp_path / "tests" / "b-test.lisp"
    test.write_text('(import (srfi 64))\n(test-begin "b")\n(test-assert #t)\n(car 5)\n')
    shown = lambent(tmp_path, "test", "--interpreted", status=2).stdout
    assert shown.startswith("BROKEN tests/b-test.lisp (script) ended with status 70:\n")
    assert "car: expected a pair, got 5" in shown
    test.write_text("(print 1)")
    shown = lambent(tmp_path, "test", "--interpreted", status=2).stdout
    assert "ran no test of (srfi 64)" in shown
    test.write_text("(")
    assert "BROKEN" in lambent(tmp_path, "test", "--interpreted", status=2).stdout


@pytest.mark.parametrize(
    ("words", "message", "status"),
    [
        (["--odd"], "unknown option: --odd", 64),
        (["--filter"], "--filter takes a value", 64),
        (["missing"], "there is no file or folder missing", 66),
        (["."], "no file in . is named like a test", 64),
    ],
)
def test_wrong_words(tmp_path: Path, words: list[str], message: str, status: int) -> None:
    assert message in lambent(tmp_path, "test", *words, status=status).stderr


def result(kind: str, value: str) -> Result:
    return Result(kind, "a.lisp", "3", "a > b", "(test-equal 1 x)", "1", value, "")


def test_differences(tmp_path: Path) -> None:
    """What one back end alone did, and characters that XML does not have."""
    same, other = result("pass", "1"), result("fail", "2\x01")
    run = FileRun("a.lisp", {"script": [same, same], "executable": [same, other]}, {})
    assert run.differences() == [(same, other)]
    assert run.failures() == [(other, ["executable"])]
    shorter = FileRun("a.lisp", {"script": [same, same], "executable": [same]}, {})
    assert shorter.differences() == [(same, None)]
    write_junit(tmp_path / "j.xml", [run])
    cases = ElementTree.parse(tmp_path / "j.xml").getroot().iter("testcase")
    assert [len(case) for case in cases] == [0, 0, 0, 1]


def test_library_folders(tmp_path: Path) -> None:
    """Beside the file, in lib, in the lib beside tests, with -L, and in LAMBENT_PATH."""

    def library(folder: str, value: int) -> None:
        path = tmp_path / folder / "my" / "geometry.sld"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "(define-library (my geometry) (export x) (import (scheme base))"
            f" (begin (define x {value})))"
        )

    program = "(import (my geometry)) (print x)"
    (tmp_path / "app").mkdir()
    (tmp_path / "app/tests").mkdir()
    (tmp_path / "app/main.lisp").write_text(program)
    (tmp_path / "app/tests/main.lisp").write_text(program)
    said = lambent(tmp_path, "app/main.lisp", status=65).stderr
    assert "my/geometry.scm in app, app/lib; -L FOLDER names others" in said
    library("path", 1)
    library("named", 2)
    path = str(tmp_path / "path")
    assert lambent(tmp_path, "app/main.lisp", LAMBENT_PATH=f":{path}").stdout == "1\n"
    assert lambent(tmp_path, "-L", "named", "app/main.lisp", LAMBENT_PATH=path).stdout == "2\n"
    assert lambent(tmp_path, "app/main.lisp", LAMBENT_PATH=path).stdout == "1\n"
    library("app/lib", 3)
    assert lambent(tmp_path, "app/main.lisp", LAMBENT_PATH=path).stdout == "3\n"
    assert lambent(tmp_path, "app/tests/main.lisp", LAMBENT_PATH=path).stdout == "3\n"
    library("app", 4)
    assert lambent(tmp_path, "app/main.lisp").stdout == "4\n"
    assert "-L takes a folder" in lambent(tmp_path, "-L", "none", "a.lisp", status=64).stderr


def test_examples_by_name(tmp_path: Path) -> None:
    assert lambent(tmp_path, "examples", "inventory").stdout.startswith(";; inventory.lisp - ")
    assert "did you mean hello?" in lambent(tmp_path, "examples", "helo", status=64).stderr
