"""What a request needs before it generates: tokens of its prompts, a grammar for its answer.

    prepared = await preparer.prepared(request)   Prepared(prompts=([1, 22], ...), ...)

Templates and schemas come from strangers, so this may take long.  It runs in slices on a thread of
each request, so that the steps of the engine and later requests go on meanwhile, small ones first,
and ends when its client leaves, or when its time is over.
"""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from lambent.lang.interp.embed.executor import EXECUTOR
from lambent.lang.interp.embed.slices import Slices
from lambent.lang.interp.embed.to_python import EmbeddedError, Symbol
from lambent.lang.serve.faults import ApiError, busy, stopping
from lambent.lang.serve.requests import CompletionRequest, Conversation, Prompt
from lambent.lang.system.collector import release_memory

T = TypeVar("T")

# Grammars are kept, since clients ask for the same ones again: so many, of so many characters of
# schemas.  Each may have 32 MB of masks.
_MOST_GRAMMARS = 8
_MOST_KEPT = 64_000
_CHARACTERS_A_TOKEN = 4  # of usual texts
_CUT_TOKENS = 1000  # how many may differ where a text is cut
_SETTLED = 1.0  # seconds without a preparation, after which memory is released


@dataclass(frozen=True, slots=True)
class Prepared:
    """prompts: their tokens.  echoes: their texts, if they are shown.  grammar: as submit takes
    it, or False."""

    prompts: list[list[int]]
    echoes: list[str]
    grammar: Any


@dataclass(frozen=True, slots=True)
class Model:
    """server: Lisp's `model-server`.  context: tokens of the longest text.  kind: decoder, encoder,
    ranker or listener.  thinks: whether its chat template marks reasoning.
    chats: whether there is one."""

    server: Callable[..., Any]
    context: int
    vocabulary: int
    kind: str
    thinks: bool
    chats: bool

    def capabilities(self) -> list[str]:
        """What the model can do, as Ollama names it."""
        match self.kind:
            case "decoder":
                chats = ["tools"] if self.chats else []
                return ["completion", *chats, *(["thinking"] if self.thinks else [])]
            case "encoder":
                return ["embedding"]
        return []

    def call(self, message: str, *arguments: Any) -> Any:
        return self.server(Symbol(message), *arguments)


class Preparer:
    """seconds: how long the preparation of one request may take."""

    def __init__(self, model: Model, seconds: float) -> None:
        self._model = model
        self._seconds = seconds
        self._grammars: OrderedDict[str, Any] = OrderedDict()
        self._lock = threading.Lock()
        self._running: set[Slices] = set()  # of the event loop
        self._release: asyncio.TimerHandle | None = None
        self._is_stopping = False

    async def prepared(self, request: CompletionRequest) -> Prepared:
        """What a request needs; an ApiError if it cannot be answered."""
        size = sum(map(_size, request.prompts)) + sum(map(len, request.schemas))
        return await self._run(lambda: self._prepare(request), size)

    async def measured(
        self, inputs: tuple[Prompt, ...], *, cuts: bool = False
    ) -> tuple[list[str], list[int]]:
        """The texts of inputs for vectors, and how many tokens each has.

        cuts: whether a text that is longer than the context is cut, and not refused.
        """
        return await self._run(lambda: self._measure(inputs, cuts), sum(map(_size, inputs)))

    async def _run(self, job: Callable[[], T], size: int) -> T:
        """The result of a job that runs Lisp, in slices on a thread of its own."""
        if self._is_stopping:
            raise stopping()
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()
        slices = Slices(size)
        self._running.add(slices)
        timer = loop.call_later(self._seconds, slices.stop)

        def tell(value: Any, failure: BaseException | None) -> None:
            if result.done():
                return
            if failure is None:
                result.set_result(value)
            else:
                result.set_exception(failure)

        def work() -> None:
            value, failure = self._outcome(job, slices)
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(tell, value, failure)

        threading.Thread(target=work, name="preparation", daemon=True).start()
        try:
            return await result
        finally:
            timer.cancel()
            slices.stop()
            self._running.discard(slices)
            self._release_later(loop)

    def _release_later(self, loop: asyncio.AbstractEventLoop) -> None:
        """Return memory to the system once there is nothing to prepare for a moment.

        Collecting garbage takes long while a large request is alive.
        """
        if self._release is not None:
            self._release.cancel()
        if not self._running:
            self._release = loop.call_later(
                _SETTLED, lambda: loop.run_in_executor(None, release_memory))

    def stop(self) -> None:
        """End all jobs."""
        self._is_stopping = True
        if self._release is not None:
            self._release.cancel()
        for slices in self._running:
            slices.stop()

    # On the thread of a request.

    def _outcome(
        self, job: Callable[[], Any], slices: Slices
    ) -> tuple[Any, BaseException | None]:
        try:
            with EXECUTOR.sliced(slices):
                return job(), None
        except KeyboardInterrupt:
            return None, self._end_of(slices)
        except EmbeddedError as error:
            return None, ApiError(error.error.message)
        except BaseException as failure:  # the event loop handles it
            return None, failure

    def _end_of(self, slices: Slices) -> ApiError:
        """Why a preparation was ended: only one that has worked for some time took too long."""
        if self._is_stopping:
            return stopping()
        if not slices.had_turn:
            return busy(self._seconds)
        return ApiError(f"preparing the request took longer than {self._seconds:g} seconds")

    def _prepare(self, request: CompletionRequest) -> Prepared:
        self._check_tokens("logit_bias",
                           (token for token, _ in request.options.get("logit-bias", ())))
        prompts = []
        for prompt in request.prompts:
            ids = self._ids(prompt, "prompt")
            self._check_room(len(ids), request.max_tokens)
            prompts.append(ids)
        echoes = [self._echo(prompt, ids) for prompt, ids in zip(request.prompts, prompts,
                                                                 strict=True)]
        return Prepared(prompts, echoes if request.echo else [], self._grammar(request.schemas))

    def _measure(self, inputs: tuple[Prompt, ...], cuts: bool) -> tuple[list[str], list[int]]:
        texts, sizes = [], []
        for prompt in inputs:
            if cuts and isinstance(prompt, str):
                text, size = self._cut(prompt)
                texts.append(text)
                sizes.append(size)
                continue
            ids = self._ids(prompt, "input")
            if len(ids) > self._model.context:
                raise self._too_long(str(len(ids)), None)
            texts.append(self._echo(prompt, ids))
            sizes.append(len(ids))
        return texts, sizes

    def _cut(self, text: str) -> tuple[str, int]:
        """A text without most of what the model does not read, and how many tokens it reads.

        The engine's thread makes the tokens again, and others wait for it.
        """
        context = self._model.context
        size = _CHARACTERS_A_TOKEN * (context + _CUT_TOKENS)
        while size < len(text):
            ids = self._model.call("text-ids", text[:size], context)
            if isinstance(ids, int) or len(ids) > context + _CUT_TOKENS:
                return text[:size], context
            size *= 4
        ids = self._model.call("text-ids", text, context)
        return text, context if isinstance(ids, int) else min(len(ids), context)

    def _echo(self, prompt: Prompt, ids: list[int]) -> str:
        return prompt if isinstance(prompt, str) else str(self._model.call("text", ids))

    def _ids(self, prompt: Prompt, field: str) -> list[int]:
        model = self._model
        if isinstance(prompt, Conversation):
            ids = model.call("chat-ids", prompt.messages, prompt.tools or False,
                               prompt.variables, model.context)
        elif isinstance(prompt, str):
            ids = model.call("text-ids", prompt, model.context)
        else:
            ids = list(prompt)
        if isinstance(ids, int):  # so many tokens has the beginning
            raise self._too_long(f"more than {model.context}", None)
        if not ids:
            raise ApiError(f"the {field} has no tokens", param=field)
        if len(ids) <= model.context:
            self._check_tokens(field, ids)
        return list(ids)

    def _check_tokens(self, field: str, ids: Iterable[int]) -> None:
        """Refuse tokens that the model does not have."""
        for token in ids:
            if not 0 <= token < self._model.vocabulary:
                raise ApiError(f"{field} has the token {token}, but the model has "
                               f"{self._model.vocabulary} tokens", param=field)

    def _check_room(self, tokens: int, most: int | None) -> None:
        if self._model.context - tokens < max(most or 1, 1):
            raise self._too_long(str(tokens), most)

    def _too_long(self, tokens: str, most: int | None) -> ApiError:
        wanted = f" and {most} for the answer" if most else ""
        return ApiError(
            f"the model's context is {self._model.context} tokens, but the prompt has "
            f"{tokens}{wanted}",
            param="messages", code="context_length_exceeded",
        )

    def _grammar(self, schemas: tuple[str, ...]) -> Any:
        """The grammar of the first schema that has one; False if there is no schema."""
        for schema in schemas[:-1]:
            with suppress(EmbeddedError):
                return self._grammar_of(schema)
        return self._grammar_of(schemas[-1]) if schemas else False

    def _grammar_of(self, schema: str) -> Any:
        with self._lock:
            if schema in self._grammars:
                self._grammars.move_to_end(schema)
                return self._grammars[schema]
        grammar = self._model.call("grammar", schema)
        with self._lock:
            self._grammars[schema] = grammar
            while (len(self._grammars) > _MOST_GRAMMARS
                   or sum(map(len, self._grammars)) > _MOST_KEPT):
                self._grammars.popitem(last=False)
        return grammar


def _size(prompt: Prompt) -> int:
    """How long a prompt is, in characters of JSON or tokens."""
    if isinstance(prompt, Conversation):
        return len(prompt.messages) + len(prompt.tools or "") + len(prompt.variables)
    return len(prompt)
