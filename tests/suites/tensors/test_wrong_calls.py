"""Messages of LibTorch's operators for wrong calls that are generated from their schemas.

No message shows anything of C++, Python or PyTorch, and each shows the arguments of the operator.
`tests/programs/wrong_calls_*.lisp` hold whole messages, on both back ends.
"""

import re

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent import ctorch
from lambent.lang.primitives.table import operator_name
from tests.support.wrong_calls import Wrong, collect

ONE_IN = 10  # operators, by default
FOREIGN = re.compile(
    r"::|0x[0-9a-f]{4}|\btorch\b|[Pp]y[Tt]orch|[Pp]ython|\bTensors?\b|IntArrayRef|RuntimeError|"
    r"INTERNAL|\.cpp|->|\w\(\)|\bNone\b|\bTrue\b|\bFalse\b|nullptr|\b\d+x\d+\b|\[\d|_|\n|"
    r"\b[Ll]ong [Tt]ensor|\btuple|\bScalar\b|\bCPU\w"
)
MEMORY = "not enough memory"  # tells the size that was asked for, and nothing else
NO_GRADIENT = "nothing that this was computed from requires grad"  # whatever the shapes


def _operators(all_random: bool) -> list[str]:
    lib, ffi = ctorch.load()
    lisp = ffi.string(lib.ct_op_names()).decode().split()
    names = [operator_name(name) for name in lisp]
    return names if all_random else names[::ONE_IN]


@pytest.fixture(scope="module")
def made(all_random: bool) -> tuple[list[Wrong], list[str]]:
    return collect(_operators(all_random), 4 if all_random else 2)


def test_messages_name_nothing_of_libtorch(made: tuple[list[Wrong], list[str]]) -> None:
    def foreign(text: str) -> bool:
        return FOREIGN.search(re.sub(r'"[^"]*"', "", text)) is not None

    assert len(made[0]) > 100
    bound = [wrong for wrong in made[0] if "usage:" not in wrong.hint]  # else the arguments
    assert [wrong for wrong in bound if foreign(wrong.message) or foreign(wrong.hint)] == []


def test_messages_show_the_argument(made: tuple[list[Wrong], list[str]]) -> None:
    def tells(wrong: Wrong) -> bool:
        unbound = "usage:" in wrong.hint
        told = [wrong.message.count(shape) > 0 for shape in wrong.shapes]
        enough = any(text in wrong.message for text in ("...", MEMORY, NO_GRADIENT))
        return unbound or all(told) or enough

    assert [wrong for wrong in made[0] if not tells(wrong)] == []


def test_messages_have_one_format(made: tuple[list[Wrong], list[str]]) -> None:
    """Lower case, no full stop."""
    proper = re.compile(r"LibTorch|[A-Z]+\b|[A-Z]\d?\b|\d")
    for wrong in made[0]:
        begins = wrong.message[0].islower() or proper.match(wrong.message)
        ends = wrong.message.endswith("...") or not wrong.message.endswith(".")
        assert begins and ends, wrong


def test_no_operator_crashes_the_process(made: tuple[list[Wrong], list[str]]) -> None:
    """Many of LibTorch's kernels trust their callers; `ctorch/guards/` checks for them."""
    assert made[1] == []
