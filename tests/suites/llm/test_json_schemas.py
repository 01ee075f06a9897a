# ruff: noqa: E501
"""Grammars of JSON schemas take exactly the documents that the jsonschema package takes."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs_run import ProgramRunner

# The names of properties come in this order, and those that no schema lists after them, because a
# grammar has an order of members and JSON schemas have none.
NAMES = ("a", "ab", "b", 'q"', "é")
OTHERS = ("x", "zz", "~")
PATTERNS = ("^a", "b$", "^[ab]+$", "^(?=.*b)a.*$", "^(?!ab)", "^.{1,2}$", "é", 'q"', r"^\w*\s?$",
            "^(a|bc)*$", "^$", "a|b")
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
    kinds = ["type", "types", "enum", "const", "integer", "string", "pattern", "decimal", "all",
             "multiple"]
    if depth > 0:
        kinds += ["object", "object", "object", "array", "array", "tuple", "anyOf", "oneOf", "any", "names"]
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
        case "pattern":
            least = rng.randint(0, 2)
            lengths = {"minLength": least, "maxLength": least + rng.randint(0, 2)}
            return {"type": "string", "pattern": rng.choice(PATTERNS), **rng.choice(({}, lengths))}
        case "decimal":
            low = rng.randint(-40, 40) / 8
            bounds = rng.choice(("minimum", "exclusiveMinimum")), rng.choice(
                ("maximum", "exclusiveMaximum")
            )
            return {"type": "number", bounds[0]: low, bounds[1]: low + rng.randint(1, 60) / 8}
        case "multiple":
            kind, step = rng.choice((("integer", 3), ("number", 0.5), ("number", 0.25)))
            return {"type": kind, "multipleOf": step} | rng.choice(({}, {"minimum": -2.5}))
        case "all":
            return rng.choice((
                {"allOf": [{"type": "string", "pattern": rng.choice(PATTERNS)},
                           {"pattern": rng.choice(PATTERNS)}]},
                {"allOf": [{"type": ["number", "null"], "minimum": rng.randint(-9, 0)},
                           {"type": ["integer", "null"], "maximum": rng.randint(0, 9)}]},
                {"type": "integer", "anyOf": [{"minimum": 3}, {"maximum": rng.randint(-9, 5)}]},
            ))
        case "names":
            patterns = {name: schema_of(rng, 0) for name in rng.sample(("^a", "b$", "[xé]"), 2)}
            return {"type": "object", "patternProperties": patterns, "properties": {},
                    "required": [],
                    "additionalProperties": rng.choice([False, schema_of(rng, 0)])}
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
            for pattern, one in schema.get("patternProperties", {}).items():
                for name in (*NAMES, *OTHERS):
                    if re.search(pattern, name) and rng.random() < 0.3:
                        made[name] = likely_value(rng, one, depth - 1)
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
        case "number" if len(schema) > 1:
            eighths = rng.randint(-60, 60)  # an integer is not written as 2.0
            return rng.choice((eighths / 8 if eighths % 8 else 1, rng.randint(-6, 9)))
        case "integer" if "multipleOf" in schema or "anyOf" in schema:
            return rng.randint(-10, 10)
        case "integer" if len(schema) > 1:
            low = schema.get("minimum", schema.get("exclusiveMinimum"))
            high = schema.get("maximum", schema.get("exclusiveMaximum"))
            return rng.randint(low - 1, high + 1)
        case "string" if "pattern" in schema:
            return "".join(rng.choice(("a", "b", "ab", "bc", "é", 'q"', " ", "\t"))
                           for _ in range(rng.randint(0, 3)))
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
            assert any(said in found for said in (
                "oneOf needs", "no value has the type", "no value is allowed",
                " is less than ", "the other keywords allow none",
            )), (schema, found)
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
    ({"type": ["string", "null"], "pattern": "a"}, {'"ba"': True, '"b"': False, "null": True}),
    ({"type": "boolean", "pattern": "a"}, "at #: keyword pattern is not supported here; leave it out"),
    ({"type": ["integer", "number"], "minimum": 2}, {"2": True, "2.5": True, "1.9": False, "3e1": False}),
    ({"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"}, {'"1.5"': True, '"-"': False, '"+3"': True, '""': False}),
    ({"type": "string", "pattern": r"^(?=.*\d)(?=.*[a-z]).{3,5}$"}, {'"ab1"': True, '"abc"': False, '"a1"': False, '"a1!!!!"': False}),
    ({"pattern": "^\t\"\\\\$"}, {'"\\t\\"\\\\"': True, '"\\u0009\\"\\\\"': False}),
    ({"pattern": "(a)\\1"}, "at #: the pattern has \\1, which is not supported:"),
    ({"pattern": "(a"}, "at #: the pattern has ( without ):"),
    ({"pattern": "a)"}, "at #: the pattern has ) without (:"),
    ({"pattern": "(" * 100}, "at #: the pattern nests too deep:"),
    ({"pattern": "[z-a]"}, "at #: the pattern has a range that is not one:"),
    ({"pattern": "a{99999999}"}, "at #: the pattern repeats more than 100000 times:"),
    ({"pattern": "^a{2000}$", "maxLength": 100}, "no value is allowed"),
    ({"pattern": "^[ab]*a[ab]{14}$", "minLength": 9}, "need more than 3000 states; make them smaller"),
    ({"pattern": "^" + "".join(f"(?=.*{c})" for c in "abcdefghijklmnopqrstuvwx")},
     "a pattern is too complicated; use fewer assertions and alternatives"),
    ({"pattern": "^a$", "minLength": 2}, "no value is allowed"),
    ({"format": "date"}, {'"2024-02-29"': True, '"2023-02-29"': False, '"1900-02-29"': False, '"2000-02-29"': True, '"2023-04-31"': False, '"0000-01-01"': False}),
    ({"format": "date-time"}, {'"2024-02-29T23:59:59.5Z"': True, '"2024-02-29T24:00:00Z"': False, '"2024-02-29T01:00:00+05:30"': True}),
    ({"format": "time"}, {'"12:30:00Z"': True, '"12:60:00Z"': False}),
    ({"format": "duration"}, {'"P3D"': True, '"PT1H30M"': True, '"P"': False, '"PT"': False, '"P1Y2M"': True}),
    ({"format": "email"}, {'"a.b+c@example.org"': True, '"a@b"': False, '"@example.org"': False}),
    ({"format": "ipv4"}, {'"127.0.0.1"': True, '"256.0.0.1"': False}),
    ({"format": "ipv6"}, {'"::1"': True, '"1:2:3:4:5:6:7:8"': True, '"1:2"': False, '"fe80::"': True, '"1::2::3"': False}),
    ({"format": "uuid"}, {'"123e4567-e89b-12d3-a456-426614174000"': True, '"123e4567"': False}),
    ({"format": "uri"}, {'"https://example.org/a?b=%20"': True, '"example.org"': False, '"a:b c"': False}),
    ({"type": "string", "format": "date", "minLength": 11}, "no value is allowed"),
    ({"type": "string", "format": "color"}, "at #: format is not supported; there are date, time"),
    ({"type": "number", "minimum": 0.1, "exclusiveMaximum": 1e3}, {"0.1": True, "0.09": False, "999.999": True, "1000": False, "1000.0": False, "0.10": True, "-1": False}),
    ({"type": "number", "exclusiveMinimum": 0}, {"0": False, "0.0": False, "0.001": True, "5": True, "-0.1": False}),
    ({"type": "number", "minimum": -1.5, "maximum": -0.25}, {"-1.5": True, "-1.51": False, "-0.25": True, "-0.2": False, "-1": True, "0": False}),
    ({"type": "number", "multipleOf": 0.01, "minimum": 0}, {"0.05": True, "19.99": True, "1.005": False, "3": True, "-1": False}),
    ({"type": "integer", "minimum": 0.5, "maximum": 2.5}, {"0": False, "1": True, "2": True, "3": False}),
    ({"type": "integer", "multipleOf": 7}, {"7": True, "-14": True, "8": False, "0": True}),
    ({"type": "integer", "multipleOf": 10**6}, "at #: multipleOf is supported up to 2000"),
    ({"type": "number", "minimum": 2, "maximum": 1}, "maximum is less than minimum"),
    ({"enum": ["a", "bb", 3], "minLength": 2}, {'"a"': False, '"bb"': True, "3": True}),
    ({"enum": ["a"], "minLength": 2}, "at #: the other keywords allow none of the values"),
    ({"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"properties": {"a": {"minimum": 3}, "b": {"type": "null"}}}]},
     {'{"a":3}': True, '{"a":2}': False, '{"a":4,"b":null}': True, "{}": False}),
    ({"allOf": [{"$ref": "#"}]}, "allOf and references lead to themselves"),
    ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "false allows no value"),
    ({"$ref": "#/$defs/A", "required": ["b"], "$defs": {"A": {"properties": {"b": {"$ref": "#/$defs/A"}}}}}, {'{"b":{}}': True, "{}": False, '{"b":{"b":{}}}': True}),
    ({"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
     {'{"a":null}': True, "{}": False, '{"b":null}': True, '{"a":null,"b":null}': True}),
    ({"type": "object", "patternProperties": {"^n_": {"type": "integer"}, "_s$": {"type": "string"}}, "additionalProperties": False},
     {'{"n_a":1}': True, '{"x_s":"a"}': True, '{"n_s":1}': False, '{"q":1}': False, "{}": True}),
    ({"type": "object", "properties": {"n_a": {"maximum": 5}}, "patternProperties": {"^n_": {"type": "integer"}}},
     {'{"n_a":1}': True, '{"n_a":6}': False, '{"n_a":1.5}': False, '{"n_b":9}': True, '{"b":9}': False}),
    ({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2},
     {'{"a":1}': True, "{}": False, '{"A":1}': False, '{"a":1,"b":2}': True, '{"a":1,"b":2,"c":3}': False}),
    ({"type": "object", "patternProperties": {f"^{c}": True for c in "abcde"}}, "at #: at most 4 patterns of patternProperties are supported"),
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


def test_schemas_of_pydantic(runner: ProgramRunner) -> None:
    """What models with constraints look like: their own texts are taken, others are not."""
    from datetime import date
    from decimal import Decimal
    from typing import Annotated, Literal
    from uuid import UUID

    from pydantic import BaseModel, Field

    class Cat(BaseModel):
        kind: Literal["cat"]
        lives: int = Field(ge=1, le=9)

    class Dog(BaseModel):
        kind: Literal["dog"]
        weight: float = Field(gt=0, lt=90.5)

    class Node(BaseModel):
        id: UUID
        code: str = Field(pattern=r"^[A-Z]{2}\d{3}$")
        price: Decimal = Field(ge=0)
        born: date
        pet: Annotated[Cat | Dog, Field(discriminator="kind")]
        scores: dict[Annotated[str, Field(pattern="^[a-z]+$")], float] = {}
        children: "list[Node]" = Field(default=[], max_length=2)

    leaf = Node(id=UUID(int=5), code="AB123", price=Decimal("1.50"), born=date(2024, 2, 29),
                pet=Cat(kind="cat", lives=9), scores={"ab": 0.5})
    tree = leaf.model_copy(update={"children": [leaf, leaf], "pet": Dog(kind="dog", weight=90.25)})
    good = [node.model_dump_json() for node in (leaf, tree)]
    bad = [good[0].replace(a, b) for a, b in (
        ("AB123", "AB12"), ("02-29", "02-30"), (":9}", ":10}"), ('"ab"', '"aB"'),
        ('"1.50"', "-1.5"), ('"cat"', '"cow"'), ("00005", "0000"))]
    assert good[0] not in bad
    [found] = verdicts("pydantic", [(Node.model_json_schema(), good + bad)], runner, "script")
    assert found == [True] * len(good) + [False] * len(bad)


# What OpenAI's users ask for: a solution in steps, a page of nested parts, the facts of a paper,
# and a verdict with its reason.  A name, the schema, what it allows, and what it does not.


def closed(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An object with all of these properties and no others, as strict schemas have it."""
    return {"type": "object", "properties": properties, "required": list(properties),
            "additionalProperties": False, **more}


SOLUTION = closed({
    "steps": {"type": "array", "items": closed({
        "explanation": {"type": "string"}, "output": {"type": "string"}})},
    "final_answer": {"type": "string"},
})
PART = {"$ref": "#/$defs/part"}
PAGE = closed({"page": PART}, **{"$defs": {
    "part": {"anyOf": [{"$ref": "#/$defs/group"}, {"$ref": "#/$defs/field"}]},
    "group": closed({
        "type": {"const": "group"}, "label": {"type": "string"},
        "children": {"type": "array", "items": PART},
        "attributes": {"type": "array", "items": closed({
            "name": {"type": "string"}, "value": {"type": "string"}})}}),
    "field": closed({
        "type": {"type": "string", "enum": ["button", "input"]},
        "label": {"type": ["string", "null"]}, "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}),
}})
LIST = closed({"linked_list": {"$ref": "#/$defs/node"}}, **{"$defs": {"node": closed({
    "value": {"type": "number"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}})}})
PAPER = closed({
    "title": {"type": "string"}, "authors": {"type": "array", "items": {"type": "string"}},
    "abstract": {"type": "string"}, "keywords": {"type": "array", "items": {"type": "string"}},
})
VERDICT = closed({
    "is_violating": {"type": "boolean"},
    "category": {"type": ["string", "null"], "enum": ["violence", "sexual", "self_harm", None]},
    "explanation_if_violating": {"type": ["string", "null"]},
})


def element(label: str, *children: Any) -> dict[str, Any]:
    return {"type": "group", "label": label, "children": list(children), "attributes": []}


BUTTON = {"type": "button", "label": None, "size": 3}
STEP = {"explanation": "Take 7 away.", "output": "8x = -30"}
USES: dict[str, tuple[dict[str, Any], list[Any], list[Any]]] = {
    "steps": (
        SOLUTION,
        [{"steps": [], "final_answer": ""}, {"steps": [STEP, STEP], "final_answer": "x = -3.75"}],
        [{"steps": [STEP]}, {"final_answer": "x", "steps": []},
         {"steps": [{"output": "", "explanation": ""}], "final_answer": ""},
         {"steps": [{**STEP, "why": ""}], "final_answer": ""},
         {"steps": ["a"], "final_answer": ""}]),
    "page": (
        PAGE,
        [{"page": BUTTON}, {"page": element("a", element("b", BUTTON), BUTTON)},
         {"page": element("a", *[element("b", element("c"))] * 3)},
         {"page": element("a") | {"attributes": [{"name": "n", "value": "v"}]}}],
        [{"page": element("a", 1)}, {"page": None}, {"page": BUTTON | {"type": "group"}},
         {"page": element("a", element("b", BUTTON | {"size": "3"}))},
         {"page": element("a") | {"type": "button"}}, BUTTON]),
    "list": (
        LIST,
        [{"linked_list": {"value": 1.5, "next": {"value": -2, "next": None}}}],
        [{"linked_list": None}, {"linked_list": {"value": 1}},
         {"linked_list": {"value": 1, "next": {"value": "a", "next": None}}}]),
    "paper": (
        PAPER,
        [{"title": "é \"quoted\"\n", "authors": ["A", "B"], "abstract": "", "keywords": []}],
        [{"title": "a", "authors": "A", "abstract": "", "keywords": []},
         {"title": "a", "authors": [], "abstract": None, "keywords": []}]),
    "verdict": (
        VERDICT,
        [{"is_violating": False, "category": None, "explanation_if_violating": None},
         {"is_violating": True, "category": "self_harm", "explanation_if_violating": "a"}],
        [{"is_violating": True, "category": "spam", "explanation_if_violating": None},
         {"is_violating": "true", "category": None, "explanation_if_violating": None}]),
}


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_usual_structures(runner: ProgramRunner, back_end: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    rows = list(USES.values())
    texts = [(schema, [json.dumps(doc, ensure_ascii=False) for doc in (*good, *bad)])
             for schema, good, bad in rows]
    found = verdicts("usual_structures", texts, runner, back_end)
    for name, (schema, good, bad), said in zip(USES, rows, found, strict=True):
        assert said == [True] * len(good) + [False] * len(bad), name
        validator = jsonschema.Draft202012Validator(schema)
        assert all(map(validator.is_valid, good)), name
        in_order = [doc for doc in bad if next(iter(doc), None) != "final_answer"
                    and '"output": "", "explanation"' not in json.dumps(doc)]
        assert not any(map(validator.is_valid, in_order)), name
