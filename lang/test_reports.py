"""What `lambent test` prints of the results, and JUnit's XML.

    print_file(run)   =>   FAIL a-test.lisp:7: arithmetic > sum ...
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from lambent.lang.system.dataclass import dataclass
from lambent.lang.system.outputs import write_text

_BAD = ("fail", "xpass")
# Characters that XML cannot have.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Result:
    """One test; its fields are texts, empty where there is none."""

    kind: str  # pass, fail, skip, xfail or xpass
    file: str
    line: str
    path: str  # its groups and its name
    form: str
    expected: str
    value: str
    error: str


@dataclass(frozen=True, slots=True)
class FileRun:
    """The results of one program by back end, and why it did not run to its end."""

    file: str
    results: Mapping[str, Sequence[Result]]
    broken: Mapping[str, str]

    def count(self) -> int:
        return max((len(results) for results in self.results.values()), default=0)

    def failures(self) -> list[tuple[Result, list[str]]]:
        """Each test that failed, and on which back ends."""
        failures: dict[Result, list[str]] = {}
        for back_end, results in self.results.items():
            for result in results:
                if result.kind in _BAD:
                    failures.setdefault(result, []).append(back_end)
        return list(failures.items())

    def differences(self) -> list[tuple[Result | None, Result | None]]:
        """Pairs of results of one test that the back ends do not share."""
        if len(self.results) < 2:
            return []
        script, executable = self.results.values()
        most = max(len(script), len(executable))
        pairs = zip(_padded(script, most), _padded(executable, most), strict=True)
        return [(a, b) for a, b in pairs if a != b]


def _padded(results: Sequence[Result], length: int) -> list[Result | None]:
    return [*results, *[None] * (length - len(results))]


def print_file(run: FileRun) -> None:
    """Print what went wrong in one program."""
    for back_end, why in run.broken.items():
        print(f"BROKEN {run.file} ({back_end}) {why}", end="")
    for result, back_ends in run.failures():
        where = "" if len(back_ends) == len(run.results) else f" ({back_ends[0]})"
        word = "FAIL" if result.kind == "fail" else "PASSED UNEXPECTEDLY"
        print(f"{word} {result.file}:{result.line}: {result.path}{where}")
        print(_details(result), end="")
    for script, executable in run.differences():
        either = script or executable
        assert either is not None
        print(f"DIFFERENT {either.file}:{either.line}: {either.path}")
        print(f"  script:     {_outcome(script)}\n  executable: {_outcome(executable)}")


def _details(result: Result) -> str:
    rows = [("", result.form), ("expected: ", result.expected), ("got:      ", result.value),
            ("error:    ", result.error)]  # fmt: skip
    return "".join(f"  {label}{text}\n" for label, text in rows if text)


def _outcome(result: Result | None) -> str:
    if result is None:
        return "did not run"
    return f"{result.kind} {result.error or result.value}".rstrip()


def print_summary(runs: Sequence[FileRun], only: str | None) -> None:
    """Print the counts of all programs; a test that failed anywhere has failed."""
    failed = sum(len({(r.line, r.path) for r, _ in run.failures()}) for run in runs)
    total = sum(run.count() for run in runs)
    skipped = sum(_count(run, "skip") for run in runs)
    parts = [f"{total - failed - skipped} passed", f"{failed} failed"]
    if skipped:
        parts.append(f"{skipped} skipped")
    if different := sum(len(run.differences()) for run in runs):
        parts.append(f"{different} different on the back ends")
    if broken := sum(1 for run in runs if run.broken):
        parts.append(f"{broken} broken")
    files = f"{len(runs)} file" + ("s" if len(runs) > 1 else "")
    print(f"{', '.join(parts)} in {files}")
    if only is not None and total == skipped:
        print(f"no test has {only} in its group and name")


def _count(run: FileRun, kind: str) -> int:
    results = next(iter(run.results.values()), ())
    return sum(result.kind == kind for result in results)


def write_junit(path: Path, runs: Sequence[FileRun]) -> None:
    """Write the results as JUnit's XML: a suite for each program and back end."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    for run in runs:
        for back_end in dict.fromkeys([*run.results, *run.broken]):
            lines += _suite(run, back_end)
    write_text(path, "\n".join([*lines, "</testsuites>", ""]))


def _suite(run: FileRun, back_end: str) -> list[str]:
    results = run.results.get(back_end, ())
    why = run.broken.get(back_end)
    failures = sum(result.kind in _BAD for result in results)
    skipped = sum(result.kind == "skip" for result in results)
    lines = [
        f"<testsuite name={_quoted(f'{run.file} ({back_end})')} "
        f'tests="{len(results) + (why is not None)}" failures="{failures}" '
        f'errors="{int(why is not None)}" skipped="{skipped}">'
    ]
    lines += [_case(run, result) for result in results]
    if why is not None:
        lines.append(
            f"<testcase classname={_quoted(run.file)} name={_quoted(back_end)}>"
            f"<error message={_quoted(why)}/></testcase>"
        )
    return [*lines, "</testsuite>"]


def _case(run: FileRun, result: Result) -> str:
    head = (
        f"<testcase classname={_quoted(run.file)} name={_quoted(result.path or result.form)} "
        f"file={_quoted(result.file)} line={_quoted(result.line)}"
    )
    if result.kind in _BAD:
        return f"{head}><failure message={_quoted(_details(result))}/></testcase>"
    return f"{head}><skipped/></testcase>" if result.kind == "skip" else f"{head}/>"


def _quoted(text: str) -> str:
    """An attribute of XML, with U+FFFD for characters that it cannot have."""
    return quoteattr(_NOT_XML.sub("\ufffd", text), {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})
