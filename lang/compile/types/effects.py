"""Effects: whether each function may fail, tail-call through the trampoline, or call itself again.

The emitter leaves out tests for what cannot happen, so the code is smaller and faster.  What
functions of the library do that are compiled elsewhere, their interfaces say.
"""

from collections.abc import Iterator, Mapping, Set

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Convert,
    DirectCall,
    DirectTailCall,
    Function,
    If,
    IndirectCall,
    IndirectTailCall,
    Loop,
    Operation,
    Representation,
)
from lambent.lang.compile.ir.blocks import binds_in, ends_in, map_functions, statements_in
from lambent.lang.compile.ir.operands import has_loop
from lambent.lang.compile.ir.operation_effects import effects_of
from lambent.lang.compile.ir.owner import Owner
from lambent.lang.compile.types.callers import callers_of, with_callers
from lambent.lang.compile.types.infer import may_tail
from lambent.lang.compile.types.stack_checks import place_stack_checks
from lambent.lang.core.dynamic_state import catches
from lambent.lang.core.strong_components import on_cycles
from lambent.lang.system.dataclass import replace

_ANY_CLOSURE = "any closure"  # stands for everything that an indirect call may call


def find_effects(program: Anf) -> Anf:
    """The program with the effects of each function, and its checks of the stack."""
    functions = program.by_name
    recursive = _recursive_functions(functions)
    tensors = program.uses_tensors
    catching = program.is_open or catches_failures(functions)
    failing = _may_fail(functions, recursive, tensors, catching)
    tails = may_tail(functions)

    def finished(function: Function) -> Function:
        # What only tests its parameters leaves that to its versions.
        checks_stack = function.name in recursive and function.fixnums is None
        found = replace(
            function,
            may_tail=function.name in tails,
            may_fail=function.name in failing,
            checks_stack=checks_stack,
        )
        return place_stack_checks(found, recursive) if checks_stack else found

    externals = tuple([replace(e, checks_stack=e.name in recursive) for e in program.externals])
    return replace(map_functions(program, finished), externals=externals)


def _operations(function: Function) -> Iterator[Operation]:
    return (bind.operation for bind in binds_in(function.body))


def _callees(function: Function) -> Iterator[str]:
    """The functions that it calls; an indirect call may call any closure."""
    if function.interface is not None and function.interface.calls_unknown:
        yield _ANY_CLOSURE
    for operation in _operations(function):
        match operation:
            case DirectCall(callee):
                yield callee
            case IndirectCall():
                yield _ANY_CLOSURE
            case Apply(primitive) if primitive.effects.may_call:
                yield _ANY_CLOSURE
    for end in ends_in(function.body):
        match end:
            case DirectTailCall(callee):
                yield callee
            case IndirectTailCall():
                yield _ANY_CLOSURE


def calls_closures(function: Function) -> bool:
    """Whether it may itself call a procedure that is not known."""
    return _ANY_CLOSURE in _callees(function)


def _catches(operation: Operation) -> bool:
    return isinstance(operation, Apply) and catches(operation.primitive)


def masks_interrupts(function: Function) -> bool:
    """Whether Ctrl-C waits while its own code runs, because it restores the dynamic state.

    The functions that it calls may be interrupted.
    """
    if function.owner is Owner.LIBRARY:
        return any(map(_catches, _operations(function)))
    return function.owner is Owner.CONTROL


def _recursive_functions(functions: dict[str, Function]) -> set[str]:
    """The recursive functions, which may be on the stack more than once.  Closures may call every
    function of the library."""
    edges = {name: sorted(set(_callees(f))) for name, f in functions.items()}
    edges[_ANY_CLOSURE] = [
        name for name, f in functions.items() if f.escapes or f.owner.is_library
    ]
    return on_cycles(edges) & functions.keys()


def catches_failures(functions: Mapping[str, Function]) -> bool:
    """Whether something in the program catches failures."""
    return any(f.interface is not None and f.interface.catches for f in functions.values()) or any(
        _catches(o) for f in functions.values() for o in _operations(f)
    )


def stops_at_ctrl_c(function: Function, catching: bool) -> bool:
    """Whether it has a loop in which Ctrl-C is a failure; where nothing catches failures, it ends
    the process."""
    return (catching or function.owner.is_library) and has_loop(function)


def _may_fail(
    functions: dict[str, Function], recursive: set[str], tensors: bool, catching: bool
) -> set[str]:
    """The functions that may fail themselves or call one that may; a check of the stack may
    fail.  catching: something catches failures."""
    failing = {
        name
        for name, f in functions.items()
        if _fails_itself(f, tensors)
        or (f.interface is None and (name in recursive or stops_at_ctrl_c(f, catching)))
    }
    # An indirect call counts as failing itself; the closures that %try calls do not make it fail.
    return with_callers(failing, callers_of(functions, caught=False))


def _fails_itself(function: Function, tensors: bool) -> bool:
    if function.interface is not None:
        return function.may_fail
    types = _types(function)
    return any(isinstance(end, IndirectTailCall) for end in ends_in(function.body)) or any(
        can_fail(bind, types, tensors) for bind in binds_in(function.body)
    )


def _types(function: Function) -> dict[str, Representation]:
    types = {parameter.name: parameter.representation for parameter in function.parameters}
    for statement in statements_in(function.body):
        match statement:
            case Bind(name, representation) | If(name, representation):
                types[name] = representation
            case Loop(name, representation, _, variables):
                types[name] = representation
                types.update((variable.name, variable.representation) for variable in variables)
    return types


def can_fail(bind: Bind, types: dict[str, Representation], tensors: bool) -> bool:
    """Whether an operation itself may fail, apart from the function that a direct call calls."""
    operation = bind.operation
    is_value = (
        isinstance(operation, Convert)
        and types[operation.operand] is Representation.VALUE
        and not operation.fits
    )
    return effects_of(
        operation, bind.representation, tensors=tensors, converts_value=is_value
    ).may_fail


def fails(
    bind: Bind, types: dict[str, Representation], failing: Set[str], *, tensors: bool
) -> bool:
    """Whether control may leave the function at a statement, which needs a cleanup there.

    failing: the functions that may fail.
    """
    match bind.operation:
        case DirectCall(callee, caught=caught):
            return not caught and callee in failing
    return can_fail(bind, types, tensors)
