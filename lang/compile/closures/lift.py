"""Closure conversion: from Core to functions that have no procedures inside them.

  - A procedure that is only called becomes a function whose leading parameters are the outer
    variables that it uses.  For one that escapes, closures are created that own these.
  - Local loops become loops in the enclosing function, self tail calls become jumps.
  - Procedures of one parent that tail-call each other become one loop.  A variable of the loop says
    whose body the iteration runs.  Each procedure remains as an entry point of the loop.
  - In a group of procedures that call each other, closures of siblings are created from their
    captures wherever they are used as values, so that no closure ever holds itself.
  - A variable that is both assigned and captured is kept in a cell.

    (define (adder n) (lambda (x) (+ x n)))
    =>  function lambda [n] (x): (+ x n)
        function adder (n): Closure lambda [n]

Runs before to_anf, which then deals with functions, loops and variables only.
"""

from collections.abc import Iterator, Mapping
from typing import assert_never

from lambent.lang.compile.closures.globals import Globals, globals_of
from lambent.lang.compile.closures.procedure_analysis import analyze_procedures
from lambent.lang.compile.closures.procedures import (
    Procedure,
    ProcedureAnalysis,
    Site,
    fixed_parameters,
    is_bound,
    is_sibling,
    needs_trampoline,
)
from lambent.lang.compile.closures.top_level import TopLevel, analyze_top_level
from lambent.lang.compile.ir import lifted
from lambent.lang.compile.ir.anf import KeywordSlot
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.lifted import (
    ExternalFunction,
    Lifted,
    LiftedFunction,
    LiftedProgram,
    Storage,
)
from lambent.lang.core.direct_calls import fits, keyword_indices, parameters_of
from lambent.lang.core.dynamic_state import OF_KNOWN_THUNK
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
    Letrec,
    Local,
    Namespace,
    PrimCall,
    PrimRef,
    Program,
    SetGlobal,
    SetLocal,
    Special,
    TensorLiteral,
    Unbound,
)
from lambent.lang.core.record_calls import inline_record_calls
from lambent.lang.core.usage import usage
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import List, Number
from lambent.lang.syntax.source import Source, Span
from lambent.lang.system.dataclass import dataclass, field

# The labels of the loops that a tail position may continue, by id of the procedure.
Targets = Mapping[int, str]
_NONE: Targets = {}
_MOST_NAMES = 3  # of procedures in the name of their group


def lift(program: Program) -> LiftedProgram:
    """The functions that a program reaches."""
    top = analyze_top_level(program)
    copies = program.externals.copies
    known = {**top.procedures, **{(n, Namespace.LIBRARY): c for n, c in copies.items()}}
    inlined = inline_record_calls(program, known)
    if inlined is not program:
        top = analyze_top_level(inlined)
    analysis = analyze_procedures(top)
    lifter = _Lifter(top, analysis, globals_of(top, analysis))
    lifter.name_functions()
    main = lifter.main()
    functions = [p for p in analysis.by_code.values() if not p.is_inlined]
    return LiftedProgram(
        (
            *[lifter.function(procedure) for procedure in functions],
            *[lifter.group(index) for index in range(len(analysis.groups))],
        ),
        lifter.globals.kept(),
        main,
        main.span,
        tuple(lifter.externals.values()),
        frozenset(lifter.exported()),
        program.tensors,
        program.is_open,
    )


@dataclass(frozen=True, slots=True)
class _Context:
    """The context of an expression: the enclosing procedure, and the loops that it may continue."""

    enclosing: Procedure | None
    targets: Targets

    @property
    def inside(self) -> "_Context":
        """The context of a subexpression that is not in tail position."""
        return _Context(self.enclosing, _NONE)


@dataclass(slots=True)
class _Lifter:
    top: TopLevel
    analysis: ProcedureAnalysis
    globals: Globals
    names: dict[int, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: {"main"})
    numbers: Numbers = field(default_factory=dict)
    group_names: list[str] = field(default_factory=list)
    externals: dict[str, ExternalFunction] = field(default_factory=dict)

    def name_functions(self) -> None:
        variables = {id(found): key[0] for key, found in self.analysis.by_key.items()}
        for name in self.analysis.externals:
            head = self.top.externals.heads[name]
            own = self.function_name(name)
            self.externals[name] = ExternalFunction(own, name, len(parameters_of(head)))
        for procedure in self.analysis.by_code.values():
            preferred, outer = procedure.code.name or "lambda", procedure.parent
            if procedure.owner.is_library:
                preferred = variables.get(id(procedure)) or self.inner_name(procedure, outer)
            self.names[id(procedure)] = self.function_name(preferred)
        for members in self.analysis.groups:
            names = [member.code.name or "lambda" for member in members]
            short = names if len(names) <= _MOST_NAMES else [names[0], "others"]
            preferred = "-and-".join(short)
            if members[0].owner.is_library:
                preferred = f"{self.names[id(members[0])]}.{preferred}"
            self.group_names.append(self.function_name(preferred))

    def inner_name(self, procedure: Procedure, outer: Procedure | None) -> str:
        """The name of a procedure inside of one of the library's: none has it in another unit."""
        return f"{self.names[id(outer)] if outer else 'library'}.{procedure.code.name or 'lambda'}"

    def exported(self) -> Iterator[str]:
        """The functions of the exported procedures."""
        for (name, namespace), procedure in self.analysis.by_key.items():
            if namespace is Namespace.LIBRARY and name in self.top.exports:
                yield self.names[id(procedure)]

    def function_name(self, preferred: str) -> str:
        name = fresh(preferred, self.taken, self.numbers)
        self.taken.add(name)
        return name

    # The top level.

    def main(self) -> lifted.Begin:
        forms = [self.top_form(form) for form in self.top.forms]
        span = self.span()
        if not (self.top.is_open and forms):  # an open program has the value of its last form
            forms.append(_unspecified(span))
        return lifted.Begin(tuple(forms), span)

    def span(self) -> Span:
        """The span of the program's first form: the library's definitions come before it."""
        own = (form.span for form in self.top.forms if not form.span.source.library)
        return next(own, Span(Source("program", ""), 0, 0))

    def top_form(self, form: Core) -> Lifted:
        context = _Context(None, _NONE)
        if not isinstance(form, Define):
            return self.lift(form, context)
        if (form.name, form.namespace) in self.analysis.by_key:
            return _unspecified(form.span)
        return self.globals.define(form, self.lift(form.value, context))

    def get_global(self, form: Global) -> Lifted:
        procedure = self.analysis.by_key.get((form.name, form.namespace))
        if procedure is not None:
            return lifted.Closure(self.names[id(procedure)], (), form.span)
        if (external := self.external(form)) is not None:
            return lifted.Closure(external.name, (), form.span)
        return self.globals.get(form)

    def external(self, form: Core) -> ExternalFunction | None:
        """The library's function elsewhere that a variable holds."""
        match form:
            case Global(name, Namespace.LIBRARY):
                return self.externals.get(name)
        return None

    # Functions.

    def function(self, procedure: Procedure) -> LiftedFunction:
        code = procedure.code
        captures = tuple(sorted(procedure.captures))
        own = parameters_of(code)
        if id(procedure) in self.analysis.group_of:
            return self.entry_point(procedure)
        context = _Context(procedure, _NONE)
        if procedure.loops:
            context = _Context(procedure, {id(procedure): self.names[id(procedure)]})
        fixed = fixed_parameters(procedure, self.analysis)
        incoming = [_start(n) if self.is_renamed(n, procedure, fixed) else n for n in own]
        body = self.procedure_body(procedure, fixed, context, _starts(own, incoming, code.span))
        return self.described(procedure, captures, incoming, body)

    def described(
        self, procedure: Procedure, captures: tuple[str, ...], incoming: list[str], body: Lifted
    ) -> LiftedFunction:
        code = procedure.code
        return LiftedFunction(
            self.names[id(procedure)],
            procedure.shown_name,
            len(captures) if procedure.escapes else 0,
            len(code.parameters) + (0 if procedure.escapes else len(captures)),
            _keyword_slots(code),
            code.rest is not None,
            (*captures, *incoming),
            body,
            procedure.escapes,
            usage(code),
            procedure.owner,
            code.span,
        )

    def is_renamed(self, name: str, procedure: Procedure, fixed: frozenset[str]) -> bool:
        """Whether a parameter has another name in the head of the function than in its body."""
        return name in self.analysis.assigned or (procedure.loops and name not in fixed)

    def procedure_body(
        self,
        procedure: Procedure,
        fixed: frozenset[str],
        context: _Context,
        starts: dict[str, Lifted],
        entered_at: Span | None = None,
    ) -> Lifted:
        """The body of a procedure, as a loop if it calls itself or has been inlined.

        starts: the initial value of each parameter.  entered_at: the call that has been inlined.
        """
        code = procedure.code
        boxes: list[Lifted] = []
        variables: list[lifted.LoopStart] = []
        is_loop = procedure.loops or entered_at is not None
        for name in parameters_of(code):
            storage = self.analysis.storage(name)
            outer: Lifted = starts[name]
            if is_loop and name not in fixed:
                current = name if storage is Storage.NAME else f"{name}.current"
                variables.append(lifted.LoopStart(current, outer))
                outer = lifted.Local(current, Storage.NAME, code.span)
            if storage is not Storage.NAME:
                boxes.append(lifted.Let(name, storage, outer, code.span))
        body = self.lift(code.body, context)
        if boxes:
            body = lifted.Begin((*boxes, body), code.span)
        if not is_loop:
            return body
        return lifted.Loop(
            self.names[id(procedure)],
            tuple(variables),
            body,
            code.name,
            entered_at is not None,
            entered_at or code.span,
        )

    # Groups.

    def entry_point(self, procedure: Procedure) -> LiftedFunction:
        """A procedure of a group: it only calls the function of the group."""
        captures, span = tuple(sorted(procedure.captures)), procedure.code.span
        incoming = [_start(name) for name in parameters_of(procedure.code)]
        given = [lifted.Local(name, Storage.NAME, span) for name in incoming]
        name = self.group_names[self.analysis.group_of[id(procedure)]]
        values = self.group_arguments(procedure, tuple(given), span)
        call = lifted.CallFunction(name, captures, values, False, span)
        return self.described(procedure, captures, incoming, call)

    def group_arguments(
        self, procedure: Procedure, arguments: tuple[Lifted, ...], span: Span
    ) -> tuple[Lifted, ...]:
        """The values of the loop's variables for an iteration that runs the procedure's body."""
        members = self.analysis.groups[self.analysis.group_of[id(procedure)]]
        unused = _most_parameters(members) - len(arguments)
        which = lifted.Const(Number(members.index(procedure), span), span)
        return (which, *arguments, *[lifted.Const(Number(0, span), span)] * unused)

    def group(self, index: int) -> LiftedFunction:
        """The function of a whole group."""
        members, name = self.analysis.groups[index], self.group_names[index]
        span, captures = members[0].code.span, tuple(sorted(members[0].captures))
        preferred = ["which", *(f"argument.{i + 1}" for i in range(_most_parameters(members)))]
        own = [self.variable(name) for name in preferred]
        incoming = [self.variable(_start(name)) for name in own]
        starts = _starts(own, incoming, span)
        targets = {id(member): name for member in members}
        body = self.member(members[-1], own[1:], targets)
        for number in range(len(members) - 2, -1, -1):
            local = lifted.Local(own[0], Storage.NAME, span)
            constant = lifted.Const(Number(number, span), span)
            test = lifted.PrimCall(TABLE["="], (local, constant), span)
            chosen = self.member(members[number], own[1:], targets)
            body = lifted.If(test, chosen, body, span)
        variables = tuple([lifted.LoopStart(name, starts[name]) for name in own])
        return LiftedFunction(
            name,
            None,
            0,
            len(captures) + len(own),
            (),
            False,
            (*captures, *incoming),
            lifted.Loop(name, variables, body, None, False, span),
            False,
            "",
            members[0].owner,
            span,
        )

    def member(self, procedure: Procedure, given: list[str], targets: Targets) -> Lifted:
        """The body of a procedure inside its group's loop; traces show its own name."""
        span = procedure.code.span
        lets = [
            lifted.Let(
                name, self.analysis.storage(name), lifted.Local(value, Storage.NAME, span), span
            )
            for name, value in zip(parameters_of(procedure.code), given, strict=False)
        ]
        body = self.lift(procedure.code.body, _Context(procedure, targets))
        scope = lifted.Loop(self.names[id(procedure)], (), body, procedure.shown_name, True, span)
        return lifted.Begin((*lets, scope), span)

    def variable(self, preferred: str) -> str:
        """A new local variable."""
        name = preferred
        while name in self.analysis.binder or name in self.taken:
            number = self.numbers[f"{preferred}."] = self.numbers.get(f"{preferred}.", 1) + 1
            name = f"{preferred}.{number}"
        self.analysis.binder[name] = None
        return name

    # Expressions.

    def lift(self, core: Core, context: _Context) -> Lifted:
        match core:
            case Const(value, span):
                return lifted.Const(value, span)
            case Local(name, span):
                return self.local(name, context, span)
            case Global():
                return self.get_global(core)
            case Unbound(name, hint, span):
                return lifted.Unbound(name, hint, span)
            case PrimRef(primitive, span):
                return lifted.PrimRef(primitive, span)
            case If(test, then, orelse, span):
                return lifted.If(
                    self.lift(test, context.inside),
                    self.lift(then, context),
                    self.lift(orelse, context),
                    span,
                )
            case Let() | Letrec() | Begin():
                return lifted.Begin(tuple(self.forms(core, context)), core.span)
            case Lambda(span=span):
                return self.closure(self.analysis.by_code[id(core)], span)
            case Call():
                return self.call(core, context)
            case PrimCall(primitive, arguments, span) if primitive.symbol == "rt_apply":
                callee, *others = self.all(arguments, context)
                return lifted.CallValue(callee, tuple(others), bool(others), span)
            case PrimCall() if id(core) in self.analysis.sites:
                return self.attempt(core, context)
            case PrimCall(primitive, arguments, span):
                return lifted.PrimCall(primitive, self.all(arguments, context), span)
            case TensorLiteral(shape, elements, span):
                return lifted.TensorLiteral(shape, self.all(elements, context), span)
            case GradMode(enabled, body, span):
                return lifted.GradMode(enabled, self.lift(body, context.inside), span)
            case SetLocal(name, value, span):
                storage = self.analysis.storage(name)
                return lifted.Assign(name, storage, self.lift(value, context.inside), span)
            case SetGlobal():
                return self.globals.assign(core, self.lift(core.value, context.inside))
            case Define():
                raise AssertionError(f"a definition of {core.name} inside a form")
            case _:
                assert_never(core)

    def all(self, expressions: tuple[Core, ...], context: _Context) -> tuple[Lifted, ...]:
        return tuple([self.lift(expression, context.inside) for expression in expressions])

    def forms(self, core: Core, context: _Context) -> list[Lifted]:
        """The forms of a body as one list: a long chain of Lets does not nest."""
        out: list[Lifted] = []
        while True:
            match core:
                case Let(name, Lambda() as code, body, span) if name not in self.analysis.assigned:
                    self.bind_procedures(((name, code),), span, out)
                    core = body
                case Let(name, value, body, span):
                    storage = self.analysis.storage(name)
                    out.append(lifted.Let(name, storage, self.lift(value, context.inside), span))
                    core = body
                case Letrec(bindings, body, span):
                    self.bind_procedures(bindings, span, out)
                    core = body
                case Begin(forms):
                    out.extend(self.lift(form, context.inside) for form in forms[:-1])
                    core = forms[-1]
                case _:
                    out.append(self.lift(core, context))
                    return out

    def bind_procedures(
        self, bindings: tuple[tuple[str, Lambda], ...], span: Span, out: list[Lifted]
    ) -> None:
        """Bind the closures of those procedures that are used as values outside of their group."""
        for name, code in bindings:
            procedure = self.analysis.by_code[id(code)]
            if is_bound(procedure):
                closure = self.closure(procedure, span)
                out.append(lifted.Let(name, Storage.NAME, closure, span))

    def local(self, name: str, context: _Context, span: Span) -> Lifted:
        procedure = self.analysis.by_variable.get(name)
        if procedure is not None and is_sibling(context.enclosing, procedure):
            return self.closure(procedure, span)
        return lifted.Local(name, self.analysis.storage(name), span)

    def closure(self, procedure: Procedure, span: Span) -> Lifted:
        captures = tuple(sorted(procedure.captures))
        return lifted.Closure(self.names[id(procedure)], captures, span)

    # Calls.

    def call(self, call: Call, context: _Context) -> Lifted:
        site = self.analysis.sites.get(id(call))
        if site is None and (external := self.external(call.function)) is not None:
            head = self.top.externals.heads[external.library_name]
            if fits(head, call.arguments):
                before, arguments = self.arguments(head, call, context)
                made = lifted.CallFunction(external.name, (), arguments, False, call.span)
                return _after(before, made)
        if site is None:
            callee = self.lift(call.function, context.inside)
            return lifted.CallValue(callee, self.all(call.arguments, context), False, call.span)
        procedure = site.callee
        before, arguments = self.arguments(procedure.code, call, context)
        if id(procedure) in context.targets:
            fixed = fixed_parameters(procedure, self.analysis)
            moving = [
                argument
                for name, argument in zip(parameters_of(procedure.code), arguments, strict=True)
                if name not in fixed
            ]
            label = context.targets[id(procedure)]
            values = tuple(moving)
            if id(procedure) in self.analysis.group_of:
                values = self.group_arguments(procedure, arguments, call.span)
            return _after(before, lifted.Recur(label, values, call.span))
        if procedure.is_inlined:
            return self.enter(site, before, arguments, context)
        return _after(
            before,
            lifted.CallFunction(
                self.names[id(procedure)],
                tuple(sorted(procedure.captures)),
                arguments,
                needs_trampoline(site, self.analysis),
                call.span,
            ),
        )

    def attempt(self, core: PrimCall, context: _Context) -> Lifted:
        """A `%try` with a known thunk: a direct call, whose failure then becomes a value."""
        callee = self.analysis.sites[id(core)].callee
        captures = tuple(sorted(callee.captures))
        name, span = self.names[id(callee)], core.span
        call = lifted.CallFunction(name, captures, (), False, span, caught=True)
        others = self.all(core.arguments[:-1], context)
        return lifted.PrimCall(TABLE[OF_KNOWN_THUNK[core.primitive.name]], (*others, call), span)

    def enter(
        self, site: Site, before: list[Lifted], arguments: tuple[Lifted, ...], context: _Context
    ) -> Lifted:
        """The loop that a local procedure becomes, at its only entry."""
        procedure, span = site.callee, site.call.span
        own = parameters_of(procedure.code)
        fixed = fixed_parameters(procedure, self.analysis)
        incoming = [name if name in fixed else _start(name) for name in own]
        lets: list[Lifted] = [
            lifted.Let(name, Storage.NAME, argument, argument.span)
            for name, argument in zip(incoming, arguments, strict=True)
        ]
        targets = {**context.targets, id(procedure): self.names[id(procedure)]}
        inner = _Context(procedure, targets)
        starts = _starts(own, incoming, span)
        loop = self.procedure_body(procedure, fixed, inner, starts, entered_at=span)
        return lifted.Begin((*before, *lets, loop), span)

    def arguments(
        self, code: Lambda, call: Call, context: _Context
    ) -> tuple[list[Lifted], tuple[Lifted, ...]]:
        """The forms to evaluate first, and one argument for each parameter in order.

        Keywords may be in any order, so the arguments of such a call are bound to names first.
        """
        values = self.all(call.arguments, context)
        given: dict[str, int] = {}
        before: list[Lifted] = []
        if code.keywords:
            indices = keyword_indices(code, call.arguments)
            assert indices is not None, call
            given = indices
            before, values = self.name_all(values)
        skipped = {i for index in given.values() for i in (index - 1, index)}
        positional = [value for i, value in enumerate(values) if i not in skipped]
        least = len(code.parameters)
        out = positional[:least]
        for keyword in code.keywords:
            index = given.get(keyword.keyword)
            absent = lifted.Const(Special.ABSENT, call.span)
            out.append(absent if index is None else values[index])
        if code.rest is not None:
            out.append(_list(tuple(positional[least:]), call.span))
        return before, tuple(out)

    def name_all(self, values: tuple[Lifted, ...]) -> tuple[list[Lifted], tuple[Lifted, ...]]:
        lets: list[Lifted] = []
        names: list[Lifted] = []
        for value in values:
            if isinstance(value, lifted.Const):
                names.append(value)
            else:
                name = self.variable("argument")
                lets.append(lifted.Let(name, Storage.NAME, value, value.span))
                names.append(lifted.Local(name, Storage.NAME, value.span))
        return lets, tuple(names)


def _most_parameters(members: list[Procedure]) -> int:
    return max(len(parameters_of(member.code)) for member in members)


def _list(items: tuple[Lifted, ...], span: Span) -> Lifted:
    """The rest argument of a call, which is mostly empty."""
    if not items:
        return lifted.Const(List((), None, span), span)
    return lifted.PrimCall(TABLE["list"], items, span)


def _after(before: list[Lifted], last: Lifted) -> Lifted:
    return lifted.Begin((*before, last), last.span) if before else last


def _unspecified(span: Span) -> Lifted:
    return lifted.Const(Special.UNSPECIFIED, span)


# Parameters.


def _keyword_slots(code: Lambda) -> tuple[KeywordSlot, ...]:
    least = len(code.parameters)
    return tuple(
        [KeywordSlot(keyword.keyword, least + i) for i, keyword in enumerate(code.keywords)]
    )


def _start(name: str) -> str:
    return f"{name}.start"


def _starts(own: list[str], incoming: list[str], span: Span) -> dict[str, Lifted]:
    return {
        name: lifted.Local(source, Storage.NAME, span)
        for name, source in zip(own, incoming, strict=True)
    }
