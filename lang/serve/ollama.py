"""Ollama's protocol: its requests as those of OpenAI's, and its answers.

    chat_body({"model": "m", "messages": [...], "options": {"num_predict": 5}})
        =>  {"model": "m", "messages": [...], "max_tokens": 5, "temperature": 0.8, ...}

So there is one way to check what a request asks for, and one that generates.  Options that say how
Ollama runs a model, such as num_ctx and keep_alive, have no effect.
"""

import json
import time
from datetime import UTC, datetime
from typing import Any

from lambent.lang.serve.answers import Choice, Piece, ToolCall
from lambent.lang.serve.engine import Details
from lambent.lang.serve.exchanges import Exchange
from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.fields import Fields, is_integer
from lambent.lang.serve.requests import CompletionRequest, Limits, target_of

_LATEST = ":latest"  # what clients add to the name of a model
# Ollama's names of options, and those of OpenAI's protocol with our additions.
_OPTIONS = {
    "temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p",
    "typical_p": "typical_p", "seed": "seed", "stop": "stop",
    "repeat_penalty": "repetition_penalty", "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}
_FIELDS = {"response_format.json_schema.schema": "format"}
_USUAL = {"temperature": 0.8, "top_k": 40, "top_p": 0.9}  # where Ollama's differ from OpenAI's


def chat_body(body: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """The body of a request for /api/chat, as /v1/chat/completions takes it."""
    fields = Fields(body)
    messages = fields.list("messages") or []
    tools = fields.list("tools")
    whole = {**_common(fields, limits), "messages": [_message(one) for one in messages],
             **_thinking(fields)}
    fields.end()
    return whole | ({"tools": tools} if tools else {})


def generate_body(body: dict[str, Any], limits: Limits, *, chats: bool) -> dict[str, Any]:
    """The body of a request for /api/generate: a message of a chat, or with raw, or for a model
    without a template for chats, a text that is continued.  chats: whether it has one."""
    fields = Fields(body)
    prompt, system = fields.text("prompt") or "", fields.text("system")
    is_raw = fields.flag("raw") or not chats
    common = _common(fields, limits)
    _refuse_pictures(fields)
    fields.only("suffix", "", "text cannot be inserted")
    fields.only("template", "", "a model has the template of its folder")
    fields.only("context", [], "/api/chat continues conversations")
    thinking = _thinking(fields)
    fields.end()
    if is_raw:
        text = f"{system}\n\n{prompt}" if system else prompt
        return {"max_tokens": -1, **common, "prompt": text}
    first = [{"role": "system", "content": system}] if system else []
    return {**common, "messages": [*first, {"role": "user", "content": prompt}], **thinking}


def embed_body(body: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """The body of a request for /api/embed, or the older /api/embeddings with its prompt."""
    fields = Fields(body)
    inputs = fields.any("input") if fields.has("input") else fields.any("prompt")
    whole = {"model": model_name(fields, limits), "input": inputs,
             "dimensions": fields.any("dimensions")}
    for name in ("truncate", "options", "keep_alive"):  # cuts reads truncate
        fields.any(name)
    fields.end()
    return whole


def model_name(fields: Fields, limits: Limits) -> str:
    """The name of the model of a request, as it is served; older clients write name."""
    older = fields.text("name")
    name = fields.text("model") or older or fields.needed_text("model")
    if name not in limits.targets and name.endswith(_LATEST):
        name = name.removesuffix(_LATEST)
    target_of(name, limits)
    return name


def _common(fields: Fields, limits: Limits) -> dict[str, Any]:
    """What chats and texts have in common."""
    options = dict(fields.object("options") or {})
    for name in ("keep_alive", "stream"):
        fields.any(name)
    whole = {"model": model_name(fields, limits), **_USUAL}
    whole |= {ours: options[theirs] for theirs, ours in _OPTIONS.items()
              if options.get(theirs) is not None}
    most = options.get("num_predict")
    if most is not None and not is_integer(most):
        raise Fields(options, "options.").refuse("num_predict", "an integer")
    if most is not None and most > 0:
        whole["max_tokens"] = min(most, limits.max_tokens)
    return whole | _format(fields)


def _format(fields: Fields) -> dict[str, Any]:
    match fields.any("format"):
        case None | "":
            return {}
        case "json":
            return {"response_format": {"type": "json_object"}}
        case dict(schema):
            return {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}
    raise fields.refuse("format", "json or a schema")


def _thinking(fields: Fields) -> dict[str, Any]:
    """What the template is told about reasoning."""
    thinks = fields.any("think")
    return {} if thinks is None else {"chat_template_kwargs": {"enable_thinking": bool(thinks)}}


def _message(message: Any) -> Any:
    """A message of a chat.  What is wrong with it, the reader of chats says."""
    if not isinstance(message, dict):
        return message
    _refuse_pictures(Fields(message))
    return {name: value for name, value in message.items() if name not in ("images", "thinking")}


def _refuse_pictures(fields: Fields) -> None:
    fields.only("images", [], "only text is read")


def streams(body: dict[str, Any]) -> bool:
    """Whether the answer to a request is a stream, which it is unless it says no."""
    return _flag(body, "stream")


def cuts(body: dict[str, Any]) -> bool:
    """Whether the end of a text that is too long for its vector is left out, likewise."""
    return _flag(body, "truncate")


def _flag(body: dict[str, Any], name: str) -> bool:
    """A field that is true where it is absent."""
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise Fields(body).refuse(name, "true or false")
    return value is not False


def as_written(fault: ApiError, body: dict[str, Any]) -> ApiError:
    """A fault that names a field as the client wrote it, and not as OpenAI's protocol does."""
    names = {ours: f"options.{theirs}" for theirs, ours in _OPTIONS.items()} | _FIELDS
    if "input" not in body:
        names["input"] = "prompt"
    name = names.get(fault.param or "")
    if name is None or not fault.message.startswith(f"{fault.param} "):
        return fault
    return ApiError(name + fault.message.removeprefix(fault.param or ""), status=fault.status,
                    param=name, code=fault.code, type_=fault.type)


class OllamaAnswer:
    """The lines of an answer.  is_chat: whether they hold messages, or responses."""

    def __init__(self, wanted: CompletionRequest, exchange: Exchange, *, is_chat: bool) -> None:
        self._wanted = wanted
        self._exchange = exchange
        self._is_chat = is_chat

    def line(self, piece: Piece) -> dict[str, Any] | None:
        """What a piece adds to a stream; None if nobody would see it."""
        if not (piece.text or piece.thought or piece.calls):
            return None
        return self._part(piece.text, piece.thought, piece.calls) | {"done": False}

    def last(self, choice: Choice) -> dict[str, Any]:
        """The end of a stream."""
        return self._part("", "", ()) | self._end(choice)

    def whole(self, choice: Choice) -> dict[str, Any]:
        """An answer that is no stream."""
        part = self._part("".join(choice.texts), "".join(choice.thoughts), choice.calls)
        return part | self._end(choice)

    def _part(self, text: str, thought: str, calls: tuple[ToolCall, ...]) -> dict[str, Any]:
        head = {"model": self._wanted.model, "created_at": timestamp()}
        thinking = {"thinking": thought} if thought else {}
        if not self._is_chat:
            return head | {"response": text} | thinking
        message: dict[str, Any] = {"role": "assistant", "content": text, **thinking}
        if calls:
            message["tool_calls"] = [_shown_call(call) for call in calls]
        return head | {"message": message}

    def _end(self, choice: Choice) -> dict[str, Any]:
        """The last part of an answer: times are nanoseconds."""
        total = time.monotonic() - self._exchange.begun
        first = self._exchange.first_token or total
        return {
            "done": True, "done_reason": "length" if choice.reason == "length" else "stop",
            "total_duration": _nanoseconds(total), "load_duration": 0,
            "prompt_eval_count": self._exchange.prompt_tokens,
            "prompt_eval_duration": _nanoseconds(first),
            "eval_count": choice.new_tokens, "eval_duration": _nanoseconds(total - first),
        }


def shown_details(details: Details) -> dict[str, Any]:
    """What a model is, as lists of models say it."""
    count = details.parameters
    size = f"{count / 1e9:.1f}B" if count >= 10**9 else f"{count / 1e6:.2f}M"
    return {"parent_model": "", "family": details.family, "families": [details.family],
            "parameter_size": size, "quantization_level": details.kept}


def _shown_call(call: ToolCall) -> dict[str, Any]:
    """A call of a tool, whose arguments are no text here."""
    return {"function": {"name": call.name, "arguments": json.loads(call.arguments)}}


def embed_answer(
    model: str, vectors: list[list[float]], tokens: int, exchange: Exchange
) -> dict[str, Any]:
    """The answer with the vectors of texts, which have so many tokens together."""
    return {"model": model, "embeddings": vectors, "load_duration": 0,
            "total_duration": _nanoseconds(time.monotonic() - exchange.begun),
            "prompt_eval_count": tokens}


def fault_body(fault: ApiError) -> dict[str, Any]:
    """What a client receives instead of an answer."""
    return {"error": fault.message}


def timestamp(seconds: float | None = None) -> str:
    """A time, now unless it is given, as 2026-11-28T21:00:00.000000Z."""
    moment = datetime.fromtimestamp(time.time() if seconds is None else seconds, UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1e9)
