"""A few rounds of `tests/stress/rounds.py`, and a few interrupts of them."""

import pytest

from tests.stress.rounds import BACK_ENDS, stress


@pytest.mark.slow
@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_rounds_leave_nothing_behind(back_end: str) -> None:
    assert stress(back_end, rounds=300, interrupts=4, seed=1) == []
