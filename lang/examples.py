"""`lambent examples`: the programs that come with Lambent, and copies of them.

    lambent examples              digits   a network that learns to read handwritten digits.
    lambent examples digits       prints that program
    lambent examples -o FOLDER    copies them all, with their data, into a new folder
"""

import re
import shutil
from difflib import get_close_matches
from pathlib import Path
from textwrap import fill

import lambent.lang
from lambent.lang.errors import UsageFault
from lambent.lang.system.output_folders import check_folder, unfinished_folder

FOLDER = Path(lambent.lang.__path__[0]).resolve().parent / "examples"  # in the wheel, too
_NAME_WIDTH = 18
_LINE_WIDTH = 79


def list_examples() -> str:
    """A line or two for each program: its name and the first sentence of its comment."""
    lines = []
    for path in sorted(FOLDER.glob("*.lisp")):
        text = f"{path.stem:<{_NAME_WIDTH}}{_what_it_is(path)}"
        lines.append(fill(text, _LINE_WIDTH, subsequent_indent=" " * _NAME_WIDTH) + "\n")
    return "".join(lines)


def _what_it_is(path: Path) -> str:
    lines = path.read_text("utf-8").split("\n\n")[0].splitlines()
    comment = " ".join(line.lstrip("; ") for line in lines if line.startswith(";"))
    match = re.match(r"\S+ - (.*?[.?])(?: |$)", comment)
    return match[1] if match else ""


def example_text(name: str) -> str:
    """The text of a program."""
    names = sorted(path.stem for path in FOLDER.glob("*.lisp"))
    stem = name.removesuffix(".lisp")
    if stem not in names:
        near = get_close_matches(stem, names, n=1)
        raise UsageFault(
            f"lambent: there is no example {name}",
            hint=f"did you mean {near[0]}?" if near else "lambent examples lists them",
        )
    return (FOLDER / f"{stem}.lisp").read_text("utf-8")


def copy_examples(output: Path) -> None:
    """Copy the programs and their data into a new or empty folder."""
    check_folder(output)
    with unfinished_folder(output) as folder:
        copy = folder / "examples"
        shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("__pycache__", "*.py[co]"))
        copy.replace(output)
