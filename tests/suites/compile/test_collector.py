"""The collector of cycles in executables: memory stays flat.

`tests/programs/cycles.lisp` and `cycles_tensors.lisp` say what it frees, on both back ends; random
programs leave cycles too; `tests/stress/collector.py` runs everything with a collection at each
chance.
"""

import os
import subprocess
import sys
from pathlib import Path

from lambent.lang.pipeline import compile_file
from tests.support.programs_run import PEAK

MEBIBYTE = 2**20

REPEAT = """
(define (repeat count thunk)
  (when (> count 0)
    (thunk)
    (repeat (- count 1) thunk)))
(define (fact name) (cdr (assq name (garbage-statistics))))
"""
# Of each kind 50000; then rings beside rings that are kept, which slices look at; then rings beside
# a structure that each of its own candidates reaches as a whole.
KINDS = REPEAT + """
(define (procedure)
  (let ((self #f)) (set! self (lambda (n) (if (= n 0) n (self (- n 1))))) (self 1)))
(define (memo)
  (define table (make-hash-table))
  (hash-set! table 'fill (lambda (x) (hash-set! table x (list x))))
  ((hash-ref table 'fill) 1))
(define-record-type node (make-node next previous) node?
  (next next set-next!) (previous previous set-previous!))
(define (linked)
  (let* ((a (make-node #f #f)) (b (make-node #f a)) (c (make-node #f b)))
    (set-next! a b)
    (set-next! b c)))
(define (parents)
  (let* ((parent (vector '())) (child (vector parent "text" 1.5)))
    (vector-set! parent 0 (list child child))))
(define (itself) (let ((v (vector 1 2 3))) (vector-set! v 0 v)))
(define (large) (let ((v (make-vector 1000 0))) (vector-set! v 0 (list v))))
(for-each (lambda (make) (repeat 50000 make)) (list procedure memo linked parents itself large))
(collect-garbage)
(print (fact 'freed-objects))

(define (ring) (let ((v (vector 1 2))) (vector-set! v 0 (list v)) v))
(define before (fact 'collections))
(define kept '())
(repeat 100000 (lambda () (set! kept (cons (ring) kept)) (ring)))
(print (- (fact 'collections) before))

(define size 50000)
(define nodes (make-vector size #f))
(repeat size
  (let ((k 0))
    (lambda () (vector-set! nodes k (vector #f k)) (set! k (+ k 1)))))
(vector-for-each
  (lambda (node)
    (vector-set! node 0 (list (vector-ref nodes (modulo (* 7919 (vector-ref node 1)) size)))))
  nodes)
(repeat 1000000 ring)
(print (fold + 0 (map (lambda (v) (vector-ref (car (vector-ref v 0)) 1)) kept)))
(print (apply + (map (lambda (node) (vector-ref (car (vector-ref node 0)) 1))
                     (vector->list nodes))))
"""
TENSORS = REPEAT + """
(define (ring) (let ((v (vector #f (tensor-ones 1000000)))) (vector-set! v 0 v)))
(repeat 1000 ring)
(print (quotient (cdr (assq 'peak-bytes (tensor-memory))) 1000000))
"""
# The vectors of the first lines leave blocks that the collector knows.
RECYCLED = REPEAT + """
(define (stored) (let ((v (vector #f #f))) (vector-set! v 0 (list 1)) v))
(define kept (map (lambda (i) (stored)) (iota 5000)))
(set! kept #f)
""" + TENSORS.removeprefix(REPEAT)


def run(text: str, folder: Path) -> tuple[list[str], int]:
    """The words that the program prints, and the most memory that it used."""
    source, program = folder / "case.lisp", folder / "case"
    source.write_text(text)
    compile_file(str(source), program)
    done = subprocess.run(
        [sys.executable, "-c", PEAK, program], capture_output=True, text=True,
        env={**os.environ, "LAMBENT_CHECK_LEAKS": "1", "OMP_NUM_THREADS": "1"},
    )
    assert (done.stderr, done.returncode) == ("live handles: 0, live objects: 0\n", 0)
    *words, kibibytes = done.stdout.split()
    return words, int(kibibytes) * 1024


def test_memory_stays_flat(tmp_path: Path) -> None:
    (freed, slices, of_kept, of_nodes), most = run(KINDS, tmp_path)
    # Cells, closures, tables, pairs, nodes and vectors: what one iteration of each kind leaves.
    assert int(freed) >= 50000 * (2 + 3 + 3 + 4 + 1 + 2)
    assert int(slices) > 10
    assert (of_kept, of_nodes) == ("200000", str(sum(range(50000))))
    assert most < 128 * MEBIBYTE


def test_large_tensors_bring_the_next_collection(tmp_path: Path) -> None:
    """4 GB of them: far fewer cycles than usually wait for a collection."""
    for text in (TENSORS, RECYCLED):
        (peak,), _ = run(text, tmp_path)
        assert int(peak) < 500
