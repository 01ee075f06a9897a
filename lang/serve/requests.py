"""Requests for completions, from the fields of their bodies.

    chat_request({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}, limits)
        =>  CompletionRequest(prompts=(Conversation(...),), count=1, ...)

The names and ranges are those of OpenAI's protocol; top_k, min_p, typical_p, repetition_penalty and
chat_template_kwargs are additions that other servers have as well.  So is -1 for no limit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lambent.lang.serve.bodies import parsed
from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.fields import (
    Fields,
    check_text,
    is_integer,
    is_number,
    json_text,
    schema_text,
    shown,
)
from lambent.lang.serve.tools import Tools, answer_schemas, tools_of

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_MOST_CHOICES = 16
_MOST_STOPS = 16
_LONGEST_STOP = 1000  # characters; each new token is compared with them
_MOST_BIASES = 4096
_LARGEST_SEED = 2**63 - 1
_SET_BY_SERVER = frozenset(("messages", "tools"))  # variables of a template
_MOST_SHOWN = 20  # names of models in a message
_USUAL_COMPLETION = 16  # tokens of /v1/completions, as OpenAI has it


@dataclass(frozen=True, slots=True)
class Target:
    """What a request is for: a model by its name, and the number of one of its adapters."""

    model: str
    adapter: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """What a request may ask for.  targets: by the names that it may give."""

    targets: Mapping[str, Target]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """A prompt made by the chat template: JSON texts of the messages, of the tools, and of an
    object with more variables of the template."""

    messages: str
    tools: str | None
    variables: str = "{}"


Prompt = Conversation | str | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """What generates, and how it is answered.  model: the name that the client gave.

    options: of the engine.  max_tokens None: as many as the context and the server allow.
    schemas: JSON texts of the schemas that the answer follows, of which the first one that has a
    grammar counts.  alternatives: how many likely tokens are shown for each, None if none is.
    echo: whether the prompt is part of the answer.  most_calls: of tools, None for any number.
    """

    model: str
    target: Target
    is_chat: bool
    prompts: tuple[Prompt, ...]
    count: int
    max_tokens: int | None
    options: dict[str, Any] = field(default_factory=dict)
    schemas: tuple[str, ...] = ()
    alternatives: int | None = None
    streams: bool = False
    streams_usage: bool = False
    echo: bool = False
    most_calls: int | None = None


def chat_request(body: dict[str, Any], limits: Limits) -> CompletionRequest:
    """The request of a body for /v1/chat/completions."""
    fields = Fields(body)
    model, target = model_of(fields, limits)
    tools = tools_of(fields)
    prompt = _conversation(fields, tools)
    most = _most_tokens(fields, "max_completion_tokens", 1, limits)
    older = _most_tokens(fields, "max_tokens", 1, limits)
    options = _sampling(fields)
    schemas = _response_format(fields)
    if tools.functions:
        options["tool-names"] = list(tools.functions)
    shows = fields.flag("logprobs")
    alternatives = fields.integer("top_logprobs", 0, 20)
    if alternatives is not None and not shows:
        raise ApiError("top_logprobs needs logprobs to be true", param="top_logprobs")
    fields.only("modalities", ["text"], "only text is generated")
    return _finished(fields, CompletionRequest(
        model=model, target=target, is_chat=True, prompts=(prompt,),
        count=fields.integer("n", 1, _MOST_CHOICES) or 1,
        max_tokens=older if most is None else most, options=options,
        schemas=answer_schemas(tools, schemas),
        alternatives=(alternatives or 0) if shows else None,
        most_calls=None if fields.any("parallel_tool_calls") in (None, True) else 1,
        **_streaming(fields),
    ))


def text_request(body: dict[str, Any], limits: Limits) -> CompletionRequest:
    """The request of a body for /v1/completions."""
    fields = Fields(body)
    model, target = model_of(fields, limits)
    prompts = texts_or_tokens(fields, "prompt")
    count = fields.integer("n", 1, _MOST_CHOICES) or 1
    fields.only("best_of", count, "it must equal n")
    fields.only("suffix", "", "text cannot be inserted")
    alternatives = fields.integer("logprobs", 0, 20)
    echo = fields.flag("echo")
    options = _sampling(fields)
    schemas = _response_format(fields)
    if len(prompts) * count > _MOST_CHOICES:
        raise ApiError(f"at most {_MOST_CHOICES} completions a request, got "
                       f"{len(prompts) * count}", param="n")
    # A prompt that is only scored has no completion.
    most = _most_tokens(fields, "max_tokens", 0 if echo else 1, limits)
    if fields.any("max_tokens") is None:
        most = min(_USUAL_COMPLETION, limits.max_tokens)
    return _finished(fields, CompletionRequest(
        model=model, target=target, is_chat=False, prompts=prompts, count=count, max_tokens=most,
        options=options, schemas=schemas, alternatives=alternatives, echo=echo,
        **_streaming(fields),
    ))


def _most_tokens(fields: Fields, name: str, least: int, limits: Limits) -> int | None:
    """How many tokens may be generated; -1 is as many as the context and the server allow."""
    if fields.any(name) == -1:
        return None
    return fields.integer(name, least, limits.max_tokens)


def _finished(fields: Fields, request: CompletionRequest) -> CompletionRequest:
    fields.end()
    return request


def model_of(fields: Fields, limits: Limits) -> tuple[str, Target]:
    """The name of the model that a request is for, and what it means.

    `adapter` names an adapter of the model, as `model:adapter` does.
    """
    name, adapter = fields.needed_text("model"), fields.text("adapter")
    whole = name if adapter is None else f"{name}:{adapter}"
    return whole, target_of(whole, limits)


def target_of(name: str, limits: Limits) -> Target:
    """What the name of a model means."""
    target = limits.targets.get(name)
    if target is None:
        served = ", ".join(list(limits.targets)[:_MOST_SHOWN])
        raise ApiError(f"the model {shown(name)} does not exist; this server has {served}",
                       status=404, param="model", code="model_not_found")
    return target


# Prompts.


def _conversation(fields: Fields, tools: Tools) -> Conversation:
    messages = fields.list("messages")
    if not messages:
        raise ApiError("messages takes a list of at least one message", param="messages")
    checked = [_message(message, k) for k, message in enumerate(messages)]
    variables = fields.object("chat_template_kwargs") or {}
    for name in variables:
        if name in _SET_BY_SERVER:
            raise ApiError(f"chat_template_kwargs cannot set {name}; the request has it",
                           param="chat_template_kwargs")
    return Conversation(
        json_text(checked, "messages"), json_text(tools.shown, "tools") if tools.shown else None,
        json_text(variables, "chat_template_kwargs"),
    )


def _message(message: Any, index: int) -> dict[str, Any]:
    """A message whose content is one text, or absent beside the calls of tools."""
    where = f"messages[{index}]"
    if not isinstance(message, dict):
        raise ApiError(f"{where} takes an object, got {shown(message)}", param=where)
    fields = Fields(message, f"{where}.")
    role = fields.needed_text("role")
    if role not in _ROLES:
        raise fields.refuse("role", f"one of {', '.join(_ROLES)}")
    content = fields.any("content")
    # Clients write null for what is absent; templates ask whether it is defined.
    message = {name: value for name, value in message.items() if value is not None}
    calls = message.pop("tool_calls", None)
    if role == "assistant" and calls:
        message["tool_calls"] = _past_calls(fields, where)
    if content is None and ("tool_calls" in message or (
        fields.has("content") and role in ("assistant", "tool", "function")
    )):
        content = ""
    if isinstance(content, list):
        content = "".join(_part(part, f"{where}.content[{k}]") for k, part in enumerate(content))
    if not isinstance(content, str):
        raise fields.refuse("content", "a string or a list of text parts")
    check_text(content, f"{where}.content")
    return {**message, "role": "system" if role == "developer" else role, "content": content}


def _past_calls(fields: Fields, where: str) -> list[dict[str, Any]]:
    """The calls of an earlier answer.  Templates write their arguments as JSON themselves."""
    calls = fields.list("tool_calls") or []
    return [_past_call(call, f"{where}.tool_calls[{k}]") for k, call in enumerate(calls)]


def _past_call(call: Any, where: str) -> dict[str, Any]:
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        raise ApiError(f"{where} takes an object with a function, got {shown(call)}", param=where)
    function = Fields(call["function"], f"{where}.function.")
    name, arguments = function.needed_text("name"), function.any("arguments")
    if isinstance(arguments, str):
        check_text(arguments, f"{where}.function.arguments")
        try:
            arguments = parsed(arguments.encode()) if arguments.strip() else {}
        except ApiError:
            raise function.refuse("arguments", "a JSON object in a string") from None
    if arguments is not None and not isinstance(arguments, dict):
        raise function.refuse("arguments", "a JSON object in a string")
    return {**call, "function": {**call["function"], "name": name, "arguments": arguments or {}}}


def _part(part: Any, where: str) -> str:
    if not isinstance(part, dict) or not isinstance(part.get("text"), str) or (
        part.get("type") not in ("text", "input_text")
    ):
        raise ApiError(f"{where} takes a part of type text, got {shown(part)}", param=where)
    return str(part["text"])


def texts_or_tokens(fields: Fields, name: str) -> tuple[Prompt, ...]:
    """A string, a list of strings, a list of tokens, or a list of such lists."""
    value = fields.any(name)
    if isinstance(value, str) or _are_tokens(value):
        value = [value]
    if not isinstance(value, list) or not value:
        raise fields.refuse(name, "a string, a list of strings or a list of tokens")
    for prompt in value:
        if isinstance(prompt, str):
            check_text(prompt, name)
        elif not _are_tokens(prompt):
            raise fields.refuse(name, "a string, a list of strings or a list of tokens")
    return tuple(prompt if isinstance(prompt, str) else tuple(prompt) for prompt in value)


def _are_tokens(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(
        is_integer(item) and 0 <= item < 2**31 for item in value
    )


# Options.


def _sampling(fields: Fields) -> dict[str, Any]:
    """The options of the engine that are given."""
    options = {
        "temperature": fields.number("temperature", 0, 2),
        "top-p": fields.number("top_p", 0, 1),
        "top-k": _top_k(fields),
        "min-p": fields.number("min_p", 0, 1),
        "typical-p": fields.number("typical_p", 0, 1),
        "frequency-penalty": fields.number("frequency_penalty", -2, 2),
        "presence-penalty": fields.number("presence_penalty", -2, 2),
        "repetition-penalty": fields.number("repetition_penalty", 0.01, 100),
        "seed": fields.integer("seed", -_LARGEST_SEED, _LARGEST_SEED),
        "stop": _stops(fields),
        "logit-bias": _biases(fields),
    }
    return {name: value for name, value in options.items() if value not in (None, [], {})}


def _top_k(fields: Fields) -> int | None:
    """How many tokens remain; 0 and -1 are all of them, as in other servers."""
    if fields.any("top_k") in (0, -1):
        return None
    return fields.integer("top_k", 1, 2**31)


def _stops(fields: Fields) -> list[str]:
    value = fields.any("stop")
    stops = [value] if isinstance(value, str) else value or []
    takes = f"a string or a list of at most {_MOST_STOPS} strings, none empty"
    if not isinstance(stops, list) or len(stops) > _MOST_STOPS:
        raise fields.refuse("stop", takes)
    for stop in stops:
        if not isinstance(stop, str) or not stop:
            raise fields.refuse("stop", takes)
        check_text(stop, "stop")
        if len(stop) > _LONGEST_STOP:
            raise ApiError(f"stop takes strings of at most {_LONGEST_STOP} characters, got one of "
                           f"{len(stop)}", param="stop")
    return stops


def _biases(fields: Fields) -> list[list[float]]:
    """`{"15": -100}` as `[[15, -100.0]]`."""
    biases = fields.object("logit_bias") or {}
    if len(biases) > _MOST_BIASES:
        raise ApiError(f"logit_bias takes at most {_MOST_BIASES} tokens", param="logit_bias")
    pairs = []
    for token, bias in biases.items():
        is_token = token.isascii() and token.isdecimal() and len(token) < 10
        if not is_token or not is_number(bias) or not -100 <= bias <= 100:
            raise fields.refuse("logit_bias", "tokens with numbers from -100 to 100")
        pairs.append([int(token), float(bias)])
    return pairs


def _response_format(fields: Fields) -> tuple[str, ...]:
    """The schema that the answer follows, if there is one."""
    wanted = fields.object("response_format")
    if wanted is None:
        return ()
    parts = Fields(wanted, "response_format.")
    match parts.needed_text("type"):
        case "text":
            return ()
        case "json_object":
            return ('{"type": "object"}',)
        case "json_schema":
            described = Fields(parts.object("json_schema") or {}, "response_format.json_schema.")
            schema = described.object("schema")
            if schema is None:
                raise described.refuse("schema", "an object")
            return (schema_text(schema, "response_format.json_schema.schema"),)
    raise parts.refuse("type", "text, json_object or json_schema")


def _streaming(fields: Fields) -> dict[str, bool]:
    streams = fields.flag("stream")
    options = fields.object("stream_options")
    if options is not None and not streams:
        raise ApiError("stream_options needs stream to be true", param="stream_options")
    usage = Fields(options or {}, "stream_options.").flag("include_usage")
    return {"streams": streams, "streams_usage": usage}


Reader = Callable[[dict[str, Any], Limits], CompletionRequest]
