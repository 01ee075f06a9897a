# ruff: noqa: E501
"""Grammars of JSON schemas take exactly the documents that the jsonschema package takes."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs_run import ProgramRunner

# The names of properties come in this order, and those that no schema lists after them, because a
# grammar has an order of members and JSON schemas have none.
NAMES = ("a", "ab", "b", 'q"', "é")
OTHERS = ("x", "zz", "~")
PROGRAM = """
(define (verdict case)
  (let ((grammar (guard (e ((error-object? e) (error-object-message e)))
                   (json-schema-grammar (hash-ref case "schema")))))
    (if (string? grammar)
        grammar
        (map (lambda (text) (grammar-matches? grammar text)) (hash-ref case "texts")))))
(for-each (lambda (case) (write-json (verdict case)) (newline)) (read-json "FILE"))
"""


def schema_of(rng: random.Random, depth: int) -> Any:
    """A schema of the keywords that grammars claim."""
    kinds = ["type", "types", "enum", "const", "integer", "string"]
    if depth > 0:
        kinds += ["object", "object", "object", "array", "array", "tuple", "anyOf", "oneOf", "any"]
    match rng.choice(kinds):
        case "type":
            return {"type": rng.choice(["string", "integer", "number", "boolean", "null"])}
        case "types":
            return {"type": rng.sample(["string", "integer", "number", "boolean", "null"], 2)}
        case "enum":
            values = [value_of(rng, 1) for _ in range(rng.randint(1, 4))]
            return {"enum": values} | maybe_type(rng)
        case "const":
            return {"const": value_of(rng, 1)} | maybe_type(rng)
        case "integer":
            low = rng.randint(-12, 12)
            bounds = rng.choice(("minimum", "exclusiveMinimum")), rng.choice(
                ("maximum", "exclusiveMaximum")
            )
            return {"type": "integer", bounds[0]: low, bounds[1]: low + rng.randint(2, 30)}
        case "string":
            least = rng.randint(0, 2)
            return {"type": "string", "minLength": least, "maxLength": least + rng.randint(0, 2)}
        case "array":
            least = rng.randint(0, 2)
            return {
                "type": "array", "items": schema_of(rng, depth - 1), "minItems": least,
                "maxItems": least + rng.randint(0, 2),
            }  # fmt: skip
        case "tuple":
            return {
                "type": "array", "items": rng.choice([False, schema_of(rng, 0)]),
                "prefixItems": [schema_of(rng, depth - 1) for _ in range(rng.randint(1, 3))],
            }  # fmt: skip
        case "object":
            return object_schema(rng, depth)
        case "any":
            return rng.choice([True, {}, {"title": "any"}])
        case kind:
            return {kind: [schema_of(rng, depth - 1) for _ in range(rng.randint(1, 3))]}


def maybe_type(rng: random.Random) -> dict[str, str]:
    if rng.random() < 0.5:
        return {}
    return {"type": rng.choice(["string", "integer", "number", "boolean", "null", "object"])}


def object_schema(rng: random.Random, depth: int) -> dict[str, Any]:
    names = [name for name in NAMES if rng.random() < 0.5]
    return {
        "type": "object",
        "properties": {name: schema_of(rng, depth - 1) for name in names},
        "required": [name for name in names if rng.random() < 0.4],
        "additionalProperties": rng.choice([False, True, schema_of(rng, 0)]),
    }


def value_of(rng: random.Random, depth: int) -> Any:
    """Any document."""
    kind = rng.randint(0, 7 if depth > 0 else 5)
    match kind:
        case 0:
            return rng.choice(["", "a", "ab", "abc", "é😀", 'q"'])
        case 1 | 2:
            return rng.randint(-20, 40)
        case 3:
            return rng.choice([0.5, -2.25])
        case 4:
            return rng.choice([True, False])
        case 5:
            return None
        case 6:
            return [value_of(rng, depth - 1) for _ in range(rng.randint(0, 3))]
        case _:
            names = [name for name in (*NAMES, *OTHERS) if rng.random() < 0.35]
            return {name: value_of(rng, depth - 1) for name in names}


def likely_value(rng: random.Random, schema: Any, depth: int) -> Any:
    """A document that the schema allows, most of the time."""
    if not isinstance(schema, dict) or rng.random() < 0.06:
        return value_of(rng, depth)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return likely_value(rng, rng.choice(schema[key]), depth)
    match schema.get("type"):
        case "object":
            properties = schema["properties"]
            made = {
                name: likely_value(rng, one, depth - 1) for name, one in properties.items()
                if name in schema["required"] or rng.random() < 0.5
            }  # fmt: skip
            if schema["additionalProperties"] is not False or rng.random() < 0.1:
                for name in OTHERS:
                    if rng.random() < 0.3:
                        made[name] = likely_value(rng, schema["additionalProperties"], depth - 1)
            return made
        case "array":
            first = [likely_value(rng, one, depth - 1) for one in schema.get("prefixItems", [])]
            count = rng.randint(schema.get("minItems", 0), schema.get("maxItems", 2))
            items = schema["items"]
            if "prefixItems" in schema:
                first = first[: rng.randint(0, len(first))]
                count = 0 if items is False else rng.randint(0, 2)
            return first + [likely_value(rng, items, depth - 1) for _ in range(count)]
        case "integer" if len(schema) > 1:
            low = schema.get("minimum", schema.get("exclusiveMinimum"))
            high = schema.get("maximum", schema.get("exclusiveMaximum"))
            return rng.randint(low - 1, high + 1)
        case "string":
            return "é" * rng.randint(0, 5)
        case _:
            return value_of(rng, 0)


def case_of(seed: int) -> tuple[Any, list[Any]]:
    """A schema and documents."""
    rng = random.Random(seed)
    schema = schema_of(rng, 3)
    return schema, [likely_value(rng, schema, 3) for _ in range(25)]


def verdicts(
    name: str, cases: list[tuple[Any, list[str]]], runner: ProgramRunner, back_end: str
) -> list[list[bool] | str]:
    """What a program with that name says of each schema and its texts."""
    file, program = runner.folder / f"{name}.json", runner.folder / f"{name}.lisp"
    # A schema comes as text, as clients send it.
    file.write_text(
        json.dumps([{"schema": json.dumps(schema), "texts": texts} for schema, texts in cases])
    )
    program.write_text(PROGRAM.replace("FILE", str(file)))
    runs = {"script": runner.run_script, "executable": runner.run_executable}
    outcome = runs[back_end](Path(program))
    assert outcome.errors == ""
    return [json.loads(line) for line in outcome.output.splitlines()]


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_grammars_take_what_schemas_allow(
    runner: ProgramRunner, back_end: str, all_random: bool
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    cases = [case_of(seed) for seed in range(2000 if all_random else 200)]
    texts = [(schema, [json.dumps(doc, ensure_ascii=False) for doc in docs])
             for schema, docs in cases]  # fmt: skip
    refused = allowed = 0
    answers = verdicts("random_schemas", texts, runner, back_end)
    for (schema, docs), found in zip(cases, answers, strict=True):
        validator = jsonschema.Draft202012Validator(schema)
        expected = [validator.is_valid(doc) for doc in docs]
        if isinstance(found, str):
            # What a grammar cannot say, or a part that no document satisfies.
            assert "oneOf needs" in found or "no value has the type" in found, (schema, found)
            refused += 1
        else:
            wrong = [doc for doc, a, b in zip(docs, found, expected, strict=True) if a != b]
            assert not wrong, (schema, wrong)
            allowed += sum(expected)
    assert refused < len(cases) / 3 and allowed > 5 * len(cases)


def optional_properties(count: int) -> dict[str, Any]:
    properties = {f"f{k}": {"type": "string"} for k in range(count)}
    return {"type": "object", "properties": properties, "additionalProperties": {"type": "null"}}


# A name, a schema, and texts with what a grammar says of them; or the error.
ROWS: list[tuple[Any, dict[str, bool] | str]] = [
    ({"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": True},
     {'{"a":1}': True, '{"a":"x"}': False, '{"a":1,"a":"x"}': False, '{"a":1,"\\u0061":"x"}': False,
      '{"\\u0061":"x"}': False, '{"aa":"x","":1,"b":[]}': True, '{"a\\"":1}': True}),
    ({"type": "object", "properties": {"a\"b\\": {}, "n\n": {}, "/": {}}, "additionalProperties": {"type": "null"}},
     {'{"a\\"b\\\\":1}': True, '{"x":null,"a\\"b\\\\":1}': False, '{"n\\n":1}': True, '{"/":1}': True, '{"\\/":1}': False, '{"n":null}': True}),
    ({"type": "object", "properties": {"a": False, "b": True}}, {'{"b":1}': True, '{"a":1}': False, "{}": True}),
    ({"type": "object", "properties": {"a": False}, "required": ["a"]}, "at #: required names a property that is false:"),
    ({"enum": [1, "a", None], "type": ["string", "null"]}, {"1": False, '"a"': True, "null": True}),
    ({"const": 1, "type": "string"}, "at #: no value has the type"),
    ({"enum": [[["a", "b"]], {"a": ["b"]}]}, {'[["a","b"]]': True, '{"a":["b"]}': True}),
    ({"type": ["string", "null"], "pattern": "a"}, "at #: keyword pattern is not supported here; leave it out"),
    ({"type": ["integer", "number"], "minimum": 2}, "at #: bounds are supported for integers only"),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "at #: oneOf needs schemas that exclude each other, and the schemas 0 and 1 may allow the same value; say anyOf"),
    ({"oneOf": [{"type": "integer", "maximum": 2}, {"type": "integer", "minimum": 3}, {"enum": ["a"]}]}, {"2": True, "3": True, '"a"': True, '"b"': False}),
    ({"oneOf": [{"enum": [1, 2]}, {"enum": [2, 3]}]}, "at #: oneOf needs schemas that exclude each other, and the schemas 0 and 1 may allow the same value; say anyOf"),
    ({"oneOf": [{"properties": {"k": {"const": "a"}, "x": {"type": "integer"}}, "required": ["k"]}, {"properties": {"k": {"const": "b"}}, "required": ["k"]}]},
     {'{"k":"a","x":1}': True, '{"k":"b"}': True, '{"k":"b","x":1}': False, '{"k":"c"}': False}),
    ({"$ref": "#anchor"}, "at #: $ref is supported within the schema only, #/..., got"),
    ({"$ref": "#"}, "rule # has no text that ends"),
    ({"properties": {"x": {"$ref": "#/properties/a"}, "a": {"type": "integer"}}}, {'{"x":1,"a":2}': True, '{"x":"a"}': False}),
    ({"properties": {"a/b": {"type": "integer"}, "a": {"properties": {"b": {"type": "null"}}}, "c": {"$ref": "#/properties/a~1b"}, "d": {"$ref": "#/properties/a%2Fb"}}}, "at #/properties/d: $ref leads nowhere:"),
    ({"properties": {"a b": {"type": "integer"}, "c": {"$ref": "#/properties/a%20b"}}}, {'{"c":1}': True, '{"c":null}': False}),
    ({"properties": {"a/properties/b": {"type": "integer"}, "a": {"properties": {"b": {"type": "null"}}}}}, {'{"a":{"b":null}}': True, '{"a":{"b":1}}': False, '{"a/properties/b":1}': True}),
    ({"properties": {"a": {"$id": "x", "$ref": "#"}}}, "at #/properties/a: keyword $id is not supported here; leave it out"),
    ({"required": "a", "properties": {"a": True}}, "at #: expected a list of strings for required, got"),
    ({"type": "array", "minItems": 100000, "items": {"type": "null"}}, {"[]": False}),
    ({"type": "string", "maxLength": 1000000}, {'"a"': True}),
    (optional_properties(400), {"{}": True, '{"f3":"a","f399":""}': True, '{"f399":"","f3":""}': False, '{"f3":"a","other":null}': True, '{"f3":"a","f3":null}': False}),
]  # fmt: skip


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


TOO_LARGE: list[tuple[Any, str]] = [
    (nested(150), "schemas nest more than 100 deep"),
    ({"enum": ["x" * 600_000]}, "the names and values of a schema may have 120000 characters"),
    (optional_properties(6000), "a schema may hold 5000 schemas, and this one has more"),
    ({"oneOf": [{"type": "string", "minLength": k, "maxLength": k} for k in range(700)]},
     "oneOf has too many schemas to compare"),
]  # fmt: skip


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_what_grammars_say_of_schemas(runner: ProgramRunner, back_end: str) -> None:
    rows = [*ROWS, *TOO_LARGE]
    cases = [(schema, list(said) if isinstance(said, dict) else []) for schema, said in rows]
    answers = verdicts("schema_rows", cases, runner, back_end)
    for (schema, said), found in zip(rows, answers, strict=True):
        if isinstance(said, dict):
            assert found == list(said.values()), (schema, found)
        else:
            assert isinstance(found, str) and said in found, (schema, found)
            assert found.startswith("json-schema-grammar: "), found
