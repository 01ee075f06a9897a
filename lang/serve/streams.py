"""Pieces of text on their way to a client: collected, or as server-sent events.

    async for pieces in until_ended(request, inbox): ...
    await EventStream(http_request, patience).send({"object": ...})
"""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from aiohttp import web

from lambent.lang.serve.answers import Choice, Piece
from lambent.lang.serve.exchanges import Exchange
from lambent.lang.serve.faults import ApiError, failed
from lambent.lang.serve.requests import CompletionRequest

Inbox = asyncio.Queue[list[Piece]]


class EventStream:
    """An answer of events, or of another type in pieces.

    A client that does not receive them in time is disconnected.  patience: seconds for that.
    """

    def __init__(
        self, request: web.Request, patience: float,
        content_type: str = "text/event-stream; charset=utf-8",
    ) -> None:
        self._request = request
        self._patience = patience
        self.response = web.StreamResponse(headers={
            "Content-Type": content_type, "Cache-Control": "no-cache",
        })

    async def begin(self) -> None:
        await self.response.prepare(self._request)

    async def send(self, *chunks: dict[str, Any]) -> None:
        await self.write(b"".join(map(_event, chunks)))

    async def send_named(self, *events: dict[str, Any]) -> None:
        """Events whose type stands before them, too.  Whole responses may be large."""
        if any("response" in event for event in events):
            await self.write(await asyncio.to_thread(_named, events))
        else:
            await self.write(_named(events))

    async def write(self, data: bytes) -> None:
        if not data:
            return
        try:
            async with asyncio.timeout(self._patience):
                await self.response.write(data)
        except TimeoutError:
            if self._request.transport is not None:
                self._request.transport.abort()
            raise ConnectionResetError("the client does not receive") from None


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def _named(events: tuple[dict[str, Any], ...]) -> bytes:
    return b"".join(b"event: %s\n%s" % (event["type"].encode(), _event(event))
                    for event in events)


def choices_of(request: CompletionRequest) -> list[Choice]:
    """The choices of a request, without any pieces."""
    return [Choice() for _ in range(len(request.prompts) * request.count)]


async def until_ended(request: CompletionRequest, inbox: Inbox) -> AsyncIterator[list[Piece]]:
    """The pieces of a request, until all its choices have ended."""
    left = len(request.prompts) * request.count
    while left:
        pieces = await inbox.get()
        left -= sum(piece.reason is not None for piece in pieces)
        yield pieces


def add_pieces(
    exchange: Exchange, wanted: CompletionRequest, choices: list[Choice], pieces: list[Piece]
) -> None:
    """Add the pieces of a request to its choices, and count its tokens."""
    exchange.note_first_token()
    for piece in pieces:
        choices[piece.choice].add(piece)
        exchange.new_tokens += piece.new_tokens
        if piece.choice % wanted.count == 0:  # the other choices have the same prompt
            exchange.cached_tokens += piece.cached_tokens


def failure(pieces: list[Piece]) -> ApiError | None:
    """The fault of a request of which a choice failed."""
    errors = [piece.error for piece in pieces if piece.error is not None]
    return failed(errors[0]) if errors else None
