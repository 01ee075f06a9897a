"""Words that the field's own terms have replaced do not come back: one idea, one word.

CONTRIBUTING.md has the glossary.  A row here is a pattern for a word in a sense that the project
does not use, with the words to write instead.  The pattern may be limited to some folders, where
the word would have that sense.  Examples and test programs may use any words.
"""

import re
import subprocess
from dataclasses import dataclass
from functools import cache

import pytest

from tests.support.paths import ROOT

SUFFIXES = (".py", ".c", ".h", ".cpp", ".md", ".sh", ".lark", ".lisp")
FOLDERS = ("lang", "ctorch", "runtime", "stdlib", "tests", "docs")
# Generated files, texts of others, programs that tests run, and this list.
LEFT_OUT = re.compile(
    r"docs/operators/|tests/(programs|errors|bench/(language|programs|peers)|operators/tables)/"
    r"|unicode_tables\.h|test_words\.py"
)


@dataclass(frozen=True, slots=True)
class Word:
    """pattern: whole words, in any file whose path begins with one of the folders."""

    pattern: str
    instead: str
    folders: tuple[str, ...] = ("",)


COMPILER = ("lang/compile/",)
WORDS = [
    Word(r"Kind|kind\.value", "abstract type", COMPILER),
    Word(r"wanted", "unboxing demand", COMPILER),
    Word(r"typed ways?( in(to)?)?|doors?", "typed entry point, entry point"),
    Word(r"speculat\w+(?! decoding)|hop(e|es|ed|ing)", "guarded fast path"),
    Word(r"forms?", "overload, variant", ("ctorch/dispatch/", "ctorch/overloads/")),
    Word(r"borrowed parts?|parts? of data", "borrowed projection, field, element"),
    Word(r"glanc(e|es|ed|ing)", "short borrow"),
    Word(r"lenders?|lent|lend(s|ing)?", "borrowed, borrow inference"),
    Word(r"makes? nothing|louds?|loud(er|ly)", "does not allocate, non-allocating"),
    Word(r"quiet", "does not allocate", COMPILER),
    Word(r"comes? round again", "is recursive"),
    Word(r"(each|every|next|a|per|of|few|many|in (its|their|his)) turns?", "iteration, then"),
    Word(r"circles?", "cycle, strongly connected component"),
    Word(r"bounc(e|es|ed|ing)", "goes through the trampoline"),
    Word(r"[Kk]nowledge|Known", "procedure analysis, facts"),
    Word(r"hosts?|homes?", "enclosing procedure, defining module", (*COMPILER, "lang/core/")),
    Word(r"as_value", "escapes", COMPILER),
    Word(r"by place|(has|have|without|no|source) (the |a )?places?"
         r"|places? (of|in) (the|its|a) (call|error|form|source|text|program)s?",
         "by position, source location"),
    Word(r"marks?|marked", "location record", ("lang/compile/c/",)),
    Word(r"parted|parting", "split, separate"),
    Word(r"drop_unused|left over", "dead-code elimination, remaining"),
    Word(r"drills?|workshops?", "stress test, runner"),
    Word(r"siblings?", "counterpart", ("lang/compile/c/", "lang/interp/emit/")),
    Word(r"(?<!there )(?<!There )(is|are|was|were) no (?!longer\b|more\b|less\b|different\b)\w+",
         "is not a ..."),
    Word(r"takes? a hint of", "suggests"),
    Word(r"mend(s|ed|ing)?", "fix"),
    Word(r"[Ww]hoever", "the caller, the user, a maintainer"),
    Word(r"(is|are|was|were) (not )?there(?! (a|an|any|no|is|are)\b)",
         "is available, exists, is not found"),
    Word(r"behind (the|an|a) (\w+ )?(argument|keyword|parameter|name|bracket)s?", "after"),
    Word(r"what (\w+ )?\w+ gives|(?<!call )gives (a|the) (list|number|tensor|value|result)s?",
         "returns"),
    Word(r"mak(e|es|ing) (a |an |new |the )?tensors?", "creates a tensor, returns a tensor"),
    Word(r"dies lends", "an argument at its last use donates its storage"),
    Word(r"turn(s|ed)? into words", "describe"),
    Word(r"of the \w+'s own(?! \w)", "its own ..."),
]


@cache
def lines() -> list[tuple[str, str]]:
    """Every line of every source, with its location."""
    listed = subprocess.run(
        ["git", "ls-files", *FOLDERS, "README.md", "CONTRIBUTING.md"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()
    return [
        (f"{name}:{number}", line)
        for name in listed
        if name.endswith(SUFFIXES) and not LEFT_OUT.search(name)
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").split("\n"), 1)
    ]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="it asks git for the files")
@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.pattern)
def test_no_odd_word(word: Word) -> None:
    pattern = re.compile(rf"(?<![\w-])(?:{word.pattern})(?![\w-])")
    found = [
        f"{location}: {line.strip()}"
        for location, line in lines()
        if location.startswith(word.folders) and pattern.search(line)
    ]
    assert not found, f"write {word.instead!r}:\n" + "\n".join(found)
