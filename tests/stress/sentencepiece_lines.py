"""Compare tokenizers of SentencePiece with the sentencepiece package on many lines.

    python -m tests.stress.sentencepiece_lines [--lines 10000] FILE.model ...

Each file is read on both back ends; ids, texts and offsets must be the package's.  Without files,
those of tests/suites/llm/test_sentencepiece.py are trained.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import sentencepiece

from tests.suites.llm.test_sentencepiece import MODELS, varied_lines
from tests.support.paths import ROOT
from tests.support.programs_run import command_of, run

PROGRAM = """
(define lines (read-json "lines.json"))
(define (answers path)
  (let ((t (load-sentencepiece path)))
    (map (lambda (line)
           (let ((ids (encode t line)))
             (list ids (decode t ids) (encode-offsets t line))))
         lines)))
(call-with-output-file "answers.json"
  (lambda (port) (write-json (map answers '(FILES)) port)))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [path.resolve() for path in given.files] or _trained(folder)
        lines = varied_lines(given.lines, seed=1)
        (folder / "lines.json").write_text(json.dumps(lines))
        back_ends = ("script", "executable")
        failures = sum(_differences(folder, files, lines, each) for each in back_ends)
    sys.exit(failures > 0)


def _trained(folder: Path) -> list[Path]:
    for name, options in MODELS.items():
        sentencepiece.SentencePieceTrainer.train(
            input=str(ROOT / "docs" / "language.md"), model_prefix=str(folder / name),
            minloglevel=2, hard_vocab_limit=False, **options,
        )
    return [folder / f"{name}.model" for name in MODELS]


def _differences(folder: Path, files: list[Path], lines: list[str], back_end: str) -> int:
    """How many lines differ; prints a line for each file."""
    text = PROGRAM.replace("FILES", " ".join(f'"{path}"' for path in files))
    outcome = run(command_of(text, back_end, folder), folder)
    assert (outcome.status, outcome.errors) == (0, ""), outcome
    total = 0
    answers = json.loads((folder / "answers.json").read_text())
    for path, found in zip(files, answers, strict=True):
        package = sentencepiece.SentencePieceProcessor(model_file=str(path))
        wrong = 0
        for line, (ids, decoded, offsets) in zip(lines, found, strict=True):
            spans = package.encode(line, return_type="offset_mapping")["offsets"]
            wrong += (
                ids != package.encode(line) or decoded != package.decode(ids)
                or [each[1:] for each in offsets] != [list(span) for span in spans]
            )
        print(f"{back_end}: {path.name}: {wrong} of {len(lines)} lines differ")
        total += wrong
    return total


if __name__ == "__main__":
    main()
