"""Checks of calls whose arguments are known from the text: operators, their keywords, and shapes.

    (tensor-frob x)                     =>  unknown operator: tensor-frob
    (tensor-sum x :dimm 0)              =>  tensor-sum: unknown keyword :dimm
    (define a (tensor-ones 2 3)) (@ a a)  =>  tensor-matmul: inner sizes differ: (2 3) times (2 3)
    (tensor-ref [1 2 3] 3)              =>  tensor-ref: index 3 is out of range for dim 0 of size 3
    (string-set! s 0 c)                 =>  string-set!: strings are immutable
    (make-rectangular x 2)              =>  make-rectangular: complex numbers are not supported

The core depends neither on run-time values nor on LibTorch: the caller of `check` passes a
`CallEvaluator`, which computes calls with known arguments.  Of a variable's value, only what cannot
change is known: not the elements of lists, but the shapes of tensors, unless the program may change
those in place.

A test may prevent a call that would fail (`tested_variables.py`), and within a `guard` a call may
be expected to fail.  There, only operators and keywords are checked.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lambent.lang.core.check.call_evaluator import (
    ANYTHING,
    NO_KEYWORD,
    CallEvaluator,
    Fault,
    Unknown,
)
from lambent.lang.core.check.diagnostic import Diagnostic
from lambent.lang.core.check.library_calls import library_fault
from lambent.lang.core.check.tested_variables import Key, TestedVariables, expects_failure, key_of
from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Define,
    Global,
    GradMode,
    If,
    Lambda,
    Let,
    Local,
    Namespace,
    PrimCall,
    PrimRef,
    SetGlobal,
    SetLocal,
    TensorLiteral,
)
from lambent.lang.core.traverse import children
from lambent.lang.primitives.effects import EVERYTHING
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Keyword
from lambent.lang.syntax.source import Span

# The operators that may change the shape of an argument in place, besides those of unknown effects.
_RESHAPING = frozenset(
    ("as_strided_", "resize_", "resize_as_", "resize_as_sparse_", "set_", "set_data",
     "sparse_resize_", "sparse_resize_and_clear_", "squeeze_", "swapaxes_", "swapdims_", "t_",
     "transpose_", "unsqueeze_")
)  # fmt: skip


def check_values(
    nodes: Sequence[Core], forms: Sequence[Core], evaluator: CallEvaluator, settled: bool
) -> list[Diagnostic]:
    """The certain errors in the calls of a program.  nodes: all nodes of its forms.

    settled: only the program's text defines or changes its variables.
    """
    reader = _CallReader(evaluator, nodes, settled)
    # Procedures come last: they are called after the variables that they mention are defined.
    reader.sequence(sorted(forms, key=_is_procedure))
    return reader.diagnostics


def _is_procedure(form: Core) -> bool:
    return isinstance(form, Define) and isinstance(form.value, Lambda)


class _CallReader:
    """known: the values of variables.  uncertain: the variables that enclosing tests depend on."""

    def __init__(self, evaluator: CallEvaluator, nodes: Sequence[Core], settled: bool) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._evaluator = evaluator
        self._known: dict[Key, object] = {}
        self._tested = TestedVariables(nodes)
        self._uncertain: frozenset[Key] = frozenset()
        self._may_fail = False
        defined = Counter((n.namespace, n.name) for n in nodes if isinstance(n, Define))
        changed = {(n.namespace, n.name) for n in nodes if isinstance(n, SetGlobal)}
        self._constants = {key for key, times in defined.items() if times == 1} - changed
        self._assigned = {node.name for node in nodes if isinstance(node, SetLocal)}
        if not settled:
            self._constants.clear()
        self._keeps_shapes = not any(map(_may_reshape, nodes))
        self._has_loose_keywords = _has_loose_keywords(nodes)

    def value(self, core: Core) -> object:
        """What is known of an expression's value; errors in it are recorded."""
        if key_of(core) in self._uncertain:
            return ANYTHING
        match core:
            case Const(value):
                return self._evaluator.constant(value)
            case Local(name):
                return self._known.get(name, ANYTHING)
            case Global(name, namespace):
                return self._known.get((namespace, name), ANYTHING)
            case PrimRef(primitive):
                if primitive.operator:
                    self._note(self._evaluator.mention(primitive), core.span)
                return NO_KEYWORD
            case TensorLiteral(shape, elements):
                return self._evaluator.literal(shape, [self.value(e) for e in elements])
            case PrimCall(primitive, arguments):
                return self._called(primitive, [self.value(a) for a in arguments], core.span)
            case Call(PrimRef(), arguments):  # the number of arguments is wrong
                for argument in arguments:
                    self.value(argument)
                return ANYTHING
            case Call(Global(name, Namespace.LIBRARY), arguments) if not expects_failure(core):
                values = [self.value(argument) for argument in arguments]
                fault = library_fault(name, values, self._evaluator)
                if not self._may_fail:
                    self._note(fault, core.span)
                return ANYTHING
            case Let(name, value, body):
                self._keep(name, self.value(value), name not in self._assigned)
                return self.value(body)
            case Define(name, namespace, value):
                key = (namespace, name)
                self._keep(key, self.value(value), key in self._constants)
                return NO_KEYWORD
            case If(test, then, orelse):
                self._branches(test, then, orelse)
                return ANYTHING
            case Begin(forms):
                return self.sequence(forms)
            case Call() if expects_failure(core):
                with self._with_uncertain(frozenset(), may_fail=True):
                    for argument in core.arguments:
                        self.value(argument)
                return ANYTHING
            case GradMode(_, body):
                return self.value(body)
        for child in children(core):
            self.value(child)
        return ANYTHING

    def sequence(self, forms: Sequence[Core]) -> object:
        """What is known of the last form; an earlier form may have left the sequence."""
        result: object = ANYTHING
        with self._with_uncertain(frozenset()):
            for form in forms:
                result = self.value(form)
                self._uncertain |= self._tested.after(form)
        return result

    def _branches(self, test: Core, then: Core, orelse: Core) -> None:
        tested = self.value(test)
        if isinstance(tested, Unknown):
            with self._with_uncertain(self._tested.in_test(test)):
                self.value(then)
                self.value(orelse)
            return
        is_false = self._evaluator.is_false(tested)
        with self._with_uncertain(frozenset(), may_fail=is_false):
            self.value(then)
        with self._with_uncertain(frozenset(), may_fail=not is_false):
            self.value(orelse)

    @contextmanager
    def _with_uncertain(self, uncertain: frozenset[Key], may_fail: bool = False) -> Iterator[None]:
        """Check code that depends on uncertain variables.

        may_fail: the code does not run, or is expected to fail.
        """
        before = self._uncertain, self._may_fail
        self._uncertain |= uncertain
        self._may_fail |= may_fail
        yield
        self._uncertain, self._may_fail = before

    def _keep(self, key: Key, value: object, is_constant: bool) -> None:
        if is_constant and self._keeps_shapes:
            self._known[key] = self._evaluator.in_variable(value)
        elif isinstance(value, Unknown):
            self._known[key] = value if is_constant else ANYTHING

    def _called(self, primitive: Primitive, arguments: list[object], span: Span) -> object:
        if primitive.refused:
            if not self._may_fail:
                self._note(self._evaluator.failure(primitive, arguments, span), span)
            return NO_KEYWORD
        result = self._evaluator.call(primitive, arguments, span)
        if not isinstance(result, Fault):
            return result
        loose = self._has_loose_keywords and any(
            isinstance(a, Unknown) and a.may_be_keyword for a in arguments
        )
        if result.of_keyword or not (loose or self._may_fail):
            self._note(result, span)
        return NO_KEYWORD

    def _note(self, fault: Fault | None, span: Span) -> None:
        if fault is not None:
            self.diagnostics.append(Diagnostic(fault.message, span, fault.hint))


def _may_reshape(node: Core) -> bool:
    """Whether it may change the shape of an existing tensor, such as that of :out."""
    match node:
        case PrimCall(primitive) | PrimRef(primitive) if primitive.operator:
            return primitive.symbol in _RESHAPING or primitive.effects.writes == EVERYTHING
        case Const(Keyword(name)):
            return name.startswith("out")
    return False


def _has_loose_keywords(nodes: Sequence[Core]) -> bool:
    """Whether a keyword occurs outside of calls of operators, so that a variable may hold one."""
    named = {
        id(argument)
        for node in nodes
        if isinstance(node, PrimCall) and node.primitive.operator
        for argument in node.arguments
    }
    return any(
        isinstance(node, Const) and isinstance(node.value, Keyword) and id(node) not in named
        for node in nodes
    )
