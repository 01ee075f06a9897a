"""The HTTP server: routes, limits, streams of events.

    POST /v1/chat/completions   POST /v1/completions    POST /v1/responses
    POST /v1/embeddings         POST /v1/rerank         GET, DELETE /v1/responses/ID
    POST /v1/audio/transcriptions                       POST /v1/audio/translations
    GET /v1/models              GET /v1/models/NAME
    GET /health                 GET /ready              GET /metrics

and those of Ollama's protocol, /api/chat and others (`ollama_routes.py`).

Clients are not trusted.  Bodies are limited in size and time, and so is the time that a client may
take to receive what was written to it.  A request whose client goes away is cancelled.  Nothing
that grows with a body runs on the event loop: threads read bodies (`bodies.py`, `requests.py`),
large ones one after the other, and prepare prompts (`preparing.py`).  Pages of other sites cannot
use a server on the loopback address: its name must be in the Host header, and bodies must be of
type JSON, which browsers do not send to other sites without asking.  Only the origins of --cors get
an answer to that.  Forms browsers do send, but they say from which site, and only those of --cors
are read.  A form may hold a long sound, so only a few are received at once.
"""

import asyncio
import hmac
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from aiohttp import web

from lambent.lang.crash_report import report
from lambent.lang.serve.answers import Answer, Choice, model_entry
from lambent.lang.serve.bodies import parsed
from lambent.lang.serve.embeddings import (
    EmbeddingRequest,
    embedding_answer,
    embedding_request,
)
from lambent.lang.serve.engine import Engine, Ticket
from lambent.lang.serve.exchanges import begin_exchange, exchange_of
from lambent.lang.serve.faults import ApiError, busy, failed, loading, stopping
from lambent.lang.serve.fields import shown
from lambent.lang.serve.kept_responses import KeptResponses
from lambent.lang.serve.metrics import CONTENT_TYPE, EngineState, Metrics
from lambent.lang.serve.multipart import Form, boundary_of, form_of
from lambent.lang.serve.ollama import fault_body
from lambent.lang.serve.ollama_routes import OllamaRoutes
from lambent.lang.serve.request_log import RequestLog
from lambent.lang.serve.requests import (
    CompletionRequest,
    Limits,
    Reader,
    Target,
    chat_request,
    target_of,
    text_request,
)
from lambent.lang.serve.rerank import rerank_answer, rerank_request
from lambent.lang.serve.response_answers import ResponseAnswer, conversation_after
from lambent.lang.serve.responses import ResponseRequest, response_request
from lambent.lang.serve.streams import (
    EventStream,
    Inbox,
    add_pieces,
    choices_of,
    failure,
    until_ended,
)
from lambent.lang.serve.transcriptions import (
    FORMATS,
    transcription_answer,
    transcription_request,
)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Wanted = TypeVar("Wanted")

_JSON = "application/json"
_FORM = "multipart/form-data"
_SECRET_HEADERS = ("Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key")
_OPEN_PATHS = ("/health", "/ready")  # without a key, and at any time
_CLIENT_LEFT = 499  # in the log: the client went away before the answer
_LARGE = 30_000  # bytes of a body; reading it takes a millisecond
_FORMS_AT_ONCE = 4  # whose bytes are received; each may be as long as a sound
# What browsers ask for before a page of another site sends JSON.
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST", "Access-Control-Max-Age": "600",
    "Access-Control-Allow-Headers": "*, Authorization",
    "Access-Control-Allow-Private-Network": "true",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """sizes: bytes of the files of models.  audio_bytes: the most of a form with a sound.
    patience: seconds for a client to send its body, and to receive what was written.  names: the
    hosts that requests may name, empty for any.  origins: the sites whose pages may use the
    server, or *."""

    limits: Limits
    sizes: Mapping[str, int]
    body_bytes: int
    audio_bytes: int
    patience: float
    api_key: str | None
    names: frozenset[str]
    origins: frozenset[str]


class Service:
    """The handlers of all models.  engines: by the names of their models."""

    def __init__(
        self, engines: Mapping[str, Engine], settings: Settings, log: RequestLog, most_kept: int
    ) -> None:
        self._engines = engines
        self._settings = settings
        self._log = log
        self._metrics = Metrics()
        self._kept = KeptResponses(most_kept)
        self._created = int(time.time())
        self.limits, self.patience = settings.limits, settings.patience
        self._ollama = OllamaRoutes(self, engines, settings.sizes, self._created)
        self._large = ThreadPoolExecutor(1, "large bodies")
        self._forms = asyncio.Semaphore(_FORMS_AT_ONCE)
        self._active = 0  # requests that are being answered
        self._idle = asyncio.Event()
        self._idle.set()
        self._state = "loading"  # then "ok", then "stopping"

    def app(self) -> web.Application:
        app = web.Application(
            middlewares=[self._measure, self._protect],
            client_max_size=self._settings.body_bytes,
        )
        app.add_routes([
            web.post("/v1/chat/completions", self._chat),
            web.post("/v1/completions", self._text),
            web.post("/v1/responses", self._respond),
            web.get("/v1/responses/{id}", self._response),
            web.delete("/v1/responses/{id}", self._forget),
            web.post("/v1/embeddings", self._embeddings),
            web.post("/v1/rerank", self._rerank),
            web.post("/v1/audio/transcriptions", self._transcribe),
            web.post("/v1/audio/translations", self._translate),
            web.get("/v1/models", self._models),
            web.get("/v1/models/{name:.+}", self._model),
            web.get("/health", self._health),
            web.get("/ready", self._ready),
            web.get("/metrics", self._show_metrics),
            *self._ollama.routes(),
        ])
        app.on_response_prepare.append(self._add_origin)
        return app

    # From the first request to the last one.

    def begin(self) -> None:
        """Answer requests: the models are loaded."""
        self._state = "ok"

    def refuse(self) -> None:
        """Refuse new requests; those that are being answered go on."""
        self._state = "stopping"

    async def idle(self) -> None:
        """Wait until no request is being answered."""
        await self._idle.wait()

    @web.middleware
    async def _measure(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Count and log a request."""
        exchange = begin_exchange(request)
        self._active += 1
        self._idle.clear()
        status = _CLIENT_LEFT
        try:
            response = await handler(request)
            status = response.status
            return response
        finally:
            self._active -= 1
            if not self._active:
                self._idle.set()
            exchange.end(status)
            self._metrics.add(exchange)
            self._log.add(exchange)

    @web.middleware
    async def _protect(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check who asks; every fault becomes an answer of the protocol."""
        if isinstance(request.protocol, Connection):
            request.protocol.has_asked = True
        try:
            self._check_host(request)
            if request.method == "OPTIONS" and self._allowed_origin(request):
                return web.Response(status=204, headers=_PREFLIGHT)
            if request.path not in _OPEN_PATHS:
                self._check_key(request)
                self._check_state()
            return await handler(request)
        except ApiError as fault:
            exchange_of(request).code = fault.code or fault.type
            return _fault_response(fault, request.path)
        except web.HTTPException as error:
            refusal = _http_fault(error, request, self._settings)
            exchange_of(request).code = refusal.code
            return _fault_response(refusal, request.path)
        except ConnectionError:
            raise  # the client is gone
        except Exception as error:  # a bug in Lambent
            print(report(error, secrets=self._secrets(request)), file=sys.stderr, flush=True)
            return _fault_response(failed("internal error"), request.path)

    def _check_state(self) -> None:
        if self._state != "ok":
            raise loading() if self._state == "loading" else stopping()

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

    # Models, and how the server is.

    async def _models(self, request: web.Request) -> web.Response:
        entries = [model_entry(name, target, self._created)
                   for name, target in self.limits.targets.items()]
        return web.json_response({"object": "list", "data": entries})

    async def _model(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        target = target_of(name, self.limits)
        return web.json_response(model_entry(name, target, self._created))

    async def _health(self, request: web.Request) -> web.Response:
        """Whether the process works; a server that loads or stops is healthy."""
        engines = self._engines.values()
        return web.json_response({
            "status": self._state, "unfinished": sum(engine.unfinished for engine in engines),
            "steps": sum(engine.steps for engine in engines),
            "tokens": sum(engine.tokens for engine in engines),
        })

    async def _ready(self, request: web.Request) -> web.Response:
        """Whether requests are answered."""
        return web.json_response({"status": self._state},
                                 status=200 if self._state == "ok" else 503)

    async def _show_metrics(self, request: web.Request) -> web.Response:
        states = [EngineState(name, await engine.load(), engine.unfinished, engine.steps,
                              engine.tokens)
                  for name, engine in self._engines.items()]
        return web.Response(body=self._metrics.text(states).encode(),
                            headers={"Content-Type": CONTENT_TYPE})

    def engine_of(self, request: web.Request, model: str, target: Target) -> Engine:
        """The engine of a request, which is counted as one for its model."""
        exchange_of(request).model = model
        return self._engines[target.model]

    # Vectors and scores.

    async def _embeddings(self, request: web.Request) -> web.Response:
        wanted = await self.read(request, embedding_request)
        vectors, tokens = await self.vectors(request, wanted)
        return await _json_response(lambda: embedding_answer(wanted, vectors, tokens))

    async def vectors(
        self, request: web.Request, wanted: EmbeddingRequest
    ) -> tuple[list[list[float]], int]:
        """The vectors that a request wants, and how many tokens its inputs have."""
        engine = self.engine_of(request, wanted.model, wanted.target)
        vectors, tokens = await engine.embed(wanted)
        exchange_of(request).prompt_tokens = tokens
        return vectors, tokens

    async def _rerank(self, request: web.Request) -> web.Response:
        wanted = await self.read(request, rerank_request)
        engine = self.engine_of(request, wanted.model, wanted.target)
        scores, tokens = await engine.rank(wanted)
        exchange_of(request).prompt_tokens = tokens
        return await _json_response(lambda: rerank_answer(wanted, scores, tokens))

    # Sounds.

    async def _transcribe(self, request: web.Request) -> web.Response:
        return await self._hear(request, "transcribe")

    async def _translate(self, request: web.Request) -> web.Response:
        return await self._hear(request, "translate")

    async def _hear(self, request: web.Request, task: str) -> web.Response:
        wanted = await self._read_form(
            request, lambda form, limits: transcription_request(form, limits, task)
        )
        engine = self.engine_of(request, wanted.model, wanted.target)
        heard = await engine.hear(wanted)
        body = await asyncio.to_thread(transcription_answer, wanted, heard)
        return web.Response(content_type=FORMATS[wanted.format], charset="utf-8", body=body)

    # Completions.

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        return await self._complete(request, chat_request)

    async def _text(self, request: web.Request) -> web.StreamResponse:
        return await self._complete(request, text_request)

    async def _complete(self, request: web.Request, read: Reader) -> web.StreamResponse:
        wanted = await self.read(request, read)

        async def answered(ticket: Ticket, inbox: Inbox) -> web.StreamResponse:
            answer = Answer(wanted, ticket.prompt_tokens, ticket.echoes)
            if wanted.streams:
                return await self._stream(request, wanted, answer, inbox)
            return web.json_response(answer.whole(await self.collected(request, wanted, inbox)))

        return await self.generate(request, wanted, answered)

    async def generate(
        self, request: web.Request, wanted: CompletionRequest,
        answered: Callable[[Ticket, Inbox], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        """The answer to a request that generates, which ends if its client leaves."""
        engine = self.engine_of(request, wanted.model, wanted.target)
        exchange = exchange_of(request)
        inbox: Inbox = asyncio.Queue()
        exchange.streams = wanted.streams
        ticket = await engine.submit(wanted, inbox.put_nowait)
        exchange.prompt_tokens = ticket.prompt_tokens
        try:
            return await answered(ticket, inbox)
        finally:
            if ticket.unfinished:
                engine.cancel(ticket)

    async def collected(
        self, request: web.Request, wanted: CompletionRequest, inbox: Inbox
    ) -> list[Choice]:
        """The whole choices of a request."""
        choices = choices_of(wanted)
        async for pieces in until_ended(wanted, inbox):
            if fault := failure(pieces):
                raise fault
            add_pieces(exchange_of(request), wanted, choices, pieces)
        return choices

    async def _stream(
        self, request: web.Request, wanted: CompletionRequest, answer: Answer, inbox: Inbox
    ) -> web.StreamResponse:
        """Send server-sent events as the pieces come."""
        stream = EventStream(request, self.patience)
        try:
            await stream.begin()
            await self._send_chunks(request, stream, wanted, answer, inbox)
            await stream.response.write_eof()
        except ConnectionError:
            pass  # the client is gone; the caller cancels the request
        return stream.response

    async def _send_chunks(
        self, request: web.Request, stream: EventStream, wanted: CompletionRequest,
        answer: Answer, inbox: Inbox,
    ) -> None:
        await stream.send(*answer.first_chunks())
        choices = choices_of(wanted)
        async for pieces in until_ended(wanted, inbox):
            add_pieces(exchange_of(request), wanted, choices, pieces)
            if fault := failure(pieces):
                exchange_of(request).code = fault.code
                await stream.send(fault.body())
                break
            await stream.send(*(chunk for piece in pieces for chunk in answer.piece_chunks(piece)))
        else:
            if wanted.streams_usage:
                await stream.send(answer.usage_chunk(choices))
            await stream.write(b"data: [DONE]\n\n")

    # Responses.

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        wanted = await self.read(
            request, lambda body, limits: response_request(body, limits, self._kept.items)
        )

        async def answered(ticket: Ticket, inbox: Inbox) -> web.StreamResponse:
            answer = ResponseAnswer(wanted, ticket.prompt_tokens)
            if wanted.completion.streams:
                return await self._stream_response(request, wanted, answer, inbox)
            [choice] = await self.collected(request, wanted.completion, inbox)
            response = answer.whole(choice)
            await self._keep(wanted, response)
            return await _json_response(lambda: response)

        return await self.generate(request, wanted.completion, answered)

    async def _stream_response(
        self, request: web.Request, wanted: ResponseRequest, answer: ResponseAnswer, inbox: Inbox
    ) -> web.StreamResponse:
        stream = EventStream(request, self.patience)
        [choice] = choices = choices_of(wanted.completion)
        try:
            await stream.begin()
            await stream.send_named(*answer.started())
            async for pieces in until_ended(wanted.completion, inbox):
                if fault := failure(pieces):
                    exchange_of(request).code = fault.code
                    await stream.send_named(*answer.failed_events(fault))
                    break
                for piece in pieces:
                    add_pieces(exchange_of(request), wanted.completion, choices, [piece])
                    await stream.send_named(*answer.piece_events(piece, choice))
            else:
                await self._keep(wanted, answer.whole(choice))
                await stream.send_named(*answer.ended(choice))
            await stream.response.write_eof()
        except ConnectionError:
            pass  # the client is gone; the caller cancels the request
        return stream.response

    async def _keep(self, wanted: ResponseRequest, response: dict[str, Any]) -> None:
        """Keep a response for the requests that continue it."""
        if wanted.is_kept:
            items, size = await asyncio.to_thread(conversation_after, wanted, response)
            self._kept.add(response, items, size)

    async def _response(self, request: web.Request) -> web.Response:
        kept = self._kept.response(request.match_info["id"])
        return await _json_response(lambda: kept.shown)

    async def _forget(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        self._kept.remove(name)
        return web.json_response({"id": name, "object": "response", "deleted": True})

    # Bodies.

    async def read(
        self, request: web.Request, read: Callable[[dict[str, Any], Limits], Wanted], *,
        any_type: bool = False,
    ) -> Wanted:
        """What a body asks for.  any_type: whether it may say that it is no JSON, as curl does."""
        if any_type:
            self._check_origin(request)
        _check_type(request, request.content_type if any_type else _JSON)
        body = await self._body(request)
        return await self._read_by(lambda: read(parsed(body), self.limits), len(body))

    async def _read_form(
        self, request: web.Request, read: Callable[[Form, Limits], Wanted]
    ) -> Wanted:
        """What a form asks for, which may have a file."""
        _check_type(request, _FORM)
        self._check_origin(request)
        boundary = boundary_of(request.headers["Content-Type"])
        if all(engine.model.kind != "listener" for engine in self._engines.values()):
            raise ApiError("no model of this server hears; Whisper does", code="unsupported")
        most = self._settings.audio_bytes
        try:
            async with self._turn(self._forms):
                body = await self._body(request.clone(client_max_size=most))
        except web.HTTPRequestEntityTooLarge:
            raise ApiError(f"the body is larger than {most} bytes", status=413,
                           code="body_too_large") from None
        return await self._read_by(
            lambda: read(form_of(body, boundary), self.limits), len(body)
        )

    @asynccontextmanager
    async def _turn(self, turns: asyncio.Semaphore) -> AsyncIterator[None]:
        """Wait for a turn, but not longer than for a client."""
        try:
            async with asyncio.timeout(self.patience):
                await turns.acquire()
        except TimeoutError:
            raise busy(self.patience) from None
        try:
            yield
        finally:
            turns.release()

    def _check_origin(self, request: web.Request) -> None:
        """Refuse what the page of another site sends without having asked."""
        if "Origin" in request.headers and self._allowed_origin(request) is None:
            raise ApiError("pages of that site may not use this server; --cors allows it",
                           status=403, code="forbidden_origin")

    async def _read_by(self, read: Callable[[], Wanted], size: int) -> Wanted:
        """What a thread reads of a body of that size."""
        return await asyncio.get_running_loop().run_in_executor(
            self._large if size > _LARGE else None, read
        )

    async def _body(self, request: web.BaseRequest) -> bytes:
        try:
            async with asyncio.timeout(self.patience):
                return await request.read()
        except TimeoutError:
            raise ApiError(f"the body took longer than {self.patience:g} seconds",
                           status=408, code="timeout") from None


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


def _check_type(request: web.Request, wanted: str) -> None:
    """Refuse a body of another type, and one that is compressed."""
    if request.content_type != wanted:
        raise ApiError(f"the content type is {request.content_type}; it must be {wanted}",
                       status=415, code="unsupported_media_type")
    encoding = request.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise ApiError(f"the content encoding is {shown(encoding)}; the body must be plain",
                       status=415, code="unsupported_media_type")


def _bytes(text: str) -> bytes:
    """The bytes of a header; those that are not UTF-8 are halves of characters in its text."""
    return text.encode("utf-8", "surrogateescape")


async def _json_response(make: Callable[[], dict[str, Any]]) -> web.Response:
    """An answer that may be large: a thread makes its text."""
    body = await asyncio.to_thread(lambda: json.dumps(make()).encode())
    return web.Response(content_type=_JSON, body=body)


_PATHS = ("/v1/chat/completions, /v1/completions, /v1/responses, /v1/embeddings, /v1/rerank, "
          "/v1/audio/transcriptions, /v1/audio/translations and /v1/models, and those of Ollama: "
          "/api/chat, /api/generate, /api/embed, /api/tags and /api/show")


def _fault_response(fault: ApiError, path: str = "") -> web.Response:
    """A fault as an answer, of Ollama's protocol at its paths."""
    headers = {"Retry-After": "1"} if fault.status in (429, 503) else {}
    body = fault_body(fault) if path.startswith("/api/") else fault.body()
    return web.json_response(body, status=fault.status, headers=headers)


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


