"""Several hosts on one machine: network namespaces, joined by a bridge.

    with hosts(3) as all_hosts:
        subprocess.Popen(all_hosts[1].command(["hostname", "-I"]))

Each host has an interface and an address of its own, and sees the others only over the bridge.  All
share the file system, as machines of a cluster do.  It needs Linux, root, and iproute2.  Where that
is missing, `same_machine` has hosts that are all this machine.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

NETWORK = "10.77.0."
INTERFACE = "eth0"


@dataclass(frozen=True, slots=True)
class Host:
    """namespace: its name, "" for this machine.  switch: the bridge's namespace."""

    number: int
    address: str
    namespace: str = ""
    switch: str = ""

    def command(self, words: Sequence[str]) -> list[str]:
        """How to run a command on this host; the process is the command's."""
        if not self.namespace:
            return list(words)
        return ["ip", "netns", "exec", self.namespace, *words]

    def unplug(self) -> None:
        """Cut its cable: nothing arrives any more, and nobody is told."""
        self._set_cable("down")

    def plug(self) -> None:
        self._set_cable("up")

    def shape(self, words: Sequence[str]) -> None:
        """Give what leaves this host a queueing discipline of tc."""
        _ip_in(self.namespace, "tc", "qdisc", "replace", "dev", INTERFACE, "root", *words)

    def _set_cable(self, state: str) -> None:
        if self.switch:
            _ip_in(self.switch, "ip", "link", "set", f"port{self.number}", state)


@contextmanager
def hosts(count: int) -> Iterator[list[Host]]:
    """So many hosts, until the end of the block; processes in them must have ended."""
    prefix = f"lambent{os.getpid()}"
    switch = f"{prefix}s"
    found = [Host(k, f"{NETWORK}{k + 1}", f"{prefix}h{k}", switch) for k in range(count)]
    names = [switch, *(host.namespace for host in found)]
    try:
        for name in names:
            _run("ip", "netns", "add", name)
        _ip_in(switch, "ip", "link", "add", "bridge", "type", "bridge")
        _ip_in(switch, "ip", "link", "set", "bridge", "up")
        for host in found:
            _connect(host)
        yield found
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def same_machine(count: int) -> list[Host]:
    return [Host(k, "127.0.0.1") for k in range(count)]


@cache
def has_hosts() -> bool:
    """Whether this machine can have network namespaces."""
    if os.geteuid() != 0 or not shutil.which("ip"):
        return False
    name = f"lambent{os.getpid()}t"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False)
    if made.returncode == 0:
        _run("ip", "netns", "delete", name)
    return made.returncode == 0


def free_port(host: Host) -> int:
    """A port that is free on this machine; namespaces have all of theirs."""
    if host.namespace:
        return 29500
    with socket.socket() as port:
        port.bind((host.address, 0))
        return int(port.getsockname()[1])


def _connect(host: Host) -> None:
    port = f"port{host.number}"
    _ip_in(host.switch, "ip", "link", "add", port, "type", "veth", "peer", "name", INTERFACE,
           "netns", host.namespace)
    _ip_in(host.switch, "ip", "link", "set", port, "master", "bridge", "up")
    _ip_in(host.namespace, "ip", "address", "add", f"{host.address}/24", "dev", INTERFACE)
    _ip_in(host.namespace, "ip", "link", "set", INTERFACE, "up")
    _ip_in(host.namespace, "ip", "link", "set", "lo", "up")


def _ip_in(namespace: str, *words: str) -> None:
    _run("ip", "netns", "exec", namespace, *words)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)
