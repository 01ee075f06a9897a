"""Procedures on text may fail at every operation, and leak nothing: programs under sanitizers."""

from pathlib import Path

import pytest

from tests.support.binaries import build_texts, finish
from tests.support.paths import PROGRAMS

SOURCES = {
    "library": "string_library.lisp",
    "format": "format.lisp",
    "strings": "r7rs/6.7_strings.lisp",
    "bytes": "r7rs/6.9_bytevectors.lisp",
}


@pytest.mark.slow
def test_no_failure_leaks(all_random: bool, tmp_path: Path) -> None:
    """Every operation fails in turn; one in five unless all are asked for."""
    texts = {name: (PROGRAMS / file).read_text("utf-8") for name, file in SOURCES.items()}
    binary = build_texts(texts, tmp_path)
    some = [] if all_random else [str(number) for number in range(1, 20_000, 5)]
    for name in SOURCES:
        output, _, status = finish([str(binary), name, "inject", *some], tmp_path)
        assert status == 0, output
        assert int(output) > (20 if all_random else 5)
