"""Plots in files and on a terminal: SVG on both back ends, PNG and PDF in scripts."""

import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from importlib.util import find_spec
from pathlib import Path

import pexpect
import pytest

from tests.support.programs_run import command_of, run

SVG = "{http://www.w3.org/2000/svg}"

FILES = """
(define ys '(0.0 1.0 4.0 9.0))
(plot "squares <&\\"> of x" ys "half" (map (lambda (y) (/ y 2)) ys) :title "a < b"
      :x-label "x" :y-label "y" :file "curves.svg" :width 500 :height 300)
(plot (list 1 2 (/ 0. 0.) 3) :file "gap.svg")
(plot "points" '((1 2 3) (4 6 5)) :kind 'scatter :file "points.svg")
(plot '(1 2 2 3 3 3) :kind 'histogram :bins 3 :file "bars.svg")
(plot '(0.01 1 100 1000) :log-y #t :x-range '(0 10) :y-range '(0.01 100) :file "log.svg")
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders in which both back ends have written the files."""
    made = {}
    for back_end in ("script", "executable"):
        folder = made[back_end] = tmp_path_factory.mktemp(back_end)
        outcome = run(command_of(FILES, back_end, folder), folder)
        assert (outcome.output, outcome.errors, outcome.status, outcome.leaks) == ("", "", 0, "")
    return made


@pytest.fixture(params=["script", "executable"])
def drawn(request: pytest.FixtureRequest, folders: dict[str, Path]) -> Path:
    return folders[request.param]


def parsed(folder: Path, name: str) -> ElementTree.Element:
    return ElementTree.parse(folder / name).getroot()


def texts(root: ElementTree.Element) -> list[str | None]:
    return [element.text for element in root.iter(f"{SVG}text")]


def places(root: ElementTree.Element) -> list[list[tuple[float, float]]]:
    lines = [line.get("points", "").split() for line in root.iter(SVG + "polyline")]
    return [[(float(x), float(y)) for x, y in (pair.split(",") for pair in line)] for line in lines]


def test_curves(drawn: Path) -> None:
    root = parsed(drawn, "curves.svg")
    assert (root.get("width"), root.get("height")) == ("500", "300")
    said = texts(root)
    assert said[-5:] == ["a < b", "x", "y", 'squares <&"> of x', "half"]
    assert said[:-5] == ["0", "2", "4", "6", "8", "0", "1", "2", "3"]
    whole, half = places(root)
    left, bottom, right, top = whole[0][0], whole[0][1], whole[3][0], whole[3][1]
    for k, (x, y) in enumerate(whole):
        assert x == pytest.approx(left + (right - left) * k / 3, abs=0.01)
        assert y == pytest.approx(bottom + (top - bottom) * k * k / 9, abs=0.01)
    for (_, y), (_, other) in zip(whole, half, strict=True):
        assert bottom - other == pytest.approx((bottom - y) / 2, abs=0.01)


def test_a_gap_separates_lines_and_points(drawn: Path) -> None:
    root = parsed(drawn, "gap.svg")
    (line,) = places(root)
    (dot,) = root.iter(f"{SVG}ellipse")
    assert len(line) == 2
    assert line[0] == (60.0, 364.0)
    assert (dot.get("cx"), dot.get("cy")) == ("624", "16")


def test_points(drawn: Path) -> None:
    dots = [(float(dot.get("cx", "")), float(dot.get("cy", "")))
            for dot in parsed(drawn, "points.svg").iter(f"{SVG}ellipse")]  # fmt: skip
    assert dots == [(60.0, 364.0), (342.0, 16.0), (624.0, 190.0)]


def test_bars(drawn: Path) -> None:
    bars = [element for element in parsed(drawn, "bars.svg").iter(f"{SVG}rect")
            if element.get("fill-opacity")]  # fmt: skip
    assert [float(bar.get("height", "")) for bar in bars] == [116.0, 232.0, 348.0]


def test_logarithms(drawn: Path) -> None:
    root = parsed(drawn, "log.svg")
    assert texts(root) == ["0.01", "0.1", "1", "10", "100", "0", "2", "4", "6", "8", "10"]
    (line,) = places(root)
    assert [y for _, y in line] == [364.0, 190.0, 16.0, -71.0]
    assert [x for x, _ in line] == pytest.approx([60.0, 116.4, 172.8, 229.2])


def test_both_back_ends_write_the_same(folders: dict[str, Path]) -> None:
    script, executable = (
        {path.name: path.read_bytes() for path in folder.glob("*.svg")}
        for folder in folders.values()
    )
    assert len(script) == 5
    assert script == executable


PNG = """
(define data '("curve $x$" (1 10 100) "other" ((0 2) (5 6))))
(apply plot (append data '(:file "a.png" :width 300 :height 200 :title "t" :log-y #t)))
(apply plot (append data '(:file "b.pdf" :kind scatter :x-label "x" :y-label "y")))
(plot '(1 2 2) :kind 'histogram :file "c.png")
(guard (e (#t (print (error-object-message e) (file-error? e))))
  (plot '(1 2) :file "no/such.png"))
"""


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")
@pytest.mark.parametrize("machine", ["0", "1"])
def test_matplotlib_draws(tmp_path: Path, machine: str) -> None:
    """Without Python's torch, which takes a second to import, and without a word on stderr.

    machine: the interpreter, in whose process it draws, or the evaluator."""
    path = tmp_path / "case.lisp"
    path.write_text(PNG)
    code = ("import sys; from lambent.lang.cli import main; main(['case.lisp']); "
            "print(sorted({'torch', 'matplotlib'} & set(sys.modules)))")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True,
                          text=True, timeout=200,
                          env={**os.environ, "LAMBENT_MACHINE": machine})  # fmt: skip
    assert done.stderr == ""
    loaded = "['matplotlib']\n" if machine == "0" else ""
    said = 'plot: cannot write "no/such.png": No such file or directory #t\n'
    assert done.stdout == said + loaded
    image = (tmp_path / "a.png").read_bytes()
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", image[16:24]) == (300, 200)
    assert len(set(image)) > 100  # not empty
    assert struct.unpack(">II", (tmp_path / "c.png").read_bytes()[16:24]) == (640, 400)
    assert (tmp_path / "b.pdf").read_bytes().startswith(b"%PDF")


def test_without_matplotlib(tmp_path: Path) -> None:
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib" / "__init__.py").write_text("raise ImportError\n")
    command = ["env", f"PYTHONPATH={tmp_path}", sys.executable, "-m", "lambent.lang",
               "-e", "(plot '(1 2) :file \"a.png\")"]  # fmt: skip
    outcome = run(command, tmp_path)
    assert outcome.status == 70
    assert "plot: this file needs Python's package matplotlib, which is not installed\n" in (
        outcome.errors
    )
    assert outcome.errors.endswith("hint: pip install matplotlib, or write a .svg file\n")


def test_executables_write_no_png(tmp_path: Path) -> None:
    outcome = run(command_of("(plot '(1 2) :file \"a.png\")", "executable", tmp_path), tmp_path)
    assert outcome.status == 70
    assert "plot: only scripts write .png and .pdf files, this is an executable\n" in outcome.errors
    assert 'hint: write "a.svg", which executables can;' in outcome.errors


COLOURS = """
(plot "a" '(0 0 0) "b" '(1 1 1) :height 3 :width 24)
(show-image (tensor '(((255 0)) ((0 0)) ((0 255))) :dtype 'uint8))
"""


def test_colours_on_a_terminal(back_end: str, tmp_path: Path) -> None:
    command = command_of(COLOURS, back_end, tmp_path)

    def shown(**environment: str) -> str:
        child: pexpect.spawn[str] = pexpect.spawn(
            command[0], command[1:], env={**os.environ, "TERM": "xterm", **environment},
            encoding="utf-8", timeout=100, dimensions=(24, 60),
        )
        child.expect(pexpect.EOF)
        child.close()
        return str(child.before).replace("\r", "")

    text = shown()
    # Braille for both series, in two colours; the pixels of the image in theirs.
    assert re.search(r"1 ┤(\x1b\[33m[⠀-⣿]\x1b\[0m){18,}\n", text), text
    assert re.search(r"0 ┤(\x1b\[36m[⠀-⣿]\x1b\[0m){18,}\n", text)
    assert "\x1b[36m━ a\x1b[0m   \x1b[33m━ b\x1b[0m" in text
    assert text.endswith("\x1b[38;2;255;0;0;48;2;0;0;0m▀\x1b[38;2;0;0;255;48;2;0;0;0m▀\x1b[0m\n")
    plain = shown(NO_COLOR="1")
    assert "\x1b" not in plain
    assert "1 ┤ooooo" in plain
