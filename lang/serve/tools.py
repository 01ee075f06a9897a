"""The tools of a request: what the template shows, and whose calls are looked for in the answer.

    tool_choice    the model's answer
    auto           is text, or calls tools, as the template asks for it
    none           is text; the template shows no tools
    required       is a call of one of the tools, by a grammar
    a function     is a call of that one

A call that is demanded is written as `{"name": "f", "arguments": {...}}`, which every model can.
"""

from dataclasses import dataclass
from typing import Any

from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.fields import Fields, schema_text, shown

_MOST_TOOLS = 128
_LONGEST_NAME = 256  # characters
_CHOICES = ('"none", "auto", "required", {"type": "function", "function": {"name": ...}} or '
            '{"type": "allowed_tools", ...}')
# Keywords of schemas whose values are not schemas.
_VALUES = frozenset(("const", "enum", "default", "examples", "example"))


@dataclass(frozen=True, slots=True)
class Tools:
    """shown: by the template.  names: whose calls are looked for.  schemas: of the answer, if a
    call is demanded; the last one is simpler than the first."""

    shown: tuple[dict[str, Any], ...] = ()
    names: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()


def tools_of(fields: Fields) -> Tools:
    """The tools of a request for chat."""
    tools = fields.list("tools") or []
    if len(tools) > _MOST_TOOLS:
        raise ApiError(f"tools takes at most {_MOST_TOOLS} tools, got {len(tools)}", param="tools")
    named = {_tool_name(tool, f"tools[{k}]"): tool for k, tool in enumerate(tools)}
    mode, names = _choice(fields, tuple(named))
    if mode == "none":
        return Tools()
    if mode == "auto":
        return Tools(tuple(tools), names)
    functions = [named[name]["function"] for name in names]
    whole = _call_schema(functions, relaxed=False)
    is_strict = any(function.get("strict") is True for function in functions)
    schemas = (whole,) if is_strict else (whole, _call_schema(functions, relaxed=True))
    return Tools(tuple(tools), names, schemas)


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


def _moved(schema: Any, path: str) -> Any:
    """A schema whose references are from the root of a schema that has it at a path."""
    if isinstance(schema, list):
        return [_moved(item, path) for item in schema]
    if not isinstance(schema, dict):
        return schema
    moved = {
        key: value if key in _VALUES else _moved(value, path) for key, value in schema.items()
    }
    reference = moved.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        moved["$ref"] = path + reference[1:]
    return moved
