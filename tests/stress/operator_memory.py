"""LibTorch's operators, with memory that stops every access beyond a tensor, in 1, 2 and 8 threads.

    python -m tests.stress.operator_memory              all of them, in some minutes
    python -m tests.stress.operator_memory softmax mm   some of them
    python -m tests.stress.operator_memory --threads 8 --part 3/20

Each tensor ends before a page that nobody may touch (`LAMBENT_ALLOC=pages`,
ctorch/memory/allocator.cpp), so a kernel that reads or writes beyond one ends its process, also one
in LibTorch.  The calls are those of `tests/operators/tables/`, and those of `_calls`, with tensors
around the sizes from which work is shared out (`SMALL` in ctorch/dispatch/one_thread.h, and
LibTorch's own).
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from tests.stress.operator_calls import Arguments, part_of, run, table_cases

SMALL = 1 << 14  # elements
COUNTS = (SMALL - 64, SMALL, SMALL + 64, 2 * SMALL, 8 * SMALL)
THREADS = (1, 2, 8)
CASES = 8  # of an operator in the tables


def _calls(torch: Any) -> dict[str, list[Callable[[int], tuple[Any, ...]]]]:
    """Arguments with about that many elements, by operator."""
    def rows(n: int) -> Any:
        return torch.randn(n // 64, 64)

    def images(n: int) -> Any:
        return torch.randn(1, 4, 16, n // 64)

    def heads(n: int) -> Any:
        return torch.randn(1, 4, n // 64, 16)

    def indices(n: int, most: int = 64) -> Any:
        return torch.randint(0, most, (n // 64,))

    def attention(n: int) -> tuple[Any, ...]:
        return heads(n), heads(n), heads(n)

    return {
        "scaled_dot_product_attention": [
            attention, lambda n: (*attention(n), None, 0.0, True),
            lambda n: (*attention(n), torch.rand(n // 64, n // 64) > 0.5)],
        "mm": [lambda n: (rows(n), rows(n).t()), lambda n: (rows(n).t(), rows(n))],
        "addmm": [lambda n: (torch.randn(n // 64), rows(n), rows(n).t())],
        "bmm": [lambda n: (torch.randn(4, n // 256, 64), torch.randn(4, 64, n // 256))],
        "mv": [lambda n: (rows(n), torch.randn(64))],
        "linear": [lambda n: (rows(n), torch.randn(48, 64), torch.randn(48))],
        "outer": [lambda n: (torch.randn(n // 16), torch.randn(n // 16))],
        "cdist": [lambda n: (rows(n), rows(n))],
        "softmax": [lambda n: (rows(n), 1), lambda n: (rows(n), 0)],
        "log_softmax": [lambda n: (rows(n), 1), lambda n: (rows(n), 0)],
        "logsumexp": [lambda n: (rows(n), 0)],
        "layer_norm": [lambda n: (rows(n), [64])],
        "group_norm": [lambda n: (images(n), 2)],
        "native_batch_norm": [lambda n: (images(n), None, None, None, None, True, 0.1, 1e-5)],
        "sum": [lambda n: (rows(n),), lambda n: (rows(n), 0), lambda n: (rows(n), 1)],
        "prod": [lambda n: (rows(n), 0)],
        "std": [lambda n: (rows(n), 0)],
        "max": [lambda n: (rows(n), 0), lambda n: (rows(n), 1)],
        "argmin": [lambda n: (rows(n), 0)],
        "median": [lambda n: (rows(n), 1)],
        "mode": [lambda n: (torch.randint(0, 4, (n // 64, 64)), 1)],
        "sort": [lambda n: (rows(n), 0), lambda n: (torch.randn(n),),
                 lambda n: (torch.randint(0, 99, (n,)),)],
        "topk": [lambda n: (rows(n), 5, 1), lambda n: (torch.randn(n), 99)],
        "kthvalue": [lambda n: (rows(n), 3, 0)],
        "unique_consecutive": [lambda n: (torch.randint(0, 4, (n,)),)],
        "_unique2": [lambda n: (torch.randint(0, 99, (n,)), True, True, True)],
        "cumsum": [lambda n: (rows(n), 0), lambda n: (torch.randn(n), 0)],
        "cumprod": [lambda n: (rows(n), 1)],
        "logcumsumexp": [lambda n: (rows(n), 0)],
        "cummax": [lambda n: (rows(n), 0)],
        "gather": [lambda n: (rows(n), 0, torch.randint(0, n // 64, (n // 64, 64)))],
        "index_select": [lambda n: (rows(n), 1, indices(n)), lambda n: (rows(n), 0, indices(n))],
        "index_add": [lambda n: (torch.zeros(64, 64), 0, indices(n), rows(n))],
        "index_copy": [lambda n: (torch.zeros(n // 64, 64), 0, torch.arange(n // 64), rows(n))],
        "index_put": [lambda n: (torch.zeros(64, 64), [indices(n)], rows(n), True)],
        "scatter": [lambda n: (torch.zeros(n // 64, 64), 1,
                               torch.randint(0, 64, (n // 64, 64)), rows(n))],
        "scatter_add": [lambda n: (torch.zeros(64), 0, torch.randint(0, 64, (n,)), torch.randn(n)),
                        lambda n: (torch.zeros(64, 64), 0, indices(n)[:, None].expand(-1, 64),
                                   rows(n))],
        "scatter_reduce": [lambda n: (torch.zeros(64, 64), 0, indices(n)[:, None].expand(-1, 64),
                                      rows(n), "amax")],
        "masked_select": [lambda n: (rows(n), torch.rand(n // 64, 64) > 0.5)],
        "masked_scatter": [lambda n: (rows(n), torch.rand(n // 64, 64) > 0.5, torch.randn(n))],
        "nonzero": [lambda n: (torch.rand(n // 64, 64) > 0.5,)],
        "embedding": [lambda n: (rows(n), indices(n))],
        "embedding_dense_backward": [lambda n: (rows(n), indices(n), 64, -1, False)],
        "embedding_bag": [
            lambda n, mode=mode: (torch.randn(64, 64), indices(64 * n),  # type: ignore[misc]
                                  torch.arange(0, n, 64), False, mode)
            for mode in (0, 1, 2)],
        "bincount": [lambda n: (torch.randint(0, 99, (n,)),)],
        "histc": [lambda n: (torch.randn(n), 50)],
        "histogram": [lambda n: (torch.randn(n), 50)],
        "bucketize": [lambda n: (torch.randn(n), torch.arange(-3.0, 3.0))],
        "searchsorted": [lambda n: (torch.arange(n / 64), rows(n))],
        "nll_loss": [lambda n: (rows(n), indices(n))],
        "cross_entropy_loss": [lambda n: (rows(n), indices(n))],
        "nll_loss2d": [lambda n: (images(n), torch.randint(0, 4, (1, 16, n // 64)))],
        "conv2d": [lambda n: (images(n), torch.randn(5, 4, 3, 3), torch.randn(5), 1, 1)],
        "conv_transpose2d": [lambda n: (images(n), torch.randn(4, 5, 3, 3))],
        "_slow_conv2d_forward": [lambda n: (images(n), torch.randn(5, 4, 3, 3), [3, 3], None,
                                            [1, 1], [1, 1])],
        "slow_conv_transpose2d": [lambda n: (images(n), torch.randn(4, 5, 3, 3), [3, 3])],
        "max_pool2d": [lambda n: (images(n), 2)],
        "max_pool2d_with_indices": [lambda n: (images(n), 3, 2, 1)],
        "avg_pool2d": [lambda n: (images(n), 2)],
        "adaptive_avg_pool2d": [lambda n: (images(n), [7, 9])],
        "adaptive_max_pool2d": [lambda n: (images(n), [7, 9])],
        "upsample_bilinear2d": [lambda n: (images(n), [33, n // 32], False)],
        "upsample_bicubic2d": [lambda n: (images(n), [33, n // 32], False)],
        "_upsample_bilinear2d_aa": [lambda n: (images(n), [7, n // 128], False)],
        "upsample_nearest2d": [lambda n: (images(n), [33, n // 32])],
        "grid_sampler": [lambda n: (images(n), torch.rand(1, 16, n // 64, 2) * 2 - 1, 0, 0, False)],
        "im2col": [lambda n: (images(n), [3, 3], [1, 1], [1, 1], [1, 1])],
        "reflection_pad2d": [lambda n: (images(n), [3, 3, 3, 3])],
        "multinomial": [lambda n: (rows(n).abs(), 3), lambda n: (rows(n).abs(), 99, True)],
        "bernoulli": [lambda n: (torch.rand(n),)],
        "dropout": [lambda n: (rows(n), 0.5, True)],
        "cat": [lambda n: ([rows(n), rows(n)], 1)],
        "stack": [lambda n: ([rows(n), rows(n)], 2)],
        "flip": [lambda n: (rows(n), [0, 1])],
        "roll": [lambda n: (rows(n), 3, 0)],
        "tril": [lambda n: (rows(n),)],
        "repeat_interleave": [lambda n: (torch.randint(0, 9, (n // 64,)),)],
        "fft_fft": [lambda n: (rows(n),)],
        "fft_rfft2": [lambda n: (rows(n),)],
        "linalg_inv": [lambda n: (torch.randn(n // 4096, 64, 64),)],
        "linalg_svd": [lambda n: (rows(n),)],
        "linalg_qr": [lambda n: (rows(n),)],
        "linalg_cholesky": [lambda n: (torch.eye(64).repeat(n // 4096, 1, 1),)],
        "add": [lambda n: (rows(n), torch.randn(64)), lambda n: (rows(n), rows(n).t().t())],
        "gelu": [lambda n: (rows(n),)],
        "rms_norm": [lambda n: (rows(n), [64])],
        "segment_reduce": [lambda n: (rows(n), "sum")],
    }


def all_operators() -> list[str]:
    import torch

    return sorted({*table_cases(), *_calls(torch)})


def _run(operators: list[str]) -> bool:
    import torch

    from lambent.ctorch import load

    cases, sized = table_cases(), _calls(torch)

    def calls_of(name: str) -> Iterator[Arguments]:
        torch.manual_seed(0)
        for make in sized.get(name, []):
            for n in COUNTS:
                yield Arguments(make(n), {})
        for row in cases.get(name, [])[:CASES]:
            try:
                made = Arguments(*row.arguments())
            except Exception:  # a case that torch itself cannot write
                continue
            yield made

    return run(operators, calls_of, load)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--threads", type=int, help="only so many")
    parser.add_argument("--part", default="1/1", help="3/20: the third of 20 parts of all")
    given = parser.parse_args(arguments)
    if not given.threads:
        command = [sys.executable, "-m", "tests.stress.operator_memory", *arguments, "--threads"]
        return max([subprocess.run([*command, str(n)], check=False).returncode for n in THREADS])
    # LibTorch reads them when it is loaded.
    os.environ.update({"LAMBENT_ALLOC": "pages", "OMP_NUM_THREADS": str(given.threads)})
    print(f"{given.threads} threads", flush=True)
    return not _run([*given.operators, *part_of(all_operators(), given.part, given.operators)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
