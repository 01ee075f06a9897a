"""Ports at the ends of real pipes: available input, waiting reads, and Ctrl-C meanwhile."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.programs_run import command_of

LAMBENT = [sys.executable, "-m", "lambent.lang"]
PATIENCE = 60  # seconds until a test gives up

DIALOGUE = """
(print (char-ready?))
(flush-output-port)
(print (read-line))
(print (char-ready?) (read-char) (peek-char) (read-string 2))
(print (char-ready?))
(flush-output-port)
(display "more? ")
(write (read-char))
(newline)
(write (list (read-string 10) (read-char) (peek-char) (char-ready?) (read-line)))
(newline)
"""


@contextmanager
def running(command: list[str]) -> "Iterator[subprocess.Popen[bytes]]":
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)  # fmt: skip
    try:
        yield child
    finally:
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe and not pipe.closed:
                pipe.close()


def said(child: "subprocess.Popen[bytes]", expected: str) -> str:
    """The output of a child, up to the expected text."""
    assert child.stdout
    text = b""
    while not text.endswith(expected.encode()):
        assert select.select([child.stdout], [], [], PATIENCE)[0], text
        more = os.read(child.stdout.fileno(), 1000)
        assert more, (text, child.stderr and child.stderr.read())
        text += more
    return text.decode()


def answer(child: "subprocess.Popen[bytes]", data: bytes) -> None:
    assert child.stdin
    child.stdin.write(data)
    child.stdin.flush()


def test_dialogue(back_end: str, tmp_path: Path) -> None:
    with running(command_of(DIALOGUE, back_end, tmp_path)) as child:
        said(child, "#f\n")
        answer(child, b"first\nsec\xce")  # the beginning of a character is not ready
        # Output appears before the program waits.
        said(child, "first\n#t s e ec\n#f\nmore? ")
        answer(child, b"\xbb\nlast")
        assert child.stdin
        child.stdin.close()
        said(child, '#\\λ\n("\\nlast" #<eof> #<eof> #t #<eof>)\n')
        assert child.wait(PATIENCE) == 0


def test_interrupt_while_waiting(back_end: str, tmp_path: Path) -> None:
    source = """(dynamic-wind list
                              (lambda () (display "waiting") (read-line))
                              (lambda () (display " left")))"""
    with running(command_of(source, back_end, tmp_path)) as child:
        said(child, "waiting")
        child.send_signal(signal.SIGINT)
        said(child, " left")
        assert child.wait(PATIENCE) == 130


def test_megabyte_words(back_end: str, tmp_path: Path) -> None:
    source = """
      (define (count port)
        (let loop ((lines 0) (words 0))
          (let ((line (read-line port)))
            (if (eof-object? line)
                (print lines words)
                (loop (+ lines 1) (+ words (length (string-split line " "))))))))
      (count (current-input-port))
    """
    run = command_of(source, back_end, tmp_path)
    text = b"some words of text\n" * 100_000
    done = subprocess.run(run, input=text, capture_output=True, timeout=PATIENCE)
    assert (done.stdout, done.stderr, done.returncode) == (b"100000 400000\n", b"", 0)


def test_full_disk(back_end: str, tmp_path: Path) -> None:
    source = """
      (define port (open-output-file "/dev/full"))
      (display "x" port)
      (print (guard (e ((file-error? e) (error-object-message e))) (close-port port)))
    """
    run = command_of(source, back_end, tmp_path)
    done = subprocess.run(run, capture_output=True, text=True, timeout=PATIENCE)
    expected = 'close-port: cannot write "/dev/full": No space left on device\n'
    assert (done.stdout, done.stderr, done.returncode) == (expected, "", 0)


def test_files_are_written_at_the_end(
    back_end: str, tmp_path: Path
) -> None:
    """Also if the program does not close them, and if it ends with an error or exits."""
    for end in ("", "(car 5)", "(exit 3)"):
        path = tmp_path / "out.txt"
        source = f'(define p (open-output-file "{path}")) (display "all of it" p) {end}'
        run = command_of(source, back_end, tmp_path)
        subprocess.run(run, capture_output=True, timeout=PATIENCE)
        assert path.read_text() == "all of it"


def test_repl_and_its_programs_share_the_input() -> None:
    entries = b"(define line (read-line))\nthe line\nline\n(list (read) (read))\n(a\nb) c\n'last\n"
    done = subprocess.run(LAMBENT, input=entries, capture_output=True, timeout=PATIENCE)
    expected = b'"the line"\n((a b) c)\nlast\n'
    assert (done.stdout, done.stderr, done.returncode) == (expected, b"", 0)
