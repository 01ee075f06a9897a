"""Training logs: Python's csv and json read what is written; a killed run leaves whole rows."""

import csv
import json
import math
import random
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.programs_run import command_of, run

WRITING = """
(define rows
  (list (list (cons "step" 1) (cons "loss" 0.5) (cons 'note "plain"))
        (list (cons "step" 2) (cons "loss" (/ 0. 0.)) (cons "note" "a, \\"b\\" ,"))
        (list (cons "step" 3) (cons "loss" (/ 1. 0.)) (cons "late" 1/8))
        (list (cons "step" 4) (cons "loss" (/ -1. 0.)) (cons "note" "two\\nlines"))
        (list (cons "step" 123456789012345678901234567890) (cons "loss" 1e-7) (cons "ok" #t))
        (list (cons "note" "12") (cons "ok" #f) (cons "loss" 6.02214076e23))
        (list (cons "note" "") (cons "loss" [[0.25]]) (cons "late" " nan "))
        (list (cons "note" 'symbol) (cons "loss" 0.1) (cons "col, umn" "λ é"))))
(define (sorted path)
  (map (lambda (row) (sort row (lambda (a b) (string<? (car a) (car b))))) (read-log path)))
(for-each
 (lambda (path)
   (let ((log (training-log path)))
     (for-each (lambda (row) (log-write! log row)) (take rows 4))
     (log-close! log))
   (let ((log (training-log path)))    ; a resumed run
     (for-each (lambda (row) (log-write! log row)) (drop rows 4)))
   (print (equal? (sorted path) (sorted "run.jsonl"))))
 '("run.jsonl" "run.csv"))
"""

NOTES = ["plain", 'a, "b" ,', None, "two\nlines", None, "12", "", "symbol"]
LOSSES = [0.5, math.nan, math.inf, -math.inf, 1e-7, 6.02214076e23, 0.25, 0.1]
STEPS = [1, 2, 3, 4, 123456789012345678901234567890, None, None, None]


def same(left: float, right: float) -> bool:
    return left == right or (math.isnan(left) and math.isnan(right))


def test_other_readers(back_end: str, tmp_path: Path) -> None:
    outcome = run(command_of(WRITING, back_end, tmp_path), tmp_path)
    assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")
    assert outcome.output == "#t\n#t\n"  # both files hold the same
    with (tmp_path / "run.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert list(table[0]) == ["step", "loss", "note", "late", "ok", "col, umn"]
    assert all(same(float(row["loss"]), wanted)
               for row, wanted in zip(table, LOSSES, strict=True))  # fmt: skip
    assert [row["note"] or None for row in table] == [note or None for note in NOTES]
    assert [int(row["step"]) if row["step"] else None for row in table] == STEPS
    assert [row["late"] for row in table] == ["", "", "0.125", "", "", "", " nan ", ""]
    assert [row["ok"] for row in table] == ["", "", "", "", "true", "false", "", ""]
    assert table[-1]["col, umn"] == "λ é"
    lines = (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()

    def no_constant(text: str) -> float:
        raise AssertionError(f"{text} is not JSON")

    objects = [json.loads(line, parse_constant=no_constant) for line in lines]
    assert [row.get("note") for row in objects] == NOTES
    assert [row.get("step") for row in objects] == STEPS
    assert [row["loss"] for row in objects[1:4]] == ["NaN", "Infinity", "-Infinity"]
    assert all(same(float(row["loss"]), wanted)
               for row, wanted in zip(objects, LOSSES, strict=True))  # fmt: skip
    assert objects[6] == {"note": "", "loss": 0.25, "late": " nan "}


FOREIGN = """
(for-each (lambda (path) (write (read-log path)) (newline)) (cdr (command-line)))
"""


def test_files_of_other_writers(tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("w", newline="") as file:
        writer = csv.writer(file)  # ends lines as Windows does
        writer.writerows([["step", "loss"], [1, 0.25], [2, math.nan], ["", "x\ny"]])
    with (tmp_path / "b.jsonl").open("w") as other:
        for row in ({"step": 1, "more": [1, None]}, {"loss": 1e-9}):
            other.write(json.dumps(row) + "\n\n")
    command = [*command_of(FOREIGN, "script", tmp_path), "a.csv", "b.jsonl"]
    assert run(command, tmp_path).output.splitlines() == [
        '((("step" . 1) ("loss" . 0.25)) (("step" . 2) ("loss" . +nan.0)) (("loss" . "x\\ny")))',
        '((("step" . 1) ("more" 1 null)) (("loss" . 1e-9)))',
    ]


ENDLESS = """
(define path (list-ref (command-line) 1))
(define log (training-log path))
(let loop ((step (length (read-log path))))
  (log-write! log (append (list (cons "step" step) (cons "text" (make-string 200 #\\x)))
                          (if (> step 100) (list (cons "late" step)) '())))
  (loop (+ step 1)))
"""


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_killed_runs_leave_whole_rows(back_end: str, suffix: str, tmp_path: Path) -> None:
    """Also where the kernel cuts a row, which nothing can prevent: the next run drops it."""
    command = [*command_of(ENDLESS, back_end, tmp_path), f"run.{suffix}"]
    path, moments, cut = tmp_path / f"run.{suffix}", random.Random(5), 0
    for _ in range(3):
        child = subprocess.Popen(command, cwd=tmp_path)
        before = path.stat().st_size if path.exists() else 0
        while not path.exists() or path.stat().st_size <= before + 1000:
            assert child.poll() is None
            time.sleep(0.01)
        time.sleep(moments.random() / 20)
        child.kill()
        child.wait()
        cut += not path.read_text().endswith("\n")
        with path.open("a") as file:
            file.write(moments.choice(['12,"', "3,xx", '{"step": ']))
    assert cut <= 1  # the kernel does so rarely, at the end of a page
    rows = path.read_text().splitlines()[:-1]
    if suffix == "csv":
        table = list(csv.DictReader(rows))
        assert [int(row["step"]) for row in table] == list(range(len(table)))
        assert all(row["text"] == "x" * 200 for row in table)
    else:
        objects = [json.loads(row) for row in rows]
        assert [row["step"] for row in objects] == list(range(len(objects)))
