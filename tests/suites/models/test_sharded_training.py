"""Trainings whose checkpoints and optimizers are divided over the ranks.

Their losses are those of an undivided training, bit for bit, and a checkpoint continues on another
number of ranks.  `lambent launch` starts real processes, scripts and executables.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lambent.lang.pipeline import compile_file

TIMEOUT = 300  # seconds; a busy machine is slow
BACK_ENDS = ("script", "executable")

# Arguments: a folder, the epochs, and words that choose.  The rate of dropout is 0 without "noise",
# because ranks draw different numbers.
PROGRAM = """
(define folder (list-ref (command-line) 1))
(define epochs (string->number (list-ref (command-line) 2)))
(define (chosen? word) (and (member word (command-line)) #t))
(manual-seed 0)
(define x (tensor-randn 60 20))
(define y (tensor-randint 0 5 '(60)))
(with-distributed :timeout 60
  (manual-seed 1)
  (define inside (linear 20 30))
  (define outside (linear 30 5))
  (define rate (if (chosen? "noise") 0.2 0.0))
  (define m (sequential inside (relu) (dropout rate) outside))
  (define o
    (if (chosen? "momentum")
        (sgd (parameters m) :lr 0.1 :momentum 0.9)
        (adamw (list (parameter-group (parameters inside) :lr 0.01)
                     (parameter-group (parameters outside))) :lr 0.02)))
  (data-parallel! m :shard-optimizer (if (chosen? "zero") o #f)
                  :compress (if (chosen? "compress") 'bfloat16 #f))
  (manual-seed (+ 10 (rank)))
  (define own (shard-dataset (tensor-dataset x y) (rank) (world-size)))
  (define (show run)
    (let ((mean (tensor-item (all-reduce (tensor (fit-loss run) :dtype 'float64) :op 'mean))))
      (when (= (rank) 0) (print (fit-step run) mean))))
  (fit m (data-loader own :batch-size (quotient 12 (world-size)) :shuffle #t :seed 0)
       :optimizer o :loss cross-entropy :epochs epochs :progress #f
       :schedule (cosine-schedule o :steps 40)
       :ema (ema (parameters m) :decay 0.9)
       :checkpoint (if (chosen? "whole") #f folder)
       :checkpoint-every (if (chosen? "whole") #f 3)
       :resume (not (chosen? "whole"))
       :callbacks (list (callback :batch show)))
  (let ((same (map (lambda (p) (every (lambda (q) (equal? p q)) (all-gather p))) (parameters m))))
    (unless (every (lambda (each) each) same) (error "the ranks differ" same)))
  (when (= (rank) 0)
    (print "own" (length (cdr (assoc "state" (optimizer-state o)))))))
"""


class Training:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "train.lisp").write_text(PROGRAM)

    def run(self, back_end: str, ranks: int, name: str, epochs: int, *words: str) -> list[str]:
        """The lines that a run prints; a name stands for a folder of checkpoints."""
        program = self.folder / ("train.lisp" if back_end == "script" else "train")
        if not program.exists():
            compile_file(str(self.folder / "train.lisp"), program, optimize=False)
        done = subprocess.run(
            [sys.executable, "-m", "lambent.lang", "launch", "-n", str(ranks), str(program),
             str(self.folder / name), str(epochs), *words],
            text=True, capture_output=True, cwd=self.folder, timeout=TIMEOUT,
            env={**os.environ, "OMP_NUM_THREADS": "1"})
        assert (done.stderr, done.returncode) == ("", 0)
        return done.stdout.splitlines()


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Training:
    return Training(tmp_path_factory.mktemp("sharded"))


def numbers(lines: list[str]) -> list[float]:
    return [float(line.split()[1]) for line in lines if line[0].isdigit()]


@pytest.mark.parametrize("optimizer", ["adamw", "momentum"])
def test_a_sharded_optimizer_has_the_same_losses(training: Training, optimizer: str) -> None:
    expected = training.run("executable", 4, "none", 3, optimizer, "whole")
    assert len(expected) == 16 and expected[-1] == "own 4"
    for back_end in BACK_ENDS:
        sharded = training.run(back_end, 4, "none", 3, optimizer, "whole", "zero")
        assert sharded[:-1] == expected[:-1]
        assert sharded[-1] == "own 1"  # of the 4 parameters' states


def test_a_resumed_training_has_the_same_losses(training: Training) -> None:
    expected = training.run("executable", 2, "none", 4, "whole", "noise")
    for back_end, *words in (("script", "zero"), ("executable",)):
        name = f"resumed-{back_end}"
        first = training.run(back_end, 2, name, 2, "noise", *words)
        assert first[:-1] == expected[:10]
        again = training.run(back_end, 2, name, 4, "noise", *words)
        assert again[:-1] == expected[10:-1]
        # Three indices are kept, with two parts each, of the last save of the step.
        names = sorted(path.name for path in (training.folder / name).iterdir())
        assert [re.sub(r"\d{9}|\d$", "N", n) for n in names] == 3 * [
            "step-N.safetensors", "step-N.safetensors.part-0-of-2.N",
            "step-N.safetensors.part-1-of-2.N"]


@pytest.mark.parametrize(("before", "after"), [(4, 2), (2, 3), (3, 1), (1, 4)])
def test_another_number_of_ranks_continues(training: Training, before: int, after: int) -> None:
    """With as large batches together; the sums of gradients are rounded differently."""
    expected = numbers(training.run("executable", 1, "none", 3, "whole"))
    name = f"{before}-{after}"
    words = ["zero"] if before > 1 else []
    first = training.run("executable", before, name, 1, *words)
    second = training.run("executable", after, name, 3, "zero")
    assert len(first) + len(second) == 17
    assert numbers(first) + numbers(second) == pytest.approx(expected, rel=1e-4)


def test_compressed_gradients(training: Training) -> None:
    """The mean of two gradients is right to the 8 bits of bfloat16, and equal on all ranks."""
    exact = numbers(training.run("executable", 2, "none", 2, "whole", "momentum"))
    for back_end in BACK_ENDS:
        rounded = numbers(training.run(back_end, 2, "none", 2, "whole", "momentum", "compress"))
        assert rounded != exact
        assert rounded == pytest.approx(exact, rel=2e-2)


WRONG = r"""
(define folder (list-ref (command-line) 1))
(define (refusal thunk)
  (guard (e (#t (print (error-object-message e)))) (thunk)))
(with-distributed :timeout 60
  (define m (linear 3 2))
  (define o (adam (parameters m)))
  (refusal (lambda () (data-parallel! m :compress 'int8)))
  (refusal (lambda () (data-parallel! m :shard-optimizer 5)))
  (data-parallel! m :shard-optimizer o)
  (define other (adam (parameters m)))
  (define (step!)
    (backward (tensor-sum (m (tensor-ones 1 3))))
    (optimizer-step o))
  (step!)
  (define path (string folder "/one.ckpt"))
  (refusal (lambda () (save-checkpoint path :model m :optimizer o)))
  (save-checkpoint path :model m :optimizer o :step 7 :sharded #t)
  (save-checkpoint path :model (list m m) :optimizer (list o o) :step 8 :sharded #t)
  (print (cdr (assoc "step" (load-checkpoint! path :model (list m m) :optimizer (list o other)))))
  (print (length (cdr (assoc "state" (optimizer-state other)))))
  (barrier)
  (print (list-folder folder))
  (barrier)
  (when (= (rank) 0) (delete-file (string folder "/one.ckpt.part-1-of-2.2")))
  (barrier)
  (refusal (lambda () (load-checkpoint! path :model (list m m)))))
"""
WRONG_PRINTS = [
    "data-parallel!: expected a dtype for :compress, got int8",
    "data-parallel!: expected an optimizer, got 5",
    "save-checkpoint: the state of the optimizer is divided over the ranks",
    "8",
    "2",
    "(one.ckpt one.ckpt.part-0-of-2.2 one.ckpt.part-1-of-2.2)",
]


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_wrong_use(tmp_path: Path, back_end: str) -> None:
    program = tmp_path / "wrong.lisp"
    program.write_text(WRONG)
    if back_end == "executable":
        compile_file(str(program), program.with_suffix(""), optimize=False)
        program = program.with_suffix("")
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "lambent.lang", "launch", "--label", str(program), str(folder)],
        text=True, capture_output=True, cwd=tmp_path, timeout=TIMEOUT)
    assert (done.stderr, done.returncode) == ("", 0)
    for rank in range(2):
        lines = [line[4:] for line in done.stdout.splitlines() if line.startswith(f"[{rank}]")]
        assert lines[:-1] == WRONG_PRINTS
        assert "one.ckpt.part-1-of-2.2" in lines[-1]
