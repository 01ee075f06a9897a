"""Encodings of the tiktoken package from files that do not say how texts are split."""

import base64
import json
from importlib import import_module
from pathlib import Path
from typing import Any

_ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_WORDS = _ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_O200K = "|".join([
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_ENDINGS}?",
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_ENDINGS}?",
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
])  # fmt: skip
_KNOWN: dict[int, tuple[str, Any]] = {
    50256: (_GPT2, ["<|endoftext|>"]),
    50257: (_GPT2, ["<|endoftext|>"]),
    50280: (_GPT2, {"<|endoftext|>": 50256}),
    100256: (_CL100K, {"<|endoftext|>": 100257, "<|fim_prefix|>": 100258}),
    128000: (_WORDS + r"\p{N}{1,3}" + _REST, ["<|begin_of_text|>", "<|end_of_text|>"]),
    151643: (_WORDS + r"\p{N}" + _REST, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]),
    199998: (_O200K, {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}),
    200000: (_O200K, ["<|begin_of_text|>", "<|end_of_text|>"]),
}


def encoding(path: Path) -> tuple[Any, list[str]]:
    """The encoding of a file, and its special tokens."""
    tiktoken = import_module("tiktoken")  # tests do not need it otherwise
    if path.suffix == ".json":
        tree = json.loads(path.read_text())
        config = tree["config"]
        count = config["default_num_special_tokens"]
        last = config["default_vocab_size"] - count
        ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] + count
                 for entry in tree["vocab"] if entry["rank"] < last}  # fmt: skip
        special = {"<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": 3}
        made = tiktoken.Encoding(path.stem, pat_str=config["pattern"], mergeable_ranks=ranks,
                                 special_tokens=special)  # fmt: skip
        return made, []
    ranks = import_module("tiktoken.load").load_tiktoken_bpe(str(path))
    pattern, special = _KNOWN[len(ranks)]
    if isinstance(special, list):
        special = {name: len(ranks) + k for k, name in enumerate(special)}
    return tiktoken.Encoding(path.stem, pat_str=pattern, mergeable_ranks=ranks,
                             special_tokens=special), list(special)  # fmt: skip
