"""A training that is killed and started anew has the losses of one that is not killed.

`python -m tests.stress.killed_training 20` kills more often.
"""

from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.stress.killed_training import check


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_killed_training_continues_exactly(tmp_path: Path, back_end: str) -> None:
    report = check(back_end, kills=1, seed=3, folder=tmp_path)
    assert not report.wrong
    assert report.kills.total() == 1
