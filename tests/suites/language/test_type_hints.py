"""The hints for values of the wrong type are the same in scripts and executables, and true."""

import re

import pytest

from lambent.lang import type_hint_header
from lambent.lang.core.ir import Lambda
from lambent.lang.core.modules.library import library_definition, library_names
from lambent.lang.core.usage import usage
from lambent.lang.interp.errors.type_hints import ROWS, hint_of_type
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.table import operator
from tests.support.paths import ROOT


def test_both_back_ends_have_the_same_rows() -> None:
    text = (ROOT / "runtime/errors/type_hint_rows.h").read_text("utf-8")
    assert text == type_hint_header.header(), "lang/type_hint_header.py says how to make it"


def test_rows_name_existing_procedures() -> None:
    known = {*library_names(), *TABLE}
    named = {name for row in ROWS for name in row.names.split()}
    assert named - known == set()


_LAYERS = sorted({
    name
    for path in (ROOT / "stdlib/layers").glob("*.lisp")
    for name in re.findall(r"^\(define-module \(([^ )]+)", path.read_text("utf-8"), re.M)
} - {"sequential", "residual"})  # which take layers


@pytest.mark.parametrize("name", _LAYERS)
def test_layers_say_what_applies_them(name: str) -> None:
    """The usage, which has it from the doc, and the hint for a tensor say the same."""
    code = library_definition(name).value
    assert isinstance(code, Lambda)
    _, _, application = usage(code).partition(") creates a layer; ")
    assert application.endswith(" applies it to a tensor")
    hint = hint_of_type(name, "a positive integer", "tensor")
    assert hint in (None, f"({name} ...) creates a layer; {application}")
    called = re.match(r"\(\(?([^ )]+)", application)
    assert called
    assert called[1] in {*library_names(), *TABLE} or operator(called[1])
