"""Program tests and golden cases, collected from files that hold their own expectations.

    tests/programs/*.lisp, tests/programs/r7rs/*.lisp
                            `; => text` on the line that prints it; `; exits 3` if not with 0
    tests/errors/*.lisp     a block at the end: `; error, status 70:` and the lines of stderr
    tests/golden/**/*.case  `=== rule`, `--- source`, then sections named after pipeline stages

Each program is two tests, script and executable; the executable's also demands that both wrote
the same bytes.  Executables are compiled in other processes: two that work ahead or, where
`pytest -n` distributes the tests, one beside each script.  `--update-golden` rewrites the blocks
of errors/ and golden/ with what is printed now: read the diff.
"""

import gc
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.golden_cases import GoldenCase, read_cases, update_section
from tests.support.paths import ROOT
from tests.support.programs_run import (
    Expected,
    Outcome,
    ProgramRunner,
    read_expectations,
    update_error_block,
)

PROGRAM_FOLDERS = tuple(ROOT / f"tests/{name}" for name in ("programs", "programs/r7rs", "errors"))

USUAL_HANDLERS: dict[int, Any] = {
    signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL,
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite what is expected")
    parser.addoption("--all-random", action="store_true", help="the big random runs, in full")
    parser.addoption("--all-optimized", action="store_true",
                     help="compile all of tests/programs as users do, not a twelfth each day")


def pytest_configure(config: pytest.Config) -> None:
    # A shell makes background jobs ignore Ctrl-C, and nohup SIGHUP; children inherit that.
    for number, usual in USUAL_HANDLERS.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    # As in commands (`cli.py`): what passes build stays alive, and is not walked over so often.
    gc.set_threshold(100_000)
    config.stash[RUNNER] = ProgramRunner(
        ROOT,
        compilers=1 if _is_one_of_many(config) else 2,
        optimize_all=config.getoption("--all-optimized"),
    )


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[RUNNER].close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix == ".lisp" and file_path.parent in PROGRAM_FOLDERS:
        return ProgramFile.from_parent(parent, path=file_path)
    if file_path.suffix == ".case":
        return CaseFile.from_parent(parent, path=file_path)
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Programs come last: they are short, so the worker processes end at about the same time."""
    items.sort(key=lambda item: isinstance(item, ProgramItem))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin to compile what will be run, while the first tests run."""
    if _is_one_of_many(session.config):
        return  # it does not know yet what it will run
    runner = session.config.stash[RUNNER]
    for item in session.items:
        if isinstance(item, ProgramItem) and item.back_end == "executable":
            runner.begin_compiling(item.path)


def _is_one_of_many(config: pytest.Config) -> bool:
    """Whether this is a worker process of pytest-xdist."""
    return hasattr(config, "workerinput")


@pytest.fixture(params=["script", "executable"])
def back_end(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def all_random(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--all-random"))


@pytest.fixture(scope="session")
def runner(pytestconfig: pytest.Config) -> Iterator[ProgramRunner]:
    yield pytestconfig.stash[RUNNER]


@pytest.fixture(scope="module")
def older_objects_are_frozen() -> Iterator[None]:
    """Objects older than a module's tests are kept out of the garbage collections that they run."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def no_live_handles(older_objects_are_frozen: None) -> Iterator[None]:
    """The test must free every handle that it creates."""
    from lambent import ctorch

    lib = ctorch.load().lib
    before = lib.ct_live_handles()
    yield
    gc.collect()
    assert lib.ct_live_handles() == before


@pytest.fixture(autouse=True)
def closed_pipes_are_errors() -> Iterator[None]:
    """A command that a test calls here lets closed pipes end the process; later tests must not."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


RUNNER = pytest.StashKey[ProgramRunner]()


class MismatchError(Exception):
    """Shown as it is, without a Python traceback."""


class PlainItem(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> str:
        if isinstance(excinfo.value, MismatchError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name


class ProgramFile(pytest.File):
    def collect(self) -> Iterable[pytest.Item]:
        for back_end in ("script", "executable"):
            yield ProgramItem.from_parent(self, name=back_end, back_end=back_end)


class ProgramItem(PlainItem):
    def __init__(self, back_end: str, **options: Any) -> None:
        super().__init__(**options)
        self.back_end = back_end

    def runtest(self) -> None:
        runner = self.config.stash[RUNNER]
        runner.begin_compiling(self.path)
        script = runner.run_script(self.path)
        updating = self.config.getoption("--update-golden")
        if updating and self.path.parent.name == "errors" and "internal error" not in script.errors:
            update_error_block(self.path, script)
        outcome = script if self.back_end == "script" else runner.run_executable(self.path)
        _compare(read_expectations(self.path), outcome)
        if outcome is not script:
            _compare_back_ends(script, outcome)


def _compare(expected: Expected, outcome: Outcome) -> None:
    if expected.output is not None and outcome.output != expected.output:
        raise MismatchError(_difference("stdout", expected.output, outcome.output) + outcome.errors)
    if expected.errors is not None and outcome.errors != expected.errors:
        raise MismatchError(_difference("stderr", expected.errors, outcome.errors))
    if outcome.status != expected.status:
        raise MismatchError(f"exit status {outcome.status} instead of {expected.status}\n"
                       + outcome.errors)
    if outcome.leaks:
        raise MismatchError(f"at the end: {outcome.leaks}")


def _compare_back_ends(script: Outcome, executable: Outcome) -> None:
    for what, one, other in (
        ("stdout", script.output, executable.output),
        ("stderr", script.errors, executable.errors),
    ):
        if one != other:
            difference = _difference(what, one, other)
            raise MismatchError(f"script (-) and executable (+) differ\n{difference}")


def _difference(what: str, expected: str, got: str) -> str:
    import difflib

    lines = difflib.unified_diff(
        expected.splitlines(), got.splitlines(), "expected " + what, "got", lineterm="", n=1
    )
    return "\n".join(lines) + "\n"


class CaseFile(pytest.File):
    def collect(self) -> Iterable[pytest.Item]:
        for case in read_cases(self.path):
            yield CaseItem.from_parent(self, name=case.name, case=case)


class CaseItem(PlainItem):
    def __init__(self, case: GoldenCase, **options: Any) -> None:
        super().__init__(**options)
        self.case = case

    def runtest(self) -> None:
        for stage, expected in self.case.sections.items():
            got = self.case.show(stage)
            if got == expected:
                continue
            if self.config.getoption("--update-golden"):
                update_section(self.path, self.case.name, stage, got)
            else:
                raise MismatchError(_difference(stage, expected, got))
