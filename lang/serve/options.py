"""The words of `lambent serve`.

    parse(["folder", "--port", "0"])  =>  Options(folder="folder", port=0, ...)
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lambent.lang.errors import MissingInput, UsageFault

USAGE = "lambent serve FOLDER [--host NAME] [--port N] [OPTION ...]"
LARGEST_PORT = 65535


@dataclass(frozen=True, slots=True)
class Options:
    folder: str
    host: str = "127.0.0.1"
    port: int = 8000
    name: str = ""
    api_key: str = ""
    max_tokens: int = 4096
    max_body: int = 4_000_000
    max_batch: int = 8
    max_waiting: int = 64
    timeout: int = 30
    dtype: str = ""
    device: str = ""
    bits: int = 0
    threads: int = 0


# The field of an option, and the least and greatest number that it takes; None for a text.
_NUMBERS: dict[str, tuple[int, int]] = {
    "port": (0, LARGEST_PORT), "max_tokens": (1, 2**31), "max_body": (1000, 2**31),
    "max_batch": (1, 1024), "max_waiting": (0, 100_000), "timeout": (1, 86_400),
    "threads": (1, 1024),
}
_TEXTS = ("host", "name", "api_key", "dtype", "device")


def parse(words: list[str]) -> Options:
    """The options; a UsageFault if a word is wrong, a MissingInput without the folder."""
    plain: list[str] = []
    found: dict[str, object] = {}
    left = list(words)
    while left:
        word = left.pop(0)
        if not word.startswith("-"):
            plain.append(word)
            continue
        name, equals, attached = word.partition("=")
        read = _reader(name)
        if not equals and not left:
            raise bad_usage(f"{name} takes a value")
        value = attached if equals else left.pop(0)
        found[name[2:].replace("-", "_")] = read(value)
    if len(plain) != 1:
        message = "no folder is given" if not plain else f"unexpected argument: {plain[1]}"
        raise bad_usage(message)
    if not Path(plain[0]).exists():
        raise MissingInput(f"lambent: cannot open {plain[0]}: {os.strerror(2)}",
                           hint="it takes the folder of a model, or a GGUF file")
    return Options(plain[0], **found)  # type: ignore[arg-type]


def _reader(option: str) -> Callable[[str], object]:
    """What makes a value of the word after an option."""
    field = option.removeprefix("--").replace("-", "_")
    if not option.startswith("--") or "_" in option:
        raise bad_usage(f"unknown option: {option}")
    if field in _TEXTS:
        return lambda word: _text(option, word)
    if field == "bits":
        return lambda word: _bits(word)
    if field in _NUMBERS:
        return lambda word: _number(option, word, *_NUMBERS[field])
    raise bad_usage(f"unknown option: {option}")


def _text(option: str, word: str) -> str:
    if not word:
        raise bad_usage(f"{option} takes a value")
    return word


def _bits(word: str) -> int:
    if word not in ("8", "4"):
        raise bad_usage(f"--bits takes 8 or 4, got {word}")
    return int(word)


def _number(option: str, word: str, least: int, most: int) -> int:
    is_number = word.isascii() and word.isdecimal() and len(word) < 12
    if not is_number or not least <= int(word) <= most:
        raise bad_usage(f"{option} takes an integer from {least} to {most}, got {word}")
    return int(word)


def bad_usage(message: str) -> UsageFault:
    return UsageFault(f"lambent: {message}", hint=f"usage: {USAGE}")
