"""Progress bars on a real terminal and in a pipe, on both back ends.

A tiny terminal applies carriage returns and erasures, so the tests compare what a person sees at
the end.  Times and rates depend on the clock: the tests check only their form.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from tests.support.programs_run import command_of

PROGRAM = """
(define mode (string->symbol (list-ref (command-line) 1)))
(define (wait milliseconds)
  (let ((end (+ (current-jiffy) (* milliseconds 1000000))))
    (let loop () (when (< (current-jiffy) end) (loop)))))
(define (steps n between)
  (dotimes (i n)
    (between i)
    (progress (+ i 1) n "train" (string "step " i))))
(case mode
  ((plain) (steps 20 (lambda (i) (wait 10))) (print "end"))
  ((many) (steps 30000 list))
  ((print) (steps 4 (lambda (i) (print "line" i) (wait 51))) (print "end"))
  ((partial) (steps 3 (lambda (i) (wait 51) (display i))) (print "end"))
  ((fail) (steps 9 (lambda (i) (wait 51) (when (= i 4) (car i)))))
  ((wait) (steps 9 (lambda (i) (wait 51) (when (= i 4) (wait 60000)))))
  ((leave) (steps 9 (lambda (i) (wait 51) (when (= i 4) (exit 3)))))
  ((loop)
   (do-progress (x '(a b) "letters") (wait 51) (progress-message x))
   (do-progress (x #(5 6)) (print x))
   (do-progress (x 3 "rows\\nand") (progress-message (lambda () 1.23456))))
  ((wide)
   (progress 1 2 "日本語の名前" (make-string 300 #\\語))
   (progress 2 2 "日本語の名前" (make-string 300 #\\語)))
  ((again)
   (progress 5 9 "a") (progress 2 9 "a") (progress 1 1 "none"))
  (else (print "?")))
"""

TIMES = r"(\d+\.\d s|\d+ s), ((\d+\.\d s|\d+ s) left, )?\d+(\.\d+)?(e\d+)?/s"


@pytest.fixture(scope="module", params=["script", "executable"])
def command(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    folder = tmp_path_factory.mktemp(request.param)
    return command_of(PROGRAM, request.param, folder)


def screen(text: str) -> list[str]:
    """The lines that a terminal shows after a text."""
    lines, column = [""], 0
    for part in re.findall(r"\x1b\[K|\r|\n|[^\x1b\r\n]+", text):
        if part == "\r":
            column = 0
        elif part == "\n":
            lines.append("")
        elif part == "\x1b[K":
            lines[-1] = lines[-1][:column]
        else:
            lines[-1] = lines[-1][:column] + part + lines[-1][column + len(part) :]
            column += len(part)
    return [line.rstrip() for line in lines]


def seen(
    command: list[str], mode: str, columns: int = 100, term: str = "xterm",
    act: "Callable[[pexpect.spawn[str]], None] | None" = None,
) -> tuple[str, int | None]:
    """What a program writes to a terminal, and its exit status; act may type something."""
    child: pexpect.spawn[str] = pexpect.spawn(
        command[0], [*command[1:], mode], env={**os.environ, "TERM": term}, encoding="utf-8",
        timeout=120, dimensions=(24, columns),
    )
    before = ""
    if act:
        act(child)
        before = str(child.before) + str(child.after)
    child.expect(pexpect.EOF)
    text = before + str(child.before)
    child.close()
    return text, child.exitstatus


def test_a_bar(command: list[str]) -> None:
    text, status = seen(command, "plain")
    assert status == 0
    lines = screen(text)
    assert re.fullmatch(rf"train 100% ━+ 20/20  {TIMES}  step 19", lines[0]), lines
    assert lines[1:] == ["end", ""]
    drawn = [screen(part)[0] for part in text.split("\r") if "train" in part]
    assert len(drawn) > 2
    assert all(len(line) < 100 for line in drawn)
    assert re.fullmatch(r"train   5% ━+╸? +1/20  0\.\d s  step 0", drawn[0]), drawn[0]


def test_at_most_twenty_drawings_a_second(command: list[str]) -> None:
    text, _ = seen(command, "many")
    drawn = text.count("\r") - text.count("\r\n")
    assert (last := re.search(r"30000/30000  (\d+\.?\d*) s, ", text))
    assert 2 <= drawn <= 3 + 20 * (float(last[1]) + 1)


def test_printing_in_between(command: list[str]) -> None:
    lines = screen(seen(command, "print")[0])
    assert lines[:4] == ["line 0", "line 1", "line 2", "line 3"]
    assert re.fullmatch(rf"train 100% ━+ 4/4  {TIMES}  step 3", lines[4])
    assert lines[5:] == ["end", ""]


def test_an_unfinished_line_is_kept(command: list[str]) -> None:
    lines = screen(seen(command, "partial")[0])
    assert lines[:3] == ["0", "1", "2"]
    assert re.fullmatch(rf"train 100% ━+ 3/3  {TIMES}  step 2", lines[3])


def test_an_error_comes_after_the_bar(command: list[str]) -> None:
    text, status = seen(command, "fail")
    lines = screen(text)
    assert status == 70
    assert re.fullmatch(rf"train  44% ━+╸? +4/9  {TIMES}  step 3", lines[0])
    assert lines[1].endswith("car: expected a pair, got 4")


def test_an_interrupt_keeps_the_bar(command: list[str]) -> None:
    def interrupt(child: "pexpect.spawn[str]") -> None:
        child.expect("step 3")
        child.sendintr()

    text, status = seen(command, "wait", act=interrupt)
    lines = screen(text)
    assert status == 128 + signal.SIGINT
    assert re.fullmatch(rf"train  44% ━+╸? +4/9  {TIMES}  step 3(\^C)?", lines[0])
    assert lines[1:] == [""]


def test_exit_keeps_the_bar(command: list[str]) -> None:
    text, status = seen(command, "leave")
    assert status == 3
    assert screen(text)[1:] == [""]


def test_loops(command: list[str]) -> None:
    lines = screen(seen(command, "loop")[0])
    assert re.fullmatch(rf"letters 100% ━+ 2/2  {TIMES}  b", lines[0])
    assert lines[1:3] == ["5", "6"]
    assert re.fullmatch(r"100% ━+ 2/2  .*/s", lines[3])
    assert re.fullmatch(r"rows and 100% ━+ 3/3  .*/s  1\.235", lines[4])


@pytest.mark.parametrize("columns", [20, 60])
def test_a_line_is_narrower_than_the_terminal(command: list[str], columns: int) -> None:
    lines = screen(seen(command, "wide", columns)[0])
    assert lines[0].startswith("日本語の名前 100%"[: (columns - 1) // 2])
    assert sum(2 if "⺀" <= c <= "龥" else 1 for c in lines[0]) < columns
    assert lines[1:] == [""]


def test_in_a_pipe(command: list[str]) -> None:
    """A line for each tenth, without control characters."""
    done = subprocess.run([*command, "many"], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("", 0)
    lines = done.stderr.splitlines()
    assert [line.split(" (")[0] for line in lines] == [
        f"train: {3000 * k}/30000" for k in range(1, 11)
    ]
    assert re.fullmatch(rf"train: 30000/30000 \(100%\), {TIMES}: step 29999", lines[-1])
    assert "\x1b" not in done.stderr
    assert "\r" not in done.stderr


def test_a_terminal_that_cannot_move_its_cursor(command: list[str]) -> None:
    lines = seen(command, "plain", term="dumb")[0].splitlines()
    assert len(lines) == 11
    assert lines[0].startswith("train: 2/20 (10%), ")


def test_a_new_beginning(command: list[str]) -> None:
    done = subprocess.run([*command, "again"], capture_output=True, text=True, timeout=120)
    assert [line.split(", ")[0] for line in done.stderr.splitlines()] == [
        "a: 5/9 (55%)", "a: 2/9 (22%)", "none: 1/1 (100%)",
    ]


def test_only_stderr_is_a_terminal(command: list[str], tmp_path: Path) -> None:
    """What goes to a file does not disturb the bar."""
    words = " ".join(f"'{word}'" for word in command)
    shell = ["sh", "-c", f"{words} \"$0\" > {tmp_path / 'out'}"]
    text, status = seen(shell, "print")
    assert status == 0
    assert (tmp_path / "out").read_text() == "line 0\nline 1\nline 2\nline 3\nend\n"
    assert re.fullmatch(rf"train 100% ━+ 4/4  {TIMES}  step 3", screen(text)[0])


def test_a_session_begins_a_line_after_a_bar(tmp_path: Path) -> None:
    child: pexpect.spawn[str] = pexpect.spawn(
        sys.executable, ["-m", "lambent.lang"], encoding="utf-8", timeout=100,
        dimensions=(24, 100), cwd=str(tmp_path),
        env={**os.environ, "TERM": "xterm", "XDG_STATE_HOME": str(tmp_path)},
    )
    prompt = r"\r\n[^\r\n]*> "
    child.expect("> ")
    child.sendline('(progress 1 2 "bar" "so far")')
    child.expect(r"\rbar  50% [^\r\n]* 1/2  0\.\d s  so far\x1b\[K" + prompt)
    child.sendline("(+ 1 2)")
    child.expect(r"\r3" + prompt)
    child.sendline('(begin (progress 1 3 "bar") (error "wrong"))')
    child.expect(r"\rbar  33% [^\r\n]* 1/3  0\.\d s\x1b\[K\r\nrepl:3:29: wrong\r\n")
    child.expect(prompt)
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
