"""Excerpts of long lines: both back ends cut them around the error, and those that fit they print
as they are."""

import subprocess
import sys
from pathlib import Path

import pytest

from lambent.lang.errors import excerpt
from lambent.lang.pipeline import compile_file
from lambent.lang.syntax.source import Source, Span
from tests.support.paths import ROOT

LONGEST = 120
FAULT = "(car 5)"
WIDE = "\u65e5\U0001f600\u00e9"  # characters of 3, 4 and 2 bytes

# Each is one line, whose only error is a call of car; what stands before and after it.
LINES = {
    "fits": ("(list " + "1 " * 50, ")"),
    "fits exactly": (f'(list "{"a" * (LONGEST - len(FAULT) - 11)}" ', " )"),
    "one too long": (f'(list "{"a" * (LONGEST - len(FAULT) - 10)}" ', " )"),
    "at the beginning": ("(list ", " 1" * 300 + ")"),
    "in the middle": ("(list " + "1 " * 300, " 1" * 300 + ")"),
    "at the end": ("(list " + "1 " * 300, ")"),
    "wide characters before": (f'(list "{WIDE * 60}" ', " 1" * 300 + ")"),
    "wide characters after": ("(list ", f' "{WIDE * 60}")'),
    "tabs": ("(list\t" + "1\t" * 300, "\t1" * 300 + ")"),
    "a NUL": (f'(list "{"0" * 300}\0" ', ")"),
    "a carriage return at the end": ("(list " + "1 " * 300, ")\r"),
}


def shown(name: str) -> tuple[str, str]:
    """The two lines of the excerpt, without what stands before them."""
    before, after = LINES[name]
    start = len(before)
    lines = excerpt(Span(Source("a.lisp", before + FAULT + after), start, start + len(FAULT)))
    assert all(line.startswith(at) for line, at in zip(lines, ("  1 | ", "    | "), strict=True))
    return lines[0][6:], lines[1][6:]


@pytest.mark.parametrize("name", LINES)
def test_caret_is_below_the_error(name: str) -> None:
    line, carets = shown(name)
    assert len(line) <= LONGEST
    at = carets.index("^")
    assert carets.count("^") == len(FAULT)
    assert line[at : at + len(FAULT)] == FAULT
    assert all(below == ("\t" if above == "\t" else " ")
               for above, below in zip(line[:at], carets[:at], strict=True))


@pytest.mark.parametrize("name", LINES)
def test_only_long_lines_are_cut(name: str) -> None:
    before, after = LINES[name]
    whole = (before + FAULT + after).rstrip("\r")
    line, _ = shown(name)
    if len(whole) <= LONGEST:
        assert line == whole
    else:
        assert len(line) == LONGEST
        assert line.startswith("...") != whole.startswith(line[:10])
        assert line.endswith("...") != whole.endswith(line[-10:])


@pytest.mark.parametrize("at", [0, 30, 37, 38, 40, 41, 60, 300, 580, 599, 600])
@pytest.mark.parametrize("width", [0, 1, 60, 600])
def test_errors_of_all_widths(at: int, width: int) -> None:
    text = "".join(chr(ord("a") + k % 26) for k in range(600))
    line, carets = (each[6:] for each in
                    excerpt(Span(Source("a.lisp", text), at, min(at + width, len(text)))))
    first = carets.index("^")
    assert len(line) == LONGEST
    assert len(carets) <= LONGEST + (at == len(text))
    count = carets.count("^")
    assert count == max(1, min(width, len(text) - at)) or count >= LONGEST - 43
    if at < len(text):
        assert line[first : first + count] == text[at : at + count]


def test_back_ends_agree(tmp_path: Path) -> None:
    for number, (before, after) in enumerate(LINES.values()):
        path, program = tmp_path / f"{number}.lisp", tmp_path / f"{number}"
        path.write_text(f"{before}{FAULT}{after}\n", encoding="utf-8", newline="")
        compile_file(str(path), program, optimize=False)
        script, executable = (
            subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
            for command in ([sys.executable, "-m", "lambent.lang", str(path)], [str(program)])
        )
        assert script.returncode == executable.returncode == 70
        assert script.stderr == executable.stderr


def test_many_errors_on_one_line(tmp_path: Path) -> None:
    """Neither warnings nor the locations in the C repeat the line for each of them."""
    path = tmp_path / "long.lisp"
    path.write_text("(define (f x) " + "1 (car x) " * 3000 + ")\n(print (f '(1)))\n")
    checked = subprocess.run([sys.executable, "-m", "lambent.lang", "check", str(path)],
                             capture_output=True, text=True, check=False)
    assert checked.stderr.count("warning: ") + checked.stdout.count("warning: ") > 1000
    assert len(checked.stderr) + len(checked.stdout) < 3000 * 800
    emitted = subprocess.run(
        [sys.executable, "-m", "lambent.lang", "compile", "--emit-c", str(path)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert emitted.count("1 (car x) 1 (car x) ") < 10000
