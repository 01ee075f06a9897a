"""Lines typed at a real terminal, their history, and Ctrl-C that a program survives."""

import os
import subprocess
from pathlib import Path

import pexpect
import pytest

from tests.support.programs_run import command_of

PROGRAM = """
(define (wait)
  (dynamic-wind list
    (lambda () (print "waiting") (let again () (again)))
    (lambda () (print "after"))))
(let loop ()
  (let ((line (edit-line "you> " :history "try")))
    (cond ((eof-object? line) (print "end"))
          ((not line) (print "cleared") (loop))
          ((string=? line "wait")
           (catch-interrupt wait (lambda () (print "stopped")))
           (loop))
          (else (print "got" line) (loop)))))
"""


@pytest.fixture(scope="module", params=["script", "executable"])
def command(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    return command_of(PROGRAM, request.param, tmp_path_factory.mktemp(request.param))


def test_a_session(command: list[str], tmp_path: Path) -> None:
    def spawned() -> "pexpect.spawn[str]":
        environment = {**os.environ, "TERM": "xterm", "XDG_STATE_HOME": str(tmp_path)}
        return pexpect.spawn(command[0], command[1:], env=environment, encoding="utf-8",
                             timeout=120)

    child = spawned()

    def typed(keys: str, *answers: str) -> None:
        child.expect("you> ")
        child.send(keys)
        for answer in answers:
            child.expect(answer)

    typed("hello wörld\r", "got hello wörld")
    typed("abc\x1b[D\x1b[DX\r", "got aXbc")
    child.expect("you> ")
    child.send("not sent")
    child.expect("not sent")
    child.sendintr()
    child.expect("cleared")
    typed("\x1b[A\x1b[A\r", "got hello wörld")
    for _ in range(3):  # the second one is not the end of the program
        typed("wait\r", "waiting")
        child.sendintr()
        child.expect("after")
        child.expect("stopped")
    child.expect("you> ")
    child.sendeof()
    child.expect("end")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0

    child = spawned()
    typed("\x1b[A\x1b[A\x1b[A\x1b[A\r", "got hello wörld")
    child.expect("you> ")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()


def test_a_pipe(command: list[str]) -> None:
    done = subprocess.run(command, input="a\nb", capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr, done.returncode) == ("got a\ngot b\nend\n", "", 0)
