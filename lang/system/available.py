"""How much memory the process may allocate before the machine runs out of it.

This is what the kernel reports as available, or less if a container or `ulimit` allows less.  The
counterpart for executables is `runtime/memory/available.c`.
"""

import os

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_PLENTY = 1 << 60
# A container sees its own control group at the root, of version 2 or 1.
_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def available_memory() -> int:
    """In bytes."""
    return min(_machine(), process_limit(), *(_left_in(*files) for files in _GROUPS))


def process_limit() -> int:
    """The limit of the process, in bytes, whatever is available."""
    if resource is None:
        return _PLENTY
    limits = [resource.getrlimit(which)[0] for which in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min([_PLENTY, *(limit for limit in limits if limit != resource.RLIM_INFINITY)])


def _machine() -> int:
    for line in _text("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _left_in(limit: str, used: str) -> int:
    """What a control group may still allocate, from the files with its limit and its usage."""
    limit, used = _text(limit).strip(), _text(used).strip()
    return max(0, int(limit) - int(used)) if limit.isdigit() and used.isdigit() else _PLENTY


def _text(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:  # noqa: PTH123 - pathlib takes long to load
            return file.read()
    except OSError:
        return ""
