"""Fuzzes the tokenizers' C++ under ASan: damaged tokenizer files, and texts of all kinds.

    python -m tests.stress.tokenizers 500 FILE ...      500 damaged variants of each tokenizer.json

Each variant must load, or fail with one error; nothing may be read out of bounds or run for ever.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT

_FLAGS = ("-std=c++20", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_TORCH = {"procedures", "huggingface", "sentencepiece", "training"}  # they need LibTorch
_SECONDS = 60
_ODD: list[Any] = [
    None, True, -1, 0, 2**24, 10**30, 1.5, "", "\0", "(", "(a*)*b", [], {}, [[]], "\\p{L}",
]  # fmt: skip


def build(folder: Path) -> Path:
    """The stress program."""
    sources = [
        str(path)
        for room in ("text", "pieces", "tokenizers")
        for path in sorted((ROOT / "ctorch" / room).glob("*.cpp"))
        if path.stem not in _TORCH
    ]  # fmt: skip
    program = folder / "tokenizers"
    subprocess.run(
        ["g++", *_FLAGS, f"-I{ROOT / 'ctorch'}", *sources,
         "-x", "c", str(ROOT / "runtime/text/json.c"), "-x", "none",
         str(ROOT / "tests/stress/tokenizers.cpp"), "-o", str(program), "-ldl"], check=True,
    )  # fmt: skip
    return program


def texts(chance: random.Random) -> bytes:
    """Texts as the program reads them."""
    letters = [" ", "a", "\n", "é", "日", "😀", "\u0301", "\0", "<s>", "'s", "\u3000", "1", "한"]
    made = b""
    for _ in range(12):
        text = "".join(chance.choices(letters, k=chance.randrange(60))).encode()
        made += b"%d\n" % len(text) + text
    return made + b"3000\n" + b" a" * 1500


def damaged(text: str, chance: random.Random) -> bytes:
    """A variant of a tokenizer file: bytes or values are changed, or its end is missing."""
    kind = chance.randrange(4)
    if kind == 0:
        return text.encode()[: chance.randrange(len(text))]
    if kind == 1:
        data = bytearray(text.encode())
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        return bytes(data)
    tree = json.loads(text)
    for _ in range(chance.randrange(1, 4)):
        _change(tree, chance)
    return json.dumps(tree).encode()


def _change(tree: Any, chance: random.Random) -> None:
    """Replace or remove a value somewhere in it."""
    while True:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        if not keys:
            return
        key = chance.choice(keys)
        child = tree[key]
        if isinstance(child, dict | list) and child and chance.random() < 0.8:
            tree = child
            continue
        if chance.random() < 0.3:
            del tree[key]
        else:
            tree[key] = chance.choice(_ODD)
        return


def main() -> None:
    count, files = int(sys.argv[1]), sys.argv[2:]
    chance = random.Random(13)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = build(folder)
        for file in files:
            original = Path(file).read_text()
            for k in range(count):
                variant, words = folder / "tokenizer.json", folder / "texts"
                variant.write_bytes(damaged(original, chance))
                words.write_bytes(texts(chance))
                done = subprocess.run([program, variant, words], capture_output=True,
                                      timeout=_SECONDS, check=False)  # fmt: skip
                if done.returncode:
                    kept = Path(f"failed-{Path(file).stem}-{k}.json")
                    kept.write_bytes(variant.read_bytes())
                    sys.exit(f"{kept}: {done.stderr.decode(errors='replace')}")
            print(file, count, "variants")


if __name__ == "__main__":
    main()
