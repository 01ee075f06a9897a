"""The thread that runs Lisp: it takes requests from the event loop, and gives it pieces of text.

    ticket = await engine.submit(request, deliver)   the tokens of its prompts are counted
    deliver([Piece(0, "Hi"), ...])                   is called on the event loop, after each step
    engine.cancel(ticket)                            the client is gone

The model works only on this thread.  Between two steps of all requests it takes new ones and ends
cancelled ones, so a request waits for a step at most, and joins the batch of the others.
"""

import asyncio
import json
import queue
import random
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from lambent.lang.interp.embed.embedded import Session
from lambent.lang.interp.embed.to_python import EmbeddedError, Symbol
from lambent.lang.serve.answers import Piece, Token, ToolCall
from lambent.lang.serve.faults import ApiError, stopping, too_busy
from lambent.lang.serve.requests import CompletionRequest, Conversation, Prompt

Deliver = Callable[[list[Piece]], None]

_SEEDS = 2**31
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


@dataclass(frozen=True, slots=True)
class _Submission:
    request: CompletionRequest
    ticket: Ticket
    accepted: "asyncio.Future[Ticket]"


class Engine:
    """open_server: Lisp that returns a `model-server`.  most: choices that may be unfinished."""

    def __init__(self, open_server: str, most: int, most_tokens: int) -> None:
        self._open_server = open_server
        self._most = most
        self._most_tokens = most_tokens
        self._inbox: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._tickets: dict[int, Ticket] = {}  # by the number of a choice; of the engine's thread
        self._unfinished = 0  # choices; of the event loop
        self.steps = self.tokens = 0  # of all requests together
        self._is_stopping = False
        self._loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._context = self._vocabulary = 0
        self._server: Any = None
        threading.Thread(target=self._run, name="engine", daemon=True).start()

    # On the event loop.

    async def opened(self) -> None:
        """Wait until the model is loaded; raises what loading raised."""
        await self._opened

    async def closed(self) -> None:
        """Wait for the end of the thread, or for what made it fail."""
        await asyncio.shield(self._closed)

    def stop(self) -> None:
        """End all requests, then the thread."""
        self._is_stopping = True
        self._inbox.put(None)

    @property
    def unfinished(self) -> int:
        return self._unfinished

    async def submit(self, request: CompletionRequest, deliver: Deliver) -> Ticket:
        """Begin a request; an ApiError if it cannot be answered."""
        choices = len(request.prompts) * request.count
        if self._is_stopping:
            raise stopping()
        if self._unfinished + choices > self._most:
            raise too_busy(self._most)
        self._unfinished += choices
        ticket = Ticket(deliver, choices)
        accepted: asyncio.Future[Ticket] = self._loop.create_future()
        submission = _Submission(request, ticket, accepted)
        self._inbox.put(lambda: self._accept(submission))
        try:
            return await accepted
        except BaseException:
            self.cancel(ticket)
            raise

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
            session = Session()
            self._server = session.eval(self._open_server)
            self._context, self._vocabulary = self._call("info")
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

    def _call(self, message: str, *arguments: Any) -> Any:
        return self._server(Symbol(message), *arguments)

    def _accept(self, submission: _Submission) -> None:
        request, ticket = submission.request, submission.ticket
        if ticket.is_cancelled:
            return
        try:
            prompts = [self._ids(prompt) for prompt in request.prompts]
            ticket.prompt_tokens = sum(len(ids) for ids in prompts)
            if request.echo:
                ticket.echoes = [self._call("text", ids) for ids in prompts]
            self._submit_choices(request, ticket, prompts)
        except ApiError as fault:
            self._abandon(ticket)
            self._tell(submission.accepted, fault)
        except EmbeddedError as error:
            self._abandon(ticket)
            self._tell(submission.accepted, ApiError(error.error.message))
        else:
            self._answer(submission.accepted, ticket)

    def _ids(self, prompt: Prompt) -> list[int]:
        if isinstance(prompt, Conversation):
            ids = self._call("chat-ids", prompt.messages, prompt.tools or False)
        elif isinstance(prompt, str):
            ids = self._call("text-ids", prompt)
        else:
            ids = list(prompt)
        if not ids:
            raise ApiError("the prompt has no tokens", param="prompt")
        self._check_tokens("prompt", ids)
        return list(ids)

    def _check_tokens(self, field: str, ids: Iterable[int]) -> None:
        """Refuse tokens that the model does not have."""
        for token in ids:
            if not 0 <= token < self._vocabulary:
                raise ApiError(f"{field} has the token {token}, but the model has "
                               f"{self._vocabulary} tokens", param=field)

    def _submit_choices(
        self, request: CompletionRequest, ticket: Ticket, prompts: list[list[int]]
    ) -> None:
        self._check_tokens("logit_bias",
                           (token for token, _ in request.options.get("logit-bias", ())))
        seed = request.options.get("seed", random.randrange(_SEEDS))
        for k, ids in enumerate(prompts):
            room = self._context - len(ids)
            self._check_room(room, len(ids), request.max_tokens)
            most = min(room, self._most_tokens) if request.max_tokens is None else (
                request.max_tokens
            )
            for choice in range(request.count):
                options = {**request.options, "max-tokens": most, "seed": seed + choice}
                if request.alternatives is not None:
                    options["log-probabilities"] = request.alternatives
                number = self._call("submit", ids, json.dumps(options))
                ticket.numbers[number] = k * request.count + choice
                self._tickets[number] = ticket

    def _check_room(self, room: int, prompt_tokens: int, most: int | None) -> None:
        if room < (most or 1):
            wanted = f" and {most} for the answer" if most else ""
            raise ApiError(
                f"the model's context is {self._context} tokens, but the prompt has "
                f"{prompt_tokens}{wanted}",
                param="messages", code="context_length_exceeded",
            )

    def _step(self) -> None:
        delivered: dict[int, tuple[Ticket, list[Piece]]] = {}
        try:
            events = self._call("step")
        except EmbeddedError as error:
            self._fail_all(error.error.message)
            return
        self.steps += 1
        for number, text, tokens, reason, count, problem, calls in events:
            self.tokens += count
            ticket = self._tickets.get(number)
            if ticket is None:  # it was cancelled
                continue
            piece = _piece(ticket.numbers[number], text, tokens, reason or None, count)
            if calls:
                piece = _with_calls(piece, calls)
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
            self._call("cancel", number)

    def _tell(self, future: "asyncio.Future[Any]", failure: BaseException | None) -> None:
        def tell() -> None:
            if future.done():
                return
            if failure is None:
                future.set_result(None)
            else:
                future.set_exception(failure)

        self._on_loop(tell)

    def _answer(self, future: "asyncio.Future[Ticket]", ticket: Ticket) -> None:
        self._on_loop(lambda: None if future.done() else future.set_result(ticket))

    def _on_loop(self, job: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(job)


def _piece(
    choice: int, text: str, tokens: list[Any], reason: str | None, count: int
) -> Piece:
    shown = tuple(
        Token(bytes(word), value, tuple((bytes(other), at) for other, at in likeliest))
        for word, value, likeliest in tokens
    )
    return Piece(choice, text, shown, _REASONS.get(reason or ""), count)


def _with_calls(piece: Piece, calls: list[Any]) -> Piece:
    """The last piece of a choice that calls tools.  One that was cut off says so instead."""
    reason = "tool_calls" if piece.reason == "stop" else piece.reason
    return replace(piece, reason=reason,
                   calls=tuple(ToolCall(name, arguments) for name, arguments in calls))
