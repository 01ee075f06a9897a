"""Checks before the run: what is likely to be a mistake, and what will certainly fail.

    (define (f x) x) (print (f 1 2) nmae)
    =>  demo.lisp:1:25: f: expected 1 argument, got 2
        demo.lisp:1:33: unbound variable: nmae

They only warn, because the program may never run that code, or may catch the error.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from lambent.lang.core.check.call_evaluator import CallEvaluator
from lambent.lang.core.check.called_defaults import check_called_defaults
from lambent.lang.core.check.calls import check_calls
from lambent.lang.core.check.diagnostic import Diagnostic
from lambent.lang.core.check.flow import check_flow
from lambent.lang.core.check.values import check_values
from lambent.lang.core.forms.evaluation import evaluator_use
from lambent.lang.core.ir import Core, Program, Unbound
from lambent.lang.core.traverse import walk
from lambent.lang.deep import call_deep
from lambent.lang.syntax.source import Source

__all__ = ["Diagnostic", "check"]


def check(program: Program, evaluator: CallEvaluator | None = None) -> list[Diagnostic]:
    """What looks wrong, by file and in textual order, without duplicates.

    evaluator: computes calls with known arguments; without it, such calls are not checked.
    """
    return call_deep(_check, program, evaluator)


def _check(program: Program, evaluator: CallEvaluator | None) -> list[Diagnostic]:
    nodes = [node for form in program.forms for node in walk(form)]
    diagnostics = [*check_calls(nodes), *check_called_defaults(nodes), *check_flow(program)]
    settled = evaluator_use(program) is None  # evaluated code may define any name
    if settled:
        diagnostics += _unknown_names(nodes)
    if evaluator is not None:
        diagnostics += check_values(nodes, program.forms, evaluator, settled)
    files: dict[Source, int] = {}
    for form in program.forms:
        files.setdefault(form.span.source, len(files))
    once = {(d.span.source.name, d.span.start, d.message): d for d in reversed(diagnostics)}
    return sorted(
        once.values(),
        key=lambda d: (files.get(d.span.source, len(files)), d.span.start, d.message),
    )


def _unknown_names(nodes: Sequence[Core]) -> Iterator[Diagnostic]:
    """Each unbound name at its first use."""
    first: dict[str, Unbound] = {}
    uses: Counter[str] = Counter()
    for node in nodes:
        if isinstance(node, Unbound):
            first.setdefault(node.name, node)
            uses[node.name] += 1
    for name, node in first.items():
        hint = node.hint
        if uses[name] > 1:
            count = f"{uses[name]} uses in all"
            hint = f"{hint} ({count})" if hint else count
        yield Diagnostic(f"unbound variable: {name}", node.span, hint)
