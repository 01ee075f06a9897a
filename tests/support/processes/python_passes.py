"""Runs the tests marked `python_passes` in processes whose passes are Python, not machine code.

These tests replace functions that passes call, or count calls, neither of which machine code shows;
or they test what users run without the compiled passes.  The first of a file's tests starts one
process for all of them, which writes its reports to a file; the others find theirs there.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from lambent.lang.mypyc.finder import use_compiled_modules

USES_PYTHON = "LAMBENT_TEST_PYTHON"  # the variable that leaves the compiled passes out
MARK = "python_passes"
REPORTS = "--reports-to"  # the option that names the file of reports

Reports = dict[str, list[pytest.TestReport]]  # by the tests' ids, in order


class PythonPasses:
    """The plugin, where the passes are machine code."""

    def __init__(self) -> None:
        self._reports: Reports = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if item.get_closest_marker(MARK) is None:
            return None
        if item.nodeid not in self._reports:
            of_file = [
                other for other in item.session.items
                if other.path == item.path and other.get_closest_marker(MARK)
            ]
            self._reports |= _run(of_file)
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._reports[item.nodeid]:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True


class ReportWriter:
    """The plugin of such a process."""

    def __init__(self, config: pytest.Config, path: str) -> None:
        self._config = config
        self._path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        with Path(self._path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(data) + "\n")


def choose_passes() -> None:
    """Use machine code if there is any, unless Python's passes are asked for.

    To be called before a pass is imported.
    """
    if not os.environ.get(USES_PYTHON):
        use_compiled_modules()


def register(config: pytest.Config) -> None:
    """Add the plugin that the process needs."""
    from lambent.lang.compile.ir import anf  # a pass's module: `choose_passes` comes first

    if path := config.getoption(REPORTS):
        config.pluginmanager.register(ReportWriter(config, path))
    elif str(anf.__file__).endswith(".so"):
        config.pluginmanager.register(PythonPasses())


def _run(items: Sequence[pytest.Item]) -> Reports:
    """Run tests in a process of their own; those that it did not end have failed."""
    config = items[0].config
    options = ["--all-random"] if config.getoption("--all-random") else []
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        command = [sys.executable, "-m", "pytest", "-q", REPORTS, file.name, *options]
        done = subprocess.run(
            [*command, *(item.nodeid for item in items)],
            cwd=config.rootpath,
            env={**os.environ, USES_PYTHON: "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        lines = file.readlines()
    found: Reports = {item.nodeid: [] for item in items}
    for line in lines:
        report = config.hook.pytest_report_from_serializable(config=config, data=json.loads(line))
        found[report.nodeid].append(report)
    for item in items:
        if not found[item.nodeid] or found[item.nodeid][-1].when != "teardown":
            found[item.nodeid].append(pytest.TestReport(
                item.nodeid, item.location, dict.fromkeys(item.keywords, 1), "failed",
                f"the process with Python's passes ended early\n{done.stdout}", "call",
            ))
    return found
