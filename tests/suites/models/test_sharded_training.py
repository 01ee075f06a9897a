"""Trainings whose checkpoints and optimizers are divided over the ranks.

Their losses are those of an undivided training, bit for bit, and a checkpoint continues on another
number of ranks.  `lambent launch` starts real processes, scripts and executables.
"""

import os
import re
import shutil
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


PARTS = r"""
(define folder (list-ref (command-line) 1))
(define (refusal thunk)
  (guard (e (#t (print (error-object-message e)))) (thunk)))
(define path (string folder "/a.ckpt"))
(define m (sequential (linear 3 4) (batch-norm1d 4)))
(define o (adam (parameters m)))
(define own #f)                                  ; buffers
(define (step! model optimizer)
  (backward (tensor-sum (model (* (+ 1.0 (rank)) (tensor-randn 8 3)))))
  (optimizer-step optimizer))
(define (saved-twice number)
  (let ((metrics (list (cons "rank" (rank)))))
    (save-checkpoint path :model m :optimizer o :step number :metrics metrics :sharded #t)))
(with-distributed :timeout 60
  (data-parallel! m :shard-optimizer o)
  (refusal (lambda () (data-parallel! m :shard-optimizer o)))
  (step! m o)
  (define weight (tensor '(1.0 2.0) :requires-grad #t))
  (define empty (tensor-zeros 0 :requires-grad #t))
  (define other (sgd (list weight empty) :lr 1.0))
  (data-parallel! (list weight empty) :shard-optimizer other)
  (backward (+ (tensor-sum weight) (tensor-sum empty)))
  (optimizer-step other)                         ; rank 1 steps no element
  (print "stepped" weight)
  (set! own (map (lambda (entry) (tensor-copy (cdr entry))) (named-buffers m)))
  (print "differ" (not (apply equal? (all-gather (car own)))))
  (saved-twice 1)
  (step! m o)
  (define found (load-checkpoint! path :model m :optimizer o))
  (print "metrics" (cdr (assoc "metrics" found)))
  (print "own" (every equal? own (map cdr (named-buffers m))))
  (refusal (lambda ()
             (fit m (data-loader (tensor-dataset (tensor-ones 4 3)) :batch-size 2)
                  :optimizer o :loss mse-loss :checkpoint (checkpoint-folder folder)))))
(when (= (string->number (get-environment-variable "RANK")) 0)
  (refusal (lambda () (saved-twice 2)))
  (refusal (lambda () (load-model! path m :prefix "model.")))
  (define alone (sequential (linear 3 4) (batch-norm1d 4)))
  (load-checkpoint! path :model alone)
  (print "rank 0's" (every equal? own (map cdr (named-buffers alone))))
  (print (list-folder folder))
  (define index (load-state path))
  (define counts (cdr (assoc "counts" index)))
  (save-state path (cons (cons "counts" (list (car counts) (cadr counts) 5)) index))
  (refusal (lambda () (load-checkpoint! path :model m)))
  (save-checkpoint path :model m)
  (print (list-folder folder))
  (for-each (lambda (parts)
              (save-state path (list (cons "save" 1) (cons "parts" parts)))
              (refusal (lambda () (load-checkpoint! path :model m))))
            (list '() '("../a.ckpt.part-0-of-1.1") 5)))
"""
PARTS_PRINT = [
    "data-parallel!: the optimizer is sharded already:",
    "stepped [0.0 1.0]",
    "differ #t",
    "metrics ((rank . 0))",
    "own #t",
    "fit: several ranks would write the same checkpoints",
]
PARTS_PRINT_0 = [
    "save-checkpoint: the optimizer is sharded over 2 ranks, and this is rank 0 of",
    'load-model!: "FOLDER/a.ckpt" is the index of a sharded checkpoint',
    "rank 0's #t",
    "(a.ckpt a.ckpt.part-0-of-2.1 a.ckpt.part-1-of-2.1)",
    'load-checkpoint!: the parts of "FOLDER/a.ckpt" have 4 of the 5 entries of the optimizer',
    "(a.ckpt)",
    *3 * ['load-checkpoint!: "FOLDER/a.ckpt" holds a state, but not a checkpoint'],
]


def launched(tmp_path: Path, source: str, back_end: str, *words: str) -> list[list[str]]:
    """The lines that each of two ranks prints, with FOLDER for the folder of checkpoints."""
    program = tmp_path / "program.lisp"
    program.write_text(source)
    if back_end == "executable":
        compile_file(str(program), program.with_suffix(""), optimize=False)
        program = program.with_suffix("")
    folder = tmp_path / "checkpoints"
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "lambent.lang", "launch", "--label", str(program), str(folder),
         *words],
        text=True, capture_output=True, cwd=tmp_path, timeout=TIMEOUT)
    assert done.stderr == ""
    lines = done.stdout.replace(str(folder), "FOLDER").splitlines()
    return [[line[4:] for line in lines if line.startswith(f"[{rank}]")] for rank in range(2)]


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_what_the_parts_hold(tmp_path: Path, back_end: str) -> None:
    """The buffers of each rank, and nothing that is lost in silence."""
    prints = launched(tmp_path, PARTS, back_end)
    assert prints == [PARTS_PRINT + PARTS_PRINT_0, PARTS_PRINT]


TOGETHER = r"""
(define folder (list-ref (command-line) 1))
(define what (list-ref (command-line) 2))
(define path (string folder "/a.ckpt"))
(define m (linear 3 4))
(define o (sgd (parameters m) :lr 0.1 :momentum 0.9))
(define average (ema (parameters m)))
(guard (e (#t (print (error-object-message e))))
  (with-distributed :timeout 5
    (cond ((equal? what "parts")
           (save-checkpoint path :model m :optimizer o :sharded #t
                            :ema (if (= (rank) 0) average #f)))
          ((= (rank) 0)
           (save-checkpoint path :model m :sharded #t))
          (else
           (let wait ((end (+ (current-second) 12)))
             (when (< (current-second) end) (wait end)))))))
"""


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_ranks_that_save_different_parts(tmp_path: Path, back_end: str) -> None:
    for lines in launched(tmp_path, TOGETHER, back_end, "parts"):
        assert len(lines) == 1
        assert "the ranks do different things" in lines[0]
        assert "optimizer (2 tensors, 16 elements, states of 0), random numbers" in lines[0]
        assert "ema (2 tensors, 16 elements)" in lines[0]
    assert not list((tmp_path / "checkpoints").iterdir())


def test_a_rank_that_saves_alone(tmp_path: Path) -> None:
    lines = launched(tmp_path, TOGETHER, "script", "alone")[0]
    assert "rank 1 has not come to save-checkpoint on all ranks to a.ckpt" in lines[0]


LATEST = r"""
(define folder (list-ref (command-line) 1))
(define what (list-ref (command-line) 2))
(define m (linear 3 4))
(define seen (open-output-string))
(with-distributed :timeout 60
  (define runs
    (checkpoint-folder (if (equal? what "save") folder (string folder "-" (rank)))
                       :sharded #t))
  (define (latest)
    (parameterize ((current-error-port seen))
      (cdr (assoc "step" (load-checkpoint! runs :model m)))))
  (cond ((equal? what "save")
         (for-each (lambda (k) (save-checkpoint runs :model m :step k)) '(1 2 3)))
        (else
         (print (guard (e (#t (error-object-message e))) (latest)))
         (print (string-contains (get-output-string seen) "skipping")))))
"""


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_ranks_resume_from_one_checkpoint(tmp_path: Path, back_end: str) -> None:
    """The latest that all of them can read, if one sees it damaged and another not at all."""
    launched(tmp_path, LATEST, back_end, "save")
    saved = tmp_path / "checkpoints"
    assert len(list(saved.iterdir())) == 9
    for rank in range(2):
        shutil.copytree(saved, tmp_path / f"checkpoints-{rank}")
    damaged = tmp_path / "checkpoints-1" / "step-000000003.safetensors.part-0-of-2.1"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    prints = launched(tmp_path, LATEST, back_end, "load")
    assert [lines[0] for lines in prints] == ["2", "2"]
    assert prints[0][1] == "#f" and prints[1][1] != "#f"
    (tmp_path / "checkpoints-0" / "step-000000003.safetensors").unlink()
    (tmp_path / "checkpoints-1" / "step-000000002.safetensors").unlink()
    (tmp_path / "checkpoints-0" / "step-000000001.safetensors").unlink()
    for lines in launched(tmp_path, LATEST, back_end, "load"):
        assert lines[0].endswith("has no undamaged checkpoint")
