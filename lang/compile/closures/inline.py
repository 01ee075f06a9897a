"""Inlining: the bodies of known procedures where they are called, in the manner of cp0.

    (define (left node) (vector-ref node 1))
    (define (twice f x) (f (f x)))
    (define (g node) (twice (lambda (n) (* n n)) (left node)))
    =>  (define (g node)
          ((letrec twice (lambda (x) ((lambda (n) (* n n)) ((lambda (n) (* n n)) x))))
           ((letrec left (lambda () (vector-ref node 1))))))

What is inlined remains a local procedure that is called once; `lift` makes it part of the procedure
around it.  So traces show it (`anf.Inlined`), and its tail calls are what they were.  Where nothing
in it can fail, there is nothing to show, and only its body remains.  Arguments that are constants,
unassigned variables or procedures take the places of parameters; tests that they decide are gone.

Inlined are small procedures, those that are called once, and those that call a procedure that they
are given, of the library (`for-each`, `fold`) or of the program.  A recursive one of the latter
becomes a local procedure that calls itself, if it passes on what it is given.  One of the library
that is called once must be told something, too: its C is kept, and so takes no time without a copy.
Large ones of the library that call what they are given once (a test of SRFI 64) are not copied.
Procedures of the library have no frames in traces, and their copies have none.

Before that, `split_arities` gives procedures with a rest list versions that need none.

Three limits keep the pass linear and the program small: the depth of procedures within inlined
ones, the growth of each top-level form, and the work on each.  In forms of the library only
procedures that are given procedures are inlined: what happens there is the same in all programs.
Expressions at the top level run once, so nothing is inlined there outside of procedures.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from lambent.lang.compile.closures.copies import Renamer, copied_span, known_call
from lambent.lang.compile.closures.fold_constants import folded, outcome, tested
from lambent.lang.compile.closures.inline_facts import Body, Facts, cannot_fail, is_boolean
from lambent.lang.compile.closures.split_arities import split_arities
from lambent.lang.compile.closures.top_level import analyze_top_level
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.core.direct_calls import fits
from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Define,
    Global,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    Namespace,
    PrimCall,
    PrimRef,
    Program,
)
from lambent.lang.core.record_calls import record_operation
from lambent.lang.core.traverse import rewrite, walk
from lambent.lang.core.usage import source_name
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import List, String
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field, replace

_SMALL = 10  # nodes of a body that is inlined anywhere
_OF_FIELDS = 20  # of one that reads or makes records: those that it is given or returns may go
_OF_ELEMENTS = 32  # of one that computes with elements of vectors: one test may do for all of them
_CALLED_ONCE = 40
_LARGEST = 120  # of one that calls a procedure that it is given
_MOVED = 400  # of such a one that is called once
_DEEPEST = 4  # inlined procedures within inlined ones
_GROWTH = 60  # nodes that any form may grow by, besides half of its size
_EFFORT = 4  # nodes that may be copied for each one of a form


def inline(program: Program, own: bool = True) -> Program:
    """The program with calls of known procedures replaced by their bodies.

    own: those of the program's own procedures, too.
    """
    top = analyze_top_level(program)
    split = split_arities(program, top) if own else program
    facts = Facts.of(split, top if split is program else analyze_top_level(split, top.mentions))
    inliner = _Inliner(facts, own)
    return replace(split, forms=tuple([inliner.form(form) for form in split.forms]))


@dataclass(frozen=True, slots=True)
class _Copy:
    """An inlined procedure around a place.  fixed: what stands for some of its parameters."""

    name: str
    code: Lambda
    fixed: Mapping[str, Core]


@dataclass(frozen=True, slots=True)
class _Price:
    """What a copy of a body takes from the limits of a form."""

    effort: int
    growth: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an expression is.  copies: the inlined procedures around it, outermost first.

    is_in_library: its form is the library's.  is_in_procedure: it may run more than once.
    enclosing: the procedure that the form defines.
    """

    is_in_library: bool
    enclosing: Lambda | None
    is_in_procedure: bool = False
    copies: tuple[_Copy, ...] = ()

    @property
    def inside(self) -> "_Place":
        return self if self.is_in_procedure else replace(self, is_in_procedure=True)


@dataclass(slots=True)
class _Inliner:
    """values: what stands for a variable.  lambdas: the procedures of local variables that may be
    copied.  written: how often the result mentions a local variable, at least.  tails: the tail
    calls of the program, by their identity.

    growth, effort: what is left of the limits of the present form.
    """

    facts: Facts
    own: bool
    values: dict[str, Core] = field(default_factory=dict)
    lambdas: dict[str, Lambda] = field(default_factory=dict)
    written: Counter[str] = field(default_factory=Counter)
    tails: dict[int, Call] = field(default_factory=dict)
    growth: int = 0
    effort: int = 0
    taken: set[str] = field(default_factory=set)
    numbers: Numbers = field(default_factory=dict)

    def form(self, form: Core) -> Core:
        is_in_library = isinstance(form, Define) and form.namespace is Namespace.LIBRARY
        enclosing = form.value if isinstance(form, Define) else None
        own = enclosing if isinstance(enclosing, Lambda) else None
        if not is_in_library:
            size = _size(form)
            self.growth, self.effort = _GROWTH + size // 2, _GROWTH + _EFFORT * size
        return self.visited(form, _Place(is_in_library, own))

    def visited(self, core: Core, place: _Place) -> Core:
        return rewrite(core, lambda node: self._changed(node, place))

    def all(self, expressions: Iterable[Core], place: _Place) -> tuple[Core, ...]:
        return tuple([self.visited(expression, place) for expression in expressions])

    def _changed(self, node: Core, place: _Place) -> Core | None:
        match node:
            case Local(name, span):
                return self.local(self.values.get(name, node), span)
            case Global():
                return self._constant(node, place)
            case Call(function, arguments, span):
                callee = self._called(function, place)
                given = self.all(arguments, place)
                return self.called(callee, given, span, place, tail=id(node) in self.tails)
            case PrimCall(primitive, (tested,)) if primitive is TABLE["not"]:
                return folded(replace(node, arguments=(self.test(tested, place),)))
            case PrimCall(_, arguments):
                given = self.all(arguments, place)
                return self.primitive(replace(node, arguments=given), place)
            case If(test, then, orelse):
                test = self.test(test, place)
                decided = outcome(test)
                if decided is not None:
                    return self.visited(then if decided else orelse, place)
                return replace(
                    node,
                    test=test,
                    then=self.visited(then, place),
                    orelse=self.visited(orelse, place),
                )
            case Let():
                return self.let(node, place)
            case Letrec():
                return self.letrec(node, place)
            case Lambda(body=body):
                self._note_tails(body)
                return replace(node, body=self.visited(body, place.inside))
        return None

    def _constant(self, variable: Global, place: _Place) -> Core | None:
        """What a top-level variable holds.  What the library reads must not depend on the
        program."""
        if place.is_in_library or not self.own:
            return None
        constant = self.facts.constants.get((variable.name, variable.namespace))
        return constant and replace(constant, span=variable.span)

    def _called(self, function: Core, place: _Place) -> Core:
        """What is called: what a top-level variable holds only if it is a procedure."""
        if not isinstance(function, Global):
            return self.visited(function, place)
        held = self._constant(function, place)
        return held if isinstance(held, PrimRef | Global) else function

    def test(self, test: Core, place: _Place) -> Core:
        """A test: an error of it is at its location, whatever takes its place."""
        visited = tested(self.visited(test, place), self._fresh, self.written)
        if visited.span == test.span or is_boolean(visited):
            return visited
        if isinstance(visited, Local | Global | Const):
            return replace(visited, span=test.span)
        return Begin((visited,), test.span)

    def local(self, value: Core, span: Span) -> Core:
        """What stands for a variable, where the text mentions it."""
        if isinstance(value, Local):
            self.written[value.name] += 1
        return replace(value, span=span)

    # Variables.

    def let(self, let: Let, place: _Place) -> Core:
        name, span = let.name, let.span
        value = self.visited(let.value, place)
        if name in self.facts.assigned:
            return Let(name, value, self.visited(let.body, place), span)
        match value:
            case Let(_, _, inner) if isinstance(inner, Lambda | Let | Const | Local):
                # (let x (let y e b) body) => (let y e (let x b body))
                return replace(value, body=self._bound(name, inner, let, place))
        return self._bound(name, value, let, place)

    def _bound(self, name: str, value: Core, let: Let, place: _Place) -> Core:
        """The body of a let, in which a variable has a value that has been visited."""
        if self.facts.is_atom(value):
            self.values[name] = value
            self._drop(value)
            return self.visited(let.body, place)
        if isinstance(value, Lambda):
            self.lambdas[name] = value
        body = self.visited(let.body, place)
        return self._with_procedure(name, value, body, let.span)

    def _with_procedure(self, name: str, value: Core, body: Core, span: Span) -> Core:
        """The body with a variable bound, which is gone if it is a procedure that is not used."""
        if isinstance(value, Lambda) and not self.written[name]:
            self._drop(value)
            return body
        return Let(name, value, body, span)

    def _drop(self, core: Core) -> None:
        """Count the variables that the result no longer mentions."""
        for node in walk(core):
            if isinstance(node, Local):
                self.written[node.name] -= 1

    def letrec(self, letrec: Letrec, place: _Place) -> Core:
        group = [name for name, _ in letrec.bindings]
        pairs: list[tuple[str, Lambda]] = []
        for name, code in letrec.bindings:
            before = sum(self.written[other] for other in group)
            visited = self.visited(code, place)
            assert isinstance(visited, Lambda), visited
            pairs.append((name, visited))
            if sum(self.written[other] for other in group) == before:
                self.lambdas[name] = visited
        body = self.visited(letrec.body, place)
        if not any(self.written[name] for name in group):
            for _, code in pairs:
                self._drop(code)
            return body
        return replace(letrec, bindings=tuple(pairs), body=body)

    # Calls.

    def primitive(self, call: PrimCall, place: _Place) -> Core:
        if call.primitive is TABLE["apply"]:
            return self._applied(call, place)
        return folded(call)

    def _applied(self, call: PrimCall, place: _Place) -> Core:
        """`(apply f a (list b c))` is `(f a b c)`, if f is known to be a procedure."""
        function, *arguments = call.arguments
        if not arguments or not self._is_procedure(function):
            return call
        match arguments[-1]:
            case PrimCall(primitive, items) if primitive is TABLE["list"]:
                given = (*arguments[:-1], *items)
                return self.called(function, given, call.span, place, tail=True)
            case Const(List((), None)):
                given = tuple(arguments[:-1])
                return self.called(function, given, call.span, place, tail=True)
        return call

    def _note_tails(self, body: Core) -> None:
        """Note the tail calls of a body."""
        match body:
            case Call() if not body.span.source.library:
                self.tails[id(body)] = body
            case If(_, then, orelse):
                self._note_tails(then)
                self._note_tails(orelse)
            case Let(_, _, inner) | Letrec(_, inner):
                self._note_tails(inner)
            case Begin(forms):
                self._note_tails(forms[-1])

    def _is_procedure(self, function: Core) -> bool:
        match function:
            case Lambda():
                return True
            case Local(name):
                return name in self.lambdas
        return isinstance(function, Global) and self.facts.is_atom(function)

    def called(
        self,
        function: Core,
        arguments: tuple[Core, ...],
        span: Span,
        place: _Place,
        *,
        tail: bool,
    ) -> Core:
        """A call of a visited procedure with visited arguments."""
        match function:
            case Let(name, value, Lambda() | Let() as inner) if not place.is_in_library:
                # ((let x e f) a) => (let x e (f a)), also after a procedure that returns another.
                body = self.called(inner, arguments, span, place, tail=tail)
                return self._with_procedure(name, value, body, function.span)
        call = known_call(function, arguments, span, tail=tail)
        if isinstance(call, PrimCall):
            return self.primitive(call, place)
        code = self._callee(function)
        if code is None:
            return call
        operation = None
        if isinstance(function, Global) and not place.is_in_library:
            operation = record_operation(code, call)
        if operation is not None:
            return operation
        again = next((copy for copy in place.copies if copy.code is code), None)
        if again is not None:
            return self._again(again, call)
        if not _fits(code, arguments):
            return call
        price = self._price(code, call, place)
        if price is None:
            return self._named(call, place)
        self.effort -= price.effort
        self.growth -= price.growth
        return self._inlined(code, call, place)

    def _named(self, call: Call, place: _Place) -> Core:
        """A call that is not inlined: a procedure in its place gets a name, or there would be a
        closure for the call."""
        code, span = call.function, call.span
        if not isinstance(code, Lambda) or place.is_in_library:
            return call
        own = self._fresh(code.name or "lambda", "copy")
        self.written[own] += 1
        return Letrec(((own, code),), replace(call, function=Local(own, span)), span)

    def _callee(self, function: Core) -> Lambda | None:
        match function:
            case Global(name, namespace):
                return self.facts.procedures.get((name, namespace))
            case Local(name):
                return self.lambdas.get(name)
            case Lambda():
                return function
        return None

    def _again(self, copy: _Copy, call: Call) -> Core:
        """A recursive call in a copy, if it passes on what the copy has."""
        kept = []
        code = copy.code
        has_other_rest = code.rest is not None and code.rest not in copy.fixed
        if len(call.arguments) != len(code.parameters) or has_other_rest:
            return call
        for name, argument in zip(copy.code.parameters, call.arguments, strict=True):
            if name not in copy.fixed:
                kept.append(argument)
            elif argument != copy.fixed[name]:
                return call
        self._drop(call.function)
        for name, argument in zip(copy.code.parameters, call.arguments, strict=True):
            if name in copy.fixed:
                self._drop(argument)
        self.written[copy.name] += 1
        return Call(Local(copy.name, call.span), tuple(kept), call.span)

    def _price(self, code: Lambda, call: Call, place: _Place) -> _Price | None:
        """What a copy of a procedure's body takes; None if a call of it stays."""
        if len(place.copies) == _DEEPEST or code is place.enclosing:
            return None
        body = self.facts.body(code)
        if body.is_too_large:
            return None
        is_given = any(
            name in body.called and self._is_known(argument)
            for name, argument in zip(code.parameters, call.arguments, strict=False)
        )
        function = call.function
        if isinstance(function, Global) and function.namespace is Namespace.LIBRARY and is_given:
            if len(call.arguments) != len(code.parameters):
                return None
            pays = body.size <= _CALLED_ONCE or self.facts.repeats(code)
            return _Price(0, 0) if pays else None
        if not place.is_in_procedure or place.is_in_library or not self.own:
            return None
        may_move = body.may_move and not body.is_recursive
        if is_given:
            is_moved = may_move and self._is_called_once(function)
            return self._price_within(body, _MOVED if is_moved else _LARGEST, is_moved=is_moved)
        if not may_move:
            return None
        match function:
            case Local(name) if self.facts.uses[name] == 1:
                # `lift` has it in this place anyway; what counts is what becomes of its body.
                tells = any(isinstance(argument, Const | PrimRef) for argument in call.arguments)
                return self._price_within(body, _LARGEST, is_moved=True) if tells else None
            case Global(name, namespace) if self._is_called_once(function):
                if namespace is Namespace.PROGRAM or any(map(self._tells, call.arguments)):
                    return self._price_within(body, _CALLED_ONCE, is_moved=True)
            case Lambda():
                return self._price_within(body, self.effort, is_moved=True)
        largest = _OF_ELEMENTS if body.of_elements else _OF_FIELDS if body.of_fields else _SMALL
        return self._price_within(body, largest, is_moved=False)

    def _is_called_once(self, function: Core) -> bool:
        match function:
            case Local(name):
                return self.facts.uses[name] == 1
            case Global(name, namespace):
                return self.facts.global_uses[name, namespace] == 1
        return isinstance(function, Lambda)

    def _price_within(self, body: Body, largest: int, *, is_moved: bool) -> _Price | None:
        """What a copy of a body takes; None if that is too much.  is_moved: it is the only use."""
        price = _Price(body.size, 0 if is_moved else body.size)
        is_within = price.effort <= min(largest, self.effort) and price.growth <= self.growth
        return price if is_within else None

    def _tells(self, argument: Core) -> bool:
        """Whether an argument may decide something in a procedure.  Strings are for messages."""
        match argument:
            case Const(value):
                return not isinstance(value, String)
        return self._is_known(argument)

    def _is_known(self, argument: Core) -> bool:
        match argument:
            case Lambda() | PrimRef():
                return True
            case Local(name):
                return name in self.lambdas
            case Global():
                return self.facts.is_atom(argument)
        return False

    # Bodies.

    def _inlined(self, code: Lambda, call: Call, place: _Place) -> Core:
        facts, span = self.facts, call.span
        body = facts.body(code)
        names = {name: self._fresh(name, "copy") for name in body.binds}
        self._tell(names)
        fixed, kept, given, lambdas = dict[str, Core](), [], [], []
        for name, argument in _matched(code, call):
            if name in facts.assigned or not self._may_fix(name, argument, body):
                kept.append(names[name])
                given.append(argument)
            elif isinstance(argument, Lambda):
                fixed[name] = Local(names[name], argument.span)
                lambdas.append((names[name], argument))
            else:
                fixed[name] = argument
        renamed = Renamer(names, fixed, place.is_in_library).renamed(code.body)
        is_moved = body.may_move and self._is_called_once(call.function)
        if _size(renamed) > (_MOVED if is_moved else _LARGEST):
            return call
        self._drop(call.function)
        for value in fixed.values():
            self._drop(value)
        for name, argument in lambdas:
            self.written[name] += 1  # what has just been counted as dropped
            self.lambdas[name] = argument
        self._note_tails(renamed)
        own = self._fresh(code.name or "lambda", "copy")
        copies = (*place.copies, _Copy(own, code, fixed))
        inner = self.visited(renamed, replace(place, is_in_procedure=True, copies=copies))
        made = self._made(own, code, kept, given, inner, call, place)
        for name, argument in reversed(lambdas):
            made = self._with_procedure(name, argument, made, span)
        return made

    def _may_fix(self, name: str, argument: Core, body: Body) -> bool:
        """Whether an argument takes the place of a parameter."""
        if body.is_recursive or body.code.span.source.library:
            # What changes from call to call would keep the copy from calling itself.
            if name == body.code.rest:
                return isinstance(argument, Const)
            return name in body.called and self._is_known(argument)
        return isinstance(argument, Lambda) or self.facts.is_atom(argument)

    def _made(
        self,
        own: str,
        code: Lambda,
        kept: list[str],
        given: list[Core],
        body: Core,
        call: Call,
        place: _Place,
    ) -> Core:
        """What stands for a call: the body, or a call of a local procedure that has it."""
        span = call.span
        if not self.written[own] and cannot_fail(body):
            for name, argument in zip(reversed(kept), reversed(given), strict=True):
                body = Let(name, argument, body, span)
            return body
        copy = Lambda(
            code.name,
            tuple(kept),
            (),
            None,
            body,
            code.span if place.is_in_library else copied_span(code.span),
            is_form_body=code.is_form_body,
        )
        return Letrec(((own, copy),), Call(Local(own, span), tuple(given), span), span)

    def _tell(self, names: Mapping[str, str]) -> None:
        """Note what is known of variables for their copies, too."""
        facts = self.facts
        for old, new in names.items():
            facts.uses[new] = facts.uses[old]
            if old in facts.assigned:
                facts.assigned.add(new)

    def _fresh(self, name: str, suffix: str) -> str:
        plain = source_name(name).removesuffix(f".{suffix}")
        name = fresh(f"{plain}.{suffix}", self.taken, self.numbers)
        self.taken.add(name)
        return name


def _matched(code: Lambda, call: Call) -> list[tuple[str, Core]]:
    """The parameters with their arguments, the rest list last."""
    least = len(code.parameters)
    pairs = list(zip(code.parameters, call.arguments, strict=False))
    if code.rest is not None:
        rest = call.arguments[least:]
        empty = Const(List((), None, call.span), call.span)
        pairs.append((code.rest, PrimCall(TABLE["list"], rest, call.span) if rest else empty))
    return pairs


def _fits(code: Lambda, arguments: tuple[Core, ...]) -> bool:
    return not code.keywords and fits(code, arguments)


def _size(core: Core) -> int:
    return sum(1 for _ in walk(core))
