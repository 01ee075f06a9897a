"""`string->toml` against Python's tomllib: random documents, and texts that are nearly TOML."""

import json
import math
import random
import re
import tomllib
from datetime import date, datetime, time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent

EXAMPLES = settings(deadline=None, max_examples=80, database=None)


@pytest.fixture(scope="module")
def read() -> Any:
    """A function from a text to the value as JSON that keeps types apart, or the error's text."""
    session = lambent.Session()
    session.eval("""
      (define (typed x)
        (cond ((hash-table? x)
               (let ((result (make-hash-table)))
                 (hash-for-each x (lambda (k v) (hash-set! result k (typed v))))
                 result))
              ((list? x) (map typed x))
              ((boolean? x) x)
              ((string? x) (string "s:" x))
              ((exact? x) (string "i:" x))
              (else (string "f:" x))))
      (define (read-typed text)
        (guard (e (#t (string-append "error: " (error-object-message e))))
          (json->string (typed (string->toml text)))))""")
    return session.eval("read-typed")


def typed(x: Any) -> Any:
    match x:
        case dict():
            return {key: typed(value) for key, value in x.items()}
        case list():
            return [typed(value) for value in x]
        case bool():
            return x
        case int():
            return f"i:{x}"
        case float():
            return "f:" + ("+nan.0" if math.isnan(x) else str(x))
        case datetime() | date() | time():
            return f"d:{_time_stamp(x)}"
        case _:
            return f"s:{x}"


def _time_stamp(x: datetime | date | time) -> str:
    """Without zeros at the end of the fraction, which tomllib does not keep."""
    text = x.isoformat().replace("+00:00", "Z")
    return re.sub(r"(\.\d*?)0+(?=$|[Z+-])", r"\1", text)


def same(ours: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return ours.keys() == expected.keys() and all(same(ours[k], expected[k]) for k in expected)
    if isinstance(expected, list):
        return len(ours) == len(expected) and all(map(same, ours, expected))
    if isinstance(expected, str) and expected.startswith("d:"):
        stamp = re.sub(r"(\.\d*?)0+(?=$|[Z+-])", r"\1", ours.removeprefix("s:"))
        return re.sub(r"\.(?=$|[Z+-])", "", stamp) == re.sub(r"\.(?=$|[Z+-])", "", expected[2:])
    if isinstance(expected, str) and expected.startswith("f:"):
        return _float(ours[2:]) == _float(expected[2:])
    return bool(ours == expected)


def _float(text: str) -> str:
    special = {"+inf.0": "inf", "-inf.0": "-inf", "+nan.0": "nan"}
    return str(float(special.get(text, text)))


def check(read: Any, text: str) -> None:
    ours = str(read(text))
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert ours.startswith("error: string->toml: line "), (text, ours)
        return
    assert not ours.startswith("error: "), (text, ours)
    assert same(json.loads(ours), typed(expected)), (text, ours, expected)


# Random documents.

bare = st.text("abcXYZ019_-", min_size=1, max_size=4)
words = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\x7f"), max_size=8)
scalars = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(lambda x: str(x) if "." in str(x) or "n" in str(x) else f"{x}"),
    st.booleans().map(lambda x: str(x).lower()),
    words.map(json.dumps),
    st.datetimes().map(lambda x: x.isoformat(" ")),
    st.datetimes().map(lambda x: x.isoformat() + "+01:30"),
    st.dates().map(str),
    st.times().map(lambda x: x.isoformat()),
    st.sampled_from(["0x_1", "0xFf_0", "0b101", "0o17", "1_000", "1e5", "-0", "+1.5e-3", "'a\\b'"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(inner, max_size=3).map(
            lambda items: "[\n" + "".join(f"{x}, #x\n" for x in items) + "]"
        ),
        st.dictionaries(bare, inner, max_size=3).map(
            lambda d: "{" + ", ".join(f"{k} = {v}" for k, v in d.items()) + "}"
        ),
    ),
    max_leaves=6,
)
names = st.lists(st.sampled_from(["a", "b", "c", '"a"', "'b c'"]), min_size=1, max_size=3).map(
    " . ".join
)
lines = st.one_of(
    st.tuples(names, values).map(" = ".join),
    names.map(lambda name: f"[{name}]"),
    names.map(lambda name: f"[[{name}]]"),
    st.sampled_from(["", "# comment", "  \t"]),
)


@EXAMPLES
@given(st.lists(lines, max_size=10).map("\n".join))
def test_documents_are_read_as_by_python(read: Any, text: str) -> None:
    check(read, text)


HOSTILE = r"""
a = 1 b = 2
a = 01
a = 1__0
a = _1
a = 1_
a = 1.
a = .5
a = 1.e5
a = 1e
a = 0x
a = -0x1
a = 0xG
a = +inf
a = -nan
a = Inf
a = true1
a = tru
a =
= 1
a
a.b
a. = 1
.a = 1
a..b = 1
"" = 1
"a b".'c d' = 1
'''a''' = 1
a = "
a = 'x
a = "\x41"
a = "\u12"
a = "\ud800"
a = "\U00110000"
a = "\U0001f600\u00e9\b\t\n\f\r\"\\"
a = [1 2]
a = [1,,2]
a = [,]
a = [1,]
a = [
a = {b = 1,}
a = {b = 1 c = 2}
a = {,}
a = {b = 1, b = 2}
a = {b.c = 1, b.d = 2}
a = {b = {c = 1}, b.d = 2}
a = {b = [1, {c = 2}]}
a = 2020-02-30
a = 2020-02-29
a = 2021-02-29
a = 2020-1-1
a = 0000-01-01
a = 24:00:00
a = 23:59:60
a = 07:32
a = 07:32:00.
a = 07:32:00.123456
a = 2020-01-01T00:00:00z
a = 2020-01-01t00:00:00Z
a = 2020-01-01 00:00:00+01:00
a = 2020-01-01  00:00:00
a = 2020-01-01T
a = 2020-01-01T00:00:00+1:00
a = 2020-01-01T00:00:00+24:00
[a
[a]]
[]
[a.]
[[a]
[[a] ]
[ a . b ]
[a] x
[a] # x
a = 1 # x
""".strip().splitlines()

HOSTILE_TEXTS = [
    "[a]\n[a]",
    "[a.b]\n[a]",
    "[a]\n[a.b]\n[a]",
    "a = 1\n[a]",
    "a = 1\na.b = 2",
    "a.b = 1\na = 2",
    "[a]\nb = 1\n[a.b]",
    "[[a]]\n[a]",
    "[a]\n[[a]]",
    "[[a]]\n[[a]]\n[a.b]\nc = 1\n[[a]]",
    "a = []\n[[a]]",
    "a = {}\n[a.b]",
    "a = {}\na.b = 1",
    "a.b = 1\na.c = 2",
    "a.b.c = 1\n[a.b]",
    "a.b.c = 1\n[a]",
    "a.b.c = 1\n[a.d]",
    "[a]\nb.c = 1\n[a.b]",
    "[a]\nb.c = 1\n[a.b.d]",
    "[a.b.c]\nz = 9\n[a]\nb.c.t = 1",
    "[a.b.c.d]\nz = 9\n[a]\nb.c.d.k.t = 1",
    "[a.b.c]\n[a]\nb.x = 1",
    "[a.b.c]\n[a]\nb.x = 1\n[a.b]",
    "[a.b]\n[a]\nb.x = 1",
    "[[a.b]]\n[a]\nb.c = 1",
    "[[a]]\nb.c = 1\n[[a]]\nb.c = 2",
    "[[a]]\n[[a.b]]\nc = 1\n[[a.b]]\nc = 2\n[[a]]\n[[a.b]]\nc = 3",
    "a = [{b = 1}]\n[[a]]",
    'a = """\nx\\\n   y"""',
    'a = """x""""',
    'a = """x"""""',
    'a = """x""""""',
    'a = """x',
    "a = '''\nx'y''z'''",
    "a = '''x''''",
    'a = """a\\ b"""',
    'a = """a\\   \n\n  b"""',
    'a = "x\ty"',
    'a = "x\x01y"',
    "a = 'x\x7f'",
    "# \x01",
    "# ok\ttab",
    "a = 1\r\nb = 2\r\n",
    "a = 1\rb = 2",
    'a = """x\r\ny"""',
    "\ufeffa = 1",
    "a = 1\0",
    "a = [\n# c\n1,\n\n2\n# d\n]",
    "a = {\nb = 1}",
    "ä = 1",
    '"ä" = "ä"',
    "a = \u00a01",
    "a=1\n\n\nb=2\n",
    "",
    "a = 1e400",
    "a = -0.0",
    "a = 99999999999999999999999999",
    "1 = 2\n1.2 = 3",
    "1.2 = 3\n1.3 = 4",
]


@pytest.mark.parametrize("text", HOSTILE + HOSTILE_TEXTS)
def test_hostile_texts_are_refused_as_by_python(read: Any, text: str) -> None:
    check(read, text)


def test_changed_texts_are_read_as_by_python(read: Any) -> None:
    """Characters of good documents are taken away, doubled and exchanged."""
    random.seed(3)
    source = "\n".join([
        "title = 'x'", "[owner]", 'name = "Tom \\u00e9"', "dob = 1979-05-27T07:32:00.5-08:00",
        "[[a.b]]", "c = [1, 2.5e3, {d = 'e'}]", "[a.c]", 'text = """one\ntwo"""', "x.y = true",
    ])  # fmt: skip
    for _ in range(600):
        text = list(source)
        for _ in range(random.randint(1, 3)):
            k = random.randrange(len(text))
            match random.randrange(3):
                case 0:
                    del text[k]
                case 1:
                    text.insert(k, random.choice("[]{}\"'=.,#\n 0e_\\"))
                case _:
                    text[k] = random.choice(source)
        check(read, "".join(text))
