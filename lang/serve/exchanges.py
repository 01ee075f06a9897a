"""What is counted and logged of each request: an exchange, from its first byte to its last.

    exchange = exchange_of(request)      of an HTTP request, begun by the middleware
    exchange.note_first_token()          what happens to it

Nothing of what clients write is kept but a path that nobody answers, for the log.
"""

import time
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

_KEY = "exchange"
_LONGEST_PATH = 200  # characters


@dataclass(slots=True)
class Exchange:
    """endpoint: the path of the handler, or "other".  model: as served, "" if there is none."""

    method: str
    path: str
    endpoint: str
    begun: float = field(default_factory=time.monotonic)
    model: str = ""
    streams: bool = False
    prompt_tokens: int = 0
    cached_tokens: int = 0
    new_tokens: int = 0
    first_token: float | None = None  # seconds
    status: int = 0
    seconds: float = 0.0
    code: str | None = None  # of the error

    def note_first_token(self) -> None:
        if self.first_token is None:
            self.first_token = time.monotonic() - self.begun

    def end(self, status: int, code: str | None = None) -> None:
        self.status, self.code = status, code
        self.seconds = time.monotonic() - self.begun

    def logged(self) -> dict[str, Any]:
        """The exchange as a line of the log has it."""
        entry: dict[str, Any] = {
            "method": self.method, "path": self.path, "status": self.status,
            "seconds": round(self.seconds, 6),
        }
        if self.model:
            entry |= {"model": self.model, "prompt_tokens": self.prompt_tokens,
                      "cached_tokens": self.cached_tokens,
                      "completion_tokens": self.new_tokens, "stream": self.streams}
        if self.first_token is not None:
            entry["first_token_seconds"] = round(self.first_token, 6)
        if self.code is not None:
            entry["error"] = self.code
        return entry


def begin_exchange(request: web.Request) -> Exchange:
    """The exchange of a request, which its handlers find again."""
    resource = request.match_info.route.resource
    endpoint = resource.canonical if resource is not None else "other"
    exchange = Exchange(request.method, request.path[:_LONGEST_PATH], endpoint)
    request[_KEY] = exchange
    return exchange


def exchange_of(request: web.Request) -> Exchange:
    exchange: Exchange = request[_KEY]
    return exchange
