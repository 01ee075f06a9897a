"""A training on four hosts, of which some die, has the losses of one in which none does.

`python -m tests.stress.machines.host_death 20` kills more often.  Without root the hosts are one
machine.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.lang.pipeline import compile_file
from tests.stress.machines.host_death import PROGRAM, check
from tests.support.processes.hosts import free_port, has_hosts, same_machine


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_hosts_that_die(tmp_path: Path, back_end: str) -> None:
    report = check(back_end, kills=2, seed=1, folder=tmp_path, namespaces=has_hosts())
    assert not report.wrong
    assert report.kills.total() == 2


# Rank 1 ends in its first life.
DYING = PROGRAM.replace("""
    (let ((mean""", """
    (when (and (= (rank) 1) (= (fit-step run) 5) (get-environment-variable "DYING")
               (string=? (get-environment-variable "TORCHELASTIC_RESTART_COUNT") "0"))
      (emergency-exit 1))
    (let ((mean""")


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_torchrun_starts_again(tmp_path: Path, back_end: str) -> None:
    source, executable = tmp_path / "train.lisp", tmp_path / "train"
    source.write_text(DYING)
    command = [sys.executable, "-m", "lambent.lang", str(source)]
    if back_end == "executable":
        compile_file(str(source), executable, optimize=False)
        command = [str(executable)]
    undisturbed, disturbed = (
        _steps_under_torchrun([*command, str(tmp_path / name), "1"], variables)
        for name, variables in (("undisturbed", {}), ("disturbed", {"DYING": "1"}))
    )
    assert len(disturbed) > len(undisturbed) == len(dict(undisturbed))
    assert dict(disturbed) == dict(undisturbed)


def _steps_under_torchrun(command: list[str], variables: dict[str, str]) -> list[tuple[str, str]]:
    """The steps of a training by two ranks, and their losses."""
    port = str(free_port(same_machine(1)[0]))
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port",
         port, "--max-restarts", "2", "--no-python", *command],
        env={**os.environ, "OMP_NUM_THREADS": "1", **variables}, text=True, capture_output=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return re.findall(r"step (\d+) (\S+) end", done.stdout)
