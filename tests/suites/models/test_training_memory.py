"""A training process keeps its size: `tests/stress/training_memory.py` with fewer steps."""

import pytest

from tests.bench.build import OUT
from tests.bench.training import MODELS, OURS, commands_of
from tests.stress.training_memory import train

STEPS = 2_000


@pytest.mark.parametrize("contender", OURS)
def test_resident_memory_is_flat(contender: str) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    growth = train(commands_of(MODELS[0], [contender])[contender], STEPS)
    assert growth.is_flat, growth.resident
