"""`case-lambda`: one procedure with a body for each number of arguments.

    (case-lambda ((x) a) ((x . more) b))
    =>  (lambda arguments
          (let count (length arguments)
            (if (= count 1) (let x (car arguments) a)
              (if (>= count 1) (let x ... (let more ... b))
                (%no-clause "lambda" count "1 or at least 1 arguments"
                            "(lambda x) or ...")))))
"""

from collections.abc import Sequence

from lambent.lang.core.forms.procedures import Parameters, body_of, parse_parameters
from lambent.lang.core.ir import Const, Core, If, Lambda, Let, Local, PrimCall
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import bad_form, special_form
from lambent.lang.errors import SyntaxFault
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Datum, List, Number, String, Symbol
from lambent.lang.syntax.source import Source, Span
from lambent.lang.system.dataclass import replace

_ANONYMOUS = "lambda"
# A wrong number of arguments is the caller's mistake, so messages do not show this location.
_LOCATION = Span(Source("case-lambda", "(case-lambda)", library=True), 0, len("(case-lambda)"))


@special_form("case-lambda", "(case-lambda ((parameter ...) body ...) ...)")
def _case_lambda(form: List, env: Env) -> Core:
    clauses = [_clause(datum, form) for datum in form.items[1:]]
    unit, span = env.unit, form.span
    arguments, count = unit.fresh("arguments"), unit.fresh("count")
    result: Core = _no_clause([parameters for parameters, _ in clauses], count)
    for parameters, body in reversed(clauses):
        inner, unique = env.bind(parameters.names)
        core = _take(parameters, unique, arguments, body_of(body, form, inner), env, span)
        result = If(_fits(parameters, count, span), core, result, span)
    length = PrimCall(TABLE["length"], (Local(arguments, span),), span)
    return Lambda(None, (), (), arguments, Let(count, length, result, span), span)


def _clause(datum: Datum, form: List) -> tuple[Parameters, Sequence[Datum]]:
    match datum:
        case List((Symbol() | List() as formals, _, *_), None):
            parameters = parse_parameters(formals, form)
            if parameters.keywords:
                raise SyntaxFault("case-lambda: a clause takes no keywords", formals.span)
            return parameters, datum.items[1:]
    raise bad_form(form, datum, "((parameter ...) body ...)")


def _fits(parameters: Parameters, count: str, span: Span) -> Core:
    test = TABLE[">=" if parameters.rest else "="]
    least = Const(Number(len(parameters.required), span), span)
    return PrimCall(test, (Local(count, span), least), span)


def _take(
    parameters: Parameters, unique: Sequence[str], arguments: str, body: Core, env: Env, span: Span
) -> Core:
    """The body with the parameters bound to the elements of the list of arguments."""
    steps: list[tuple[str, Core]] = []
    left: Core = Local(arguments, span)
    required = unique[: len(parameters.required)]
    for i, name in enumerate(required):
        steps.append((name, PrimCall(TABLE["car"], (left,), span)))
        if i + 1 < len(required) or parameters.rest:
            rest = env.unit.fresh("arguments")
            steps.append((rest, PrimCall(TABLE["cdr"], (left,), span)))
            left = Local(rest, span)
    if parameters.rest:
        steps.append((unique[-1], left))
    for name, value in reversed(steps):
        body = Let(name, value, body, span)
    return body


# No clause for the number of arguments.


def _no_clause(clauses: Sequence[Parameters], count: str) -> Core:
    counts = [
        f"{'at least ' if clause.rest else ''}{len(clause.required)}" for clause in clauses
    ]
    usages = [_usage(clause) for clause in clauses]
    texts = [_ANONYMOUS, _either(list(dict.fromkeys(counts))), " or ".join(usages)]
    who, expected, usage = [Const(String(text, _LOCATION), _LOCATION) for text in texts]
    return PrimCall(TABLE["%no-clause"], (who, Local(count, _LOCATION), expected, usage), _LOCATION)


def _either(counts: Sequence[str]) -> str:
    """`1, 2 or at least 4 arguments`"""
    if len(counts) == 1:
        return f"{counts[0]} argument{'' if counts[0].split()[-1] == '1' else 's'}"
    return f"{', '.join(counts[:-1])} or {counts[-1]} arguments" if counts else "no arguments"


def _usage(clause: Parameters) -> str:
    names = [symbol.name for symbol in clause.required]
    rest = [f"{clause.rest.name} ..."] if clause.rest else []
    return f"({' '.join([_ANONYMOUS, *names, *rest])})"


def renamed(body: Core, name: str) -> Core:
    """The body of a case-lambda that is bound to a name, with that name in its error message."""
    match body:
        case Let(value=PrimCall(primitive), body=If() | PrimCall() as inner) if (
            primitive is TABLE["length"]
        ):
            return replace(body, body=renamed(inner, name))
        case If(orelse=If() | PrimCall() as orelse):
            return replace(body, orelse=renamed(orelse, name))
        case PrimCall(primitive, (_, count, expected, Const(String(usage)))) if (
            primitive is TABLE["%no-clause"]
        ):
            who = Const(String(name, _LOCATION), _LOCATION)
            call = Const(String(usage.replace(f"({_ANONYMOUS}", f"({name}"), _LOCATION), _LOCATION)
            return replace(body, arguments=(who, count, expected, call))
    return body
