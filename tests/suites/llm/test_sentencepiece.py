"""SentencePiece's tokenizers beside the sentencepiece package: ids, texts, offsets and training.

The models are trained here by the package; tests/stress/sentencepiece_lines.py compares more lines
and other files.
"""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from tests.support.paths import ROOT
from tests.support.programs_run import command_of, run

# Options of the package's trainer.
MODELS: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram", "byte_fallback": True, "vocab_size": 700},
    "bpe": {"model_type": "bpe", "byte_fallback": True, "vocab_size": 700,
            "normalization_rule_name": "identity", "remove_extra_whitespaces": False,
            "user_defined_symbols": ["<sep>", "  "], "split_digits": True},
    "folded": {"model_type": "unigram", "vocab_size": 400, "control_symbols": ["<ctl>"],
               "normalization_rule_name": "nmt_nfkc_cf", "pad_id": 3},
    "suffix": {"model_type": "bpe", "vocab_size": 400, "treat_whitespace_as_suffix": True,
               "add_dummy_prefix": False},
    "char": {"model_type": "char", "vocab_size": 100},
    "word": {"model_type": "word", "vocab_size": 300, "unk_surface": "?"},
    "crossing": {"model_type": "bpe", "vocab_size": 500, "split_by_whitespace": False,
                 "normalization_rule_name": "nfkc", "byte_fallback": True},
}
OTHERS = ("own", "again", "lists")  # those that the program makes
_RANGES = ((0xA0, 0x250), (0x370, 0x530), (0x590, 0x700), (0x900, 0x980), (0x2000, 0x2070),
           (0x3000, 0x3190), (0x4E00, 0x9FFF), (0xAC00, 0xD7A4), (0xFB00, 0xFB50),
           (0xFF00, 0xFFF0), (0x1F300, 0x1F650), (0x20000, 0x20100), (0x300, 0x370), (1, 0x20))
_ODD = ("\u200d", "\ufeff", "\u2581", "<s>", "</s>", "<unk>", "<0x41>", "\u3000", "  ", "\t",
        "ﬁ", "①", "👨‍👩‍👧", "e\u0301", "\u202e", "\0", "<sep>", "<ctl>")

PROGRAM = """
(define lines (read-json "lines.json"))
(define (pieces-in-stream t ids)
  (let* ((s (decoding-stream t))
         (texts (map (lambda (id) (stream-token! s id)) ids)))
    (append texts (list (stream-rest! s)))))
(define (answers name)
  (let ((t (load-sentencepiece (string-append name ".model"))))
    (map (lambda (line)
           (let ((ids (encode t line)))
             (list ids (decode t ids) (encode-offsets t line)
                   (pieces-in-stream t ids))))
         lines)))
(define trained
  (train-tokenizer "text.txt" :vocabulary-size 500 :model 'bpe :path "own.model"
                   :byte-fallback #t :special '("<a,b>")))
(save-sentencepiece "again.model" trained)
;; Pieces that merge but are not used become what they were merged from; equal
;; scores merge from the left.
(save-sentencepiece
 "lists.model"
 (sentencepiece-tokenizer
  '("<unk>" "<s>" "</s>" "e" "t" "h" "n" "r" "th" "he" "the" "er" "en" "▁" "▁th"
    "ther" "n▁" "▁▁")
  '(0 0 0 -9 -9 -9 -9 -9 -1 -1 -2 -1 -1 -9 -1 -3 -1 -2)
  '(2 3 3 1 1 1 1 1 1 5 5 1 1 1 1 1 1 4)))
(call-with-output-file "answers.json"
  (lambda (port)
    (write-json (map answers '(NAMES "own" "again" "lists")) port)))
"""


def varied_lines(count: int, seed: int = 0) -> list[str]:
    """Lines of words, numbers and characters of many scripts."""
    chance = random.Random(seed)
    words = (ROOT / "README.md").read_text("utf-8").split()
    return ["".join(_part(chance, words) for _ in range(chance.randrange(20)))
            for _ in range(count)]


def _part(chance: random.Random, words: list[str]) -> str:
    end = " " * chance.choice((0, 1, 1, 1, 2))
    match chance.randrange(8):
        case 0:
            return chance.choice(_ODD) + end
        case 1:
            return str(chance.random() * 10 ** chance.randrange(6)) + end
        case 2:
            low, high = chance.choice(_RANGES)
            return "".join(chr(chance.randrange(low, high)) for _ in range(6)) + end
        case _:
            return chance.choice(words) + end


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sentencepiece")
    (folder / "lines.json").write_text(json.dumps(varied_lines(150)))
    text = folder / "text.txt"
    text.write_text((ROOT / "docs" / "language.md").read_text("utf-8"), "utf-8")
    for name, options in MODELS.items():
        sentencepiece.SentencePieceTrainer.train(
            input=str(text), model_prefix=str(folder / name), minloglevel=2,
            hard_vocab_limit=False, **options,
        )
    return folder


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_answers_are_those_of_the_package(folder: Path, back_end: str) -> None:
    names = " ".join(f'"{name}"' for name in MODELS)
    outcome = run(command_of(PROGRAM.replace("NAMES", names), back_end, folder), folder)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    lines = json.loads((folder / "lines.json").read_text())
    found = json.loads((folder / "answers.json").read_text())
    for name, answers in zip((*MODELS, *OTHERS), found, strict=True):
        package = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.model"))
        for line, (ids, text, offsets, streamed) in zip(lines, answers, strict=True):
            assert ids == package.encode(line), (name, line)
            assert text == package.decode(ids), (name, line)
            wanted = package.encode(line, return_type="offset_mapping")
            spans = [[i, *span] for i, span in zip(wanted["ids"], wanted["offsets"], strict=True)]
            assert offsets == spans, (name, line)
            assert "".join(streamed) == text, (name, line)


def test_training_is_that_of_the_package(folder: Path) -> None:
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text.txt"), model_prefix=str(folder / "package"), minloglevel=2,
        vocab_size=500, model_type="bpe", byte_fallback=True, user_defined_symbols=["<a,b>"],
    )
    assert (folder / "own.vocab").read_text() == (folder / "package.vocab").read_text()


LONG = """
(define text (cadr (read-json "long.json")))
(call-with-output-file "answers.json"
  (lambda (port)
    (write-json
     (map (lambda (name) (encode (load-sentencepiece (string-append name ".model")) text))
          '(NAMES))
     port)))
"""


def test_a_long_text_without_spaces_takes_no_quadratic_time(folder: Path) -> None:
    """A million characters: trying all pairs of them would take hours."""
    chance = random.Random(2)
    text = "".join(chance.choices("etaoinshrdluéß日", k=1_000_000))
    (folder / "long.json").write_text(json.dumps(["the text", text]))
    names = ("unigram", "bpe", "crossing")
    program = LONG.replace("NAMES", " ".join(f'"{name}"' for name in names))
    outcome = run(command_of(program, "script", folder), folder)
    assert (outcome.status, outcome.errors) == (0, ""), outcome
    answers = json.loads((folder / "answers.json").read_text())
    for name, ids in zip(names, answers, strict=True):
        package = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.model"))
        assert ids == package.encode(text), name


DAMAGED = """
(for-each
 (lambda (k)
   (print (guard (e (#t (error-object-message e)))
            (load-sentencepiece (string "damaged-" k ".model")))))
 (range COUNT))
"""


def test_damaged_files_are_errors_or_what_the_package_reads(folder: Path) -> None:
    """Files that end early, or with other bytes; the errors name the file."""
    chance = random.Random(3)
    whole = (folder / "crossing.model").read_bytes()
    loads = []
    for k in range(count := 80):
        if k % 2:
            data = whole[: chance.randrange(len(whole))]
        else:
            changed = bytearray(whole)
            for _ in range(3):
                changed[chance.randrange(len(whole) // 40)] = chance.randrange(256)
            data = bytes(changed)
        (folder / f"damaged-{k}.model").write_bytes(data)
        try:
            sentencepiece.SentencePieceProcessor(model_proto=data)
            loads.append(True)
        except (RuntimeError, UnicodeError):  # of the text of its error
            loads.append(False)
    assert set(loads) == {True, False}
    program = DAMAGED.replace("COUNT", str(count))
    outcome = run(command_of(program, "script", folder), folder)
    assert (outcome.status, outcome.errors) == (0, ""), outcome
    lines = outcome.output.split("\n")[:-1]  # messages may hold other ends of lines
    for k, (line, good) in enumerate(zip(lines, loads, strict=True)):
        start = f'load-sentencepiece: "damaged-{k}.model": SentencePiece cannot read it: '
        assert line.startswith("#<" if good else start), (k, line)


@pytest.mark.parametrize("back_end", ["script", "executable"])
@pytest.mark.parametrize(("python", "expected"), [
    ("/nowhere/python",
     'training needs Python and its package sentencepiece, and "/nowhere/python" cannot be run'),
    ("./bare-python", "Python's package sentencepiece is missing"),
])
def test_training_without_the_package_is_an_error(
    back_end: str, python: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare-python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setenv("LAMBENT_PYTHON", python)
    (tmp_path / "lines.txt").write_text("a line\n")
    program = '(train-tokenizer "lines.txt" :path "made.model")\n'
    outcome = run(command_of(program, back_end, tmp_path), tmp_path)
    assert outcome.status == 70
    assert expected in outcome.errors
    assert "hint: " in outcome.errors


def test_an_error_of_the_trainer_is_told(folder: Path) -> None:
    program = '(train-tokenizer "text.txt" :path "small.model" :vocabulary-size 10)\n'
    outcome = run(command_of(program, "script", folder), folder)
    assert outcome.status == 70
    assert "train-tokenizer: SentencePiece cannot train it: Vocabulary size" in outcome.errors


TRAINING = """
(print "ready")
(flush-output-port)
(train-tokenizer "lines.txt" :vocabulary-size 8000 :path "long.model")
"""


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_an_interrupt_ends_a_training(back_end: str, tmp_path: Path) -> None:
    """SentencePiece's trainer does not look for signals; it works in a process of its own."""
    chance = random.Random(5)
    with (tmp_path / "lines.txt").open("w") as lines:
        for _ in range(20_000):
            lines.write(" ".join(str(chance.randrange(100_000)) for _ in range(30)) + "\n")
    program = subprocess.Popen(
        command_of(TRAINING, back_end, tmp_path), cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    time.sleep(0.3)
    program.send_signal(signal.SIGINT)
    output, errors = program.communicate(timeout=60)
    assert (output, errors, program.returncode) == ("", "", 130)
    assert not (tmp_path / "long.model").exists()
