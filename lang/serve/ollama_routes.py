"""The handlers of Ollama's protocol, beside those of OpenAI's (`app.py`).

    POST /api/chat   POST /api/generate   POST /api/embed   POST /api/embeddings   POST /api/show
    GET /api/tags    GET /api/ps          GET /api/version

A stream is a line of JSON for each piece.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any, Protocol, TypeVar

from aiohttp import web

from lambent.lang.serve.answers import Choice
from lambent.lang.serve.embeddings import EmbeddingRequest, embedding_request
from lambent.lang.serve.engine import Engine, Ticket
from lambent.lang.serve.exchanges import exchange_of
from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.fields import Fields
from lambent.lang.serve.ollama import (
    OllamaAnswer,
    as_written,
    chat_body,
    cuts,
    embed_answer,
    embed_body,
    fault_body,
    generate_body,
    model_name,
    shown_details,
    streams,
    timestamp,
)
from lambent.lang.serve.requests import (
    CompletionRequest,
    Limits,
    chat_request,
    text_request,
)
from lambent.lang.serve.streams import (
    EventStream,
    Inbox,
    add_pieces,
    choices_of,
    failure,
    until_ended,
)

Wanted = TypeVar("Wanted")
_LINES = "application/x-ndjson"


class Answering(Protocol):
    """What the service of OpenAI's protocol does for this one."""

    patience: float
    limits: Limits

    async def read(
        self, request: web.Request, read: Callable[[dict[str, Any], Limits], Wanted], *,
        any_type: bool = False,
    ) -> Wanted: ...

    async def vectors(
        self, request: web.Request, wanted: EmbeddingRequest
    ) -> tuple[list[list[float]], int]: ...

    async def generate(
        self, request: web.Request, wanted: CompletionRequest,
        answered: Callable[[Ticket, Inbox], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse: ...

    async def collected(
        self, request: web.Request, wanted: CompletionRequest, inbox: Inbox
    ) -> list[Choice]: ...


class OllamaRoutes:
    """engines: by the names of their models.  sizes: bytes of their files.  created: when the
    server was started."""

    def __init__(self, service: Answering, engines: Mapping[str, Engine],
                 sizes: Mapping[str, int], created: float) -> None:
        self._service = service
        self._engines = engines
        self._sizes = sizes
        self._created = created

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/api/chat", self._chat),
            web.post("/api/generate", self._generate),
            web.post("/api/embed", self._embed),
            web.post("/api/embeddings", self._embed_one),
            web.post("/api/show", self._show),
            web.get("/api/tags", self._tags),
            web.get("/api/ps", self._tags),
            web.get("/api/version", self._version),
        ]

    # Texts.

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        def read(body: dict[str, Any], limits: Limits) -> CompletionRequest:
            wanted = chat_request(chat_body(body, limits), limits)
            return replace(wanted, streams=streams(body))

        return await self._answer(request, await self._read(request, read), is_chat=True)

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        def read(body: dict[str, Any], limits: Limits) -> CompletionRequest:
            model = self._engine(model_name(Fields(body), limits)).model
            whole = generate_body(body, limits, chats=model.chats)
            reader = chat_request if "messages" in whole else text_request
            return replace(reader(whole, limits), streams=streams(body))

        return await self._answer(request, await self._read(request, read), is_chat=False)

    async def _read(
        self, request: web.Request, read: Callable[[dict[str, Any], Limits], Wanted]
    ) -> Wanted:
        def as_asked(body: dict[str, Any], limits: Limits) -> Wanted:
            try:
                return read(body, limits)
            except ApiError as fault:
                raise as_written(fault, body) from None

        return await self._service.read(request, as_asked, any_type=True)

    async def _answer(
        self, request: web.Request, wanted: CompletionRequest, *, is_chat: bool
    ) -> web.StreamResponse:
        answer = OllamaAnswer(wanted, exchange_of(request), is_chat=is_chat)

        async def answered(ticket: Ticket, inbox: Inbox) -> web.StreamResponse:
            if wanted.streams:
                return await self._stream(request, wanted, answer, inbox)
            [choice] = await self._service.collected(request, wanted, inbox)
            return web.json_response(answer.whole(choice))

        return await self._service.generate(request, wanted, answered)

    async def _stream(
        self, request: web.Request, wanted: CompletionRequest, answer: OllamaAnswer, inbox: Inbox
    ) -> web.StreamResponse:
        stream = EventStream(request, self._service.patience, _LINES)
        [choice] = choices = choices_of(wanted)
        exchange = exchange_of(request)
        try:
            await stream.begin()
            async for pieces in until_ended(wanted, inbox):
                add_pieces(exchange, wanted, choices, pieces)
                if fault := failure(pieces):
                    exchange.code = fault.code
                    await stream.write(_line(fault_body(fault)))
                    break
                lines = [line for line in map(answer.line, pieces) if line is not None]
                await stream.write(b"".join(map(_line, lines)))
            else:
                await stream.write(_line(answer.last(choice)))
            await stream.response.write_eof()
        except ConnectionError:
            pass  # the client is gone; the caller cancels the request
        return stream.response

    # Vectors.

    async def _embed(self, request: web.Request) -> web.Response:
        model, vectors, tokens = await self._vectors(request)
        found = embed_answer(model, vectors, tokens, exchange_of(request))
        return web.Response(content_type="application/json",
                            body=await asyncio.to_thread(_line, found))

    async def _embed_one(self, request: web.Request) -> web.Response:
        """The older protocol, for one text."""
        _, vectors, _ = await self._vectors(request)
        if len(vectors) > 1:
            raise ApiError("prompt takes one text; /api/embed takes several", param="prompt")
        return web.json_response({"embedding": vectors[0]})

    async def _vectors(self, request: web.Request) -> tuple[str, list[list[float]], int]:
        def read(body: dict[str, Any], limits: Limits) -> EmbeddingRequest:
            return replace(embedding_request(embed_body(body, limits), limits), cuts=cuts(body))

        wanted = await self._read(request, read)
        vectors, tokens = await self._service.vectors(request, wanted)
        return wanted.model, wanted.cut(vectors), tokens

    # Models.

    async def _tags(self, request: web.Request) -> web.Response:
        return web.json_response({"models": [
            {"name": name, "model": name, "modified_at": timestamp(self._created),
             "size": self._sizes[target.model],
             "details": shown_details(await self._engine(name).details())}
            for name, target in self._service.limits.targets.items()
        ]})

    async def _show(self, request: web.Request) -> web.Response:
        def read(body: dict[str, Any], limits: Limits) -> str:
            return model_name(Fields(body), limits)

        name = await self._read(request, read)
        engine = self._engine(name)
        model, details = engine.model, await engine.details()
        family = details.family
        return web.json_response({
            "modified_at": timestamp(self._created), "details": shown_details(details),
            "template": details.template, "parameters": "", "modelfile": "",
            "capabilities": model.capabilities(),
            "model_info": {
                "general.architecture": family, "general.basename": name,
                "general.parameter_count": details.parameters,
                "general.context_length": model.context, f"{family}.context_length": model.context,
            },
        })

    def _engine(self, name: str) -> Engine:
        return self._engines[self._service.limits.targets[name].model]

    async def _version(self, request: web.Request) -> web.Response:
        return web.json_response({"version": version("lambent")})


def _line(found: dict[str, Any]) -> bytes:
    return json.dumps(found).encode() + b"\n"
