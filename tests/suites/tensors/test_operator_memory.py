"""Calls of LibTorch's operators that must not touch memory beyond tensors, or end the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.lang.pipeline import compile_file
from tests.support.paths import ROOT
from tests.support.programs_run import TIMEOUT

# Operators whose kernels count threads: many, on both sides of the sizes that matter.
THREADED = ["scaled_dot_product_attention", "scatter_add", "embedding_bag", "index_put", "mm",
            "sort"]
# One of each kind that a guard protects from arguments at the limits.
LIMITED = ["remainder", "floor_divide", "lcm", "replication_pad2d", "max_pool1d", "convolution",
           "_segment_reduce_backward", "to_dense", "tile", "special_laguerre_polynomial_l"]
# One of each kind whose result could be written over its operands.
WRITING = ["normal", "addmm", "mean", "mm", "add", "add_", "cumsum", "sort"]

ATTENTION = """\
(define (attend size)
  (let ((q (requires-grad! (tensor-randn 1 4 size 16))))
    (backward (tensor-sum (attention q q q :causal #t)))
    (tensor-shape (tensor-grad q))))
(print (map attend '(255 256 257 400)))
(print (tensor-shape (recompute attend-again (tensor-randn 1 4 256 16))))
(define twice
  (let ((q (tensor-randn 1 4 256 16)))
    (custom-gradient (lambda (x) (* x 2))
                     (lambda (g x y) (attention q q q :causal #t) (* g 2)))))
(define w (requires-grad! (tensor-ones 1)))
(backward (twice w))
(print (tensor-grad w))
"""


def _run(module: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", f"tests.stress.{module}", *arguments], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("threads", ["2", "8"])
def test_kernels_stay_inside_of_tensors(threads: str, all_random: bool) -> None:
    part = "1/1" if all_random else "1/60"
    made = _run("operator_memory", *THREADED, "--threads", threads, "--part", part)
    assert int(made.split()[0]) > 50 and made.endswith(" 0 ended their process")


def test_no_integer_ends_the_process(all_random: bool) -> None:
    part = "1/1" if all_random else "1/150"
    made = _run("operator_limits", *LIMITED, "--part", part, "--tries", "2")
    assert int(made.split()[0]) > 500 and made.endswith(" 0 ended their process")


def test_no_operator_overwrites_what_it_reads(all_random: bool) -> None:
    part = "1/1" if all_random else "1/40"
    made = _run("operator_out", *WRITING, "--part", part)
    assert int(made.split()[0]) > 50 and made.endswith(" 0 wrong")


@pytest.mark.parametrize("back_end", ["script", "executable"])
@pytest.mark.parametrize("threads", ["1", "2", "8"])
def test_attention_of_small_tensors(tmp_path: Path, back_end: str, threads: str) -> None:
    """Its scratch was sized for one thread, and its allocation let all threads begin."""
    source, binary = tmp_path / "attention.lisp", tmp_path / "attention"
    source.write_text(ATTENTION.replace("attend-again", "(lambda (q) (attention q q q))"))
    command = [sys.executable, "-m", "lambent.lang", str(source)]
    if back_end == "executable":
        compile_file(str(source), binary)
        command = [str(binary)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT, check=False,
        env={**os.environ, "OMP_NUM_THREADS": threads, "LAMBENT_ALLOC": "pages"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "((1 4 255 16) (1 4 256 16) (1 4 257 16) (1 4 400 16))\n(1 4 256 16)\n[2.0]\n"
    )


def test_the_allocator_stops_accesses_beyond_a_tensor(tmp_path: Path) -> None:
    """An access behind the last element, or before the first one that is written."""
    program = tmp_path / "beyond.py"
    program.write_text(
        "import ctypes, sys\n"
        "from lambent.ctorch import load\n"
        "from tests.support.ctorch_calls import call\n"
        "x = call('ones', [3, 5])\n"
        "lib, ffi = load()\n"
        "shared = ffi.new('struct DLManagedTensor **')\n"
        "assert lib.ct_to_dlpack(x.pointer, shared) == 0\n"
        "at = int(ffi.cast('intptr_t *', shared[0])[0])\n"
        "lib.ct_dlpack_free(shared[0])\n"
        "if sys.argv[1] == 'after':\n"
        "    ctypes.c_float.from_address(at + 60).value\n"
        "else:\n"
        "    ctypes.c_float.from_address(at - 4).value = 1.0\n"
        "    del x\n"
        "print('nothing happened')\n"
    )
    for how, status in (("after", -11), ("before", -6)):
        done = subprocess.run(
            [sys.executable, str(program), how], capture_output=True, text=True, check=False,
            env={**os.environ, "LAMBENT_ALLOC": "pages", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (status, ""), done.stderr
