"""Every operator that the installed LibTorch registers is callable, or refused for a reason.

To show that an overload is callable, arguments are made from the schema's text, bound to that very
overload and converted.  Only the call itself is left out, because LibTorch relies on its callers'
checks.  Then the names: on both back ends, each name calls its operator.
"""

from collections import Counter
from pathlib import Path

import pytest

from lambent.ctorch import load, operator_names, overload_usages
from lambent.lang.interp.repl.session import Session
from lambent.lang.primitives.table import operator_name
from lambent.lang.reference import operator_docs as operator_reference
from lambent.lang.reference.pages import completions, describe
from lambent.lang.syntax.source import Source
from tests.support.ctorch_calls import check, values
from tests.support.paths import DOCS
from tests.support.programs_run import ProgramRunner
from tests.support.schemas import (
    Schema,
    UnsupportedTypeError,
    all_schemas,
    arguments_for,
    script_schemas,
)

PAGES = DOCS / "operators"


def bound(schema: Schema, *, full: bool) -> str:
    """The overload that a call with arguments for the schema means."""
    lib, ffi = load()
    operator = ffi.new("ct_op **")
    check(lib.ct_op_find(schema.aten_name.encode(), operator))
    arguments, found = arguments_for(schema, full=full), ffi.new("const char **")
    keep: list[object] = []
    check(lib.ct_op_bind(operator[0], len(arguments), values(arguments, keep), found))
    name: str = ffi.string(found[0]).decode()
    return name


def class_of(schema: Schema) -> str:
    """reached, refused, or made: it takes a value that only other operators create."""
    if schema.refusal:
        return "refused"
    try:
        reached = {bound(schema, full=True), bound(schema, full=False)}
    except UnsupportedTypeError:
        return "made"
    assert schema.overload in reached, schema.text
    return "reached"


def test_every_operator_is_callable_or_refused_for_a_reason() -> None:
    found = Counter((s.operator.startswith("aten::"), class_of(s)) for s in all_schemas())
    aten = sum(count for (is_aten, _), count in found.items() if is_aten)
    assert aten > 3000
    assert found[True, "reached"] >= 0.98 * aten
    reached = found[True, "reached"] + found[False, "reached"]
    assert reached >= 0.94 * found.total()


def test_operator_names_are_derived_from_aten_names() -> None:
    spelt = {operator_name(name) for name in operator_names()}
    callable_ = {schema.aten_name for schema in script_schemas() if not schema.refusal}
    own = {operator_name(usage.split(maxsplit=1)[0][1:]) for usage in overload_usages()}
    assert spelt == {schema.aten_name for schema in all_schemas()} | callable_ | own
    assert len(spelt) == len(operator_names())


def test_the_scripting_language_s_operators_on_tensors_are_callable() -> None:
    assert len(script_schemas()) > 30
    for schema in script_schemas():
        bound(schema, full=True)


def test_every_name_calls_its_operator(runner: ProgramRunner, all_random: bool) -> None:
    """On both back ends: the message about an unknown keyword shows the operator's own schema."""
    need_nothing = {s.aten_name for s in all_schemas() if not any(p.required for p in s.parameters)}
    names = [name for name in operator_names() if operator_name(name) not in need_nothing]
    source = [
        "(define (report name operator)",
        "  (guard (x (#t (print name (error-object-message x))))",
        "    (operator 'no-value-that-any-takes :no-such-keyword 1)",
        "    (print name 'ran)))",
        *(f"(report '{name} {name})" for name in (names if all_random else names[::40])),
    ]
    path = runner.folder / "operator-names.lisp"
    path.write_text("\n".join(source))
    script, executable = runner.run_script(path), runner.run_executable(path)
    assert (script.errors, script.status) == ("", 0)
    assert (executable.output, executable.errors, executable.leaks) == (script.output, "", "")
    for line in script.output.splitlines():
        name, message = line.split(" ", 1)
        told = ("unknown keyword :no-such-keyword", "expected", "cannot be called from Lisp: ")
        assert message.startswith(tuple(f"{name}: {words}" for words in told)), line


# The reference.


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_examples_of_notes_print_what_they_say(runner: ProgramRunner, back_end: str) -> None:
    notes = operator_reference.notes()
    path = runner.folder / "operator-notes.lisp"
    path.write_text("\n".join(note.example for note in notes.values()))
    runs = {"script": runner.run_script, "executable": runner.run_executable}
    outcome = runs[back_end](path)
    assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")
    expected = {name: note.example.split("; => ")[1] for name, note in notes.items()}
    printed = dict(zip(expected, outcome.output.splitlines(), strict=True))
    assert printed == expected


def test_notes_are_of_operators_and_in_order() -> None:
    names = list(operator_reference.notes())
    text = (Path(operator_reference.__file__).parent / "operator_notes.lisp").read_text()
    assert text.count("\n(") == len(names) >= 150
    assert set(names) <= set(operator_names())
    assert names == sorted(names)
    for name in names:
        assert f"({name} " in operator_reference.notes()[name].example


def test_the_pages_are_current() -> None:
    pages = operator_reference.pages()
    written = (PAGES / "README.md").read_text(encoding="utf-8")
    if written.splitlines()[0] != pages["README.md"].splitlines()[0]:
        pytest.skip("the pages were made with another version of LibTorch")
    assert {path.name for path in PAGES.glob("*.md")} == set(pages)
    for name, text in pages.items():
        assert (PAGES / name).read_text(encoding="utf-8") == text, f"{name}: run `make docs`"


def test_refusals_are_on_the_page() -> None:
    written = (PAGES / "README.md").read_text(encoding="utf-8")
    if written.splitlines()[0] != operator_reference.pages()["README.md"].splitlines()[0]:
        pytest.skip("the pages were made with another version of LibTorch")
    for schema in all_schemas():
        assert (f"| `{schema.full_name}` |" in written) == bool(schema.refusal), schema.text


def test_doc_prints_operators() -> None:
    shown: list[str] = []
    Session(shown.append).evaluate(Source("repl", "(doc tensor-topk)"))
    assert shown == [describe("tensor-topk")]
    assert shown[0].splitlines() == [
        "(tensor-topk self k [dim] [largest] [sorted])",
        "  [...] -> (values indices)",
        "  The k largest elements along dim, and where they are.",
        "  (print (tensor-topk [1.0 5.0 3.0] 2))  ; => ([5.0 3.0] [1 2])",
    ]
    assert "In place" in describe("tensor-add!")
    assert describe("tensor-cartesian-prod").splitlines()[1] == (
        "  aten::cartesian_prod(Tensor[] tensors) -> Tensor"
    )


def test_names_of_operators_are_completed() -> None:
    session = Session(print)
    assert "tensor-linalg-solve" in session.names("tensor-linalg-so")
    assert completions("tensor-private--softm") == [
        "tensor-private--softmax", "tensor-private--softmax-backward-data",
    ]
    assert not [name for name in completions("tensor-") if name.startswith("tensor-private-")]
