"""The words of `lambent bench FOLDER --compare`.

    parse(["folder", "--compare", "--tokens", "32"])  =>  Options(folder="folder", tokens=32, ...)
"""

import os
from dataclasses import dataclass
from pathlib import Path

from lambent.lang.errors import MissingInput, UsageFault

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


_NUMBERS = ("prompt_tokens", "tokens", "repeats", "threads", "timeout")
_TEXTS = ("dtype", "gguf", "python", "json", "svg")


def parse(words: list[str]) -> Options:
    """The options; a UsageFault if a word is wrong, a MissingInput without the folder."""
    plain: list[str] = []
    found: dict[str, object] = {}
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--compare":
            continue
        if not word.startswith("-"):
            plain.append(word)
            continue
        name, equals, attached = word.partition("=")
        field = name.removeprefix("--").replace("-", "_")
        _check_name(name, field)
        if not equals and not left:
            raise _bad_usage(f"{name} takes a value")
        found[field] = _value(name, field, attached if equals else left.pop(0))
    if len(plain) != 1:
        message = "no folder is given" if not plain else f"unexpected argument: {plain[1]}"
        raise _bad_usage(message)
    options = Options(plain[0], **found)  # type: ignore[arg-type]
    _check_files(options)
    return options


def _check_name(name: str, field: str) -> None:
    if name in ("--bits", "--device"):
        raise _bad_usage(f"{name} cannot be compared: all programs run the same weights on the CPU")
    if not name.startswith("--") or field not in (*_NUMBERS, *_TEXTS, "peers"):
        raise _bad_usage(f"unknown option: {name}")


def _value(name: str, field: str, word: str) -> object:
    if field in _NUMBERS:
        if not (word.isascii() and word.isdecimal() and 0 < int(word[:9]) <= _MOST):
            raise _bad_usage(f"{name} takes a positive integer, got {word}")
        return int(word)
    if field == "peers":
        peers = tuple(word.split(","))
        for peer in peers:
            if peer not in PEERS:
                raise _bad_usage(f"--peers takes names among {', '.join(PEERS)}, got {peer}")
        return peers
    if field == "dtype" and word not in DTYPES:
        raise _bad_usage(f"--dtype takes {', '.join(DTYPES)}, got {word}")
    return word


def _check_files(options: Options) -> None:
    for name in filter(None, (options.folder, options.gguf)):
        if not Path(name).exists():
            raise MissingInput(f"lambent: cannot open {name}: {os.strerror(2)}")
    if not (Path(options.folder) / "config.json").is_file():
        raise MissingInput(f"lambent: {options.folder} is not the folder of a model",
                           hint="it holds config.json and safetensors files")


def _bad_usage(message: str) -> UsageFault:
    return UsageFault(f"lambent: {message}", hint=f"usage: {USAGE}")
