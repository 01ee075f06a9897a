"""Guards whose body is code of the enclosing Python function, instead of a function of its own.

    (guard (e (#t 1)) (f x))
    =>  catch_error = :catch_error
        outside = l:%handlers
        l:%handlers = :NIL
        try:
            result = f(x)
            l:%handlers = outside
        except :BaseException as failure:
            l:%handlers = outside
            result = catch_error(failure)

A guard that may decline puts its record there instead of NIL: that is the first argument of
`%guarded-by`.

The body binds no variables and creates no procedures.  So nothing that it made outlives it in the
function's frame, and no closure captures a variable of an iteration.  Any other body is a procedure
that the library's `%guarded` calls.

Ctrl-C may arrive after each call.  The handlers of the guard are installed and removed by single
assignments, with no call between them and the `try`; so they are removed however the body is left.
"""

from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Global,
    If,
    Lambda,
    Let,
    Local,
    Namespace,
    PrimCall,
    PrimRef,
    Special,
)
from lambent.lang.core.traverse import children
from lambent.lang.interp.emit import pycode as py
from lambent.lang.interp.emit.base import RESULT, EmitterBase
from lambent.lang.interp.emit.unit import HIDDEN

HANDLERS = "l:%handlers"  # as in stdlib/language/control.lisp


def guarded_code(value: Core) -> Lambda | None:
    """The body's procedure of a guard whose body can be written in place; otherwise None."""
    match value:
        case Call(
            Global("%guarded" | "%guarded-by", Namespace.LIBRARY),
            (*_, Lambda(is_form_body=True) as code),
        ):
            return code if _is_simple(code.body) else None
    return None


def _is_simple(body: Core) -> bool:
    """Whether a body, `(let (result form ...) result)`, binds nothing but its result."""
    match body:
        case Let(name, value, Local(result)) if name == result:
            pending = [value]
        case _:
            return False
    while pending:
        core = pending.pop()
        if not isinstance(core, Begin | Call | Const | Global | If | Local | PrimCall | PrimRef):
            return False
        pending.extend(children(core))
    return True


class GuardEmitter(EmitterBase):
    def guarded(self, identifier: str, record: Core | None, code: Lambda) -> None:
        """Set a variable to the value of a guard's body, or to its failure."""
        assert isinstance(code.body, Let)
        line = self.locations.add(code.span, HIDDEN)
        outside = self.temporary()
        self.function_state.globals.add(HANDLERS)
        restore = py.assign(HANDLERS, py.name(outside, line), line)
        # The machine makes this function when it is first mentioned, which takes memory.
        catch_error = self.temporary()
        self.write(py.assign(catch_error, py.name(":catch_error", line), line))
        self.write(py.assign(outside, py.name(HANDLERS, line), line))
        handlers = self.expression(record) if record else py.name(":NIL", line)
        self.write(py.assign(HANDLERS, handlers, line))
        with self.block() as body:
            self.write(py.assign(identifier, self.expression(code.body.value), line))
            self.write(restore)
        failure = self.temporary()
        caught = py.call_name(catch_error, [py.name(failure, line)], line)
        forget = py.assign(RESULT, self.constants.value(Special.UNSPECIFIED, line), line)
        last: list[py.Stmt] = [restore, forget, py.assign(identifier, caught, line)]
        self.write(py.try_except(body, py.name(":BaseException", line), failure, last, line))
