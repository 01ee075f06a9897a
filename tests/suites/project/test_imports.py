"""Every module can be the first one that a program imports."""

import subprocess
import sys
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.support.import_alone import import_graph, module_names
from tests.support.paths import ROOT


def test_there_is_no_import_cycle() -> None:
    """So the order in which modules are imported makes no difference."""
    graph = import_graph()
    assert sum(map(len, graph.values())) > 1000
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a cycle of imports: {' <- '.join(error.args[1])}")


def test_a_cycle_is_found() -> None:
    graph = import_graph()
    graph["lambent.lang.errors"] = {"lambent.lang.cli"}
    with pytest.raises(CycleError):
        TopologicalSorter(graph).prepare()


def test_every_module_is_imported_by_itself(all_random: bool) -> None:
    """Those that no other module imports; since there are no cycles, that covers all the others."""
    graph = import_graph()
    imported = set().union(*graph.values())
    chosen = module_names() if all_random else sorted(graph.keys() - imported)
    command = [sys.executable, "-m", "tests.support.import_alone", *chosen]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
