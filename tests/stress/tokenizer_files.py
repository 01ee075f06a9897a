"""Compares tokenizers from files with the packages that they were made for, on varied lines.

    python -m tests.stress.tokenizer_files FOLDER [--lines 10000] [--executable] [--show 3]

Every tokenizer below the folder is tried, with the package that is its reference:

    *.json                        tokenizers
    *.model                       sentencepiece
    *.tiktoken, tekken*.json      tiktoken
    vocab.json with merges.txt    transformers' GPT2Tokenizer
    vocab.txt                     transformers' BertTokenizer
    *.gguf                        the ids of llama.cpp, in FILE.out for the texts of FILE.inp

Both ways are compared: ids with and without special tokens, offsets, decoded and streamed texts.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.stress.varied_lines import lines
from tests.support.paths import ROOT

os.environ["HF_HUB_OFFLINE"] = "1"

_PROGRAM = """
(define (streamed t ids)
  (let ((s (decoding-stream t)))
    (let loop ((ids ids) (made '()))
      (if (null? ids)
          (apply string-append (reverse (cons (stream-rest! s) made)))
          (loop (cdr ids) (cons (stream-token! s (car ids)) made))))))
(define (show path texts)
  (let ((t (load-tokenizer path)))
    (for-each
     (lambda (text)
       (let ((ids (encode t text)))
         (write-json
          (list ids (encode t text :special #f) (encode t text :parse-special #f)
                (map cdr (encode-offsets t text)) (decode t ids)
                (decode t ids :skip-special #f) (streamed t ids)))
         (newline)))
     (read-json texts))))
(for-each (lambda (pair) (show (car pair) (cadr pair))) (read-json "JOBS"))
"""
_FIELDS = ["ids", "plain", "unparsed", "offsets", "decoded", "whole", "streamed"]
_SOME_NAMES = ["<s>", "</s>", "<unk>", "<|endoftext|>", "[INST]", "[CLS]", "<|im_start|>"]


@dataclass
class Reference:
    """What a package says: a row of fields for a text, None where it says nothing."""

    path: Path
    names: list[str] = field(default_factory=list)

    def row(self, text: str) -> list[Any]:
        raise NotImplementedError

    def texts(self, count: int) -> list[str]:
        return lines(count, names=self.names or _SOME_NAMES)


class HuggingFace(Reference):
    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(path))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        added = self.tokenizer.get_added_tokens_decoder().values()
        super().__init__(path, [token.content for token in added][:60])

    def row(self, text: str) -> list[Any]:
        t = self.tokenizer
        encoding = t.encode(text)
        plain = t.encode(text, add_special_tokens=False).ids
        t.encode_special_tokens = True
        unparsed = t.encode(text).ids
        t.encode_special_tokens = False
        decoded = t.decode(encoding.ids)
        return [encoding.ids, plain, unparsed, [list(o) for o in encoding.offsets], decoded,
                t.decode(encoding.ids, skip_special_tokens=False), decoded]  # fmt: skip


class Pieces(Reference):
    def __init__(self, path: Path) -> None:
        import sentencepiece

        self.model = sentencepiece.SentencePieceProcessor(model_file=str(path))
        super().__init__(path)

    def row(self, text: str) -> list[Any]:
        pieces = self.model.encode(text, return_type="proto").pieces
        ids = self.model.encode(text)
        offsets = [[len(text.encode()[:at].decode()) for at in (piece.begin, piece.end)]
                   for piece in pieces]  # fmt: skip
        return [ids, ids, ids, offsets, self.model.decode(ids), None, self.model.decode(ids)]


class Ranked(Reference):
    """Files of tiktoken."""

    def __init__(self, path: Path) -> None:
        from tests.stress.tiktoken_files import encoding

        self.encoding, special = encoding(path)
        super().__init__(path, list(special))

    def row(self, text: str) -> list[Any]:
        ids = self.encoding.encode(text, allowed_special="all")
        plain = self.encoding.encode(text, disallowed_special=())
        return [None, ids, plain, None, None, self.encoding.decode(ids), None]


class Folder(Reference):
    """A folder without tokenizer.json, through transformers."""

    def __init__(self, path: Path) -> None:
        from transformers import BertTokenizer, GPT2Tokenizer

        kind = BertTokenizer if path.name == "vocab.txt" else GPT2Tokenizer
        self.tokenizer = kind.from_pretrained(str(path.parent))
        super().__init__(path, self.tokenizer.all_special_tokens)

    def row(self, text: str) -> list[Any]:
        t = self.tokenizer
        made = t(text, return_offsets_mapping=True)
        ids = made["input_ids"]
        return [ids, t(text, add_special_tokens=False)["input_ids"], None,
                [list(o) for o in made["offset_mapping"]],
                t.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
                None, None]  # fmt: skip


class Gguf(Reference):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        given = Path(f"{path}.inp").read_text(encoding="utf-8")
        found = Path(f"{path}.out").read_text().splitlines()
        ids = [[int(x) for x in line.split()] for line in found]
        self.known = dict(zip(given.split("\n__ggml_vocab_test__\n"), ids, strict=False))

    def texts(self, count: int) -> list[str]:
        return list(self.known)

    def row(self, text: str) -> list[Any]:
        return [None, self.known[text], None, None, None, None, None]


def references(folder: Path) -> Iterator[Reference]:
    """The tokenizers of a folder."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if path.suffix == ".model":
            yield Pieces(path)
        elif path.suffix == ".tiktoken" or path.name.startswith("tekken"):
            yield Ranked(path)
        elif path.name == "vocab.txt" or path.name == "merges.txt":
            yield Folder(path if path.suffix == ".txt" and path.stem == "vocab"
                         else path.with_name("vocab.json"))  # fmt: skip
        elif path.suffix == ".gguf" and Path(f"{path}.out").exists():
            yield Gguf(path)
        elif path.suffix == ".json" and path.name not in (
            "vocab.json", "config.json", "tokenizer_config.json", "special_tokens_map.json",
        ):  # fmt: skip
            yield HuggingFace(path)


def answers(jobs: list[tuple[Path, list[str]]], folder: Path, executable: bool) -> list[str]:
    """What Lambent prints: a line for each text of each file."""
    pairs = []
    for k, (path, texts) in enumerate(jobs):
        (folder / f"{k}.json").write_text(json.dumps(texts))
        pairs.append([str(path), str(folder / f"{k}.json")])
    (folder / "jobs").write_text(json.dumps(pairs))
    program = folder / "program.lisp"
    program.write_text(_PROGRAM.replace("JOBS", str(folder / "jobs")))
    lambent = str(ROOT / ".venv/bin/lambent")
    command = [lambent, str(program)]
    if executable:
        command = [str(folder / "program")]
        subprocess.run([lambent, "compile", program, "-o", command[0]], check=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr[:2000], file=sys.stderr)
    return done.stdout.split("\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lines", type=int, default=10000)
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--executable", action="store_true")
    options = parser.parse_args()
    failed = 0
    for reference in references(options.folder):
        texts = reference.texts(options.lines)
        with tempfile.TemporaryDirectory() as scratch:
            found = answers([(reference.path, texts)], Path(scratch), options.executable)
        different = dict.fromkeys(_FIELDS, 0)
        for text, line in zip(texts, found, strict=False):
            if not line:
                break
            got = json.loads(line)
            for label, mine, theirs in zip(_FIELDS, got, reference.row(text), strict=True):
                if theirs is None or mine == theirs:
                    continue
                different[label] += 1
                if different[label] <= options.show:
                    print(f"  {label}: {text[:200]!r}\n    {mine!s:.300}\n    {theirs!s:.300}")
        missing = max(0, len(texts) - (len(found) - 1))
        failed += sum(different.values()) + missing
        name = reference.path.relative_to(options.folder)
        counts = ", ".join(f"{label} {n}" for label, n in different.items() if n)
        print(f"{name}: {len(texts)} lines, {missing} missing,", counts or "no difference",
              flush=True)  # fmt: skip
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
