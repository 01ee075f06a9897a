"""Every primitive's and every form's example is a program, run on both back ends.

All examples of primitives, and all of forms, go into one program, each under its own heading,
because starting and compiling cost more than running.
"""


import pytest

from lambent.lang.primitives.library import TABLE
from lambent.lang.reference.form_docs import FORM_DOCS
from lambent.lang.reference.pages import describe
from tests.support.paths import DOCS
from tests.support.programs_run import ProgramRunner

EXAMPLES = {
    name: primitive.example
    for name, primitive in TABLE.items()
    if primitive.example and name == primitive.name
}
FORM_EXAMPLES = {name: form.example for name, form in FORM_DOCS.items() if form.example}
EXAMPLES |= FORM_EXAMPLES
TENSORS = [
    name for name in EXAMPLES
    if "tensor" in name
    or name.endswith("-grad")
    or (name in TABLE and TABLE[name].symbol.startswith(("bridge_", "ct_")))
]
SCALARS = [name for name in EXAMPLES if name not in TENSORS]


def batch(names: list[str]) -> str:
    parts = [f'(display "--- {name}")\n(newline)\n{EXAMPLES[name]}\n(newline)' for name in names]
    return "\n".join(parts) + "\n"


def printed(runner: ProgramRunner, back_end: str, name: str) -> str:
    """The output of the example of that name, from the run of its batch."""
    kind, names = ("tensors", TENSORS) if name in TENSORS else ("scalars", SCALARS)
    path = runner.folder / f"{kind}.lisp"
    if not path.exists():
        path.write_text(batch(names))
    runs = {"script": runner.run_script, "executable": runner.run_executable}
    outcome = runs[back_end](path)
    assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")
    sections = dict(
        section.split("\n", 1) for section in outcome.output.split("--- ")[1:]
    )
    return sections[name].strip()


@pytest.mark.parametrize("back_end", ["script", "executable"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_example(runner: ProgramRunner, name: str, back_end: str) -> None:
    example = EXAMPLES[name]
    expected = example.split("; =>", 1)[1].strip()
    assert printed(runner, back_end, name) == expected, example


def test_reference_page_is_current() -> None:
    from lambent.lang.reference.pages import reference_page

    page = DOCS / "reference.md"
    assert page.read_text() == reference_page(), "run `make docs`"


def test_every_form_is_described() -> None:
    from lambent.lang.core.scope import SPECIAL_FORMS

    public = {name for name in SPECIAL_FORMS if not name.startswith("%")}
    assert public == set(FORM_DOCS)
    assert describe("guard").startswith(
        "(guard (name clause ...) form ...)\n  The forms.  An object raised in them"
    )
    assert describe("else").startswith("else\n  The last clause")
    for name in ("comparator-hash", "comparator-if<=>"):
        assert describe(name).endswith("\n  (import (srfi 128)) makes the name available.")
