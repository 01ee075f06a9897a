"""Slurm on the hosts of `hosts.py`: its controller on the first, and a daemon on each.

    with slurm(all_hosts) as variables:
        subprocess.run(all_hosts[0].command(["srun", "-N", "3", "hostname", "-I"]), env=variables)

It needs Debian's package slurm-wlm, and control groups of version 1, which its daemons look at.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.processes.hosts import Host

_NEEDED = ("srun", "sinfo", "slurmctld", "slurmd", "nsenter")
_PATIENCE = 60  # seconds, for the daemons to start
# No accounting, no authentication, and no control of what a job uses.
_CONFIGURATION = """\
ClusterName=lambent
SlurmctldHost={name}({first})
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
SlurmdParameters=config_overrides
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
"""
_CONTROL_GROUPS = "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n"


def has_slurm() -> bool:
    return all(map(shutil.which, _NEEDED)) and Path("/sys/fs/cgroup/freezer").is_dir()


@contextmanager
def slurm(all_hosts: Sequence[Host]) -> Iterator[Mapping[str, str]]:
    """The variables with which its commands find it, until the end of the block."""
    folder = Path(tempfile.mkdtemp(prefix="lambent-slurm-"))  # short, for names of sockets
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        variables = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        _configure(folder, all_hosts)
        _start(stack, all_hosts[0].command(["slurmctld", "-D", "-c"]), variables, folder)
        for host in all_hosts:
            (folder / host.address).mkdir()
            # `ip netns exec` would mount another /sys, without control groups.
            enter = ["nsenter", f"--net=/run/netns/{host.namespace}"]
            _start(stack, [*enter, "slurmd", "-D", "-N", host.address], variables, folder)
        _wait_for_nodes(all_hosts, variables, folder)
        yield variables


def _configure(folder: Path, all_hosts: Sequence[Host]) -> None:
    (folder / "state").mkdir()
    nodes = [f"NodeName={host.address} NodeAddr={host.address} CPUs=1" for host in all_hosts]
    (folder / "slurm.conf").write_text(_CONFIGURATION.format(
        name=socket.gethostname(), first=all_hosts[0].address, folder=folder,
        nodes="\n".join(nodes)))
    (folder / "cgroup.conf").write_text(_CONTROL_GROUPS)


def _start(
    stack: ExitStack, command: Sequence[str], variables: Mapping[str, str], folder: Path
) -> None:
    """Start a daemon, which ends with the stack."""
    log = stack.enter_context((folder / "log").open("a"))
    daemon = subprocess.Popen(
        command, env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log
    )

    def end() -> None:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()

    stack.callback(end)


def _wait_for_nodes(
    all_hosts: Sequence[Host], variables: Mapping[str, str], folder: Path
) -> None:
    command = all_hosts[0].command(["sinfo", "--noheader", "--Node", "--format=%T"])
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        states = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        if states.stdout.split() == ["idle"] * len(all_hosts):
            return
        time.sleep(0.5)
    raise TimeoutError((folder / "log").read_text())
