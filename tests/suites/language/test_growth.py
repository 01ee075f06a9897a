"""Reading takes a time that is linear in the length of the text, on both back ends.

Each operation is timed on a text and on one eight times as long.  A quadratic one takes 64 times as
long; the bound leaves room for other work of the machine, and what seems too long is timed again.
"""

import subprocess
from pathlib import Path

import pytest

from tests.support.programs_run import command_of

MOST = 30  # times as long

PROGRAM = r"""
(define (times n text)
  (let ((out (open-output-string)))
    (do ((i 0 (+ i 1))) ((= i n) (get-output-string out))
      (write-string text out))))
(define (file text)
  (call-with-output-file "text" (lambda (port) (write-string text port)))
  "text")
(define (seconds use text)
  "The time of one use, also of one that ends with an error; at least 0.02."
  (let ((start (current-jiffy)))
    (guard (e ((error-object? e) #f)) (use text))
    (max 0.02 (/ (- (current-jiffy) start) (jiffies-per-second) 1.0))))
(define (growth name n make use)
  (let again ((left 6) (short #f) (long #f))
    (if (or (= left 0) (and short (<= (/ long short) MOST)))
        (print name (exact (ceiling (/ long short))))
        (let* ((short-again (seconds use (make n)))
               (long-again (seconds use (make (* 8 n)))))
          (again (- left 1)
                 (if short (min short short-again) short-again)
                 (if long (min long long-again) long-again))))))
(define (read-text-of text) (read (open-input-string text)))

(growth "csv-open" 10000 (lambda (n) (file (string "a,\"" (times n "xyz\n")))) read-csv)
(growth "csv-closed" 10000 (lambda (n) (file (string "\"" (times n "xyz\n") "\"\n"))) read-csv)
(growth "csv-fields" 10000 (lambda (n) (file (string "a,\"" (times n "\"\",")))) read-csv)
(growth "log" 5000 (lambda (n) (call-with-output-file "log.csv"
                                 (lambda (out)
                                   (write-string (string "a\n\"" (times n "xyz\n") "\"\n") out)))
                               "log.csv")
        read-log)
(growth "escapes" 5000 (lambda (n) (string "\"" (times n "\\x41;\\n") "\"")) read-text-of)
(growth "comment" 10000 (lambda (n) (times n "#|")) read-text-of)
(growth "string" 10000 (lambda (n) (string "\"" (times n "x\n"))) read-text-of)
(growth "json-digits" 2000 (lambda (n) (times n "7")) string->json)
(growth "json-string" 5000 (lambda (n) (string "\"" (times n "\\ud83d\\ude00"))) string->json)
(growth "search" 5000
        (lambda (n) (list (times (* 2 n) "λ") (string (times n "λ") "b")))
        (lambda (texts) (apply string-contains texts)))
(growth "split" 5000
        (lambda (n) (list (times (* 2 n) "λ") (string (times n "λ") "b")))
        (lambda (texts) (apply string-split texts)))
"""


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_reading_is_linear(back_end: str, tmp_path: Path) -> None:
    command = command_of(PROGRAM.replace("MOST", str(MOST)), back_end, tmp_path)
    # A new process: the collections of one forked from this one would take longer than the reading.
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, ""), done
    growths = dict(line.split() for line in done.stdout.splitlines())
    assert len(growths) == PROGRAM.count("(growth \"")
    assert [name for name, growth in growths.items() if int(growth) > MOST] == [], growths
