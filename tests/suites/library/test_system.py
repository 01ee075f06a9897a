"""What programs leave behind on the machine: processes, descriptors, files; by both back ends."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.programs_run import command_of

BACK_ENDS = ("script", "executable")
PATIENCE = 60  # seconds, on a busy machine

# The last form of each is interrupted while a program with the name MARK runs, or a lock is held.
INTERRUPTED = {
    "run": "(run '(\"sleep\" \"MARK\"))",
    "fed": "(run '(\"sleep\" \"MARK\") :input (make-string 1000000 #\\a))",
    "flooded": "(run '(\"sh\" \"-c\" \"yes | sleep MARK; true\") :output 'null)",
    "waited": "(let ((p (start-process '(\"sleep\" \"MARK\"))))"
              " (dynamic-wind (lambda () #f) (lambda () (process-wait p))"
              " (lambda () (process-kill p 'kill) (process-wait p))))",
    "asleep": "(sleep 1000)",
    "locked": "(call-with-file-lock \"lock\" (lambda () (sleep 1000)))",
    "temporary": "(call-with-temporary-folder (lambda (path) (make-folder (path-join path \"a\"))"
                 " (sleep 1000)))",
}


def begun(text: str, back_end: str, folder: Path) -> "subprocess.Popen[str]":
    """The program, in a session of its own, once it has said that it begins.  Its temporary files
    are in the folder `temporary`."""
    command = command_of(text, back_end, folder)
    temporary = folder / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(temporary)}, start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    return process


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("name", INTERRUPTED)
def test_ctrl_c_leaves_nothing_behind(name: str, back_end: str, tmp_path: Path) -> None:
    mark = f"{os.getpid() % 10000 + 10000}.{list(INTERRUPTED).index(name)}"
    text = "(print \"begins\") (flush-output)\n" + INTERRUPTED[name].replace("MARK", mark)
    with begun(text, back_end, tmp_path) as process:
        if name not in ("asleep", "locked", "temporary"):
            _wait_until(lambda: _runs(mark))
        else:
            time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode in (130, -signal.SIGINT), errors
    assert "Traceback" not in errors
    assert list((tmp_path / "temporary").iterdir()) == []
    _wait_until(lambda: not _runs(mark))


def _runs(mark: str) -> bool:
    done = subprocess.run(["pgrep", "-f", f"^sleep {mark}"], capture_output=True, check=False)
    return done.returncode == 0


def _wait_until(test: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not test():
        assert time.monotonic() < end
        time.sleep(0.02)


FLAT = """
(define (descriptors) (length (list-folder "/proc/self/fd")))
(define (round)
  (run '("true"))
  (process-wait (start-process '("cat") :input 'text :output 'text))
  (start-process '("true") :output 'text)
  (guard (e (#t #f)) (run '("no-such-program")))
  (guard (e (#t #f)) (run '("sleep" "9") :timeout 0.001))
  (call-with-temporary-folder
   (lambda (path)
     (call-with-atomic-output-file (path-join path "a") (lambda (port) (display 1 port)))
     (call-with-file-lock (path-join path "b") (lambda () #f))
     (glob (path-join path "*")))))
(round)
(define before (descriptors))
(do ((k 0 (+ k 1))) ((= k 40)) (round))
(collect-garbage)
(sleep 0.1)
(run '("true"))
(print (- (descriptors) before)
       (run-output (shell (string "ps --ppid " (pid) " -o stat= | grep -c Z"))))
"""


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_no_descriptor_and_no_zombie_is_left(back_end: str, tmp_path: Path) -> None:
    done = subprocess.run(command_of(FLAT, back_end, tmp_path), cwd=tmp_path, text=True,
                          capture_output=True, check=False)
    assert (done.stdout, done.stderr) == ("0 0\n\n", "")


# A service: it reads its settings again, and ends when it is asked to.
SERVICE = """
(define (handle name) (print name) (flush-output) (when (eq? name 'term) (exit 3)))
(with-signal-handler '(hup term) handle
  (call-with-temporary-folder (lambda (path) (print "begins") (flush-output) WAIT)))
"""
WAITS = {
    "asleep": "(sleep 1000)",
    "waiting": "(let loop () (wait-for-signal) (loop))",
    "computing": "(let loop ((n 0)) (when (= 0 (modulo n 1000)) (check-signals)) (loop (+ n 1)))",
    "for a process": "(process-wait (start-process '(\"sleep\" \"30\")))",
}


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("name", WAITS)
def test_a_service_handles_its_signals(name: str, back_end: str, tmp_path: Path) -> None:
    with begun(SERVICE.replace("WAIT", WAITS[name]), back_end, tmp_path) as process:
        assert process.stdout is not None
        for which in (signal.SIGHUP, signal.SIGHUP, signal.SIGTERM):
            process.send_signal(which)
            assert process.stdout.readline() == f"{which.name[3:].lower()}\n"
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (3, "")
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_outside_of_the_form_a_signal_ends_the_program(back_end: str, tmp_path: Path) -> None:
    text = """(with-signal-handler 'term (lambda (name) (print "early")) (check-signals))
              (print "begins") (flush-output) (sleep 1000)"""
    with begun(text, back_end, tmp_path) as process:
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == -signal.SIGTERM


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_the_commands_of_a_shell_end_with_it(back_end: str, tmp_path: Path) -> None:
    mark = f"{os.getpid() % 10000 + 10000}.9"
    text = f'''(guard (e (#t (print "late"))) (shell "sleep {mark} | cat; true" :timeout 0.3))'''
    done = subprocess.run(command_of(text, back_end, tmp_path), cwd=tmp_path, text=True,
                          capture_output=True, check=False)
    assert (done.stdout, done.stderr) == ("late\n", "")
    _wait_until(lambda: not _runs(mark))


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_a_lock_keeps_others_waiting(back_end: str, tmp_path: Path) -> None:
    """Each process reads a number, waits, and writes the next one."""
    text = """
    (do ((k 0 (+ k 1))) ((= k 5))
      (call-with-file-lock "lock"
        (lambda ()
          (let ((n (if (file? "n") (string->number (read-text "n")) 0)))
            (sleep 0.01)
            (call-with-output-file "n" (lambda (port) (display (+ n 1) port)))))))
    """
    command = command_of(text, back_end, tmp_path)
    processes = [subprocess.Popen(command, cwd=tmp_path) for _ in range(3)]
    assert [process.wait(PATIENCE) for process in processes] == [0, 0, 0]
    assert (tmp_path / "n").read_text() == "15"


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_names_that_are_not_text(back_end: str, tmp_path: Path) -> None:
    """They are listed, and can be used as they are."""
    folder = tmp_path / "folder"
    (folder / "in").mkdir(parents=True)
    (folder / os.fsdecode(b"a\xff.txt")).write_text("x")
    (folder / "in" / os.fsdecode(b"\xfe")).write_text("x")
    text = """
    (print (length (walk-folder "folder")) (length (glob "folder/*.txt"))
           (map file-size (glob "folder/a*")))
    (delete-folder "folder" :recursive #t)
    (print (folder? "folder"))
    """
    done = subprocess.run(command_of(text, back_end, tmp_path), cwd=tmp_path, text=True,
                          capture_output=True, check=False)
    assert (done.stdout, done.stderr) == ("3 1 (1)\n#f\n", "")
