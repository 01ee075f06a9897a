"""Generate the C++ classes of SentencePiece's messages from its own .proto files.

    optional int32 vocab_size = 4 [default = 8000];
        =>
    int32_t vocab_size() const { return vocab_size_; }
    void set_vocab_size(int32_t value) ...

protobuf's compiler is not needed for that: the files hold only messages, enumerations, and optional
and repeated fields.  protobuf.h reads and writes the classes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\w.\-]+|[{}=;\[\],]')
_COMMENTS = re.compile(r"//[^\n]*")
_SCALARS = {
    "string": "std::string", "bytes": "std::string", "int32": "int32_t", "uint32": "uint32_t",
    "uint64": "uint64_t", "float": "float", "bool": "bool",
}
_IGNORED = ("syntax", "option", "package", "extensions", "reserved")


@dataclass
class _Field:
    label: str
    type: str
    name: str
    number: int
    default: str | None


@dataclass
class _Scope:
    """A message, or the file."""

    name: str
    fields: list[_Field] = field(default_factory=list)
    enums: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    messages: list["_Scope"] = field(default_factory=list)


def messages_source(proto: str) -> str:
    """The header with the classes of a .proto file."""
    tokens = iter(_TOKENS.findall(_COMMENTS.sub("", proto)))
    scope = _Scope("")
    for word in tokens:
        _read_item(scope, word, tokens)
    lines = [
        '#pragma once', '#include "sentencepiece/protobuf.h"', "namespace sentencepiece {",
        "using google::protobuf::RepeatedPtrField;",
    ]
    for message in scope.messages:
        lines += _class(message, message.name)
    return "\n".join([*lines, "}", ""])


def _read_item(scope: _Scope, word: str, tokens: Iterator[str]) -> None:
    if word == "message":
        inner = _Scope(next(tokens))
        assert next(tokens) == "{"
        while (word := next(tokens)) != "}":
            _read_item(inner, word, tokens)
        scope.messages.append(inner)
    elif word == "enum":
        name = next(tokens)
        scope.enums[name] = list(_read_values(tokens))
    elif word in ("optional", "repeated"):
        scope.fields.append(_read_field(word, tokens))
    elif word != ";":
        assert word in _IGNORED, word
        while next(tokens) != ";":
            pass


def _read_values(tokens: Iterator[str]) -> Iterator[tuple[str, str]]:
    assert next(tokens) == "{"
    while (name := next(tokens)) != "}":
        _, number, _ = next(tokens), next(tokens), next(tokens)
        yield name, number


def _read_field(label: str, tokens: Iterator[str]) -> _Field:
    kind, name, _, number = (next(tokens) for _ in range(4))
    rest = []
    while (word := next(tokens)) != ";":
        rest.append(word)
    default = rest[rest.index("default") + 2] if "default" in rest else None
    return _Field(label, kind, name, int(number), default)


def _class(message: _Scope, full: str) -> Iterator[str]:
    """The class; inner messages have a class of their own, as protobuf names them."""
    for inner in message.messages:
        yield from _class(inner, f"{full}_{inner.name}")
    yield f"class {full} : public google::protobuf::Message<{full}> {{"
    yield "public:"
    for inner in message.messages:
        yield f"using {inner.name} = {full}_{inner.name};"
    for name, values in message.enums.items():
        members = ", ".join(f"{each} = {number}" for each, number in values)
        yield f"enum {name} : int {{ {members} }};"
    for each in message.fields:
        yield from _accessors(each)
    yield "template <class Self, class Visitor>"
    yield "static void visit(Self &self, Visitor &visitor) {"
    for each in sorted(message.fields, key=lambda each: each.number):
        has = f", self.has_{each.name}_" if each.label == "optional" else ""
        yield f"visitor({each.number}, self.{each.name}_{has});"
    yield "}"
    yield "private:"
    for each in message.fields:
        yield from _members(each)
    yield "};"


def _type(each: _Field) -> str:
    return _SCALARS.get(each.type, each.type)


def _accessors(each: _Field) -> Iterator[str]:
    if each.label == "repeated":
        yield from _repeated_accessors(each)
        return
    name, kind = each.name, _type(each)
    yield f"bool has_{name}() const {{ return has_{name}_; }}"
    yield f"void clear_{name}() {{ {name}_ = {kind}({_initial(each)}); has_{name}_ = false; }}"
    is_value = kind in _SCALARS.values() and kind != "std::string"
    if kind == "std::string":
        yield f"void set_{name}(std::string_view value) {{ *mutable_{name}() = value; }}"
        yield (f"void set_{name}(const char *bytes, size_t size) "
               f"{{ mutable_{name}()->assign(bytes, size); }}")
    elif is_value or kind not in _MESSAGES:
        yield f"{kind} {name}() const {{ return {name}_; }}"
        yield f"void set_{name}({kind} value) {{ {name}_ = value; has_{name}_ = true; }}"
        return
    yield f"const {kind} &{name}() const {{ return {name}_; }}"
    yield f"{kind} *mutable_{name}() {{ has_{name}_ = true; return &{name}_; }}"


_MESSAGES = ("TrainerSpec", "NormalizerSpec")  # that other messages hold once


def _repeated_accessors(each: _Field) -> Iterator[str]:
    name, kind = each.name, _type(each)
    yield f"int {name}_size() const {{ return static_cast<int>({name}_.size()); }}"
    yield f"const {kind} &{name}(int k) const {{ return {name}_[static_cast<size_t>(k)]; }}"
    yield f"const RepeatedPtrField<{kind}> &{name}() const {{ return {name}_; }}"
    yield f"RepeatedPtrField<{kind}> *mutable_{name}() {{ return &{name}_; }}"
    yield f"{kind} *mutable_{name}(int k) {{ return {name}_.Mutable(k); }}"
    yield f"{kind} *add_{name}() {{ return {name}_.Add(); }}"
    yield f"void clear_{name}() {{ {name}_.clear(); }}"
    if kind == "std::string":
        yield f"void add_{name}(std::string_view value) {{ *{name}_.Add() = value; }}"


def _initial(each: _Field) -> str:
    return each.default or ""


def _members(each: _Field) -> Iterator[str]:
    if each.label == "repeated":
        yield f"RepeatedPtrField<{_type(each)}> {each.name}_;"
        return
    yield f"{_type(each)} {each.name}_{{{_initial(each)}}};"
    yield f"bool has_{each.name}_ = false;"
