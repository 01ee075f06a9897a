"""`read` of both back ends, compared with each other and with the reader of sources.

Random data that `write` has printed must read back; random text must become the same data or the
same error in all three.  Texts consist of data, of tokens that are special to a reader, and of real
sources with a few characters changed.
"""

import random
import subprocess
import sys

import pytest

from lambent.lang.errors import LispError, ReadFault
from lambent.lang.interp.io.data_reader import read_datum
from lambent.lang.interp.io.input_streams import TextInput
from lambent.lang.interp.io.printing import written
from lambent.lang.interp.values.values import EOF
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from lambent.lang.syntax.text import string_text, to_text
from tests.suites.syntax.test_reader import FAULTS, INCOMPLETE, READS
from tests.support.paths import ROOT
from tests.support.programs_run import ProgramRunner

SOURCE = "tests/support/reading.lisp"
FEW, ALL = 400, 20_000
PIECES = [
    "(", ")", "(", ")", "#(", "#u8(", "[", "]", "'", "`", ",", ",@", " . ", ".", "...", " ", " ",
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
    known = [text for text, _ in [*READS, *FAULTS, *INCOMPLETE]]
    return known + [random_text(rng, sources) for _ in range(ALL if all_random else FEW)]


def said(command: list[str], texts: list[str]) -> list[str]:
    """The output of reading.lisp for the texts, one after the other."""
    strings = "\n".join(map(string_text, texts)).encode()
    done = subprocess.run(command, input=strings, capture_output=True, cwd=ROOT, timeout=600)
    assert (done.stderr.decode(), done.returncode) == ("", 0), done.stdout.decode()[-2000:]
    return done.stdout.decode().split("\n")


def test_back_ends_read_alike(runner: ProgramRunner, texts: list[str]) -> None:
    program = runner.folder / "reading"
    lambent = [sys.executable, "-m", "lambent.lang"]
    subprocess.run([*lambent, "compile", SOURCE, "-o", str(program)], check=True,
                   cwd=ROOT)
    script, executable = said([*lambent, SOURCE], texts), said([str(program)], texts)
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
            if "#0#" not in text and "#1#" not in text:  # shared data is printed differently
                assert data == expected, text
