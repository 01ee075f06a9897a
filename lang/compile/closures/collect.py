"""One walk over Core that records procedures, the calls of them, and the uses of variables.

(let loop ((i 0)) (loop (f i)))  =>  Procedure loop, with a Site of it and one of f
"""

from collections.abc import Mapping

from lambent.lang.compile.closures.first_uses import Key
from lambent.lang.compile.closures.procedures import Procedure, ProcedureAnalysis, Site
from lambent.lang.compile.closures.top_level import TopLevel
from lambent.lang.compile.ir.owner import Owner, owner_of
from lambent.lang.core.direct_calls import fits, parameters_of
from lambent.lang.core.dynamic_state import is_try
from lambent.lang.core.ir import (
    Begin,
    Call,
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
    SetGlobal,
    SetLocal,
)
from lambent.lang.core.traverse import children, walk
from lambent.lang.system.dataclass import dataclass


def collect(top: TopLevel) -> ProcedureAnalysis:
    """The facts that the text of the program states; `procedure_analysis` infers the others."""
    analysis = ProcedureAnalysis()
    collector = _Collector(analysis, top.externals.heads)
    for key, code in top.procedures.items():
        collector.owner = owner_of(key[1], code.span)
        analysis.by_key[key] = collector.procedure(code, None, None, frozenset(), is_global=True)
    for form in top.forms:
        analysis.assigned |= {node.name for node in walk(form) if isinstance(node, SetLocal)}
    for form in top.forms:
        if isinstance(form, Define) and (form.name, form.namespace) in analysis.by_key:
            procedure = analysis.by_key[form.name, form.namespace]
            collector.owner = procedure.owner
            collector.body(procedure)
        else:
            collector.owner = _owner(form)
            collector.walk(form, None, tail=False)
    return analysis


def _owner(form: Core) -> Owner:
    if isinstance(form, Define):
        return owner_of(form.namespace, form.span)
    return Owner.PROGRAM


@dataclass(slots=True)
class _Collector:
    """Walks Core once and records procedures, calls, and uses of variables.  owner: of the form."""

    analysis: ProcedureAnalysis
    heads: Mapping[str, Lambda]  # of the library's procedures elsewhere
    owner: Owner = Owner.PROGRAM
    count: int = 0  # of procedures so far

    def procedure(
        self,
        code: Lambda,
        parent: Procedure | None,
        variable: str | None,
        group: frozenset[str],
        *,
        is_global: bool = False,
    ) -> Procedure:
        procedure = Procedure(code, parent, variable, group, is_global, self.owner)
        self.analysis.by_code[id(code)] = procedure
        if variable is not None:
            self.analysis.by_variable[variable] = procedure
        return procedure

    def body(self, procedure: Procedure) -> None:
        self.count += 1
        procedure.number = self.count
        for name in parameters_of(procedure.code):
            self.analysis.binder[name] = procedure
        self.walk(procedure.code.body, procedure, tail=True)
        procedure.last_inside = self.count

    def walk(self, core: Core, enclosing: Procedure | None, *, tail: bool) -> None:
        match core:
            case Local(name):
                self.use(name, enclosing)
            case Global(name, namespace):
                self.use_global((name, namespace), enclosing)
            case SetGlobal(name, namespace, value):
                self.use_global((name, namespace), enclosing)
                self.walk(value, enclosing, tail=False)
            case SetLocal(name, value):
                self.use(name, enclosing)
                self.walk(value, enclosing, tail=False)
            case Lambda():
                anonymous = self.procedure(core, enclosing, None, frozenset())
                anonymous.value_users.append(enclosing)
                self.body(anonymous)
            case Let(name, Lambda() as code, body) if name not in self.analysis.assigned:
                self.letrec(((name, code),), enclosing)
                self.walk(body, enclosing, tail=tail)
            case Letrec(bindings, body):
                self.letrec(bindings, enclosing)
                self.walk(body, enclosing, tail=tail)
            case Let(name, value, body):
                self.analysis.binder[name] = enclosing
                self.walk(value, enclosing, tail=False)
                self.walk(body, enclosing, tail=tail)
            case Call():
                self.call(core, enclosing, tail)
            case PrimCall(primitive, arguments) if is_try(primitive):
                for other in arguments[:-1]:
                    self.walk(other, enclosing, tail=False)
                self.attempt(core, arguments[-1], enclosing)
            case If(test, then, orelse):
                self.walk(test, enclosing, tail=False)
                self.walk(then, enclosing, tail=tail)
                self.walk(orelse, enclosing, tail=tail)
            case Begin(forms):
                for form in forms[:-1]:
                    self.walk(form, enclosing, tail=False)
                self.walk(forms[-1], enclosing, tail=tail)
            case _:
                for child in children(core):
                    self.walk(child, enclosing, tail=False)

    def use_global(self, key: Key, enclosing: Procedure | None) -> None:
        if key[1] is Namespace.LIBRARY and key[0] in self.heads and key not in self.analysis.by_key:
            self.analysis.externals.setdefault(key[0])
            return
        self.analysis.global_uses.setdefault(key, []).append(enclosing)
        if key in self.analysis.by_key:
            self.analysis.by_key[key].value_users.append(enclosing)

    def use(self, name: str, enclosing: Procedure | None) -> None:
        self.analysis.uses.append((name, enclosing))
        if name in self.analysis.by_variable:
            self.analysis.by_variable[name].value_users.append(enclosing)

    def letrec(self, bindings: tuple[tuple[str, Lambda], ...], enclosing: Procedure | None) -> None:
        group = frozenset(name for name, _ in bindings)
        bound = []
        for name, code in bindings:
            assert name not in self.analysis.assigned, name
            self.analysis.binder[name] = enclosing
            bound.append(self.procedure(code, enclosing, name, group))
        for procedure in bound:
            self.body(procedure)

    def call(self, core: Call, enclosing: Procedure | None, tail: bool) -> None:
        callee = self.analysis.callee(core.function)
        if callee is not None and fits(callee.code, core.arguments):
            site = Site(core, callee, enclosing, tail)
            callee.calls.append(site)
            self.analysis.sites[id(core)] = site
        else:
            self.walk(core.function, enclosing, tail=False)
        for argument in core.arguments:
            self.walk(argument, enclosing, tail=False)

    def attempt(self, core: PrimCall, thunk: Core, enclosing: Procedure | None) -> None:
        """A `%try`: a direct call if the thunk is known."""
        callee = self.analysis.callee(thunk)
        if isinstance(thunk, Lambda):
            callee = self.procedure(thunk, enclosing, None, frozenset())
            self.body(callee)
        if callee is None or not fits(callee.code, ()):
            self.walk(thunk, enclosing, tail=False)
            return
        site = Site(Call(thunk, (), core.span), callee, enclosing, tail=False, caught=True)
        callee.calls.append(site)
        self.analysis.sites[id(core)] = site
