"""The examples run as scripts and as executables, print the same, and do not leak."""

import re
import sys
import sysconfig
from collections import Counter
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.programs_run import Outcome, ProgramRunner, run

EXAMPLES = sorted((ROOT / "examples").glob("*.lisp"))

# A few steps of what takes minutes.
ARGUMENTS = {"char-gpt": ["3"], "adapt": ["3"], "train-chat": ["3"]}


def both(runner: ProgramRunner, example: Path, arguments: list[str]) -> list[Outcome]:
    """What an example does with arguments, as a script and as an executable."""
    status, said = runner.begin_compiling(example).result()
    assert status == 0, said
    script = [sys.executable, "-m", "lambent.lang", str(example)]
    program = [str(runner.executable(example))]
    return [run([*command, *arguments], ROOT) for command in (script, program)]


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_both_back_ends_agree(runner: ProgramRunner, path: Path) -> None:
    if path.stem in ARGUMENTS:
        script, executable = both(runner, path, ARGUMENTS[path.stem])
    else:
        script, executable = runner.run_script(path), runner.run_executable(path)
    assert (script.errors, script.status, script.leaks) == ("", 0, "")
    assert script == executable
    assert script.output


@pytest.mark.parametrize(("name", "least"), [("digits", 0.96), ("digits-cnn", 0.98)])
def test_digits_are_learned(runner: ProgramRunner, name: str, least: float) -> None:
    output = runner.run_executable(ROOT / f"examples/{name}.lisp").output
    (accuracy,) = re.findall(r"test accuracy ([\d.]+)", output)
    assert float(accuracy) >= least


@pytest.fixture(scope="module")
def long_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two megabytes that people wrote: the sources of Python's own library."""
    path = tmp_path_factory.mktemp("text") / "long.txt"
    folder, size = Path(sysconfig.get_paths()["stdlib"]), 0
    with path.open("w", encoding="utf-8") as file:
        for source in sorted(folder.glob("*.py")):
            size += file.write(source.read_text(encoding="utf-8", errors="replace"))
            if size > 2_000_000:
                return path
    pytest.fail(f"there is little text in {folder}")


def test_words_of_a_long_text(runner: ProgramRunner, long_text: Path) -> None:
    example = ROOT / "examples/word-count.lisp"
    outcomes = both(runner, example, [str(long_text), "5"])
    assert outcomes[0] == outcomes[1]
    text = long_text.read_text(encoding="utf-8")
    words = Counter(re.findall(r"[^\W\d_](?:[^\W\d_]|')*|'(?:[^\W\d_]|')*", text.lower()))
    first, *rows = outcomes[0].output.splitlines()
    assert first.startswith(f"{text.count(chr(10))} lines, {words.total()} words")
    common = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:5]
    assert [row.split() for row in rows] == [[str(n), word] for word, n in common]


def test_inventory(runner: ProgramRunner, tmp_path: Path) -> None:
    """Its commands, the file between them, and what it says of wrong words."""
    stock = ["-f", str(tmp_path / "stock.json")]
    rows = [
        (["add", "bolts", "40", "--price", "0.12", "--tag=metal"], "", 0),
        (["take", "bolts", "100"], "inventory: there are only 80 of bolts\n", 1),
        (["take", "bolts", "0"],
         "inventory take: COUNT: 0 is not allowed: how many, at least 1\n", 2),
        (["lsit"], "inventory: unknown command lsit; did you mean list?\n", 2),
        (["list", "--by", "wroth"],
         "inventory list: --by: expected one of name, count, worth, got wroth\n", 2),
    ]  # fmt: skip
    example = ROOT / "examples/inventory.lisp"
    for words, errors, status in rows:  # both back ends add their bolts to one file
        script, executable = both(runner, example, [*stock, *words])
        assert (script.errors, script.status) == (errors, status)
        assert script == executable
    script, executable = both(runner, example, [*stock, "list"])
    assert re.search(r"bolts +80 +0\.12 +9\.60 ", script.output)
    assert script == executable
    (script, executable), usage = both(runner, example, ["--help"]), "usage: inventory [options]"
    assert script.output.startswith(usage)
    assert script == executable
