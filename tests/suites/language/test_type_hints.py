"""The hints for values of the wrong type are the same in scripts and executables, and true."""

from lambent.lang import type_hint_header
from lambent.lang.core.modules.library import library_names
from lambent.lang.interp.errors.type_hints import ROWS
from lambent.lang.primitives.library import TABLE
from tests.support.paths import ROOT


def test_both_back_ends_have_the_same_rows() -> None:
    text = (ROOT / "runtime/errors/type_hint_rows.h").read_text("utf-8")
    assert text == type_hint_header.header(), "lang/type_hint_header.py says how to make it"


def test_rows_name_existing_procedures() -> None:
    known = {*library_names(), *TABLE}
    named = {name for row in ROWS for name in row.names.split()}
    assert named - known == set()
