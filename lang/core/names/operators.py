"""What LibTorch's operators are called and how they are used, for hints and checks.

    operators()["tensor-relu"]  =>  "(tensor-relu self)\\n(tensor-relu self :out out)\\n"

The core knows nothing of LibTorch: whoever runs programs hands in what reads its table.
"""

from collections.abc import Callable, Mapping

Reader = Callable[[], Mapping[str, str] | None]

_reader: list[Reader] = []
_found: list[Mapping[str, str] | None] = []


def read_operators_with(reader: Reader) -> None:
    """Let `operators` ask this, at most once; the first that is handed in counts."""
    if not _reader:
        _reader.append(reader)


def operators() -> Mapping[str, str] | None:
    """Usages by Lisp name; None where LibTorch is not installed, or not built for yet."""
    if not _found:
        _found.append(_reader[0]() if _reader else None)
    return _found[0]
