"""The tools of a request: what the template shows, and whose calls are looked for in the answer.

    tool_choice    the model's answer
    auto           is text, or calls tools, as the template asks for it
    none           is text; the template shows no tools
    required       is a call of one of the tools, by a grammar
    a function     is a call of that one

A call that is demanded is written as `{"name": "f", "arguments": {...}}`, which every model can.
So is one that the model may write instead of an answer that follows a schema.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.fields import Fields, schema_text, shown

_MOST_TOOLS = 128
_LONGEST_NAME = 256  # characters
_CHOICES = ('"none", "auto", "required", {"type": "function", "function": {"name": ...}} or '
            '{"type": "allowed_tools", ...}')
# Keywords of schemas whose values are not schemas.
_VALUES = frozenset(("const", "enum", "default", "examples", "example"))
# Those whose values are objects of schemas, by names.
_BY_NAME = frozenset(("properties", "patternProperties", "dependentSchemas", "$defs",
                      "definitions"))


@dataclass(frozen=True, slots=True)
class Tools:
    """shown: by the template.  functions: those whose calls are looked for, by their names.
    must_call: whether the answer is a call."""

    shown: tuple[dict[str, Any], ...] = ()
    functions: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    must_call: bool = False


def tools_of(fields: Fields) -> Tools:
    """The tools of a request for chat."""
    tools = fields.list("tools") or []
    if len(tools) > _MOST_TOOLS:
        raise ApiError(f"tools takes at most {_MOST_TOOLS} tools, got {len(tools)}", param="tools")
    named = {_tool_name(tool, f"tools[{k}]"): tool for k, tool in enumerate(tools)}
    mode, names = _choice(fields, tuple(named))
    if mode == "none":
        return Tools()
    functions = {name: named[name]["function"] for name in names}
    return Tools(tuple(tools), functions, must_call=mode == "required")


def answer_schemas(tools: Tools, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The schemas of an answer that calls a tool if it must; otherwise it follows the one of
    `wanted`, if there is one, or calls a tool.  The first that has a grammar counts.

    The last is simpler than the first: parameters may have keywords that no grammar supports.  In
    `wanted` they are an error, which names them by their place in it.
    """
    functions = list(tools.functions.values())
    if tools.must_call:
        whole = _call_schema(functions, relaxed=False)
        if any(function.get("strict") is True for function in functions):
            return (whole,)
        return (whole, _call_schema(functions, relaxed=True))
    if not wanted or not functions:
        return wanted
    calls = [_call_schema(functions, relaxed=relaxed) for relaxed in (False, True)]
    return (*(_either(*wanted, call) for call in calls), *wanted)


def _tool_name(tool: Any, where: str) -> str:
    """The name of a tool, `{"type": "function", "function": {"name": "f", ...}}`."""
    if not isinstance(tool, dict):
        raise ApiError(f"{where} takes an object, got {shown(tool)}", param=where)
    fields = Fields(tool, f"{where}.")
    if fields.needed_text("type") != "function":
        raise fields.refuse("type", '"function"')
    function = fields.object("function")
    if function is None:
        raise fields.refuse("function", "an object")
    inner = Fields(function, f"{where}.function.")
    inner.object("parameters")
    name = inner.needed_text("name")
    if not name:
        raise ApiError(f"{where}.function.name is empty", param=where)
    if len(name) > _LONGEST_NAME:
        raise inner.refuse("name", f"a string of at most {_LONGEST_NAME} characters")
    return name


def _choice(fields: Fields, names: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """none, auto or required, and the tools that may be called."""
    match fields.any("tool_choice"):
        case None | "auto":
            return "auto", names
        case "none":
            return "none", ()
        case "required":
            mode, chosen = "required", names
        case {"type": "function", "function": {"name": str(name)}}:
            mode, chosen = "required", (name,)
        case {"type": "allowed_tools", "allowed_tools": {
            "mode": "auto" | "required" as mode, "tools": [*allowed]
        }}:
            chosen = tuple(_allowed_name(fields, tool) for tool in allowed)
        case _:
            raise fields.refuse("tool_choice", _CHOICES)
    if not chosen:
        raise ApiError("tool_choice demands a call, but the request has no tools",
                       param="tool_choice")
    for name in chosen:
        if name not in names:
            raise ApiError(f"tool_choice names {shown(name)}, which is not one of the tools",
                           param="tool_choice")
    return mode, chosen


def _allowed_name(fields: Fields, tool: Any) -> str:
    match tool:
        case {"type": "function", "function": {"name": str(name)}}:
            return name
    raise fields.refuse("tool_choice", _CHOICES)


# The schema of a call.


def _call_schema(functions: list[dict[str, Any]], *, relaxed: bool) -> str:
    """The JSON text of the schema of a call of one of the functions.  relaxed: with any object as
    its arguments, because the parameters may have keywords that no grammar supports."""
    calls = [
        _one_call(function, "#" if len(functions) == 1 else f"#/anyOf/{k}", relaxed)
        for k, function in enumerate(functions)
    ]
    return schema_text(calls[0] if len(calls) == 1 else {"anyOf": calls}, "tools")


def _one_call(function: dict[str, Any], path: str, relaxed: bool) -> dict[str, Any]:
    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    if parameters.get("properties") == {} and "additionalProperties" not in parameters:
        parameters = {**parameters, "additionalProperties": False}
    arguments = {"type": "object"}
    if not relaxed:
        arguments = _moved(parameters, f"{path}/properties/arguments")
    return {
        "type": "object",
        "properties": {"name": {"const": function["name"]}, "arguments": arguments},
        "required": ["name", "arguments"], "additionalProperties": False,
    }


def _either(*schemas: str) -> str:
    """The JSON text of a schema that allows what one of these allows."""
    moved = [_moved(json.loads(schema), f"#/anyOf/{k}") for k, schema in enumerate(schemas)]
    return schema_text({"anyOf": moved}, "response_format, together with tools,")


def _moved(schema: Any, path: str) -> Any:
    """A schema whose references are from the root of a schema that has it at a path."""
    if isinstance(schema, list):
        return [_moved(item, path) for item in schema]
    if not isinstance(schema, dict):
        return schema
    moved = {key: _moved_keyword(key, value, path) for key, value in schema.items()}
    reference = moved.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        moved["$ref"] = path + reference[1:]
    return moved


def _moved_keyword(key: str, value: Any, path: str) -> Any:
    """The value of a keyword.  A property may have the name of one."""
    if key in _VALUES:
        return value
    if key in _BY_NAME and isinstance(value, dict):
        return {name: _moved(schema, path) for name, schema in value.items()}
    return _moved(value, path)
