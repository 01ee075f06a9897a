"""Examples and links in the documents.  The `scheme` blocks of a page form one program."""

import re
from pathlib import Path

import pytest

from tests.support import conformance
from tests.support.paths import ROOT
from tests.support.programs_run import ProgramRunner

PARTS = ("lang", "runtime", "ctorch", "stdlib", "tests")
NAMES = (
    "language", "tensors", "memory", "models", "data", "optimizers", "losses", "keeping",
    "everyday", "guide", "from-torch-nn", "gpus", "seeing", "architectures", "generation", "lispe",
    "encoders",
)
PAGES = ["README.md", *(f"docs/{name}.md" for name in NAMES)]


@pytest.mark.parametrize("back_end", ["script", "executable"])
@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_they_say(runner: ProgramRunner, page: str, back_end: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    source = "\n".join(re.findall(r"^```scheme\n(.*?)^```", text, re.M | re.S))
    path = runner.folder / f"{Path(page).stem}-page.lisp"
    if not path.exists():
        path.write_text(source, encoding="utf-8")
    runs = {"script": runner.run_script, "executable": runner.run_executable}
    outcome = runs[back_end](path)
    expected = [part.strip() for part in re.findall(r"; =>(.*)$", source, re.M)]
    assert outcome.errors == ""
    assert outcome.output.splitlines() == expected
    assert (outcome.status, outcome.leaks) == (0, "")


def test_links_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_architecture_is_short() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 250, "reasons and measurements go to docs/decisions.md"


def test_the_code_map_has_each_folder() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    paragraphs = set(re.findall(r"^\*\*`([\w/]+)/`\*\*", text, re.M))
    modules = [path.relative_to(ROOT / "lang") for path in ROOT.glob("lang/*/**/*.py")]
    folders = {f"lang/{path.parts[0]}" for path in modules if path.name != "__init__.py"}
    assert paragraphs == {"runtime", "ctorch", "stdlib", "tests", *folders}


def test_each_decision_has_a_date() -> None:
    text = (ROOT / "docs/decisions.md").read_text(encoding="utf-8")
    entries = re.findall(r"^- .*", text, re.M)
    assert len(entries) > 80
    for entry in entries:
        assert re.match(r"- \*\*20\d\d-\d\d-\d\d: \S", entry), entry


# What a page names as a file that the reader will write.
INVENTED = {"like_this.lisp", "tests/errors/NAME.lisp", "tests/programs/NAME.lisp"}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "docs/decisions.md"])
def test_a_page_names_existing_files(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = set(re.findall(r"[` ]((?:lang|runtime|ctorch|stdlib|tests|docs)/[\w./-]*)`", text))
    assert len(paths) > 20
    for path in paths - INVENTED:
        assert (ROOT / path).exists(), f"{page} names {path}"
    files = [str(file) for part in PARTS for file in (ROOT / part).rglob("*")]
    for name in set(re.findall(r"`([\w/-]+\.(?:py|c|h|cpp|lark|lisp))`", text)) - INVENTED:
        assert any(file.endswith(f"/{name}") for file in files), f"{page} names {name}"


def test_the_guide_for_contributors_names_existing_commands_and_variables() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    wanted = set(re.findall(r"(?:`| {4})make ([\w-]+)", text))
    assert len(wanted) > 5
    assert wanted - set(targets) == set()
    modules = set(re.findall(r"python -m (tests[\w.]*)", text))
    assert len(modules) > 10
    for module in modules:
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module
    code = "".join(
        file.read_text(encoding="utf-8")
        for part in PARTS
        for file in (ROOT / part).rglob("*")
        if file.suffix in (".py", ".c", ".h", ".cpp")
    )
    variables = set(re.findall(r"LAMBENT_[A-Z_]+", text))
    assert len(variables) > 5
    for variable in variables:
        assert variable in code, f"nothing reads {variable}"


def test_every_name_of_r7rs_is_shown_by_a_program() -> None:
    assert conformance.gaps() == []
    written = (ROOT / "docs/r7rs.md").read_text(encoding="utf-8")
    assert written == conformance.page(), "run `make docs`"
