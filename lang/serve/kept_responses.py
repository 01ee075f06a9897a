"""Responses that later requests continue, in memory.

    kept.add("resp_1", response, items)
    kept.items("resp_1")  =>  the items of the conversation, to which the next input is added

The oldest ones go when there are too many, or when they are too large together.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.fields import shown

_MOST_CHARACTERS = 32_000_000


@dataclass(frozen=True, slots=True)
class KeptResponse:
    """shown: as the client saw it.  items: the conversation up to its end."""

    shown: dict[str, Any]
    items: tuple[dict[str, Any], ...]
    size: int


class KeptResponses:
    """most: how many are kept; 0 keeps none."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[str, KeptResponse] = OrderedDict()
        self._size = 0

    def add(
        self, shown: dict[str, Any], items: tuple[dict[str, Any], ...], size: int
    ) -> None:
        """Keep a response.  size: of its texts, in characters."""
        self._kept[shown["id"]] = KeptResponse(shown, items, size)
        self._size += size
        while self._kept and (len(self._kept) > self._most or self._size > _MOST_CHARACTERS):
            self._drop(next(iter(self._kept)))

    def response(self, name: str) -> KeptResponse:
        kept = self._kept.get(name)
        if kept is None:
            raise ApiError(f"no response {shown(name)} is kept; the server keeps the last "
                           f"{self._most} in memory", status=404, param="previous_response_id",
                           code="response_not_found")
        return kept

    def items(self, name: str) -> tuple[dict[str, Any], ...]:
        return self.response(name).items

    def remove(self, name: str) -> None:
        self.response(name)
        self._drop(name)

    def _drop(self, name: str) -> None:
        self._size -= self._kept.pop(name).size
