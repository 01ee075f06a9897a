"""A training on four hosts, of which some die, has the losses of one in which none does.

`python -m tests.stress.machines.host_death 20` kills more often.  Without root the hosts are one
machine.
"""

from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.stress.machines.host_death import check
from tests.support.processes.hosts import has_hosts


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_hosts_that_die(tmp_path: Path, back_end: str) -> None:
    report = check(back_end, kills=2, seed=1, folder=tmp_path, namespaces=has_hosts())
    assert not report.wrong
    assert report.kills.total() == 2
