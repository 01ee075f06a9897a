"""PyTorch's own inputs for its operators, on both back ends.

    python -m tests.operators.op_info [--script] [--dtypes=float32,int64] [--each=3] [NAME ...]

The inputs are those of `op_db`, with which PyTorch tests itself; NAME is that of an entry there,
such as nn.functional.conv1d or add; --each is the greatest number of samples of an entry and a
dtype.  `op_db` needs the package `expecttest`, which nothing else here does.
"""

import sys
import warnings
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import torch

from tests.operators.samples import Report, Sample, compare_samples

DTYPES = ("float32", "float64", "bfloat16", "complex64", "int64", "uint8", "bool")


def samples(
    names: frozenset[str] = frozenset(), dtypes: Sequence[str] = DTYPES, each: int | None = None
) -> Iterator[Sample]:
    """The samples of the named entries, or of all."""
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        if names and op.name not in names:
            continue
        for dtype in (getattr(torch, name) for name in dtypes):
            if dtype in op.dtypes:
                yield from islice(_samples_of(op, dtype), each)


def _samples_of(op: Any, dtype: torch.dtype) -> Iterator[Sample]:
    label = ".".join(filter(None, (op.name, op.variant_test_name, str(dtype)[6:])))
    has_grad = op.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in op.sample_inputs("cpu", dtype, requires_grad=has_grad):
            yield label, op.op, (sample.input, *sample.args), sample.kwargs


def main(arguments: list[str]) -> int:
    options = dict(a.split("=") for a in arguments if "=" in a)
    names = frozenset(a for a in arguments if not a.startswith("--"))
    dtypes = options["--dtypes"].split(",") if "--dtypes" in options else DTYPES
    each = int(options["--each"]) if "--each" in options else None
    report = compare_samples(samples(names, dtypes, each), "--script" in arguments)
    _show(report)
    return bool(report.differences)


def _show(report: Report) -> None:
    print("\n".join(line[:300] for line in report.differences))
    for why, count in report.inexpressible.most_common():
        print(f"  no call in Lisp: {count:5} {why}")
    print(f"{report.cases} samples compared, {report.gradients} with gradients, "
          f"{len(report.differences)} differences; torch refuses {report.refused_by_torch}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
