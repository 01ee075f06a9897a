"""The hints for values of the wrong type are the same in scripts and executables, and true."""

import re

from lambent.lang.core.modules.library import library_names
from lambent.lang.interp.errors.type_hints import _ROWS, CALLEE
from lambent.lang.primitives.library import TABLE
from tests.support.paths import ROOT

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def test_both_back_ends_have_the_same_rows() -> None:
    text = (ROOT / "runtime/errors/type_hint.c").read_text("utf-8")
    table = text.split("rows[] = {\n")[1].split("\n};")[0].replace("RT_CALLEE", f'"{CALLEE}"')
    joined = re.sub(r'"\s+"', "", table)  # C joins literals that follow each other
    literals = [re.sub(r"\\(.)", r"\1", text) for text in _LITERAL.findall(joined)]
    assert literals == [field for row in _ROWS for field in row]


def test_rows_name_existing_procedures() -> None:
    known = {*library_names(), *TABLE}
    named = {name for row in _ROWS for name in row.names.split()}
    assert named - known == set()
