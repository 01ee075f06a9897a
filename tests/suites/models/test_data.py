"""Datasets and loaders against numpy and torch; what their threads and memory do.

    every epoch has each example once; batches gathered ahead are those gathered at once;
    a resumed loader gives the rest, bit for bit; tables, windows and scalers are numpy's
"""

import csv
import gc
import io
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch.utils.data import default_collate

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.support.ctorch_calls import FailedError, Handle, procedure, tensor
from tests.support.programs_run import TIMEOUT, command_of, run
from tests.support.saved_tensors import assert_close, saved_by

EXAMPLES, EPOCHS, BATCH = 103, 3, 8
BATCHES = (EXAMPLES + BATCH - 1) // BATCH

LOADERS = """
(define inputs (load-tensors "in.safetensors"))
(define d (safetensors-dataset "in.safetensors" "x" "y"))
(define out '())
(define (keep! name x) (set! out (cons (cons name (tensor-contiguous x)) out)))

(define (loader prefetch)
  (data-loader d :batch-size 8 :shuffle #t :seed 11 :prefetch prefetch))
(define (epoch l)
  (let ((xs '()) (ys '()))
    (do-batches ((x y) l) (set! xs (cons x xs)) (set! ys (cons y ys)))
    (list (tensor-cat (reverse xs)) (tensor-cat (reverse ys)))))
(define (pass l) (do-batches ((x y) l) (error "there is no batch")))
(define (epochs prefetch)
  (let ((l (loader prefetch)))
    (dotimes (k 3)
      (let ((name (string prefetch "/" k)) (parts (epoch l)))
        (keep! (string "x" name) (car parts))
        (keep! (string "y" name) (cadr parts))))))
(for-each epochs '(0 1 4))

; Resumed in epoch 1 after each of its batches, by a loader that has already begun another epoch.
(define (state-after k)
  (let ((l (loader 2)) (n 0))
    (epoch l)
    (call/cc (lambda (out)
      (do-batches ((x y) l)
        (set! n (+ n 1))
        (when (= n k) (out (loader-state l))))))))
(dotimes (k BATCHES)
  (let ((l (loader (remainder k 3))))
    (next-batch l)
    (load-loader-state! l (state-after (+ k 1)))
    (keep! (string "rest" (+ k 1))
           (if (= (+ k 1) BATCHES) (begin (pass l) (tensor-zeros 0)) (cadr (epoch l))))
    (keep! (string "next" (+ k 1)) (cadr (epoch l)))))

; What numpy and torch compute, too.
(define rows (csv-dataset "table.csv" :target "kind" :dtype 'float64))
(keep! "csv/features" (car (dataset-tensors rows)))
(keep! "csv/target" (cadr (dataset-tensors rows)))
(define x (hash-ref inputs "x"))
(define s (standardizer x))
(keep! "standard" (scale s x))
(keep! "unscaled" (unscale s (scale s x)))
(keep! "min-max" (scale (min-max-scaler x) x))
(keep! "one-hot" (one-hot (hash-ref inputs "y") :dtype 'int64))
(define windows (dataset-tensors (window-dataset (hash-ref inputs "y") 10 :stride 3)))
(keep! "windows/x" (car windows))
(keep! "windows/y" (cadr windows))
(define batch (collate (list (list [1 2] 3 '(4.5 #t)) (list [5 6] 7 '(8.5 #f)))))
(keep! "collate/0" (car batch))
(keep! "collate/1" (cadr batch))
(keep! "collate/2" (car (caddr batch)))
(keep! "collate/3" (cadr (caddr batch)))
(define parts (split-dataset d '(0.7 0.3) :seed 1 :stratify (hash-ref inputs "class")))
(keep! "train" (cadr (dataset-tensors (car parts))))
(keep! "test" (cadr (dataset-tensors (cadr parts))))
(save-tensors "out.safetensors" out)
""".replace("BATCHES", str(BATCHES))


def table(rows: int) -> tuple[np.ndarray, list[str], str]:
    """Numbers as a generator writes them, a column of texts, and the CSV text of both."""
    generator = np.random.default_rng(4)
    numbers = generator.normal(size=(rows, 3)) * 10.0 ** generator.integers(-30, 30, (rows, 1))
    numbers[:, 2] = generator.integers(-9, 9, rows)
    kinds = [("setosa", "versicolor", "virginica")[k] for k in generator.integers(0, 3, rows)]
    lines = ["a,b,c,kind", *(f"{a!r},{b:.17g},{int(c)},{kind}" for (a, b, c), kind
                             in zip(numbers.tolist(), kinds, strict=True))]
    return numbers, kinds, "\n".join(lines)


def test_against_torch_and_numpy(tmp_path: Path, back_end: str) -> None:
    torch.manual_seed(0)
    x, y = torch.randn(EXAMPLES, 4, 3), torch.arange(EXAMPLES)
    classes = (torch.rand(EXAMPLES) * 3).floor().long()
    save_file({"x": x, "y": y, "class": classes}, tmp_path / "in.safetensors")
    numbers, kinds, text = table(200)
    (tmp_path / "table.csv").write_text(text)
    out = saved_by(LOADERS, back_end, tmp_path)

    orders = [out[f"y0/{k}"] for k in range(EPOCHS)]
    for k, order in enumerate(orders):
        assert torch.equal(order.sort().values, y)
        assert torch.equal(out[f"x0/{k}"], x[order])
        for ahead in (1, 4):
            assert torch.equal(out[f"y{ahead}/{k}"], order)
            assert torch.equal(out[f"x{ahead}/{k}"], x[order])
    assert not torch.equal(orders[0], orders[1])
    for k in range(1, BATCHES + 1):
        rest = orders[1][k * BATCH :]
        assert torch.equal(out[f"rest{k}"].long(), rest), k
        assert torch.equal(out[f"next{k}"], orders[2]), k

    mean, deviation = x.numpy().mean(0), x.numpy().std(0)
    batch = default_collate([[torch.tensor([1, 2]), 3, [4.5, True]],
                             [torch.tensor([5, 6]), 7, [8.5, False]]])
    windows = y.unfold(0, 11, 3)
    expected = {
        "csv/features": torch.tensor(numbers),
        "csv/target": torch.tensor([sorted(set(kinds)).index(kind) for kind in kinds]),
        "standard": torch.tensor((x.numpy() - mean) / deviation),
        "unscaled": x,
        "min-max": (x - x.amin(0)) / (x.amax(0) - x.amin(0)),
        "one-hot": torch.nn.functional.one_hot(y),
        "windows/x": windows[:, :10].contiguous(),
        "windows/y": windows[:, 1:].contiguous(),
        "collate/0": batch[0], "collate/1": batch[1],
        "collate/2": batch[2][0].float(), "collate/3": batch[2][1],
    }
    assert torch.equal(out["csv/features"], expected["csv/features"])  # to the last bit
    assert torch.equal(out["collate/3"], expected.pop("collate/3"))
    assert_close({name: out[name] for name in expected}, expected)

    assert torch.equal(torch.cat([out["train"], out["test"]]).sort().values, y)
    for k in range(3):
        size = int((classes == k).sum())
        assert abs(int((classes[out["train"]] == k).sum()) - 0.7 * size) <= 1


# Threads and memory.

WATCHED = """
(define (threads) (length (list-folder "/proc/self/task")))
(define (resident)
  (string->number (list-ref (string-split (car (read-lines "/proc/self/statm")) " ") 1)))
(define (run l) (do-batches ((x y) l) (tensor-sum x)))

(define d (tensor-dataset (tensor-randn 2000 16) (tensor-arange 2000)))
(define ahead (data-loader d :batch-size 4 :shuffle #t :prefetch 3))
(define mapped (map-dataset (lambda (x y) (list (* x 2) y)) d))
(define plain (data-loader mapped :batch-size 4 :shuffle #t))
(run ahead)
(run plain)
(define few (threads))
; A thread that has been joined may be in that folder for a moment.
(define (more)
  (let ((end (+ (current-jiffy) (jiffies-per-second))))
    (let loop ()
      (let ((now (- (threads) few)))
        (if (and (> now 0) (< (current-jiffy) end)) (loop) now)))))

(next-batch ahead)
(print "ahead" (- (threads) few))
(call/cc (lambda (out) (do-batches ((x y) ahead) (out 1))))
(print "left" (more))
(guard (e (#t #f)) (do-batches ((x y) ahead) (car 5)))
(print "failed" (more))
(define other (data-loader d :batch-size 4 :prefetch 3))
(next-batch other)
(set! other #f)
(print "freed" (more))
(define wrong (data-loader d :batch-size 4 :sampler '(9999) :prefetch 3))
(guard (e (#t (print (error-object-message e)))) (next-batch wrong))
(print "wrong" (more))

(define before (resident))
(dotimes (k 20) (run ahead))
(dotimes (k 4) (run plain))
(print "pages" (- (resident) before))
(define big (npy-dataset "big.npy"))
(define sparse (data-loader big :batch-size 4 :shuffle #t :seed 1 :prefetch 2))
(define untouched (resident))
(dotimes (k 20) (next-batch sparse))
(print "mapped" (- (resident) untouched) (dataset-length big))
"""
BIG_ROWS, BIG_COLUMNS = 100_000, 1024  # 400 MB, which the disk does not hold


def write_big(path: Path) -> None:
    """A sparse file: a header, and zeros that take no blocks."""
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f4", "fortran_order": False, "shape": (BIG_ROWS, BIG_COLUMNS)})
        file.truncate(file.tell() + BIG_ROWS * BIG_COLUMNS * 4)


def test_threads_end_and_memory_stays_flat(tmp_path: Path, back_end: str) -> None:
    write_big(tmp_path / "big.npy")
    outcome = run(command_of(WATCHED, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    *lines, pages, mapped = outcome.output.splitlines()
    assert lines == [
        "ahead 1", "left 0", "failed 0", "freed 0",
        "data-loader: index 9999 is out of range for length 2000", "wrong 0",
    ]
    page = os.sysconf("SC_PAGE_SIZE")
    assert int(pages.split()[1]) * page < 4 << 20  # 12,000 batches
    assert mapped.split()[2] == str(BIG_ROWS)
    assert int(mapped.split()[1]) * page < 40 << 20


LEAVING = """
(define d (tensor-dataset (tensor-randn 2000 16)))
(define l (data-loader d :batch-size 4 :shuffle #t :seed 1 :prefetch 3))
(define how (cadr (command-line)))
(define (leave)
  (cond ((string=? how "exit") (exit 3))
        ((string=? how "emergency") (emergency-exit 4))
        ((string=? how "error") (car 5))
        ((string=? how "interrupt") (print "ready") (flush-output-port) (let loop () (loop)))))
(do-batches ((x) l) (unless (string=? how "end") (leave)))
(next-batch l)
"""
ENDS = {"exit": 3, "emergency": 4, "error": 70, "interrupt": 130, "end": 0}


def test_programs_end_while_batches_are_gathered(tmp_path: Path, back_end: str) -> None:
    command = command_of(LEAVING, back_end, tmp_path)
    for how, status in ENDS.items():
        with subprocess.Popen([*command, how], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=tmp_path) as program:
            assert program.stdout
            if how == "interrupt":
                assert program.stdout.readline() == b"ready\n"
                program.send_signal(signal.SIGINT)
            assert program.wait(TIMEOUT) == status, how


EMBEDDED = """
import os, sys, lambent
lambent.eval('''
(define l (data-loader (tensor-dataset (tensor-randn 2000 16)) :batch-size 4 :prefetch 3))
(next-batch l)''')
child = os.fork()
if child == 0:
    try:
        lambent.eval("(next-batch l)")
    except lambent.LispError as error:
        print(error.message if hasattr(error, "message") else error)
    sys.exit(0)
print(os.waitpid(child, 0)[1])
lambent.eval("(next-batch l)")
"""


def test_python_ends_and_forks_while_batches_are_gathered(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", EMBEDDED], capture_output=True, text=True,
                          cwd=tmp_path, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    assert "belong to the process that was forked" in done.stdout
    assert done.stdout.endswith("\n0\n")


# Tables, called directly.


def written(field: str, chance: random.Random) -> str:
    """The field as a writer may write it: in quotes where necessary, and sometimes elsewhere."""
    if chance.random() < 0.3 or any(c in field for c in ',"\n\r') or not field:
        return '"' + field.replace('"', '""') + '"'
    return field


@pytest.mark.usefixtures("no_live_handles")
def test_tables_are_those_of_the_csv_module(tmp_path: Path) -> None:
    chance, path = random.Random(7), tmp_path / "table.csv"
    for _ in range(150):
        width, end = chance.randrange(1, 5), chance.choice(["\n", "\r\n"])
        rows = [
            ["t" + "".join(chance.choices('ab ,"\n\u00e4\u65e5', k=chance.randrange(5)))
             for _ in range(width)]
            for _ in range(chance.randrange(1, 6))
        ]
        lines = [",".join(written(field, chance) for field in row) for row in rows]
        text = end.join(lines) + chance.choice(["", end, end + end])
        path.write_text(text, encoding="utf-8", newline="")
        assert list(csv.reader(io.StringIO(text, newline=""))) in (rows, [*rows, []])
        names, columns = procedure("read-table", str(path), ",", False)
        assert (names, [list(column) for column in zip(*columns, strict=True)]) == ([], rows)


@pytest.mark.usefixtures("no_live_handles")
def test_numbers_are_those_of_python(tmp_path: Path) -> None:
    chance, path = random.Random(8), tmp_path / "table.csv"
    texts = ["1", "-0", "+5", " 7 ", "1e400", "-1e400", "1e-400", "4.9e-324", ".5", "5.", "1E5",
             "inf", "-inf", "9007199254740993", "123456789012345678901234567890"]
    texts += [repr(chance.uniform(-1, 1) * 10.0 ** chance.randrange(-300, 300)) for _ in range(300)]
    path.write_text("\n".join([*texts, "NA", "nan", '""']) + "\n")
    _, (column,) = procedure("read-table", str(path), ",", False)
    *found, absent, nan, empty = column.to_list()
    assert found == [float(text) for text in texts]
    assert all(np.isnan([absent, nan, empty]))


@pytest.mark.usefixtures("no_live_handles")
@pytest.mark.parametrize(("data", "message"), [
    (b"a,b\n1,\xff\n", "line 2, column 3: the field is not text"),
    (b"a,b\n1,x\0y\n", "line 2, column 3: the field is not text"),
    (b"\xff,b\n1,2\n", "line 1, column 1: the field is not text"),
    (b'a,b\n"x\ny",2\n"z\n', "line 4, column 1: a quote is never closed"),
    (b"", "it is empty"), (b"\n\n", "it is empty"), (b"\xef\xbb\xbf", "it is empty"),
])
def test_damaged_tables(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    with pytest.raises(FailedError) as failed:
        procedure("read-table", str(path), ",", None)
    assert str(failed.value).endswith(message)


# The thread, called directly.


def threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def batches(rows: list[Handle], order: list[int], size: int, ahead: int) -> object:
    return procedure("start-batches", rows, tensor(order), size, ahead, False)


def rest_of(gathered: object) -> list[list[object]]:
    found = []
    while (batch := procedure("data-loader", gathered)) is not False:
        found.append([x.to_list() for x in batch])
    return found


@pytest.mark.usefixtures("no_live_handles")
def test_batches_that_are_left_anywhere() -> None:
    rows = [tensor([[k, -k] for k in range(40)]), tensor([k / 2 for k in range(40)])]
    chance = random.Random(5)
    before = threads()
    for _ in range(300):
        order = [chance.randrange(40) for _ in range(chance.randrange(1, 60))]
        size, ahead = chance.randrange(1, 9), chance.randrange(4)
        expected = [
            [[[k, -k] for k in order[i : i + size]], [k / 2 for k in order[i : i + size]]]
            for i in range(0, len(order), size)
        ]
        gathered = batches(rows, order, size, ahead)
        if chance.random() < 0.5:
            assert rest_of(gathered) == expected
            assert rest_of(gathered) == []
        else:
            for batch in expected[: chance.randrange(4)]:
                found = procedure("data-loader", gathered)
                assert [x.to_list() for x in found] == batch
        del gathered
    gc.collect()
    until = time.monotonic() + TIMEOUT  # the kernel removes a thread's entry soon after its end
    while threads() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threads() <= before


@pytest.mark.usefixtures("no_live_handles")
@pytest.mark.parametrize("ahead", [0, 2])
def test_an_index_out_of_range_arrives_where_its_batch_is_taken(ahead: int) -> None:
    gathered = batches([tensor([5, 6, 7])], [0, 1, 2, 3], 2, ahead)
    assert [x.to_list() for x in procedure("data-loader", gathered)] == [[5, 6]]
    with pytest.raises(FailedError, match="index 3 is out of range for length 3"):
        procedure("data-loader", gathered)


@pytest.mark.usefixtures("no_live_handles")
def test_rows_that_do_not_lie_together() -> None:
    columns = procedure("start-batches", [tensor([[1, 2], [3, 4]])], tensor([1, 0]), 2, 0, False)
    assert [x.to_list() for x in procedure("data-loader", columns)] == [[[3, 4], [1, 2]]]
