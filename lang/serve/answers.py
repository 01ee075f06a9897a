"""Answers: completions, the chunks of a stream, and how many tokens were used.

    Answer(request, ...).whole([choice])  =>  {"object": "chat.completion", "choices": ...}

Chat and text completions differ in the names of their parts.
"""

import codecs
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

from lambent.lang.serve.requests import CompletionRequest, Target


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its bytes, its log-probability, and the likeliest ones at its position.

    The first token of a prompt has no log-probability.  is_special: it is not in the text.
    """

    text: bytes
    log_probability: float | None
    likeliest: tuple[tuple[bytes, float], ...]
    is_special: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool.  arguments: a JSON text."""

    name: str
    arguments: str
    # Mistral's templates take ids of nine letters only.
    id: str = field(default_factory=lambda: secrets.token_hex(5)[:9])

    def shown(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class Piece:
    """What one step of the engine added to a choice.

    reason: why the choice ended, as the protocol names it, or None.  error: why it failed.
    new_tokens: how many tokens the choice has, at its end.  prompt_tokens: those of the prompt,
    where they are shown.  thought: reasoning, apart from the text; thought_tokens: how many tokens
    all of it has, at the end.  cached_tokens: how many of the prompt were computed before, at the
    end.
    """

    choice: int
    text: str
    tokens: tuple[Token, ...] = ()
    reason: str | None = None
    new_tokens: int = 0
    error: str | None = None
    calls: tuple[ToolCall, ...] = ()
    prompt_tokens: tuple[Token, ...] = ()
    thought: str = ""
    thought_tokens: int = 0
    cached_tokens: int = 0


@dataclass(slots=True)
class Choice:
    """A whole choice, collected from its pieces."""

    texts: list[str] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    reason: str = "stop"
    new_tokens: int = 0
    calls: tuple[ToolCall, ...] = ()
    thoughts: list[str] = field(default_factory=list)
    thought_tokens: int = 0
    cached_tokens: int = 0

    def add(self, piece: Piece) -> None:
        self.texts.append(piece.text)
        self.thoughts.append(piece.thought)
        self.tokens += piece.prompt_tokens + piece.tokens
        if piece.reason is not None:
            self.reason = piece.reason
            self.new_tokens = piece.new_tokens
            self.calls = piece.calls
            self.thought_tokens = piece.thought_tokens
            self.cached_tokens = piece.cached_tokens


class Answer:
    """The parts of the answer to a request.  echoes: the prompts, if they are shown."""

    def __init__(
        self, request: CompletionRequest, prompt_tokens: int, echoes: list[str]
    ) -> None:
        self._request = request
        self._prompt_tokens = prompt_tokens
        self._echoes = echoes
        self._offsets = [_Offsets(self._echo(index))
                         for index in range(len(request.prompts) * request.count)]
        prefix = "chatcmpl" if request.is_chat else "cmpl"
        self._head = {
            "id": f"{prefix}-{secrets.token_hex(12)}", "created": int(time.time()),
            "model": request.model,
        }

    def whole(self, choices: list[Choice]) -> dict[str, Any]:
        """The answer of a request that does not stream."""
        kind = "chat.completion" if self._request.is_chat else "text_completion"
        shown = [self._choice(index, choice) for index, choice in enumerate(choices)]
        return {**self._head, "object": kind, "choices": shown, "usage": self.usage(choices)}

    def usage(self, choices: list[Choice]) -> dict[str, Any]:
        new = sum(choice.new_tokens for choice in choices)
        thought = sum(choice.thought_tokens for choice in choices)
        details = {"completion_tokens_details": {"reasoning_tokens": thought}} if thought else {}
        # The other choices of a prompt share it with the first one.
        cached = sum(choice.cached_tokens for choice in choices[:: self._request.count])
        return {
            "prompt_tokens": self._prompt_tokens, "completion_tokens": new,
            "total_tokens": self._prompt_tokens + new,
            "prompt_tokens_details": {"cached_tokens": cached}, **details,
        }

    def _choice(self, index: int, choice: Choice) -> dict[str, Any]:
        text = self._echo(index) + "".join(choice.texts)
        shown: dict[str, Any] = {
            "index": index, "finish_reason": choice.reason,
            "logprobs": self._log_probabilities(index, choice.tokens),
        }
        if self._request.is_chat:
            message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
            if thought := "".join(choice.thoughts):
                message["reasoning_content"] = thought
            if choice.calls:
                message["content"] = text or None
                message["tool_calls"] = [call.shown() for call in choice.calls]
            return {**shown, "message": message}
        return {**shown, "text": text}

    # Streams.

    def chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        """A chunk with some choices; its usage is null where the last chunk has it."""
        kind = "chat.completion.chunk" if self._request.is_chat else "text_completion"
        usage = {"usage": None} if self._request.streams_usage else {}
        return {**self._head, "object": kind, "choices": choices, **usage}

    def first_chunks(self) -> list[dict[str, Any]]:
        """What comes before any token: the role, or the echo of the prompt."""
        indices = range(len(self._offsets))
        if self._request.is_chat:
            delta = {"role": "assistant", "content": ""}
            return [self.chunk([self._part(k, {"delta": delta})]) for k in indices]
        if self._request.echo:
            return [self.chunk([self._part(k, {"text": self._echo(k)})]) for k in indices]
        return []

    def piece_chunks(self, piece: Piece) -> list[dict[str, Any]]:
        """The chunks of a piece; none if nobody would see them."""
        seen = piece.text or piece.thought or piece.tokens or piece.prompt_tokens
        if not seen and piece.reason is None:
            return []
        calls = [{"index": k, **call.shown()} for k, call in enumerate(piece.calls)]
        delta = {"delta": {"tool_calls": calls}}
        before = [self.chunk([self._part(piece.choice, delta)])] if calls else []
        return [*before, self._piece_chunk(piece)]

    def _piece_chunk(self, piece: Piece) -> dict[str, Any]:
        if self._request.is_chat:
            delta = {"reasoning_content": piece.thought, "content": piece.text}
            part: dict[str, Any] = {"delta": {name: text for name, text in delta.items() if text}}
        else:
            part = {"text": piece.text}
        shown_tokens = [*piece.prompt_tokens, *piece.tokens]
        tokens = self._log_probabilities(piece.choice, shown_tokens) if shown_tokens else None
        shown = self._part(piece.choice, part, piece.reason)
        return self.chunk([{**shown, "logprobs": tokens}])

    def usage_chunk(self, choices: list[Choice]) -> dict[str, Any]:
        return {**self.chunk([]), "usage": self.usage(choices)}

    def _part(
        self, index: int, part: dict[str, Any], reason: str | None = None
    ) -> dict[str, Any]:
        return {"index": index, **part, "logprobs": None, "finish_reason": reason}

    def _echo(self, index: int) -> str:
        return self._echoes[index // self._request.count] if self._request.echo else ""

    # Log-probabilities.

    def _log_probabilities(self, index: int, tokens: list[Token]) -> dict[str, Any] | None:
        if self._request.alternatives is None:
            return None
        if self._request.is_chat:
            return {"content": [chat_token(token) for token in tokens], "refusal": None}
        return {
            "tokens": [_name(token.text) for token in tokens],
            "token_logprobs": [token.log_probability for token in tokens],
            "top_logprobs": [_by_name(token) for token in tokens],
            "text_offset": [self._offsets[index].place(token) for token in tokens],
        }


class _Offsets:
    """Where the tokens of a text stand in it, in characters.

    A token that ends within a character does not move the next one.  Texts do not have special
    tokens, nor the space that some tokenizers put before the first word.  echo: the prompt, which
    is the beginning of the text.
    """

    def __init__(self, echo: str) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._offset = 0
        self._drops_space = bool(echo) and not echo.startswith(" ")

    def place(self, token: Token) -> int:
        offset = self._offset
        if not token.is_special:
            text = self._decoder.decode(token.text)
            if text and self._drops_space:
                text = text.removeprefix(" ")
                self._drops_space = False
            self._offset += len(text)
        return offset


def chat_token(token: Token) -> dict[str, Any]:
    """A token as chats and responses show it."""
    likeliest = [_described(text, value) for text, value in token.likeliest]
    return {**_described(token.text, token.log_probability), "top_logprobs": likeliest}


def _by_name(token: Token) -> dict[str, float] | None:
    """The likeliest tokens, and the token itself.  Of those of one name the likeliest counts."""
    if token.log_probability is None:
        return None
    values: dict[str, float] = {}
    for text, value in (*token.likeliest, (token.text, token.log_probability)):
        values.setdefault(_name(text), value)
    return values


def _name(token: bytes) -> str:
    """A token's text; if it is a part of a character, its bytes, so that names differ."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return "bytes:" + "".join(f"\\x{byte:02x}" for byte in token)


def _described(text: bytes, log_probability: float | None) -> dict[str, Any]:
    return {"token": _text(text), "logprob": log_probability, "bytes": list(text)}


def _text(token: bytes) -> str:
    """A token's text; one may be a part of a character, which is shown as U+FFFD."""
    return token.decode("utf-8", "replace")


def model_entry(name: str, target: Target, created: int) -> dict[str, Any]:
    """A model as /v1/models lists it; an adapter's parent is its model."""
    entry = {"id": name, "object": "model", "created": created, "owned_by": "lambent"}
    return entry if target.adapter is None else {**entry, "parent": target.model}
