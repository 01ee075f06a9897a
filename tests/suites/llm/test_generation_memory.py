"""A process that generates keeps its size: `tests/stress/generation_memory.py`, shorter."""

from pathlib import Path

from tests.stress.generation_memory import generate

TOKENS = 1_000


def test_memory_is_flat_but_for_the_cache(back_end: str, tmp_path: Path) -> None:
    growth = generate(TOKENS, back_end, tmp_path)
    assert growth.is_flat, growth
