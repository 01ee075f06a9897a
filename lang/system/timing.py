"""How long each step of a command takes: `--time-passes`.

    with timed("borrow"):            borrow        0.031 s    4.1 %
        ...

Steps may be nested; the time of a step excludes that of the steps inside it.  `timed` does nothing
unless `start` was called.  Every script's start imports this module, so it imports little.
"""

import sys
import time
from types import TracebackType

_OTHER = "other (start, files, output)"


class Clock:
    """The seconds of each step so far, in the order in which steps first began."""

    __slots__ = ("_began", "_last", "_steps", "seconds")

    def __init__(self) -> None:
        self._began = self._last = time.perf_counter()
        self._steps = [_OTHER]
        self.seconds: dict[str, float] = {}

    def _charge(self) -> None:
        """Add the time since the last change to the current step."""
        now = time.perf_counter()
        step = self._steps[-1]
        self.seconds[step] = self.seconds.get(step, 0.0) + now - self._last
        self._last = now

    def enter(self, step: str) -> None:
        self._charge()
        self._steps.append(step)
        self.seconds.setdefault(step, 0.0)

    def leave(self) -> None:
        self._charge()
        self._steps.pop()

    def table(self) -> str:
        """The steps, their seconds, and their share of the total."""
        self._charge()
        total = self._last - self._began
        steps = {name: s for name, s in self.seconds.items() if name != _OTHER}
        rows = [*steps.items(), (_OTHER, self.seconds[_OTHER]), ("total", total)]
        width = max(len(name) for name, _ in rows)
        return "".join(
            f"{name:{width}} {seconds:9.4f} s {100 * seconds / total:5.1f} %\n"
            for name, seconds in rows
        )


class timed:  # noqa: N801 - used like a function; contextlib loads slowly
    """A step of the command, from here to the end of the block."""

    __slots__ = ("_step",)

    def __init__(self, step: str) -> None:
        self._step = step

    def __enter__(self) -> None:
        if _clocks:
            _clocks[-1].enter(self._step)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if _clocks:
            _clocks[-1].leave()


_clocks: list[Clock] = []  # empty, or the running one


def start() -> None:
    """Measure the steps from now on."""
    _clocks[:] = [Clock()]


def is_running() -> bool:
    return bool(_clocks)


def finish() -> None:
    """Print the table on stderr, and stop."""
    if _clocks:
        sys.stdout.flush()
        sys.stderr.write(_clocks.pop().table())
        sys.stderr.flush()
