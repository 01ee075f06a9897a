"""Small work runs in one thread, large work in several: on both back ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lambent.lang.pipeline import compile_file
from tests.support.programs_run import TIMEOUT

# Each part prints how many threads it started.
TEXT = """\
(define (threads)
  (call-with-input-file "/proc/self/status"
    (lambda (port)
      (let loop ((words (string-split (read-line port))))
        (if (equal? (car words) "Threads:")
            (string->number (cadr words))
            (loop (string-split (read-line port))))))))
(define-syntax starts
  (syntax-rules ()
    ((_ name expression)
     (let ((before (threads))) expression (print name (- (threads) before))))))

(define x (tensor-randn 64 64))
(define images (tensor-randn 4 3 16 16))
(define classes (tensor-remainder (tensor-arange 64) 64))
(define model (sequential (linear 64 64) (gelu) (layer-norm 64) (linear 64 64)))
(define optimizer (adam (parameters model)))
(define (step)
  (backward (cross-entropy (model x) classes))
  (optimizer-step optimizer)
  (zero-grad optimizer))
(tensor-add x x)

(starts "products"
  (begin (@ x x) (tensor-addmm x x x) (tensor-einsum "ij,jk->ik" (list x x))))
(starts "rows"
  (begin (tensor-softmax x :dim 1) (tensor-log-softmax x :dim 0) (tensor-logsumexp x :dim 1)
         (tensor-max x :dim 1) (tensor-gelu x) (tensor-tril x) (tensor-index x (list classes))))
(starts "losses"
  (begin (tensor-cross-entropy-loss x classes) (tensor-binary-cross-entropy-with-logits x x)))
(starts "images"
  (begin (tensor-conv2d images (tensor-randn 5 3 3 3)) (tensor-max-pool2d images 2)
         (tensor-avg-pool2d images 2) (tensor-group-norm images 3)))
(starts "factors" (begin (tensor-linalg-inv x) (tensor-linalg-svd x) (tensor-fft-fft x)))
(starts "training" (dotimes (i 3) (step)))
(starts "large" (tensor-softmax (tensor-randn 2000 2000) :dim 1))
"""
PARTS = ("products", "rows", "losses", "images", "factors", "training", "large")


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_small_work_starts_no_threads_and_large_work_does(tmp_path: Path, back_end: str) -> None:
    source, binary = tmp_path / "threads.lisp", tmp_path / "threads"
    source.write_text(TEXT)
    command = [sys.executable, "-m", "lambent.lang", str(source)]
    if back_end == "executable":
        compile_file(str(source), binary)
        command = [str(binary)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "MKL_"))}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT,
        env={**environment, "OMP_NUM_THREADS": "3"},
    )  # fmt: skip
    started = dict(line.split() for line in done.stdout.splitlines())
    assert list(started) == list(PARTS), done.stderr
    large = int(started.pop("large"))
    assert set(started.values()) == {"0"} and large > 0, done.stdout
