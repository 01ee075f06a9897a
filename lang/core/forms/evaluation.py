"""Programs that evaluate programs: `eval`, `load`.  An executable cannot.

    (define (f) (eval x))  =>  refused by the compiler; the interpreter then assumes that every
                               variable may change
"""

from lambent.lang.core.ir import Core, PrimCall, PrimRef, Program
from lambent.lang.core.traverse import walk
from lambent.lang.errors import SyntaxFault


def evaluator_use(program: Program) -> Core | None:
    """The first mention of a procedure that only the interpreter has."""
    for form in program.forms:
        for node in walk(form):
            if isinstance(node, PrimCall | PrimRef) and node.primitive.interpreted:
                return node
    return None


def refuse_evaluator(program: Program, path: str) -> None:
    """A SyntaxFault if an executable cannot do what the program does; path: the program's file."""
    use = evaluator_use(program)
    if isinstance(use, PrimCall | PrimRef):
        raise SyntaxFault(
            f"{use.primitive.name}: an executable has no evaluator",
            use.span,
            hint=f"run the program with: lambent {path}",
        )
