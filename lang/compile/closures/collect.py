"""One walk over Core that writes down procedures, the calls of them, and the uses of variables.

(let loop ((i 0)) (loop (f i)))  =>  Procedure loop, with a Site of it and one of f
"""

from dataclasses import dataclass

from lambent.lang.compile.closures.procedures import Known, Procedure, Site
from lambent.lang.compile.closures.top_level import Key, TopLevel
from lambent.lang.core.direct_calls import fits
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
    SetGlobal,
    SetLocal,
)
from lambent.lang.core.traverse import children, walk


def collect(top: TopLevel) -> Known:
    """All that the text of the program says; `known` draws the conclusions."""
    known = Known()
    collector = _Collector(known)
    for key, code in top.known.items():
        known.by_key[key] = collector.procedure(code, None, None, frozenset(), is_global=True)
    for form in top.forms:
        known.assigned |= {node.name for node in walk(form) if isinstance(node, SetLocal)}
    for form in top.forms:
        if isinstance(form, Define) and (form.name, form.namespace) in known.by_key:
            collector.body(known.by_key[form.name, form.namespace])
        else:
            collector.walk(form, None, tail=False)
    return known


@dataclass(slots=True)
class _Collector:
    """Walks Core once and writes down procedures, calls, and uses of variables."""

    known: Known
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
        procedure = Procedure(code, parent, variable, group, is_global)
        self.known.by_code[id(code)] = procedure
        if variable is not None:
            self.known.by_variable[variable] = procedure
        return procedure

    def body(self, procedure: Procedure) -> None:
        self.count += 1
        procedure.number = self.count
        self.parts(procedure)
        procedure.last_inside = self.count

    def parts(self, procedure: Procedure) -> None:
        code = procedure.code
        names = [*code.parameters, *(keyword.name for keyword in code.keywords)]
        for name in [*names, *([code.rest] if code.rest else [])]:
            self.known.binder[name] = procedure
        self.walk(code.body, procedure, tail=True)

    def walk(self, core: Core, host: Procedure | None, *, tail: bool) -> None:
        match core:
            case Local(name):
                self.use(name, host)
            case Global(name, namespace):
                self.use_global((name, namespace), host)
            case SetGlobal(name, namespace, value):
                self.use_global((name, namespace), host)
                self.walk(value, host, tail=False)
            case SetLocal(name, value):
                self.use(name, host)
                self.walk(value, host, tail=False)
            case Lambda():
                anonymous = self.procedure(core, host, None, frozenset())
                anonymous.value_hosts.append(host)
                self.body(anonymous)
            case Let(name, Lambda() as code, body) if name not in self.known.assigned:
                self.letrec(((name, code),), host)
                self.walk(body, host, tail=tail)
            case Letrec(bindings, body):
                self.letrec(bindings, host)
                self.walk(body, host, tail=tail)
            case Let(name, value, body):
                self.known.binder[name] = host
                self.walk(value, host, tail=False)
                self.walk(body, host, tail=tail)
            case Call():
                self.call(core, host, tail)
            case If(test, then, orelse):
                self.walk(test, host, tail=False)
                self.walk(then, host, tail=tail)
                self.walk(orelse, host, tail=tail)
            case Begin(forms):
                for form in forms[:-1]:
                    self.walk(form, host, tail=False)
                self.walk(forms[-1], host, tail=tail)
            case _:
                for child in children(core):
                    self.walk(child, host, tail=False)

    def use_global(self, key: Key, host: Procedure | None) -> None:
        self.known.global_uses.setdefault(key, []).append(host)
        if key in self.known.by_key:
            self.known.by_key[key].value_hosts.append(host)

    def use(self, name: str, host: Procedure | None) -> None:
        self.known.uses.append((name, host))
        if name in self.known.by_variable:
            self.known.by_variable[name].value_hosts.append(host)

    def letrec(self, bindings: tuple[tuple[str, Lambda], ...], host: Procedure | None) -> None:
        group = frozenset(name for name, _ in bindings)
        bound = []
        for name, code in bindings:
            assert name not in self.known.assigned, name
            self.known.binder[name] = host
            bound.append(self.procedure(code, host, name, group))
        for procedure in bound:
            self.body(procedure)

    def call(self, core: Call, host: Procedure | None, tail: bool) -> None:
        callee = self.known.callee(core.function)
        if callee is not None and fits(callee.code, core.arguments):
            site = Site(core, callee, host, tail)
            callee.calls.append(site)
            self.known.sites[id(core)] = site
        else:
            self.walk(core.function, host, tail=False)
        for argument in core.arguments:
            self.walk(argument, host, tail=False)
