"""The words of `lambent bench FOLDER --compare`.

    parse(["folder", "--compare", "--tokens", "32"])  =>  Options(folder="folder", tokens=32, ...)
"""

import os
from dataclasses import dataclass
from pathlib import Path

from lambent.lang.command_words import Reader, number, one_of, text
from lambent.lang.errors import MissingInput

USAGE = "lambent bench FOLDER --compare [--peers NAME,NAME] [--json FILE] [--svg FILE] [OPTION ...]"
PEERS = ("script", "executable", "torch", "torch-compiled", "transformers", "llama.cpp")
DTYPES = ("float32", "bfloat16", "float16")
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """dtype "": the one in which the folder's weights are.  python: what runs the Python peers."""

    folder: str
    prompt_tokens: int = 64
    tokens: int = 64
    repeats: int = 5
    threads: int = 0
    timeout: int = 900
    dtype: str = ""
    gguf: str = ""
    python: str = ""
    json: str = ""
    svg: str = ""
    peers: tuple[str, ...] = PEERS


def _peers(option: str, word: str) -> tuple[str, ...]:
    peers = tuple(word.split(","))
    for peer in peers:
        if peer not in PEERS:
            raise ValueError(f"{option} takes names among {', '.join(PEERS)}, got {peer}")
    return peers


_COUNT = number(1, _MOST)
_REFUSED = "cannot be compared: all programs run the same weights on the CPU"
_READER = Reader(
    USAGE,
    {"prompt_tokens": _COUNT, "tokens": _COUNT, "repeats": _COUNT, "threads": _COUNT,
     "timeout": _COUNT, "dtype": one_of(*DTYPES), "gguf": text, "python": text, "json": text,
     "svg": text, "peers": _peers},
    flags=("--compare",),
    refused={"--bits": _REFUSED, "--device": _REFUSED},
)  # fmt: skip


def parse(words: list[str]) -> Options:
    """The options; a UsageFault if a word is wrong, a MissingInput without the folder."""
    folder, found = _READER.read(words)
    options = Options(folder, **found)  # type: ignore[arg-type]
    _check_files(options)
    return options


def _check_files(options: Options) -> None:
    for name in filter(None, (options.folder, options.gguf)):
        if not Path(name).exists():
            raise MissingInput(f"lambent: cannot open {name}: {os.strerror(2)}")
    if not (Path(options.folder) / "config.json").is_file():
        raise MissingInput(f"lambent: {options.folder} is not the folder of a model",
                           hint="it holds config.json and safetensors files")
