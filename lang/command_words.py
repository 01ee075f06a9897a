"""The words after `lambent serve` and `lambent bench`: a folder, and options with values.

    Reader("lambent serve FOLDER [OPTION ...]", {"port": number(0, 65535)}).read(
        ["folder", "--port", "80"])
    =>  ("folder", {"port": 80})
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from lambent.lang.errors import UsageFault

# What makes a value of the word after an option, or raises a ValueError whose message names it.
Read = Callable[[str, str], object]


def number(least: int, most: int) -> Read:
    def read(option: str, word: str) -> int:
        is_number = word.isascii() and word.isdecimal() and len(word) < 12
        if not is_number or not least <= int(word) <= most:
            raise ValueError(f"{option} takes an integer from {least} to {most}, got {word}")
        return int(word)

    return read


def text(option: str, word: str) -> str:
    if not word:
        raise ValueError(f"{option} takes a value")
    return word


def one_of(*allowed: str) -> Read:
    choices = " or ".join(filter(None, (", ".join(allowed[:-1]), allowed[-1])))

    def read(option: str, word: str) -> str:
        if word not in allowed:
            raise ValueError(f"{option} takes {choices}, got {word}")
        return word

    return read


@dataclass(frozen=True, slots=True)
class Reader:
    """options: by field, `max_tokens` for --max-tokens.  refused: why an option is not taken.
    repeated: options that may come several times."""

    usage: str
    options: Mapping[str, Read]
    flags: Sequence[str] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    repeated: Mapping[str, Read] = field(default_factory=dict)

    def read(self, words: Sequence[str]) -> tuple[str, dict[str, object]]:
        """The folder and the values by field; a UsageFault if a word is wrong."""
        plain, options, _ = self.read_all(words)
        if len(plain) != 1:
            self.fail(f"unexpected argument: {plain[1]}" if plain else "no folder is given")
        return plain[0], options

    def read_all(
        self, words: Sequence[str]
    ) -> tuple[list[str], dict[str, object], dict[str, list[str]]]:
        """The words that are no options, the values by field, and those of repeated options."""
        plain: list[str] = []
        options: dict[str, object] = {}
        repeated: dict[str, list[str]] = {name: [] for name in self.repeated}
        left = [word for word in words if word not in self.flags]
        while left:
            word = left.pop(0)
            if not word.startswith("-"):
                plain.append(word)
                continue
            option, equals, value = word.partition("=")
            name = self._field(option)
            if not equals and not left:
                self.fail(f"{option} takes a value")
            found = self._value(name, option, value if equals else left.pop(0))
            if name in repeated:
                repeated[name].append(str(found))
            else:
                options[name] = found
        return plain, options, repeated

    def fail(self, message: str) -> NoReturn:
        raise UsageFault(f"lambent: {message}", hint=f"usage: {self.usage}")

    def _field(self, option: str) -> str:
        name = option.removeprefix("--").replace("-", "_")
        if option in self.refused:
            self.fail(f"{option} {self.refused[option]}")
        if name not in {**self.options, **self.repeated} or option != f"--{name.replace('_', '-')}":
            self.fail(f"unknown option: {option}")
        return name

    def _value(self, name: str, option: str, word: str) -> object:
        try:
            return {**self.options, **self.repeated}[name](option, word)
        except ValueError as wrong:
            self.fail(str(wrong))
