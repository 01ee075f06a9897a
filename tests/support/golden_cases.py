"""Golden `.case` files: small sources, and what passes print for them (`lambent show`).

    === a branch that does not use a value frees it first
    --- source
    (define (f flag x) (if flag (tensor-sum x) 0))
    --- owned f
    fn f(flag: value, x: value) -> value
    ...

A section is named after a pass; a name after it chooses one function of what the pass prints, and
`frees --all` marks every value.  `--- source, not inlined`: the procedures of the source stay
functions, and are called.
"""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """sections: the stages in the order of the file, each with what it should print."""

    name: str
    source: str
    sections: dict[str, str]
    inlines: bool = True

    def show(self, stage: str) -> str:
        from lambent.lang.errors import LispError, render
        from lambent.lang.pipeline import show_text

        pass_, _, function = stage.replace(" --all", "").partition(" ")
        try:
            everything = "--all" in stage
            text = show_text(
                pass_, self.source, "case.lisp", everything=everything, inlines=self.inlines
            )
        except LispError as error:
            text = render(error)
        return (function_of(text, function) if function else text).strip() + "\n"


def function_of(text: str, name: str) -> str:
    """The lines of one function, in what any pass prints: ANF, C, Core, lifted or Python."""
    head = re.escape(name)
    c_name = re.escape(name.replace("-", "_"))
    patterns = (
        rf"^fn {head}\(.*?(?=^$|\Z)",  # ANF
        rf"^(?:static )?[^\n;]*\bfn_{c_name}\([^;{{]*\)\n\{{\n.*?^\}}",  # C
        rf"^\((?:define|function) {head}[ )\n].*?(?=^\(|^$|\Z)",  # Core, lifted
        rf"^{head}\(.*?(?=^$|\Z)",  # abstract types
        rf"^def p:{head}\([^\n]*\n(?:(?: [^\n]*)?\n)*",  # Python
    )
    for pattern in patterns:
        if found := re.search(pattern, text, flags=re.M | re.S):
            return found[0]
    return f"there is no function {name}\n"


def read_cases(path: Path) -> list[GoldenCase]:
    cases = []
    for part in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        name, _, body = part.partition("\n")
        sections = {}
        for section in re.split(r"^--- ", body, flags=re.M)[1:]:
            title, _, text = section.partition("\n")
            sections[title.strip()] = text.strip() + "\n"
        whole = sections.pop("source", None)
        source = sections.pop("source, not inlined") if whole is None else whole
        cases.append(GoldenCase(name.strip(), source, sections, inlines=whole is not None))
    return cases


def update_section(path: Path, case: str, stage: str, text: str) -> None:
    """Replace one section of one case."""
    parts = re.split(r"^(?==== )", path.read_text(encoding="utf-8"), flags=re.M)
    for index, part in enumerate(parts):
        if part.startswith(f"=== {case}\n"):
            pattern = rf"^(--- {re.escape(stage)}\n).*?(?=^--- |\Z)"
            blank = "\n" if index + 1 < len(parts) else ""
            parts[index] = (
                re.sub(pattern, lambda m: m[1] + text, part, flags=re.M | re.S).rstrip()
                + "\n" + blank
            )
    path.write_text("".join(parts), encoding="utf-8")
