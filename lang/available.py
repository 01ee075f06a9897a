"""How much memory the process may take before the machine runs out of it.

What the kernel calls available, or less where a container or the shell's `ulimit` allows less; the
executables' counterpart is `runtime/available.c`.
"""

import os

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_PLENTY = 1 << 60
# A container sees its own control group at the root, of either edition.
_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def available_memory() -> int:
    """In bytes."""
    return min(_machine(), process_limit(), *map(_number, _GROUPS))


def process_limit() -> int:
    """What the process may take, in bytes, however much there is."""
    if resource is None:
        return _PLENTY
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min([_PLENTY, *(limit for limit in limits if limit != resource.RLIM_INFINITY)])


def _machine() -> int:
    for line in _text("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _number(path: str) -> int:
    text = _text(path).strip()
    return int(text) if text.isdigit() else _PLENTY


def _text(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:  # noqa: PTH123 - pathlib takes long to load
            return file.read()
    except OSError:
        return ""
