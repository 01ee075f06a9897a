"""`string->json`, `read-json` and `json->string` against Python's json, on both back ends and
without the interpreter's C module: random documents, and texts that are nearly JSON."""

import json
import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs_run import command_of

LETTERS = 'ab"\\/\n\t\0\x1f\x7fé日😀\u2028 '
DEEP = ("[" * 900, '{"a":' * 900)
WRONG = re.compile(r"!string->json: line \d+, column \d+: expected .*, got ")
PATIENCE = 300  # seconds, on a busy machine
BETWEEN = "\ue000"  # texts in a file
# For each text: its value, or the error of string->json; whether read-json says the same, from a
# port whose text comes in parts; and what json->string makes of what it has written.
PROGRAM = """
(define (either f)
  (guard (e ((error-object? e) (string-append "!" (error-object-message e))))
    (json->string (f))))
(define (from-path text)
  (call-with-output-file "one.json" (lambda (port) (write-string text port)))
  (either (lambda () (read-json "one.json"))))
(define (after mark text)
  (let ((at (string-contains text mark)))
    (if (and at (char=? #\\! (string-ref text 0)))
        (substring text (+ at (string-length mark)) (string-length text))
        text)))
(for-each
  (lambda (text)
    (let ((value (either (lambda () (string->json text)))))
      (write-string value)
      (unless (string=? (after "line " value) (after "line " (from-path text)))
        (write-string " read-json differs: ")
        (write-string (from-path text)))
      (unless (or (char=? #\\! (string-ref value 0))
                  (string=? value (json->string (string->json value))))
        (write-string " it reads back differently"))
      (newline)))
  (call-with-input-file "texts" (lambda (port) (string-split (port->string port) "\\xe000;"))))
"""

# After each part of JSON, and in it: what may follow there, and what may not.
DOCUMENTS = [
    '{"a":[1,-2.5e3,true],"b":null}', '["\\u0041\\ud83d\\ude00\\n","é😀"]', "[[],{},[{}]]",
    " \t\r\n[ 1 , 2 ] \n", '{"":{"":[]}}', "-0.0e-0",
]
HOSTILE = [
    "\n\n  ]", " \n\t[1 2]", "\r\n\r\n 1 \n 2",
    "", " ", "\n", "\0", "nul", "nulll", "True", "None", "NaN", "-NaN", "Infinity", "-Infinity",
    "undefined", "'a'", "a", "[", "]", "{", "}", "[}", "{]", "[,]", "[1,]", "[,1]", "[1,,2]",
    "[1 2]", "[1]]", "[1],", "{,}", '{"a"}', '{"a":}', '{"a":1,}', '{"a":1,,"b":2}', '{"a" 1}',
    '{"a":1 "b":2}', "{1:2}", "{a:1}", "{'a':1}", '{"a"::1}', '{"a":1}}', '{null:1}', "[1}",
    '{"a":1]', "0", "-0", "00", "01", "-01", "-", "--1", "+1", ".5", "1.", "1.e1", "1.5.2", "1e",
    "1e+", "1e-", "1E5", "1e05", "1e+05", "1ee5", "0e0", "0x10", "1_000", "1,000", "\uff11",
    "1e400",
    "-1e400", "1e-400", "123456789012345678901234567890", "-9223372036854775808",
    "9223372036854775807", "9223372036854775808", "0.1", "1e22", "1e23", "9007199254740993.0",
    "2.2250738585072011e-308", "5e-324", "1.7976931348623157e308", "1.7976931348623159e308",
    "4611686018427387904", "-4611686018427387905", "0.30000000000000004", "1" + "0" * 400,
    "0." + "0" * 400 + "1", "1." + "3" * 400, "-" + "9" * 60, "1e" + "0" * 60 + "5",
    '"', '"a', '"\\', '"\\"', '"\\x"', '"\\u"', '"\\u1"', '"\\u12"', '"\\u123"', '"\\u123g"',
    '"\\U0041"', '"\\u+041"', '"\\u 041"', '"\\ud800"', '"\\udc00"', '"\\ud800\\u0041"',
    '"\\ud800\\"', '"\\ud800\\n"', '"\\ud800x"', '"\\udc00\\ud800"', '"\\udbff\\udfff"',
    '"\\uD83D\\uDE00"', '"\\u0000"', '"\\u007f\\u0080\\u07ff\\u0800\\uffff"', '"\\/"', '"/"',
    '"\t"', '"\n"', '"\r\n"', '"\0"', '"\x1f"', '"\x7f"', '"\x80"', '"é"', '"日本"', '"😀"',
    '"\u2028\u2029"', '"\ufeff"', " \ufeff1", "1\ufeff", "\u00a01", "1\u00a0", "\u20281", "\v1",
    "\f1", "1\v", "[\f1]", "//", "1 //", "/* */1", "#1", "1;", "[1;2]", '"a" "b"', '"a"b',
    '["a" : 1]', '{"a", 1}', '{"a":1,"a":2}', '{"b":1,"a":2,"b":3}', '{"\\u0061":1,"a":2}',
    "[" * 5, "]" * 5, "[" * 1000 + "]" * 1000, "[" * 1001 + "]" * 1001, "[" * 100000,
    '{"a":' * 1000 + "1" + "}" * 1000, '{"a":' * 1001 + "1" + "}" * 1001, "[" * 1000,
    "[" * 999 + '{"a":[' + "]}" + "]" * 999, '"' + "a" * 300000, '"' + "é" * 300000 + '"',
    '"' + "\\n" * 300000 + '"', "[" + "1," * 100000 + "1]", "[" + "1," * 100000 + "]",
    " " * 300000 + "1" + " " * 300000, " " * 300000, " " * 300000 + "x", "\n" * 70000 + "é",
    "9" * 4000, "tru" + "\0", "t", "f", "n", "tr ue", "truefalse", "true false", "[true false]",
    "[truefalse]", "nullnull", '"a"1', '1"a"', "1[", "[1[", "{}{}", "[]{}", "[]1", "1{}",
]  # fmt: skip


def broken(chance: random.Random) -> list[str]:
    """Documents with one character taken out, doubled or replaced."""
    texts = []
    for text in DOCUMENTS:
        for at in range(len(text)):
            other = chance.choice(' \t\n"\\[]{},:-+.eE0179tfnu\0é\u2028')
            texts += [text[:at] + text[at + 1 :], text[:at] + other + text[at + 1 :], text[:at]]
    return texts


def document(chance: random.Random, depth: int) -> Any:
    kinds = ["text", "integer", "real", "word"] + (["array", "object"] * 2 if depth else [])
    match chance.choice(kinds):
        case "text":
            return "".join(chance.choices(LETTERS, k=chance.randrange(9)))
        case "integer":
            return chance.choice([0, -1, 2**62, -(2**62) - 1, 10**30, chance.randrange(-999, 999)])
        case "real":
            sign = chance.choice([1, -1])
            return sign * chance.choice([chance.random(), 10.0 ** chance.randrange(-300, 300), 0.0])
        case "word":
            return chance.choice([True, False, None])
        case "array":
            return [document(chance, depth - 1) for _ in range(chance.randrange(5))]
        case _:
            return {document(chance, 0): document(chance, depth - 1) for _ in range(3)}


def random_texts(chance: random.Random) -> list[str]:
    values = [document(chance, 4) for _ in range(400)]
    return [
        json.dumps(value, ensure_ascii=chance.random() < 0.5, indent=chance.choice([None, 0, 2]))
        for value in values
    ]


def expected(text: str) -> Any:
    """The value by Python's json, or None inside of a tuple if the text is not JSON; an ellipsis
    instead for brackets that Python's json does not read."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    if text.startswith(DEEP):
        return (...,) if text.count("]") + text.count("}") == 1000 else (None,)
    try:
        value = json.loads(text, parse_constant=refuse, parse_int=int)
        json.dumps(value, ensure_ascii=False).encode()  # refuses halves of pairs
    except ValueError:
        return (None,)
    return value


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, float) and math.isinf(theirs):
        return bool(ours == theirs)
    if type(ours) is not type(theirs):
        return False
    if isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(same(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return repr(ours) == repr(theirs)


def check(text: str, said: str) -> None:
    wanted = expected(text)
    if wanted == (None,):
        assert WRONG.match(said), (text, said)
    elif said.startswith("!write-json: expected a number that JSON has"):
        assert "inf" in repr(wanted).lower(), (text, said)
    elif wanted == (...,):
        assert said[0] in "[{", (text[:60], said[:60])
    else:
        assert same(json.loads(said), wanted), (text, said)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    chance = random.Random(35)
    return [text for text in HOSTILE + broken(chance) + random_texts(chance) if text != BETWEEN]


@pytest.fixture(scope="module")
def said_by_scripts(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> str:
    return output(texts, "script", tmp_path_factory.mktemp("json"), "on")


def output(texts: list[str], back_end: str, folder: Path, native: str) -> str:
    (folder / "texts").write_bytes(BETWEEN.join(texts).encode())
    done = subprocess.run(
        command_of(PROGRAM, back_end, folder), cwd=folder, capture_output=True, timeout=PATIENCE,
        env={**os.environ, "LAMBENT_NATIVE": native},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_values_are_those_of_python(texts: list[str], said_by_scripts: str) -> None:
    said = said_by_scripts.split("\n")
    assert len(said) == len(texts) + 1
    for text, line in zip(texts, said, strict=False):
        check(text, line)


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_white_space_before_a_value_needs_no_memory(back_end: str, tmp_path: Path) -> None:
    """Who sends values may send empty lines between them, to show that the line is open."""
    command = command_of("(print (read-json (current-input-port)))", back_end, tmp_path)
    few, many = (peak(command, megabytes) for megabytes in (1, 50))
    assert many - few < 20_000  # KiB


# A process of its own, because the peak of a child begins with the memory of its parent.
PEAK = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for _ in range(int(sys.argv[1])):
    process.stdin.write(b"\\n" * 1_000_000)
process.stdin.write(b"5")
process.stdin.close()
assert process.stdout.read() == b"5\\n"
print(os.wait4(process.pid, 0)[2].ru_maxrss)
"""


def peak(command: list[str], megabytes: int) -> int:
    """The memory of a process that reads so many empty lines and a 5, in KiB."""
    words = [sys.executable, "-c", PEAK, str(megabytes), *command]
    return int(subprocess.check_output(words, timeout=PATIENCE))


@pytest.mark.parametrize(("back_end", "native"), [("executable", "on"), ("script", "off")])
def test_all_readers_say_the_same(
    texts: list[str], said_by_scripts: str, back_end: str, native: str, tmp_path: Path
) -> None:
    said = output(texts, back_end, tmp_path, native).split("\n")
    for text, ours, scripts in zip(texts, said, said_by_scripts.split("\n"), strict=False):
        assert ours == scripts, text[:200]
