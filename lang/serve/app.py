"""The HTTP server: routes, limits, streams of events.

    POST /v1/chat/completions   POST /v1/completions    POST /v1/embeddings
    GET /v1/models              GET /v1/models/NAME     GET /health

Clients are not trusted.  Bodies are limited in size and time, and so is the time that a client may
take to receive what was written to it.  A request whose client goes away is cancelled.  Nothing
that grows with a body runs on the event loop: threads read bodies (`bodies.py`, `requests.py`),
large ones one after the other, and prepare prompts (`preparing.py`).  Pages of other sites cannot
use a server on the loopback address: its name must be in the Host header, and bodies must be of
type JSON, which browsers do not send to other sites without asking.  Only the origins of --cors get
an answer to that.
"""

import asyncio
import hmac
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from aiohttp import web

from lambent.lang.crash_report import report
from lambent.lang.serve.answers import Answer, Choice, Piece, model_entry
from lambent.lang.serve.bodies import parsed
from lambent.lang.serve.embeddings import embedding_answer, embedding_request
from lambent.lang.serve.engine import Engine
from lambent.lang.serve.faults import ApiError, failed
from lambent.lang.serve.fields import shown
from lambent.lang.serve.requests import (
    CompletionRequest,
    Limits,
    Reader,
    chat_request,
    text_request,
    unknown_model,
)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Wanted = TypeVar("Wanted")

_JSON = "application/json"
_SECRET_HEADERS = ("Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key")
_LARGE = 30_000  # bytes of a body; reading it takes a millisecond
# What browsers ask for before a page of another site sends JSON.
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST", "Access-Control-Max-Age": "600",
    "Access-Control-Allow-Headers": "*, Authorization",
    "Access-Control-Allow-Private-Network": "true",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """names: the hosts that requests may name, empty for any.  patience: seconds for a client to
    send its body, and to receive what was written.  origins: the sites whose pages may use the
    server, or *."""

    limits: Limits
    body_bytes: int
    patience: float
    api_key: str | None
    names: frozenset[str]
    origins: frozenset[str]


class Service:
    """The handlers of one model."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._settings = settings
        self._created = int(time.time())
        self._large = ThreadPoolExecutor(1, "large bodies")

    def app(self) -> web.Application:
        app = web.Application(
            middlewares=[self._protect], client_max_size=self._settings.body_bytes,
        )
        app.add_routes([
            web.post("/v1/chat/completions", self._chat),
            web.post("/v1/completions", self._text),
            web.post("/v1/embeddings", self._embeddings),
            web.get("/v1/models", self._models),
            web.get("/v1/models/{name:.+}", self._model),
            web.get("/health", self._health),
        ])
        app.on_response_prepare.append(self._add_origin)
        return app

    @web.middleware
    async def _protect(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check who asks; every fault becomes an answer of the protocol."""
        if isinstance(request.protocol, Connection):
            request.protocol.has_asked = True
        try:
            self._check_host(request)
            if request.method == "OPTIONS" and self._allowed_origin(request):
                return web.Response(status=204, headers=_PREFLIGHT)
            if request.path != "/health":
                self._check_key(request)
            return await handler(request)
        except ApiError as fault:
            return _fault_response(fault)
        except web.HTTPException as error:
            return _fault_response(_http_fault(error, request, self._settings))
        except ConnectionError:
            raise  # the client is gone
        except Exception as error:  # a bug in Lambent
            print(report(error, secrets=self._secrets(request)), file=sys.stderr, flush=True)
            return _fault_response(failed("internal error"))

    def _secrets(self, request: web.Request) -> tuple[str, ...]:
        """What no report may show: the key, and whatever the client takes for one."""
        secrets = [value for name in _SECRET_HEADERS for value in request.headers.getall(name, ())]
        words = [value.partition(" ")[2].strip() for value in secrets]
        return (self._settings.api_key or "", *secrets, *words)

    def _check_host(self, request: web.Request) -> None:
        names = self._settings.names
        if names and _host_name(request.headers.get("Host", "")) not in names:
            raise ApiError("the Host header does not name this machine", status=403,
                           code="forbidden_host")

    def _check_key(self, request: web.Request) -> None:
        key = self._settings.api_key
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if key is not None and not hmac.compare_digest(_bytes(token), _bytes(key)):
            raise ApiError("the API key is missing or wrong", status=401, code="invalid_api_key")

    def _allowed_origin(self, request: web.Request) -> str | None:
        """The site of the page that asks, if it may use the server."""
        origin, allowed = request.headers.get("Origin"), self._settings.origins
        return origin if origin is not None and allowed & {origin, "*"} else None

    async def _add_origin(self, request: web.Request, response: web.StreamResponse) -> None:
        if origin := self._allowed_origin(request):
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Vary"] = "Origin"

    # Models.

    async def _models(self, request: web.Request) -> web.Response:
        entry = model_entry(self._settings.limits.model, self._created)
        return web.json_response({"object": "list", "data": [entry]})

    async def _model(self, request: web.Request) -> web.Response:
        name, served = request.match_info["name"], self._settings.limits.model
        if name != served:
            raise unknown_model(name, served)
        return web.json_response(model_entry(served, self._created))

    async def _health(self, request: web.Request) -> web.Response:
        engine = self._engine
        return web.json_response({
            "status": "ok", "unfinished": engine.unfinished, "steps": engine.steps,
            "tokens": engine.tokens,
        })

    # Completions.

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        return await self._complete(request, chat_request)

    async def _text(self, request: web.Request) -> web.StreamResponse:
        return await self._complete(request, text_request)

    async def _embeddings(self, request: web.Request) -> web.Response:
        wanted = await self._read(request, embedding_request)
        vectors, tokens = await self._engine.embed(wanted)
        model = self._settings.limits.model
        return web.Response(content_type=_JSON, body=await asyncio.to_thread(
            lambda: json.dumps(embedding_answer(wanted, model, vectors, tokens)).encode()
        ))

    async def _read(
        self, request: web.Request, read: Callable[[dict[str, Any], Limits], Wanted]
    ) -> Wanted:
        """What a body asks for."""
        if request.content_type != _JSON:
            raise ApiError(f"the content type is {request.content_type}; it must be {_JSON}",
                           status=415, code="unsupported_media_type")
        encoding = request.headers.get("Content-Encoding", "identity")
        if encoding != "identity":
            raise ApiError(f"the content encoding is {shown(encoding)}; the body must be plain",
                           status=415, code="unsupported_media_type")
        body = await self._body(request)
        return await asyncio.get_running_loop().run_in_executor(
            self._large if len(body) > _LARGE else None,
            lambda: read(parsed(body), self._settings.limits),
        )

    async def _complete(self, request: web.Request, read: Reader) -> web.StreamResponse:
        wanted = await self._read(request, read)
        inbox: asyncio.Queue[list[Piece]] = asyncio.Queue()
        ticket = await self._engine.submit(wanted, inbox.put_nowait)
        try:
            answer = Answer(wanted, self._settings.limits.model, ticket.prompt_tokens,
                            ticket.echoes)
            if wanted.streams:
                return await self._stream(request, wanted, answer, inbox)
            choices = await _collected(wanted, inbox)
            return web.json_response(answer.whole(choices))
        finally:
            if ticket.unfinished:
                self._engine.cancel(ticket)

    async def _body(self, request: web.Request) -> bytes:
        try:
            async with asyncio.timeout(self._settings.patience):
                return await request.read()
        except TimeoutError:
            raise ApiError(f"the body took longer than {self._settings.patience:g} seconds",
                           status=408, code="timeout") from None

    async def _stream(
        self, request: web.Request, wanted: CompletionRequest, answer: Answer,
        inbox: "asyncio.Queue[list[Piece]]",
    ) -> web.StreamResponse:
        """Send server-sent events as the pieces come."""
        response = web.StreamResponse(headers={
            "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache",
        })
        try:
            await response.prepare(request)
            await self._send_events(request, response, wanted, answer, inbox)
            await response.write_eof()
        except ConnectionError:
            pass  # the client is gone; the caller cancels the request
        return response

    async def _send_events(
        self, request: web.Request, response: web.StreamResponse, wanted: CompletionRequest,
        answer: Answer, inbox: "asyncio.Queue[list[Piece]]",
    ) -> None:
        async def send(*chunks: dict[str, Any]) -> None:
            await self._write(request, response, b"".join(map(_event, chunks)))

        await send(*answer.first_chunks())
        choices = _choices(wanted)
        async for pieces in _until_ended(wanted, inbox):
            for piece in pieces:
                choices[piece.choice].add(piece)
            if fault := _failure(pieces):
                await send(fault.body())
                break
            await send(*(chunk for piece in pieces for chunk in answer.piece_chunks(piece)))
        else:
            if wanted.streams_usage:
                await send(answer.usage_chunk(choices))
            await self._write(request, response, b"data: [DONE]\n\n")

    async def _write(
        self, request: web.Request, response: web.StreamResponse, data: bytes
    ) -> None:
        """Write some bytes; a client that does not receive them in time is disconnected."""
        if not data:
            return
        try:
            async with asyncio.timeout(self._settings.patience):
                await response.write(data)
        except TimeoutError:
            if request.transport is not None:
                request.transport.abort()
            raise ConnectionResetError("the client does not receive") from None


class Connection(web.RequestHandler):
    """A connection.  What is not HTTP gets an answer of the protocol, and is not logged."""

    def __init__(self, server: web.Server, patience: float) -> None:
        self.has_asked = False
        self._patience = patience
        super().__init__(
            server, loop=asyncio.get_running_loop(), keepalive_timeout=patience,
            auto_decompress=False,  # a small body could become a very large one
            access_log=None,  # type: ignore[arg-type]  # its own default for none
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        asyncio.get_running_loop().call_later(self._patience, self._end_if_silent)

    def _end_if_silent(self) -> None:
        """A client may not hold a connection without asking for something."""
        if not self.has_asked and self.transport is not None:
            self.transport.abort()

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if request.writer.output_size > 0:
            raise ConnectionError("a part of the answer has been sent already")
        said = (message or "").strip().split("\n")[0].rstrip(":").lower()
        fault = ApiError(f"the request is not HTTP: {said}" if said else "internal error",
                         status=status, code="bad_request")
        response = _fault_response(fault)
        response.force_close()
        return response


def _bytes(text: str) -> bytes:
    """The bytes of a header; those that are not UTF-8 are halves of characters in its text."""
    return text.encode("utf-8", "surrogateescape")


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def _choices(wanted: CompletionRequest) -> list[Choice]:
    return [Choice() for _ in range(len(wanted.prompts) * wanted.count)]


async def _until_ended(
    wanted: CompletionRequest, inbox: "asyncio.Queue[list[Piece]]"
) -> AsyncIterator[list[Piece]]:
    """The pieces of a request, until all its choices have ended."""
    left = len(wanted.prompts) * wanted.count
    while left:
        pieces = await inbox.get()
        left -= sum(piece.reason is not None for piece in pieces)
        yield pieces


async def _collected(
    wanted: CompletionRequest, inbox: "asyncio.Queue[list[Piece]]"
) -> list[Choice]:
    choices = _choices(wanted)
    async for pieces in _until_ended(wanted, inbox):
        if fault := _failure(pieces):
            raise fault
        for piece in pieces:
            choices[piece.choice].add(piece)
    return choices


def _failure(pieces: list[Piece]) -> ApiError | None:
    errors = [piece.error for piece in pieces if piece.error is not None]
    return failed(errors[0]) if errors else None


_PATHS = "/v1/chat/completions, /v1/completions, /v1/embeddings and /v1/models"


def _fault_response(fault: ApiError) -> web.Response:
    headers = {"Retry-After": "1"} if fault.status in (429, 503) else {}
    return web.json_response(fault.body(), status=fault.status, headers=headers)


def _http_fault(error: web.HTTPException, request: web.Request, settings: Settings) -> ApiError:
    """The fault of an error that the HTTP library found."""
    match error:
        case web.HTTPRequestEntityTooLarge():
            return ApiError(f"the body is larger than {settings.body_bytes} bytes", status=413,
                            code="body_too_large")
        case web.HTTPMethodNotAllowed():
            allowed = ", ".join(sorted(error.allowed_methods - {"HEAD"}))
            return ApiError(f"{request.path} takes {allowed}, got {request.method}", status=405,
                            code="method_not_allowed")
        case web.HTTPNotFound():
            return ApiError(f"there is nothing at {request.path}; this server answers {_PATHS}",
                            status=404, code="not_found")
    return ApiError(error.reason.lower(), status=error.status, code="bad_request")


def _host_name(header: str) -> str:
    """The name in a Host header, without the port."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


