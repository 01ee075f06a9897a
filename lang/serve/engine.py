"""The thread that runs the model: requests come from the event loop, pieces of text go to it.

    ticket = await engine.submit(request, deliver)   its prompts are tokens (`preparing.py`)
    deliver([Piece(0, "Hi"), ...])                   is called on the event loop, after each step
    engine.cancel(ticket)                            the client is gone

The model works only on this thread.  Between two steps of all requests it takes new ones and ends
cancelled ones, so a request waits for a step at most, and joins the batch of the others.
"""

import asyncio
import gc
import json
import queue
import random
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from lambent.lang.embedding import Session
from lambent.lang.errors import LispError
from lambent.lang.interp.embed.executor import EXECUTOR
from lambent.lang.interp.embed.to_python import EmbeddedError
from lambent.lang.serve.answers import Piece, Token, ToolCall
from lambent.lang.serve.embeddings import EmbeddingRequest, check_width
from lambent.lang.serve.faults import ApiError, failed, stopping, too_busy
from lambent.lang.serve.multipart import Upload
from lambent.lang.serve.preparing import Model, Prepared, Preparer
from lambent.lang.serve.requests import CompletionRequest
from lambent.lang.serve.rerank import RerankRequest
from lambent.lang.serve.transcriptions import TranscriptionRequest, hearing_fault

Deliver = Callable[[list[Piece]], None]

_SEEDS = 2**31
_TEXTS_AT_ONCE = 4  # for which vectors are computed
# Sounds that are in memory, and heard in turns: those of few bytes do not wait for long ones.
_SOUNDS_AT_ONCE = {"short": 16, "long": 4}
_SHORT_SOUND = 1 << 20  # bytes
_DOES = {"decoder": "generates text", "encoder": "is an encoder: it has embeddings",
         "ranker": "ranks texts: it has scores for /v1/rerank",
         "listener": "hears: it has transcriptions"}
_REASONS = {"eos": "stop", "stop": "stop", "grammar": "stop", "stopped": "stop",
            "length": "length", "error": "stop"}


@dataclass(slots=True)
class Ticket:
    """A request in the engine.

    unfinished: choices that count for the limit; of the event loop.  numbers: of its choices that
    the engine works on, with their indices; of the engine's thread.
    """

    deliver: Deliver
    unfinished: int
    prompt_tokens: int = 0
    echoes: list[str] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    is_cancelled: bool = False
    most_calls: int | None = None


@dataclass(frozen=True, slots=True)
class _Submission:
    request: CompletionRequest
    prepared: Prepared
    ticket: Ticket
    accepted: "asyncio.Future[None]"


@dataclass(frozen=True, slots=True)
class Load:
    """Requests, and pages of keys and values."""

    running: int = 0
    waiting: int = 0
    pages: int = 0
    used_pages: int = 0
    kept_pages: int = 0


@dataclass(frozen=True, slots=True)
class Details:
    """parameters: how many.  kept: how weights are, such as F32 or Q8."""

    family: str
    parameters: int
    kept: str
    template: str


def _move(upload: Upload, file: "tempfile._TemporaryFileWrapper[bytes]") -> None:
    """Write an upload to a file, and free its memory; an ApiError if there is no room."""
    try:
        with upload.data:
            file.write(upload.data)
        file.flush()
    except OSError as error:
        raise ApiError(f"the sound cannot be kept until it is heard: {error.strerror}", status=503,
                       code="no_room") from None


class Engine:
    """open_server: Lisp that returns a `model-server`.  most: choices that may be unfinished.
    seconds: that the preparation of a request may take."""

    model: Model  # once it is opened
    _preparer: Preparer

    def __init__(self, open_server: str, most: int, most_tokens: int, seconds: float) -> None:
        self._open_server = open_server
        self._most = most
        self._most_tokens = most_tokens
        self._seconds = seconds
        self._inbox: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._tickets: dict[int, Ticket] = {}  # by the number of a choice; of the engine's thread
        self._unfinished = 0  # choices; of the event loop
        self.steps = self.tokens = 0  # of all requests together
        self._details: Details | None = None
        self._sounds = {kind: asyncio.Semaphore(most) for kind, most in _SOUNDS_AT_ONCE.items()}
        self._is_stopping = self._is_open = False
        self._loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._closed: asyncio.Future[None] = self._loop.create_future()
        threading.Thread(target=self._run, name="engine", daemon=True).start()

    # On the event loop.

    async def opened(self) -> None:
        """Wait until the model is loaded; raises what loading raised."""
        await self._opened
        self._preparer = Preparer(self.model, self._seconds)
        self._is_open = True

    async def closed(self) -> None:
        """Wait for the end of the thread, or for what made it fail."""
        await asyncio.shield(self._closed)

    def stop(self) -> None:
        """End all requests, then the thread."""
        self._is_stopping = True
        if self._is_open:
            self._preparer.stop()
        self._inbox.put(None)

    @property
    def unfinished(self) -> int:
        return self._unfinished

    async def submit(self, request: CompletionRequest, deliver: Deliver) -> Ticket:
        """Begin a request; an ApiError if it cannot be answered."""
        choices = len(request.prompts) * request.count
        if self.model.kind != "decoder":
            raise ApiError(f"this model {_DOES[self.model.kind]}; only a language model generates "
                           "text", code="unsupported")
        if self._is_stopping:
            raise stopping()
        if self._unfinished + choices > self._most:
            raise too_busy(self._most)
        self._unfinished += choices
        ticket = Ticket(deliver, choices, most_calls=request.most_calls)
        accepted: asyncio.Future[None] = self._loop.create_future()
        try:
            prepared = await self._preparer.prepared(request)
            ticket.prompt_tokens = sum(len(ids) for ids in prepared.prompts)
            ticket.echoes = prepared.echoes
            submission = _Submission(request, prepared, ticket, accepted)
            self._inbox.put(lambda: self._accept(submission))
            await accepted
            return ticket
        except BaseException:
            self.cancel(ticket)
            raise

    async def embed(self, request: EmbeddingRequest) -> tuple[list[list[float]], int]:
        """The vectors of the inputs, and how many tokens these have; an ApiError if there are none.

        A few texts are computed at once, so that requests take turns.
        """
        if self.model.kind != "encoder":
            raise ApiError(f"this model {_DOES[self.model.kind]}; only an encoder has embeddings",
                           code="unsupported")
        with self._counted():
            texts, sizes = await self._preparer.measured(request.inputs, cuts=request.cuts)
            if 0 in sizes:
                raise ApiError("the input has no tokens", param="input")
            vectors: list[list[float]] = []
            for k in range(0, len(texts), _TEXTS_AT_ONCE):
                vectors += await self._called("embed", texts[k : k + _TEXTS_AT_ONCE])
                check_width(request, vectors)
            return vectors, sum(sizes)

    async def rank(self, request: RerankRequest) -> tuple[list[float], int]:
        """How well each document fits the query, and how many tokens were read."""
        if self.model.kind not in ("encoder", "ranker"):
            raise ApiError(f"this model {_DOES[self.model.kind]}; only a cross-encoder or an "
                           "encoder ranks texts", code="unsupported")
        with self._counted():
            [query], [for_query] = await self._preparer.measured((request.query,), cuts=True)
            texts, sizes = await self._preparer.measured(request.documents, cuts=True)
            scores: list[float] = []
            for k in range(0, len(texts), _TEXTS_AT_ONCE):
                scores += await self._called("rank", query, texts[k : k + _TEXTS_AT_ONCE])
            return scores, sum(sizes) + for_query * len(texts)

    async def hear(self, request: TranscriptionRequest) -> str:
        """What is spoken in a sound; an ApiError if it cannot be heard.

        A window of half a minute is heard at once, so that requests take turns, and one whose
        client leaves ends.  Sounds lie in files until a few others have been heard, so that those
        that wait take no memory; short ones wait for short ones only.
        """
        if self.model.kind != "listener":
            raise ApiError(f"this model {_DOES[self.model.kind]}; only Whisper hears",
                           code="unsupported")
        kind = "short" if len(request.upload.data) <= _SHORT_SOUND else "long"
        with self._counted(), tempfile.NamedTemporaryFile(suffix=".wav") as file:
            await asyncio.to_thread(_move, request.upload, file)
            async with self._sounds[kind]:
                hearing = await self._called("listen", file.name, json.dumps(request.options),
                                             fault_of=lambda error: hearing_fault(
                                                 request, error, file.name))
                file.close()
                while not await self._called("hear", hearing):
                    pass
                return str(await self._called("heard", hearing, request.kind))

    async def details(self) -> Details:
        """What the model is, which does not change."""
        if self._details is None:
            self._details = Details(*await self._called("details"))
        return self._details

    async def load(self) -> Load:
        """What the model is doing; it answers between two steps."""
        if not self._is_open or self.model.kind != "decoder":
            return Load()
        return Load(*await self._called("load"))

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count a request that has no choices; refuse it if there are too many."""
        if self._is_stopping:
            raise stopping()
        if self._unfinished >= self._most:
            raise too_busy(self._most)
        self._unfinished += 1
        try:
            yield
        finally:
            self._unfinished -= 1

    async def _called(
        self, message: str, *arguments: Any,
        fault_of: Callable[[LispError], ApiError] = lambda error: failed(error.message),
    ) -> Any:
        """What the model answers on its thread.  fault_of: an error of Lisp, as clients see it."""
        result: asyncio.Future[Any] = self._loop.create_future()

        def call() -> None:
            if result.done():  # the client is gone
                return
            try:
                answer = self.model.call(message, *arguments)
            except EmbeddedError as error:
                self._tell(result, fault_of(error.error))
            else:
                self._tell(result, None, answer)

        self._inbox.put(call)
        return await result

    def cancel(self, ticket: Ticket) -> None:
        """End what is unfinished of a request; nothing more is delivered."""
        ticket.is_cancelled = True
        self._release(ticket, ticket.unfinished)
        self._inbox.put(lambda: self._abandon(ticket))

    def _release(self, ticket: Ticket, choices: int) -> None:
        ticket.unfinished -= choices
        self._unfinished -= choices

    def _deliver(self, pieces_of: list[tuple[Ticket, list[Piece]]]) -> None:
        for ticket, pieces in pieces_of:
            if not ticket.is_cancelled:
                self._release(ticket, sum(piece.reason is not None for piece in pieces))
                ticket.deliver(pieces)

    # On the engine's thread.

    def _run(self) -> None:
        try:
            EXECUTOR.reserve()
            server = Session().eval(self._open_server)
            self.model = Model(server, *Model(server, 0, 0, "", False, False).call("info"))
            # The library and the model stay alive.  A collection that walks over them takes half
            # a second, in which nobody is answered.
            gc.collect()
            gc.freeze()
        except BaseException as failure:
            self._tell(self._opened, failure)
            return
        self._tell(self._opened, None)
        try:
            self._serve()
        except BaseException as failure:  # a bug, or no memory: the command reports it
            self._tell(self._closed, failure)
            return
        self._tell(self._closed, None)

    def _serve(self) -> None:
        while True:
            if not self._take_all():
                return
            if self._tickets:
                self._step()

    def _take_all(self) -> bool:
        """Do what the event loop asks for; wait if there is nothing else to do.  False to end."""
        is_waiting = not self._tickets
        while True:
            try:
                job = self._inbox.get(block=is_waiting)
            except queue.Empty:
                return True
            if job is None:
                return False
            job()
            is_waiting = is_waiting and not self._tickets

    def _accept(self, submission: _Submission) -> None:
        if submission.ticket.is_cancelled:
            return
        try:
            self._submit_choices(submission)
        except EmbeddedError as error:
            self._abandon(submission.ticket)
            self._tell(submission.accepted, ApiError(error.error.message))
        else:
            self._tell(submission.accepted, None)

    def _submit_choices(self, submission: _Submission) -> None:
        request, prepared, ticket = submission.request, submission.prepared, submission.ticket
        seed = request.options.get("seed", random.randrange(_SEEDS))
        for k, ids in enumerate(prepared.prompts):
            most = request.max_tokens
            if most is None:
                most = min(self.model.context - len(ids), self._most_tokens)
            for choice in range(request.count):
                options = {**request.options, "max-tokens": most, "seed": seed + choice}
                if request.alternatives is not None:
                    options["log-probabilities"] = request.alternatives
                    options["prompt-log-probabilities"] = request.echo
                if request.is_chat and self.model.thinks:
                    options["reasoning"] = True
                adapter = request.target.adapter
                number = self.model.call("submit", ids, json.dumps(options), prepared.grammar,
                                         False if adapter is None else adapter)
                ticket.numbers[number] = k * request.count + choice
                self._tickets[number] = ticket

    def _step(self) -> None:
        delivered: dict[int, tuple[Ticket, list[Piece]]] = {}
        try:
            events = self.model.call("step")
        except EmbeddedError as error:
            self._fail_all(error.error.message)
            return
        self.steps += 1
        for (number, text, tokens, reason, count, problem, calls, of_prompt, thought,
             thought_count, cached) in events:
            self.tokens += count
            ticket = self._tickets.get(number)
            if ticket is None:  # it was cancelled
                continue
            piece = Piece(
                ticket.numbers[number], text, _tokens(tokens), _REASONS.get(reason or ""), count,
                prompt_tokens=_tokens(of_prompt), thought=thought, thought_tokens=thought_count,
                cached_tokens=cached,
            )
            if calls:
                piece = _with_calls(piece, calls[: ticket.most_calls])
            if problem:
                piece = replace(piece, reason="stop", error=problem)
            if piece.reason is not None:
                del self._tickets[number], ticket.numbers[number]
            delivered.setdefault(id(ticket), (ticket, []))[1].append(piece)
        if delivered:
            self._on_loop(lambda: self._deliver(list(delivered.values())))

    def _fail_all(self, message: str) -> None:
        """End all requests with an error, such as too little memory; the server goes on."""
        tickets = {id(ticket): ticket for ticket in self._tickets.values()}
        failures = [
            (ticket, [Piece(k, "", reason="stop", error=message) for k in ticket.numbers.values()])
            for ticket in tickets.values()
        ]
        for ticket in tickets.values():
            self._abandon(ticket)
        self._on_loop(lambda: self._deliver(failures))

    def _abandon(self, ticket: Ticket) -> None:
        """End the choices of a request in Lisp."""
        numbers, ticket.numbers = ticket.numbers, {}
        for number in numbers:
            del self._tickets[number]
            self.model.call("cancel", number)

    def _tell(
        self, future: "asyncio.Future[Any]", failure: BaseException | None, value: Any = None
    ) -> None:
        def tell() -> None:
            if future.done():
                return
            if failure is None:
                future.set_result(value)
            else:
                future.set_exception(failure)

        self._on_loop(tell)

    def _on_loop(self, job: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(job)


def _tokens(tokens: list[Any]) -> tuple[Token, ...]:
    return tuple(
        Token(bytes(word), None if value is False else value,
              tuple((bytes(other), at) for other, at in likeliest), is_special)
        for word, value, likeliest, is_special in tokens
    )


def _with_calls(piece: Piece, calls: list[Any]) -> Piece:
    """The last piece of a choice that calls tools.  One that was cut off says so instead."""
    reason = "tool_calls" if piece.reason == "stop" else piece.reason
    return replace(piece, reason=reason,
                   calls=tuple(ToolCall(name, arguments) for name, arguments in calls))
