"""The fields of a request, checked one by one.

    Fields({"temperature": 3}).number("temperature", 0, 2)
        =>  ApiError: temperature takes a number from 0 to 2, got 3

Each method returns None if the field is absent or null.  Fields that nobody has asked for at the
end are refused, so a misspelt name does not go unnoticed.
"""

import difflib
import json
import math
from typing import Any

from lambent.lang.serve.faults import ApiError

_LONGEST_SCHEMA = 64_000  # characters
_LONGEST_SHOWN = 60  # characters of a value in a message

# What clients send for OpenAI's accounts and caches; a model on one machine has no use for it.
_WITHOUT_EFFECT = frozenset((
    "user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key",
    "prompt_cache_retention", "reasoning_effort", "verbosity",
))


class Fields:
    """The fields of a JSON object.  where: its place in the body, for messages."""

    def __init__(self, values: dict[str, Any], where: str = "") -> None:
        self._values = values
        self._where = where
        self._asked: set[str] = set()

    def any(self, name: str) -> Any:
        self._asked.add(name)
        return self._values.get(name)

    def has(self, name: str) -> bool:
        return name in self._values

    def refuse(self, name: str, takes: str) -> ApiError:
        """The fault of a field with the wrong value."""
        path = self._where + name
        return ApiError(f"{path} takes {takes}, got {shown(self._values.get(name))}", param=path)

    def text(self, name: str) -> str | None:
        value = self.any(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.refuse(name, "a string")
        check_text(value, self._where + name)
        return value

    def needed_text(self, name: str) -> str:
        value = self.text(name)
        if value is None:
            raise ApiError(f"{self._where}{name} is missing", param=self._where + name)
        return value

    def flag(self, name: str) -> bool:
        value = self.any(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self.refuse(name, "true or false")
        return value

    def number(self, name: str, least: float, most: float) -> float | None:
        value = self.any(name)
        if value is None:
            return None
        if not is_number(value) or not least <= value <= most:
            raise self.refuse(name, f"a number from {least:g} to {most:g}")
        return float(value)

    def integer(self, name: str, least: int, most: int) -> int | None:
        value = self.any(name)
        if value is None:
            return None
        if not is_integer(value) or not least <= value <= most:
            raise self.refuse(name, f"an integer from {least} to {most}")
        return int(value)

    def object(self, name: str) -> dict[str, Any] | None:
        value = self.any(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.refuse(name, "an object")
        return value

    def list(self, name: str) -> list[Any] | None:
        value = self.any(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise self.refuse(name, "a list")
        return value

    def only(self, name: str, allowed: Any, why: str) -> None:
        """Refuse any other value of a field that is not supported."""
        value = self.any(name)
        if value is not None and value != allowed:
            raise ApiError(f"{self._where}{name} is not supported: {why}", param=name,
                           code="unsupported")

    def end(self) -> None:
        """Refuse the fields that no method was called for; null is as good as absent."""
        for name, value in self._values.items():
            if value is None or name in self._asked or name in _WITHOUT_EFFECT:
                continue
            near = difflib.get_close_matches(name, sorted(self._asked), 1)
            hint = f"; do you mean {near[0]}?" if near else ""
            raise ApiError(f"unknown field: {shown(name)}{hint}", param=name[:_LONGEST_SHOWN],
                           code="unknown_field")


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def check_text(text: str, path: str) -> None:
    """JSON can escape halves of characters, which are not text."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = f"U+{ord(text[error.start]):X}"
        raise ApiError(f"{path} holds {code}, which is half a character", param=path) from None


def json_text(value: Any, path: str) -> str:
    """The JSON text of a value, without halves of characters."""
    text = json.dumps(value, ensure_ascii=False)
    check_text(text, path)
    return text


def schema_text(value: Any, path: str) -> str:
    """The JSON text of a schema, which may not be very long: its grammar is much longer."""
    text = json_text(value, path)
    if len(text) > _LONGEST_SCHEMA:
        raise ApiError(f"{path} takes a schema of at most {_LONGEST_SCHEMA} characters, got "
                       f"{len(text)}", param=path)
    return text


def shown(value: Any) -> str:
    """A value as messages show it: the beginning of its JSON text."""
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
