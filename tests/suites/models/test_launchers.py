"""Programs on several hosts, started by torchrun, mpirun (Open MPI's and MPICH's) and srun.

The hosts are network namespaces of this machine, and the launchers are the real ones, where they
are installed.  Slurm's variables are also set by hand, as srun sets them.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.lang.pipeline import compile_file
from tests.support.processes.hosts import Host, has_hosts, hosts
from tests.support.processes.slurm import has_slurm, slurm

TIMEOUT = 300  # seconds; a busy machine is slow
COUNT = 3
PROGRAM = """
(with-distributed :timeout 100
  (let ((sum (all-reduce (tensor (list (+ 1 (rank)))))))
    (display (format "~a of ~a, here ~a: ~a~%" (rank) (world-size) (local-rank) sum))
    (flush-output)))
"""
EXPECTED = ["0 of 3, here 0: [6]", "1 of 3, here 0: [6]", "2 of 3, here 0: [6]"]

needs_hosts = pytest.mark.skipif(not has_hosts(), reason="needs root and network namespaces")


@pytest.fixture(scope="module")
def all_hosts() -> Iterator[list[Host]]:
    with hosts(COUNT) as found:
        yield found


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The commands of both back ends."""
    folder = tmp_path_factory.mktemp("launchers")
    source, executable = folder / "sum.lisp", folder / "sum"
    source.write_text(PROGRAM)
    compile_file(str(source), executable, optimize=False)
    return {"script": [sys.executable, "-m", "lambent.lang", str(source)],
            "executable": [str(executable)]}


def start(
    command: Sequence[str], variables: Mapping[str, str], folder: Path
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command, env={**os.environ, "OMP_NUM_THREADS": "1", **variables}, text=True, cwd=folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def lines_of(processes: Sequence["subprocess.Popen[str]"]) -> list[str]:
    """All that they print, sorted, when they have ended well."""
    found: list[str] = []
    for process in processes:
        output, errors = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0, errors
        found += output.splitlines()
    return sorted(found)


@needs_hosts
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_torchrun(
    all_hosts: list[Host], programs: dict[str, list[str]], back_end: str, tmp_path: Path
) -> None:
    assert lines_of([
        start(host.command([
            sys.executable, "-m", "torch.distributed.run", "--nnodes", str(COUNT),
            "--node-rank", str(host.number), "--nproc-per-node", "1", "--master-addr",
            all_hosts[0].address, "--master-port", "29511", "--no-python", *programs[back_end]]),
            {}, tmp_path)
        for host in all_hosts
    ]) == EXPECTED


def agent_for(all_hosts: Sequence[Host], folder: Path) -> Path:
    """A command in place of ssh, by which mpirun reaches the other hosts."""
    agent = folder / "agent"
    cases = "".join(f"{h.address}) n={h.namespace};;\n" for h in all_hosts)
    agent.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\n'
                     f'case $1 in\n{cases}esac\nshift\n'
                     'exec ip netns exec $n sh -c "$*"\n')
    agent.chmod(0o755)
    return agent


@cache
def open_mpi() -> str:
    """Its mpirun; empty if only another MPI's is installed, or none."""
    command = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if not command:
        return ""
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    return command if "open-mpi.org" in version.stdout else ""


def mpirun(host: Host, words: Sequence[str], all_hosts: list[Host], folder: Path) -> list[str]:
    return host.command([
        open_mpi(), "--allow-run-as-root", "--mca", "plm_rsh_agent",
        str(agent_for(all_hosts, folder)),
        "--mca", "oob_tcp_if_include", "10.77.0.0/24", "--mca", "btl_tcp_if_include",
        "10.77.0.0/24", "--host", ",".join(f"{h.address}:1" for h in all_hosts),
        "-n", str(len(all_hosts)), *words])


needs_open_mpi = pytest.mark.skipif(not open_mpi(), reason="Open MPI is not installed")


@needs_hosts
@needs_open_mpi
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_open_mpi(
    all_hosts: list[Host], programs: dict[str, list[str]], back_end: str, tmp_path: Path
) -> None:
    variables = ["-x", f"MASTER_ADDR={all_hosts[0].address}", "-x", "LAMBENT_CACHE",
                 "-x", "OMP_NUM_THREADS"]
    command = mpirun(all_hosts[0], [*variables, *programs[back_end]], all_hosts, tmp_path)
    assert lines_of([start(command, {}, tmp_path)]) == EXPECTED


@needs_hosts
@needs_open_mpi
def test_open_mpi_without_an_address(
    all_hosts: list[Host], programs: dict[str, list[str]], tmp_path: Path
) -> None:
    """Said at once: each host would wait for rank 0 at its own address."""
    process = start(mpirun(all_hosts[0], programs["executable"], all_hosts, tmp_path), {}, tmp_path)
    assert_address_is_missing(process)


def assert_address_is_missing(process: "subprocess.Popen[str]") -> None:
    _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode != 0
    assert ("the ranks are on several machines, and the variable MASTER_ADDR, which says where "
            "rank 0 is, is not set") in errors


def mpich(words: Sequence[str], all_hosts: list[Host], folder: Path) -> list[str]:
    """MPICH's mpirun, which is called Hydra, on the first host."""
    return all_hosts[0].command([
        "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", str(agent_for(all_hosts, folder)),
        "-localhost", all_hosts[0].address, "-hosts", ",".join(h.address for h in all_hosts),
        "-n", str(len(all_hosts)), *words])


needs_mpich = pytest.mark.skipif(not shutil.which("mpiexec.hydra"), reason="needs MPICH")


@needs_hosts
@needs_mpich
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_mpich(
    all_hosts: list[Host], programs: dict[str, list[str]], back_end: str, tmp_path: Path
) -> None:
    command = mpich(programs[back_end], all_hosts, tmp_path)
    variables = {"MASTER_ADDR": all_hosts[0].address}
    assert lines_of([start(command, variables, tmp_path)]) == EXPECTED


@needs_hosts
@pytest.mark.skipif(not has_slurm(), reason="needs Slurm")
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_srun(
    all_hosts: list[Host], programs: dict[str, list[str]], back_end: str, tmp_path: Path
) -> None:
    """Without MASTER_ADDR and MASTER_PORT."""
    command = all_hosts[0].command(["srun", "-N", str(COUNT), *programs[back_end]])
    with slurm(all_hosts) as variables:
        assert lines_of([start(command, variables, tmp_path)]) == EXPECTED


@needs_hosts
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_slurm(
    all_hosts: list[Host], programs: dict[str, list[str]], back_end: str, tmp_path: Path
) -> None:
    """Without MASTER_ADDR: rank 0 is on the first machine of the list."""
    assert lines_of([
        start(host.command(programs[back_end]), {
            "SLURM_PROCID": str(host.number), "SLURM_NTASKS": str(COUNT), "SLURM_LOCALID": "0",
            "SLURM_JOB_ID": "4711", "SLURM_STEP_NODELIST": "10.77.0.[1-3]",
            "SLURM_JOB_NODELIST": "10.77.0.[1-9]"}, tmp_path)
        for host in all_hosts
    ]) == EXPECTED


@pytest.mark.parametrize(("variables", "where"), [
    ({"SLURM_JOB_NODELIST": "127.0.0.[1,3-7],127.0.0.9", "SLURM_JOB_ID": "12"}, "127.0.0.1:20012"),
    ({"SLURM_JOB_NODELIST": "127.0.[0-2].[1-2]", "SLURM_JOB_ID": "9513"}, "127.0.0.1:20013"),
    ({"SLURM_JOB_NODELIST": "127.0.0.1", "SLURM_JOB_ID": "5000000012"}, "127.0.0.1:27512"),
    ({"SLURM_JOB_NODELIST": "127.0.0.1", "MASTER_PORT": "20999"}, "127.0.0.1:20999"),
    ({"SLURM_JOB_NODELIST": "elsewhere", "MASTER_ADDR": "127.0.0.1"}, "127.0.0.1:29500"),
    ({"SLURM_JOB_NODELIST": "node[003-005,7].invalid"}, "cannot find the address node003.invalid"),
])
def test_where_slurm_has_rank_0(
    programs: dict[str, list[str]], variables: dict[str, str], where: str
) -> None:
    done = subprocess.run(
        [*programs["script"][:-1], "-e", "(with-distributed :timeout 1 (rank))"], text=True,
        capture_output=True, timeout=TIMEOUT,
        env={**os.environ, "SLURM_PROCID": "1", "SLURM_NTASKS": "2", **variables})
    assert done.returncode == 70
    assert where in done.stderr
