"""Measures each decoder beside transformers, and writes the table of docs/architectures.md.

    python -m tests.suites.decoders.architectures_table            =>  prints the table
    python -m tests.suites.decoders.architectures_table --write    =>  writes it into the page

A row is the "model_type" of config.json, the class of transformers, our file, and by how much
logits differ at most: in float32, and on average in bfloat16, of all models of that type in
`model_folders.py`, as a whole and in pieces with a cache.  Numbers are rounded up to one digit, so
that they seldom change from a machine to another.  With another version of transformers before it
in PYTHONPATH, the first command measures the models that this one writes.
"""

import json
import math
import re
import sys
import tempfile
from pathlib import Path

from tests.support.model_folders import LANGUAGE_MODELS, folder, is_known, outputs
from tests.support.paths import ROOT
from tests.support.saved_tensors import saved_by

PAGE = ROOT / "docs/architectures.md"
BEGIN = "<!-- The table below is made by python -m tests.suites.decoders.architectures_table. -->\n"
END = "<!-- Here it ends. -->\n"
HEAD = (
    "| `model_type` | class of transformers | file | float32 | bfloat16 |\n"
    "|---|---|---|---|---|\n"
)


def known_decoders() -> list[tuple[str, str, str]]:
    """The type, class and file of each row of `%known-decoders`."""
    decoders = ROOT / "stdlib/decoders"
    text = (decoders / "known-decoders.lisp").read_text("utf-8")
    rows = re.findall(r'\(list "([^"]+)" "([^"]+)"\s+(%[^\s)]+)\)', text)
    files = {
        name: path.name
        for folder in (decoders, ROOT / "stdlib/recurrent")
        for path in sorted(folder.glob("*.lisp"))
        for name in re.findall(r"^\(define \((%[^\s)]+)", path.read_text("utf-8"), re.M)
    }
    return [(kind, made, files[build]) for kind, made, build in rows]


def differences() -> dict[str, dict[str, float]]:
    """How much logits differ, by type of model and dtype."""
    from tests.suites.llm.test_architectures import ANGLES_OF_LENGTH, DTYPES, PROGRAM

    models = [(name, dtype) for name in LANGUAGE_MODELS if is_known(name) for dtype in DTYPES]
    answers = {model: outputs(*model)["logits"].float() for model in models}
    rows = " ".join(f'("{name}-{dtype}" "{folder(name, dtype)}")' for name, dtype in models)
    with tempfile.TemporaryDirectory() as scratch:
        found = saved_by(PROGRAM % rows, "script", Path(scratch))
    measured: dict[str, dict[str, float]] = {}
    for (name, dtype), logits in answers.items():
        config = json.loads((folder(name, dtype) / "config.json").read_text("utf-8"))
        of_type = measured.setdefault(config["model_type"], dict.fromkeys(DTYPES, 0.0))
        for kind in ("logits",) if name in ANGLES_OF_LENGTH else ("logits", "cached"):
            difference = (found[f"{name}-{dtype}.{kind}"].float() - logits).abs()
            error = difference.max() if dtype == "float32" else difference.mean()
            of_type[dtype] = max(of_type[dtype], float(error))
    return measured


def rounded_up(number: float) -> str:
    """0.0000034 => 4e-06, to one digit."""
    unit = 10.0 ** math.floor(math.log10(number)) if number > 0 else 1.0
    return f"{math.ceil(number / unit) * unit:.0e}"


def table() -> str:
    measured = differences()
    rows = []
    for kind, made, file in known_decoders():
        numbers = [rounded_up(x) for x in measured.get(kind, {}).values()] or ["", ""]
        rows.append(f"| `{kind}` | `{made}` | `{file}` | {' | '.join(numbers)} |\n")
    return HEAD + "".join(rows)


def write(text: str) -> None:
    """Replace what stands between the two comments of the page."""
    page = PAGE.read_text("utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")


def main(words: list[str]) -> int:
    if words not in ([], ["--write"]):
        usage = "usage: python -m tests.suites.decoders.architectures_table [--write]"
        print(usage, file=sys.stderr)
        return 64
    text = table()
    if words:
        write(text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
