"""The three readers: that of sources, and `read` in the interpreter and in executables.

All follow the table of `tests/support/lexical_rules.py`.  Beyond the table they are compared with
each other: random data that `write` has printed must read back; random text must become the same
data or the same error in all three.  Texts consist of data, of tokens that are special to a reader,
and of real sources with a few characters changed.
"""

import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lambent.lang.errors import IncompleteInput, LispError, ReadFault, SyntaxFault
from lambent.lang.interp.io.data_reader import read_datum
from lambent.lang.interp.io.input_streams import TextInput
from lambent.lang.interp.io.printing import written
from lambent.lang.interp.values.datum_values import DatumConverter
from lambent.lang.interp.values.values import EOF
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from lambent.lang.syntax.text import string_text, to_text
from tests.support.lexical_rules import FAULTS, INCOMPLETE, READS
from tests.support.paths import ROOT
from tests.support.programs_run import ProgramRunner

SOURCE = "tests/support/reading.lisp"
LAMBENT = [sys.executable, "-m", "lambent.lang"]
RULES = [*READS, *FAULTS, *INCOMPLETE]
FEW, ALL = 400, 20_000
PIECES = [
    "(", ")", "(", ")", "#(", "#u8(", "[", "]", "'", "`", ",", ",@", "#'", "#`", "#,", "#,@", " . ",
    ".", "...", " ", " ",
    "\n", "\t", "#;", "#;", "#|", "|#", ";c\n", '"', '"a b"', r'"\n\x41;\""', "\\", "|",
    "|a b|", r"|\x3bb;\||", "#t", "#false", "#\\a", "#\\space", "#\\(", "#\\x41", "#\\x", "#0=",
    "#1=", "#0#", "#1#", "#0=(", "#!fold-case ", "#!no-fold-case ", "#", "#!", "ABC", "abc", "λ",
    "Straße", ":key", ":", "1", "-1", "255", "256", "1/2", "1/0", "1.5", "1e3", "+inf.0", "+i",
    "1+2i", "#xff", "#x", "#e1.5", "+", "-", "->x", "1+", "+.x", "..", "a.b", "'()", "quote",
    "(quote x)", "\x7f", "\\x",
]  # fmt: skip


def random_text(rng: random.Random, sources: list[str]) -> str:
    if rng.random() < 0.6:
        return "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 12)))
    source = rng.choice(sources)
    start = rng.randrange(len(source))
    text = list(source[start : start + rng.randint(1, 80)])
    for _ in range(rng.randint(0, 3)):
        at = rng.randrange(len(text) + 1)
        text[at : at + rng.randint(0, 2)] = rng.choice(PIECES)
    return "".join(text)


@pytest.fixture(scope="module")
def texts(all_random: bool) -> list[str]:
    rng = random.Random(2026)
    paths = [*ROOT.glob("stdlib/**/*.lisp"), *ROOT.glob("examples/*.lisp"),
             *ROOT.glob("tests/programs/**/*.lisp")]
    sources = [path.read_text(encoding="utf-8") for path in sorted(paths)]
    count = ALL if all_random else FEW
    return [text for text, _ in RULES] + [random_text(rng, sources) for _ in range(count)]


def said(command: list[str], texts: list[str]) -> list[str]:
    """The output of reading.lisp for the texts, one after the other."""
    strings = "\n".join(map(string_text, texts)).encode()
    done = subprocess.run(command, input=strings, capture_output=True, cwd=ROOT, timeout=600)
    assert (done.stderr.decode(), done.returncode) == ("", 0), done.stdout.decode()[-2000:]
    return done.stdout.decode().split("\n")


@pytest.fixture(scope="module")
def program(runner: ProgramRunner) -> Path:
    """reading.lisp as an executable."""
    path = runner.folder / "reading"
    subprocess.run([*LAMBENT, "compile", SOURCE, "-o", str(path)], check=True, cwd=ROOT)
    return path


def test_back_ends_read_alike(program: Path, texts: list[str]) -> None:
    script, executable = said([*LAMBENT, SOURCE], texts), said([str(program)], texts)
    for one, other in zip(script, executable, strict=True):
        assert one == other
        assert not one.startswith("NOT THE SAME"), one


def data_at_run_time(text: str) -> tuple[list[str], str | None]:
    """The data that `read` finds in a text, and the error that ended it."""
    source = TextInput(None, text)
    data: list[str] = []
    try:
        while (datum := read_datum(source)) is not EOF:
            data.append(written(datum))
    except ReadFault as fault:
        return data, fault.message
    return data, None


# One table for all.  A reader maps a text to its data, or to its mistake: "1:3: unexpected )".

Reader = Callable[[str], str]


def from_source(text: str) -> str:
    try:
        return " ".join(written(DatumConverter().value(datum)) for datum in read(Source("t", text)))
    except SyntaxFault as fault:
        assert fault.span
        return f"{fault.span.location.removeprefix('t:')}: {fault.message}"


def located(message: str) -> str:
    found = re.fullmatch(r"read: (.*) at line (\d+), column (\d+)", message)
    assert found, message
    return f"{found[2]}:{found[3]}: {found[1]}"


def from_read(text: str) -> str:
    data, mistake = data_at_run_time(text)
    return " ".join(data) if mistake is None else located(mistake)


def from_executable(program: Path) -> Reader:
    texts = [text for text, _ in RULES]
    lines = said([str(program)], texts)
    starts = [lines.index(string_text(texts[0]))]
    for text in texts[1:]:
        starts.append(lines.index(string_text(text), starts[-1] + 1))
    results: dict[str, str] = {}
    for text, start, end in zip(texts, starts, [*starts[1:], len(lines) - 1], strict=True):
        found = lines[start + 1 : end]
        mistakes = [line for line in found if line.startswith("read: ")]
        results[text] = located(mistakes[0]) if mistakes else " ".join(found)
    return results.__getitem__


@pytest.mark.parametrize("which", ["source", "script", "executable"])
def test_readers_follow_the_rules(which: str, program: Path) -> None:
    reader = {"source": from_source, "script": from_read}.get(which) or from_executable(program)
    wrong = [(text, reader(text), expected) for text, expected in RULES if reader(text) != expected]
    assert not wrong


def test_the_rules_say_which_input_is_incomplete() -> None:
    for text, _ in FAULTS + INCOMPLETE:
        with pytest.raises(SyntaxFault) as caught:
            read(Source("t", text))
        assert isinstance(caught.value, IncompleteInput) == (text in dict(INCOMPLETE)), text


def test_read_agrees_with_the_reader_of_sources(texts: list[str]) -> None:
    for text in texts:
        if "[" in text or text.startswith(("#!/", "#! ")):
            continue  # a tensor expression, or a `#!` line
        data, mistake = data_at_run_time(text)
        try:
            expected = [to_text(datum) for datum in read(Source("t", text))]
        except LispError:
            assert mistake, text
        else:
            assert mistake is None, text
            if not re.search(r"#\d+#", text):  # shared data is printed differently
                assert data == expected, text
