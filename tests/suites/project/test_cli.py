"""The command line: what each word does, where its output goes, and its exit status."""

import dataclasses
import inspect
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pexpect
import pytest

from lambent.lang import testing
from lambent.lang.cli import COMMANDS
from lambent.lang.serve.options import Options
from tests.support.paths import ROOT, TESTS
from tests.support.programs_run import prepare_cache

HELLO = '(print "hello" 42)\n'


@dataclass(frozen=True)
class Row:
    """One command in a folder that holds files; output and errors are parts of what it prints."""

    command: list[str]
    output: str = ""
    errors: str = ""
    status: int = 0
    files: dict[str, str] = field(default_factory=lambda: {"hello.lisp": HELLO})


def lambent(folder: Path, *command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lambent.lang", *command],
        cwd=folder, input=given, capture_output=True, text=True, timeout=300,
    )


ROWS = {
    "run": Row(["hello.lisp"], "hello 42\n"),
    "arguments": Row(
        ["args.lisp", "a", "-o", "--help"], "(a -o --help)\n",
        files={"args.lisp": "(print (cdr (command-line)))"},
    ),
    "an empty file": Row(["empty.lisp"], files={"empty.lisp": ""}),
    "expression": Row(["-e", "(+ 1/2 1/3)"], "5/6\n"),
    "expression without a value": Row(["-e", "(define x 1)"]),
    "expression that prints": Row(["-e", '(print "once")'], "once\n"),
    "version": Row(["--version"], "lambent 0.1.0\n"),
    "help": Row(["--help"], "lambent compile FILE"),
    "help names the commands' help": Row(["--help"], "lambent COMMAND --help"),
    "help of a command among its words": Row(
        ["compile", "hello.lisp", "--help"], "usage: lambent compile FILE"
    ),
    "help of a command, first": Row(["help", "show"], "usage: lambent show PASS FILE"),
    "-h": Row(["doctor", "-h"], "usage: lambent doctor\n"),
    "help is an argument of a program": Row(
        ["args.lisp", "compile", "--help"], "(compile --help)\n",
        files={"args.lisp": "(print (cdr (command-line)))"},
    ),
    "doc": Row(["doc", "cons"], "(cons car cdr)\n  A new pair.\n"),
    "doc of a library procedure": Row(["doc", "fold"], "(fold f initial items more ...)"),
    "doc of nothing": Row(["doc", "conss"], "", "hint: did you mean cons?", 64),
    "check is silent": Row(["check", "hello.lisp"]),
    "check an unknown name": Row(
        ["check", "wrong.lisp"], "", "warning: wrong.lisp:1:8: ",
        files={"wrong.lisp": "(print nmae)\n"},
    ),
    "check arity": Row(
        ["check", "wrong.lisp"], "", "warning: wrong.lisp:1:15: ",
        files={"wrong.lisp": "(define (f x) (car x x))\n"},
    ),
    "show read": Row(["show", "read", "hello.lisp"], '(print "hello" 42)\n'),
    "show core": Row(["show", "core", "hello.lisp"], "print"),
    "show anf": Row(["show", "anf", "hello.lisp"], "print("),
    "show owned": Row(["show", "owned", "hello.lisp"], "print("),
    "show c": Row(["show", "c", "hello.lisp"], "rt_print("),
    "show frees": Row(["show", "frees", "hello.lisp"], HELLO),
    "show all frees": Row(
        ["show", "frees", "--all", "list.lisp"], "; frees (reverse '(1 2))\n",
        files={"list.lisp": "(print (reverse '(1 2)))\n"},
    ),
    "show all of another pass": Row(
        ["show", "owned", "--all", "hello.lisp"], "",
        "owned has no option --all\nhint: lambent show frees --all FILE marks every value\n", 64,
    ),
    "show expand": Row(["show", "expand", "hello.lisp"], '(print "hello" 42)\n'),
    "show after a pass": Row(["show", "--after", "to-anf", "hello.lisp"], "print("),
    "show the passes": Row(["show"], "  ANF -> ANF: writes every Dup and Free\n"),
    "show an unknown pass": Row(
        ["show", "borow", "hello.lisp"], "",
        "unknown pass: borow\nhint: did you mean borrow? lambent show lists the passes\n", 64,
    ),
    "show without a file": Row(["show", "read"], "", "usage: lambent show PASS FILE", 64),
    "time passes of a script": Row(["--time-passes", "hello.lisp"], "hello 42\n", "\ntotal "),
    "time passes of a check": Row(
        ["check", "--time-passes", "wrong.lisp"], "", "\nanalyze ",
        files={"wrong.lisp": "(print nmae)\n"},
    ),
    "time passes of nothing": Row(["--time-passes"], "", "--time-passes takes a program", 64),
    "C to the standard output": Row(["compile", "--emit-c", "hello.lisp"], "int main("),
    "compile nothing": Row(["compile"], "", "usage: lambent compile FILE", 64),
    "compile without a name after -o": Row(
        ["compile", "hello.lisp", "-o"], "", "-o takes the name of the file to write", 64
    ),
    "compile two": Row(["compile", "a.lisp", "b.lisp"], "", "one file at a time", 64),
    "compile with an unknown option": Row(
        ["compile", "--fast", "hello.lisp"], "", "lambent: unknown option: --fast\n", 64
    ),
    "check of a folder": Row(
        ["check", "lib"], "", "warning: lib/a.lisp:1:8: unbound variable: nmae\n",
        files={"lib/a.lisp": "(print nmae)\n", "lib/b/c.lisp": "(print 1)\n", "lib/d.txt": "("},
    ),
    "check goes on after an error": Row(
        ["check", "broken.lisp", "wrong.lisp"], "", "warning: wrong.lisp:1:8: unbound", 65,
        files={"broken.lisp": "(print\n", "wrong.lisp": "(print nmae)\n"},
    ),
    "check of a folder without programs": Row(
        ["check", "lib"], "", "lambent: no file in lib ends in .lisp\n", 64,
        files={"lib/d.txt": "("},
    ),
    "check with an unknown option": Row(
        ["check", "hello.lisp", "--fast"], "", "lambent: unknown option: --fast\n", 64
    ),
    "show with an unknown option": Row(
        ["show", "--fast", "hello.lisp"], "", "lambent: unknown option: --fast\n", 64
    ),
    "check shows warnings as errors are shown": Row(
        ["check", "wrong.lisp"], "", """\
warning: wrong.lisp:1:17: car: expected 1 argument, got 2
  1 | (define (f x y) (car x y))
    |                 ^^^^^^^^^
hint: usage: (car pair)
warning: wrong.lisp:2:8: unbound variable: nmae
""", files={"wrong.lisp": "(define (f x y) (car x y))\n(print nmae)\n"},
    ),
    "check of a module": Row(
        ["check", "main.lisp"], "", "warning: lib/a.lisp:1:13: unbound variable: nmae\n",
        files={"main.lisp": '(import "lib/a.lisp")\n(f)\n', "lib/a.lisp": "(define (f) nmae)\n"},
    ),
    "check of a program that evaluates": Row(
        ["check", "main.lisp"], files={"main.lisp": "(eval '(define x 1))\n(print x)\n"},
    ),
    "unknown option": Row(["--fast", "hello.lisp"], "", "unknown option: --fast", 64),
    "-e without an expression": Row(["-e"], "", "-e takes one expression", 64),
    "missing file": Row(["gone.lisp"], "", "gone.lisp", 66),
    "compile a missing file": Row(["compile", "gone.lisp"], "", "gone.lisp", 66),
    "show a missing file": Row(["show", "core", "gone.lisp"], "", "gone.lisp", 66),
    "a folder": Row(["."], "", "Is a directory", 66),
    "not text": Row(["bad.lisp"], "", "bad.lisp", 65, files={"bad.lisp": "\udcff"}),
}


@pytest.mark.parametrize("name", ROWS)
def test_command(tmp_path: Path, name: str) -> None:
    row = ROWS[name]
    for file, text in row.files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(text.encode(errors="surrogateescape"))
    done = lambent(tmp_path, *row.command)
    assert done.returncode == row.status, done.stderr
    assert row.output in done.stdout
    assert row.errors in done.stderr
    if not row.output:
        assert done.stdout == ""
    if not row.errors:
        assert done.stderr == ""
    assert "Traceback" not in done.stderr + done.stdout
    assert "internal error" not in done.stderr


def words_of(command: str) -> set[str]:
    """The options that the function of a command compares its words with."""
    if command == "serve":  # a table
        fields = dataclasses.fields(Options)[2:]
        named = {f"--{option.name.replace('_', '-')}" for option in fields}
        return {*named, "--model", "--adapter", "--name", "--help"}
    reader = testing._parse if command == "test" else COMMANDS[command]
    constants = re.findall(r'"(-[-a-z]+)"', inspect.getsource(reader))
    return {*constants, "--help"}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_a_line_for_each_option(tmp_path: Path, command: str) -> None:
    done = lambent(tmp_path, command, "--help")
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.startswith(f"usage: lambent {command}")
    listed = set(re.findall(r"^  (-[-a-z]+) .*\S", done.stdout, re.MULTILINE))
    assert words_of(command) <= listed <= {*words_of(command), "--time-passes"}


def test_compile_names_the_program_after_the_file(tmp_path: Path) -> None:
    (tmp_path / "hello.lisp").write_text(HELLO)
    done = lambent(tmp_path, "compile", "hello.lisp")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    assert subprocess.run([tmp_path / "hello"], capture_output=True).stdout == b"hello 42\n"


def test_emitted_c_compiles_with_the_two_folders_alone(tmp_path: Path) -> None:
    root = ROOT
    (tmp_path / "hello.lisp").write_text(HELLO)
    (tmp_path / "energy.lisp").write_text("(print (+ [1 2] 3))\n")
    for name in ("hello", "energy"):
        done = lambent(tmp_path, "compile", f"{name}.lisp", "--emit-c", "-o", f"{name}.c")
        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
        subprocess.run(
            ["gcc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-c",
             "-I", root / "runtime", "-I", root / "ctorch", f"{name}.c"],
            cwd=tmp_path, check=True,
        )


def test_compile_warns_and_writes_nothing_to_stdout(tmp_path: Path) -> None:
    (tmp_path / "wrong.lisp").write_text('(print "first")\n(print nmae)\n')
    done = lambent(tmp_path, "compile", "wrong.lisp")
    assert done.stdout == ""
    assert done.stderr.startswith("warning: wrong.lisp:2:8: ")
    assert done.returncode == 0


def test_error_text_is_the_same_everywhere(tmp_path: Path) -> None:
    source = (TESTS / "errors/shape_in_call.lisp").read_text()
    text = source.split('(print "never")')[0]
    (tmp_path / "case.lisp").write_text(text)
    script = lambent(tmp_path, "case.lisp")
    assert lambent(tmp_path, "compile", "case.lisp").returncode == 0
    executable = subprocess.run([tmp_path / "case"], capture_output=True, text=True)
    repl = lambent(tmp_path, given=text)
    assert script.stderr.startswith("case.lisp:4:4: tensor-matmul: inner sizes differ")
    assert (executable.stdout, executable.stderr) == (script.stdout, script.stderr)
    assert (script.returncode, executable.returncode) == (70, 70)
    assert repl.stderr == script.stderr.replace("case.lisp", "stdin")


def test_misplaced_word_is_not_a_command(tmp_path: Path) -> None:
    (tmp_path / "a.lisp").write_text("(print 1)\n")
    done = lambent(tmp_path, "run", "a.lisp")
    assert (done.returncode, done.stdout) == (66, "")
    assert done.stderr == (
        "cannot open run: No such file or directory\n"
        "hint: lambent a.lisp runs a program; lambent --help\n"
    )


def test_warnings_are_printed_on_terminals_only(tmp_path: Path) -> None:
    """The first run of a changed script warns on a terminal, and never in a pipe."""
    (tmp_path / "wrong.lisp").write_text("(define (f) nmae)\n")
    assert lambent(tmp_path, "wrong.lisp").stderr == ""
    prepare_cache(tmp_path / "cache")
    child = pexpect.spawn(
        sys.executable, ["-m", "lambent.lang", "wrong.lisp"], cwd=str(tmp_path),
        env={**os.environ, "LAMBENT_CACHE": str(tmp_path / "cache")}, encoding="utf-8", timeout=60,
    )
    child.expect(pexpect.EOF)
    assert child.before and child.before.startswith("warning: wrong.lisp:1:13: ")


def test_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    (tmp_path / "long.lisp").write_text("(do ((i 0 (+ i 1))) ((= i 100000)) (print i))\n")
    command = f"{sys.executable} -m lambent.lang long.lisp | head -1"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_internal_error_is_reported_as_a_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from lambent.lang import cli

    def broken(words: list[str]) -> int:
        raise KeyError("shelf")

    monkeypatch.setattr(cli, "_dispatch", broken)
    assert cli.main(["x.lisp"]) == 70
    said = capsys.readouterr().err
    assert said.startswith("lambent: internal error: KeyError: 'shelf'\n")
    report = Path(said.split("the file ")[1].strip())
    assert "Traceback" in report.read_text()
    report.unlink()
