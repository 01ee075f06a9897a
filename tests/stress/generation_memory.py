"""A stress test of memory: generating many tokens must not make a process larger than its cache.

    python -m tests.stress.generation_memory [TOKENS]

generates from a small model on both back ends, and prints the resident memory, and the tensors'
bytes, after each tenth of the tokens; `tests/suites/llm/test_generation_memory.py` takes fewer.
The cache of such a text is reserved at its beginning, so everything should be flat.
"""

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.support.programs_run import command_of, run

TOKENS = 4_000
PARTS = 10
# What may be added between the first part and the last: pages that the system counts late.
ALLOWED = 1 << 20

PROGRAM = """
(define model (llama :vocabulary 300 :width 32 :hidden 64 :layers 2 :heads 2 :context 100000))
(define (resident)
  (define line (find (lambda (line) (string-prefix? "VmRSS:" line))
                     (read-lines "/proc/self/status")))
  (* 1024 (string->number (cadr (string-split line)))))
(define (live-bytes) (cdr (assq 'live-bytes (tensor-memory))))
(define total {tokens})
(define part (quotient total {parts}))
(define seen 0)
(define (report ids)
  (set! seen (+ seen 1))
  (when (= 0 (remainder seen part))
    (print (resident) (live-bytes)))
  #t)
(manual-seed 0)
(define text
  (generate model #f '(1 2 3) :max-tokens total :top-k 20 :repetition-penalty 1.1
            :allow (lambda (ids) (report #f))))
(print (length text))
"""


@dataclass(frozen=True, slots=True)
class Growth:
    """Bytes after each tenth of the tokens."""

    resident: list[int]
    live: list[int]

    @property
    def is_flat(self) -> bool:
        return all(max(sizes[1:]) - sizes[0] <= ALLOWED for sizes in (self.resident, self.live))


def generate(tokens: int, back_end: str, folder: Path) -> Growth:
    """The growth of a process that generates a text of so many tokens."""
    program = PROGRAM.format(tokens=tokens, parts=PARTS)
    outcome = run(command_of(program, back_end, folder), folder)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    *rows, length = outcome.output.splitlines()
    assert int(length) == tokens
    sizes = [list(map(int, row.split())) for row in rows]
    return Growth([row[0] for row in sizes], [row[1] for row in sizes])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.generation_memory")
    parser.add_argument("tokens", nargs="?", type=int, default=TOKENS)
    options = parser.parse_args()
    grown = 0
    for back_end in ("script", "executable"):
        with tempfile.TemporaryDirectory() as folder:
            growth = generate(options.tokens, back_end, Path(folder))
        grown += not growth.is_flat
        verdict = "flat" if growth.is_flat else "GROWS"
        shown = " ".join(f"{size / 1e6:.2f}" for size in growth.resident)
        live = " ".join(f"{size / 1e6:.3f}" for size in growth.live)
        print(f"{back_end}: {verdict}: resident {shown} MB; tensors {live} MB", flush=True)
    if grown:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
