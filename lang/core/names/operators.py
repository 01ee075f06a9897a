"""The names and usages of LibTorch's operators, for hints and checks.

    operators()["tensor-relu"]  =>  "(tensor-relu self)\\n(tensor-relu self :out out)\\n"

The core does not depend on LibTorch: the interpreter registers a function that reads its table.
"""

from collections.abc import Callable, Mapping

Reader = Callable[[], Mapping[str, str] | None]

_reader: list[Reader] = []
_found: list[Mapping[str, str] | None] = []


def read_operators_with(reader: Reader) -> None:
    """Register the function that `operators` calls once.  Only the first registration counts."""
    if not _reader:
        _reader.append(reader)


def operators() -> Mapping[str, str] | None:
    """Usages by Lisp name; None if LibTorch is not installed, or ctorch is not built yet."""
    if not _found:
        _found.append(_reader[0]() if _reader else None)
    return _found[0]
