"""Regular expressions against `pcre2test`, the tool of PCRE2 itself: random patterns and texts.

The syntax goes beyond that of Python's `re`, with which `test_regexps.py` compares: recursion,
conditions, atomic groups, branch reset.  Each group must match the same part of the text.
"""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.programs_run import command_of

BACK_ENDS = ("script", "executable")
CASES = 800
ALPHABET = "aAbBcé漢😀1 _\n"
ATOMS = [
    "a", "b", "c", "é", "漢", "😀", ".", "[ab]", "[^aé]", "[a-c]", "^", "$", "[[:alpha:]]",
    r"\d", r"\w", r"\s", r"\S", r"\b", r"\B", r"\A", r"\z", r"\Z", r"\h", r"\R", r"\N", r"\X",
    r"\p{L}", r"\p{Lu}", r"\P{Ll}", r"\G", r"\K", r"[\p{Han}a]",
]
TIMES = ["*", "+", "?", "*?", "+?", "??", "{1,2}", "{2}", "{0,3}?", "*+", "++", "?+"]
AROUND = [
    "({})", "({})", "(?:{})", "(?>{})", "(?={})", "(?!{})", "(?i:{})", "(?s:{})", "(?m:{})",
    "(?x: {} )", "(?<=a){}", "(?<!b|c){}", "(?|({})|(b))", "({})\\1", "(({})?(?(1)b|a))",
    "(a(?R)?{})", "(?<n>{})",
]  # fmt: skip


def random_pattern(chance: random.Random, depth: int = 3) -> str:
    """At most one group has the name n: others of that name would be errors."""
    kind = chance.random()
    if depth == 0 or kind < 0.15:
        return chance.choice(ATOMS)
    inner = random_pattern(chance, depth - 1)
    if kind < 0.5:
        return inner + random_pattern(chance, depth - 1)
    if kind < 0.6:
        return f"(?:{inner}|{random_pattern(chance, depth - 1)})"
    if kind < 0.75:
        return f"(?:{chance.choice(ATOMS)}){chance.choice(TIMES)}{inner}"
    return chance.choice(AROUND).format(inner)


def random_cases() -> list[tuple[str, str]]:
    chance = random.Random(115)
    return [
        (random_pattern(chance), "".join(chance.choices(ALPHABET, k=chance.randrange(12))))
        for _ in range(CASES)
    ]


Answer = str | list[list[int] | None]


def input_of(cases: list[tuple[str, str]]) -> str:
    lines = []
    for pattern, text in cases:
        subject = "".join(f"\\x{{{ord(c):x}}}" for c in text) or "\\=allaftertext"
        lines.append(f"/{pattern}/utf,ucp,allcaptures,allaftertext\n{subject}\n\n")
    return "".join(lines)


def decoded(text: str) -> str:
    return re.sub(r"\\x\{?([0-9a-f]{2,})\}?", lambda m: chr(int(m[1], 16)), text)


def answer_of(block: str, text: str) -> Answer:
    """`wrong` for a pattern that is, `none` for no match, `other` for an error; otherwise the start
    and the end of each group, None if it has not taken part."""
    if "\nFailed: error" in block:
        return "wrong"
    if "\nNo match" in block:
        return "none"
    parts = re.findall(r"^ *\d+(: |\+ )(.*)$", block, re.M)
    if not parts:
        return "other"
    groups: list[list[int] | None] = []
    length = 0
    for mark, part in parts:
        if part == "<unset>":
            groups.append(None)
        elif mark == ": ":
            length = len(decoded(part))
        else:
            end = len(text) - len(decoded(part))
            groups.append([end - length, end])
    return groups


def answers_of_pcre2test(cases: list[tuple[str, str]]) -> list[Answer]:
    tool = shutil.which("pcre2test")
    assert tool is not None
    done = subprocess.run([tool, "-q"], input=input_of(cases), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    blocks = done.stdout.split("\n\n")
    assert blocks.pop().strip() == "" and len(blocks) == len(cases)
    return [answer_of(block, text) for block, (_, text) in zip(blocks, cases, strict=True)]


PROGRAM = r"""
(define (range m)
  (lambda (k)
    (let ((start (regexp-match-submatch-start m k)))
      (if start (list start (regexp-match-submatch-end m k)) #f))))
(define (answer pattern text)
  (guard (e (#t (if (string-prefix? "pregexp" (error-object-message e)) "wrong" "other")))
    (let ((m (regexp-search (pregexp pattern) text)))
      (if m (map (range m) (iota (+ 1 (regexp-match-count m)))) "none"))))
(for-each (lambda (case) (print (json->string (answer (car case) (cadr case)))))
          (read-json "cases.json"))
"""


def answers_of_lambent(back_end: str, cases: list[tuple[str, str]], folder: Path) -> list[Answer]:
    (folder / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    command = command_of(PROGRAM, back_end, folder)
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return [
        [part or None for part in line] if isinstance(line, list) else line
        for line in map(json.loads, done.stdout.splitlines())
    ]


@pytest.mark.skipif(shutil.which("pcre2test") is None, reason="pcre2test is not installed")
@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_groups_agree_with_pcre2test(back_end: str, tmp_path: Path) -> None:
    cases = random_cases()
    expected = answers_of_pcre2test(cases)
    assert sum(isinstance(answer, list) for answer in expected) > CASES / 4
    assert expected.count("wrong") < CASES / 4
    found = answers_of_lambent(back_end, cases, tmp_path)
    assert len(found) == len(cases)
    differ = [
        (*case, theirs, ours)
        for case, theirs, ours in zip(cases, expected, found, strict=True)
        if theirs != ours
    ]
    assert differ == []
