"""Requests for responses, the newer protocol of OpenAI, as requests for chat.

    response_request({"model": "m", "input": "Hi", "instructions": "Be short"}, limits, kept)
        =>  a ResponseRequest whose completion has two messages

The items of a conversation, calls and their results included, become messages; the rest of a
request has fields of the same meaning under other names.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.fields import Fields, shown
from lambent.lang.serve.requests import CompletionRequest, Limits, chat_request

_MOST_ITEMS = 4096
_TEXTS = ("input_text", "output_text", "text", "refusal")
_SAME = ("model", "adapter", "temperature", "top_p", "top_k", "min_p", "typical_p", "seed", "stop",
         "repetition_penalty", "presence_penalty", "frequency_penalty", "logit_bias",
         "chat_template_kwargs", "parallel_tool_calls")

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ResponseRequest:
    """completion: what generates.  items: the conversation so far, with the new input.  shown: the
    fields that the answer repeats.  is_kept: whether another request may continue it."""

    completion: CompletionRequest
    items: tuple[Item, ...]
    shown: dict[str, Any]
    is_kept: bool


def response_request(
    body: dict[str, Any], limits: Limits, items_of: Callable[[str], tuple[Item, ...]]
) -> ResponseRequest:
    """The request of a body for /v1/responses.  items_of: the conversation of a response that is
    kept, by its id."""
    fields = Fields(body)
    _refuse_unsupported(fields)
    previous = fields.text("previous_response_id")
    items = (*(items_of(previous) if previous else ()), *_input_items(fields))
    if len(items) > _MOST_ITEMS:
        raise ApiError(f"a conversation has at most {_MOST_ITEMS} items, got {len(items)}",
                       param="input")
    instructions = fields.text("instructions")
    store = fields.any("store")
    if store not in (None, True, False):
        raise fields.refuse("store", "true or false")
    chat = {name: fields.any(name) for name in _SAME}
    chat |= {
        "messages": _messages(instructions, items),
        "max_tokens": fields.integer("max_output_tokens", 1, limits.max_tokens),
        "stream": fields.flag("stream"), **_log_probabilities(fields),
        **_text_format(fields), **_tools(fields),
    }
    chat = {name: value for name, value in chat.items() if value is not None}
    fields.end()
    completion = chat_request(chat, limits)
    return ResponseRequest(completion, items, _repeated(body, previous), store is not False)


def _refuse_unsupported(fields: Fields) -> None:
    fields.only("background", False, "a response ends with its request")
    fields.only("truncation", "disabled", "conversations are not shortened")
    for name in ("conversation", "prompt"):
        fields.only(name, None, "conversations and prompts are not kept here; "
                                "previous_response_id continues a response")
    for name in ("reasoning", "max_tool_calls", "stream_options"):
        fields.any(name)


def _repeated(body: dict[str, Any], previous: str | None) -> dict[str, Any]:
    """What an answer repeats of its request."""
    usual: dict[str, Any] = {
        "instructions": None, "max_output_tokens": None, "metadata": {}, "temperature": 1.0,
        "top_p": 1.0, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "text": {"format": {"type": "text"}}, "truncation": "disabled", "reasoning": None,
        "user": None, "store": True, "background": False,
    }
    own = {name: body[name] for name in usual if body.get(name) is not None}
    return {**usual, **own, "previous_response_id": previous}


# The conversation.


def _input_items(fields: Fields) -> tuple[Item, ...]:
    given = fields.any("input")
    if isinstance(given, str):
        return ({"type": "message", "role": "user", "content": given},)
    if not isinstance(given, list) or not given:
        raise fields.refuse("input", "a string or a list of at least one item")
    return tuple(_item(item, f"input[{k}]") for k, item in enumerate(given))


def _item(item: Any, where: str) -> Item:
    """An item, checked; what the model does not read is left out."""
    if not isinstance(item, dict):
        raise ApiError(f"{where} takes an object, got {shown(item)}", param=where)
    fields = Fields(item, f"{where}.")
    match item.get("type", "message"):
        case "message":
            role = fields.needed_text("role")
            return {"type": "message", "role": role,
                    "content": _content(fields, "content", where)}
        case "function_call":
            return {"type": "function_call", **{
                name: fields.needed_text(name) for name in ("call_id", "name", "arguments")}}
        case "function_call_output":
            return {"type": "function_call_output", "call_id": fields.needed_text("call_id"),
                    "output": _content(fields, "output", where)}
        case "reasoning":
            return {"type": "reasoning"}  # templates leave it out of earlier answers
    raise fields.refuse("type", "message, function_call, function_call_output or reasoning")


def _content(fields: Fields, name: str, where: str) -> str:
    """A text, or the texts of a list of parts."""
    content = fields.any(name)
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise fields.refuse(name, "a string or a list of parts")
    return "".join(_part(part, f"{where}.{name}[{k}]") for k, part in enumerate(content))


def _part(part: Any, where: str) -> str:
    match part:
        case {"type": str(kind)} if kind in _TEXTS:
            text = part.get("refusal" if kind == "refusal" else "text")
            if isinstance(text, str):
                return text
    raise ApiError(f"{where} takes a part of type input_text or output_text, got {shown(part)}",
                   param=where)


def _messages(instructions: str | None, items: tuple[Item, ...]) -> list[dict[str, Any]]:
    """The messages of a conversation; calls that follow each other are of one message."""
    messages: list[dict[str, Any]] = []
    if instructions is not None:
        messages.append({"role": "system", "content": instructions})
    for item in items:
        match item["type"]:
            case "message":
                messages.append({"role": item["role"], "content": item["content"]})
            case "function_call":
                last = messages[-1] if messages else {}
                if last.get("role") != "assistant":
                    last = {"role": "assistant", "content": ""}
                    messages.append(last)
                last.setdefault("tool_calls", []).append({
                    "id": item["call_id"], "type": "function",
                    "function": {"name": item["name"], "arguments": item["arguments"]}})
            case "function_call_output":
                messages.append({"role": "tool", "tool_call_id": item["call_id"],
                                 "content": item["output"]})
    return messages


# Fields of other names.


def _text_format(fields: Fields) -> dict[str, Any]:
    """`{"format": {"type": "json_schema", "schema": ...}}` as response_format."""
    text = Fields(fields.object("text") or {}, "text.")
    wanted = text.object("format")
    text.any("verbosity")
    text.end()
    if wanted is None:
        return {}
    inner = Fields(wanted, "text.format.")
    match inner.needed_text("type"):
        case "text":
            return {}
        case "json_object":
            return {"response_format": {"type": "json_object"}}
        case "json_schema":
            if inner.object("schema") is None:
                raise inner.refuse("schema", "an object")
            described = {name: value for name, value in wanted.items() if name != "type"}
            return {"response_format": {"type": "json_schema", "json_schema": described}}
    raise inner.refuse("type", "text, json_object or json_schema")


def _tools(fields: Fields) -> dict[str, Any]:
    """Tools and tool_choice, whose functions have a name of their own in chat."""
    tools = [_tool(tool, f"tools[{k}]") for k, tool in enumerate(fields.list("tools") or [])]
    choice = fields.any("tool_choice")
    match choice:
        case {"type": "function", "name": str(name)}:
            choice = {"type": "function", "function": {"name": name}}
        case {"type": "allowed_tools", "mode": mode, "tools": [*allowed]}:
            named = [{"type": "function", "function": {"name": tool.get("name")}}
                     for tool in allowed if isinstance(tool, dict)]
            choice = {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": named}}
    return {"tools": tools or None, "tool_choice": choice}


def _tool(tool: Any, where: str) -> dict[str, Any]:
    match tool:
        case {"type": "function", "name": str()}:
            described = {name: value for name, value in tool.items()
                         if name != "type" and value is not None}
            return {"type": "function", "function": described}
    raise ApiError(f"{where} takes a tool of type function with a name, got {shown(tool)}; this "
                   "server has no tools of its own", param=where, code="unsupported")


def _log_probabilities(fields: Fields) -> dict[str, Any]:
    included = fields.list("include") or []
    most = fields.integer("top_logprobs", 0, 20)
    if "message.output_text.logprobs" not in included and most is None:
        return {}
    return {"logprobs": True, "top_logprobs": most or 0}
