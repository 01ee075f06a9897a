"""Procedures with a rest list, by the number of arguments: a part of `inline`.

    (define (add a . more) (if (pair? more) (+ a (car more)) a))
    (f (add 1) (add 1 2))
    =>  (define (add.1 a) a)
        (define (add.2 a item) (+ a item))
        (f (add.1 1) (add.2 1 2))

A known call knows the length of the rest list, so optional arguments and the clauses of a
`case-lambda` need no list and no tests.  A version for one number of arguments is worth having if
the length decides something, or an item is taken from the list.

Where a version uses the list in another way, it creates it there, or what is left of it.  Programs
could tell the difference if the list were created twice, or if they changed it before the version
reads an item, which is an argument now.  In such cases the list is created first, as before, and
only tests of its length are decided.
"""

import re
from collections.abc import Mapping
from itertools import islice

from lambent.lang.compile.closures.copies import Renamer
from lambent.lang.compile.closures.first_uses import Key
from lambent.lang.compile.closures.fold_constants import folded, outcome
from lambent.lang.compile.closures.top_level import TopLevel
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.core.direct_calls import bound_by
from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
    Define,
    Global,
    If,
    Lambda,
    Let,
    Local,
    Namespace,
    PrimCall,
    PrimRef,
    Program,
    SetLocal,
)
from lambent.lang.core.traverse import rewrite, walk
from lambent.lang.core.usage import source_name
from lambent.lang.primitives.effects import Memory
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Boolean, List, Number
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field, replace

_LARGEST = 300  # nodes of a procedure that has versions
_MOST_VERSIONS = 6  # of one procedure
_MOST_ITEMS = 8  # of a rest list


def split_arities(program: Program, top: TopLevel) -> Program:
    """The program with versions of its procedures for the numbers of arguments that calls pass."""
    procedures = {
        key: code
        for key, code in top.procedures.items()
        if key[1] is Namespace.PROGRAM and _may_have_versions(code)
    }
    if not procedures:
        return program
    splitter = _Splitter(procedures, _changes_pairs(program), {_key(f) for f in _defines(program)})
    forms = [splitter.visited(form) for form in program.forms]
    added: list[Core] = []
    for form in forms:
        added.append(form)
        if isinstance(form, Define):
            added.extend(splitter.versions.get(_key(form), ()))
    return replace(program, forms=tuple(added))


def _may_have_versions(code: Lambda) -> bool:
    if code.rest is None or code.keywords:
        return False
    nodes = list(islice(walk(code), _LARGEST))
    is_assigned = any(isinstance(node, SetLocal) and node.name == code.rest for node in nodes)
    return len(nodes) < _LARGEST and not is_assigned


def _changes_pairs(program: Program) -> bool:
    return any(
        bool(node.primitive.effects.writes & Memory.PAIR)
        for form in program.forms
        for node in walk(form)
        if isinstance(node, PrimCall | PrimRef)
    )


def _defines(program: Program) -> list[Define]:
    return [form for form in program.forms if isinstance(form, Define)]


def _key(form: Define) -> Key:
    return form.name, form.namespace


@dataclass(slots=True)
class _Splitter:
    """versions: the new definitions for each procedure.  names: the version for a number of items
    in the rest list, or None if it would be of no use."""

    procedures: Mapping[Key, Lambda]
    changes_pairs: bool
    defined: set[Key]
    versions: dict[Key, list[Define]] = field(default_factory=dict)
    names: dict[tuple[Key, int], str | None] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    numbers: Numbers = field(default_factory=dict)

    def visited(self, core: Core) -> Core:
        return rewrite(core, self._changed)

    def _changed(self, node: Core) -> Core | None:
        match node:
            case Call(Global(name, namespace, at), arguments, span):
                code = self.procedures.get((name, namespace))
                if code is None:
                    return None
                version = self.version((name, namespace), code, len(arguments))
                if version is None:
                    return None
                given = tuple([self.visited(argument) for argument in arguments])
                return Call(Global(version, namespace, at), given, span)
        return None

    def version(self, key: Key, code: Lambda, count: int) -> str | None:
        """The name of the version of a procedure for a number of arguments."""
        items = count - len(code.parameters)
        if not 0 <= items <= _MOST_ITEMS:
            return None
        if (key, items) not in self.names:
            self.names[key, items] = None
            if len(self.versions.get(key, ())) < _MOST_VERSIONS:
                self._add(key, code, items)
        return self.names[key, items]

    def _add(self, key: Key, code: Lambda, items: int) -> None:
        body = self._body(code, items)
        if body is None:
            return
        name, namespace = key
        number = len(code.parameters) + items
        while (own := (f"{name}.{number}", namespace)) in self.defined:
            number += 1
        self.defined.add(own)
        self.names[key, items] = own[0]
        definitions = self.versions.setdefault(key, [])
        index = len(definitions)
        definitions.append(Define(own[0], namespace, body, code.span))
        definitions[index] = replace(definitions[index], value=self.visited(body))

    def _body(self, code: Lambda, items: int) -> Lambda | None:
        """The version for a number of items; None if it is as good as the procedure itself."""
        assert code.rest is not None
        bound = [name for node in walk(code) for name in bound_by(node)]
        names = {name: self._fresh(source_name(name)) for name in bound}
        body = Renamer(names, {}, is_own=True).renamed(code.body)
        item = f"{source_name(code.rest)}.item"
        given = tuple([Local(self._fresh(item), code.span) for _ in range(items)])
        assigned = {node.name for node in walk(body) if isinstance(node, SetLocal)}
        known = _Known(names[code.rest], given, assigned)
        found = known.body(body)
        if not known.is_sound(changes_pairs=self.changes_pairs):
            known = _Known(names[code.rest], given, assigned, is_object=True)
            found = known.body(body)
        if not known.decided:
            return None
        parameters = [names[name] for name in code.parameters]
        return replace(
            code, parameters=(*parameters, *[local.name for local in given]), rest=None, body=found
        )

    def _fresh(self, plain: str) -> str:
        name = fresh(f"{plain}.arity", self.taken, self.numbers)
        self.taken.add(name)
        return name


@dataclass(slots=True)
class _Known:
    """A walk through a body whose rest list has known items.

    is_object: the list is created first, and others may change it.
    tails: the names of the list and its tails, with the number of items before them.  used: those
    that are used as lists.  constants: the variables that are constants.
    decided: how many tests and items are known.  read: how many pairs of the list were read.
    created: before which item each list begins that the result creates.  depth: of procedures
    within the body; is_repeated: whether a list may be created several times.
    """

    rest: str
    items: tuple[Local, ...]
    assigned: set[str]
    is_object: bool = False
    tails: dict[str, int] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    constants: dict[str, Const] = field(default_factory=dict)
    decided: int = 0
    read: int = 0
    created: list[int] = field(default_factory=list)
    depth: int = 0
    is_repeated: bool = False

    def body(self, body: Core) -> Core:
        """The body, which begins by creating the list if it is used as one."""
        self.tails[self.rest] = 0
        found = self._begun(body)
        if not self.is_object and self.rest not in self.used:
            return found
        return Let(self.rest, self._list(0, body.span), found, body.span)

    def _begun(self, body: Core) -> Core:
        """The body; its first expression may ask for the length, which nothing has changed yet."""
        match body:
            case Let(name, PrimCall(primitive, (Local(rest),)), inner) if (
                primitive is TABLE["length"] and rest == self.rest and name not in self.assigned
            ):
                self.decided += 1
                self.constants[name] = Const(Number(len(self.items), body.span), body.span)
                return self.visited(inner)
        return self.visited(body)

    def is_sound(self, *, changes_pairs: bool) -> bool:
        """Whether no program can tell that the list is not an object from the beginning."""
        if self.is_repeated or len(self.created) > 1:
            return False
        return not self.created or not changes_pairs or self.read <= self.created[0]

    def visited(self, core: Core) -> Core:
        return rewrite(core, self._changed)

    def _changed(self, node: Core) -> Core | None:
        match node:
            case Local(name, span):
                if name in self.tails:
                    self.used.add(name)
                return replace(self.constants.get(name, node), span=span)
            case PrimCall(primitive, arguments, span):
                start = None if self.is_object else self._tail(node)
                if start is not None:
                    return self._list(start, span)
                known = self._fact(node)
                if known is not None:
                    self.decided += 1
                    return known
                if primitive is TABLE["apply"] and not self.is_object:
                    return replace(node, arguments=self._applied(arguments))
                given = tuple([self.visited(argument) for argument in arguments])
                return folded(replace(node, arguments=given))
            case Let(name, value, body) if name not in self.assigned:
                return self._let(node, name, value, body)
            case If(test, then, orelse):
                test = self.visited(test)
                decided = outcome(test)
                if decided is not None:
                    return self.visited(then if decided else orelse)
                then, orelse = self.visited(then), self.visited(orelse)
                return replace(node, test=test, then=then, orelse=orelse)
            case Lambda(body=body):
                self.depth += 1
                inner = self.visited(body)
                self.depth -= 1
                return replace(node, body=inner)
        return None

    def _let(self, node: Let, name: str, value: Core, body: Core) -> Core:
        start = None if self.is_object else self._tail(value)
        if start is not None:
            self.tails[name] = start
            inner = self.visited(body)
            if name not in self.used:
                return inner
            return replace(node, value=self._list(start, value.span), body=inner)
        value = self.visited(value)
        if isinstance(value, Const) and isinstance(value.value, Number | Boolean):
            self.constants[name] = value
            return self.visited(body)
        return replace(node, value=value, body=self.visited(body))

    def _applied(self, arguments: tuple[Core, ...]) -> tuple[Core, ...]:
        """The arguments of `apply`, which takes what is in a list, not the list."""
        *first, last = arguments
        start = self._tail(last)
        if start is None:
            return tuple([self.visited(argument) for argument in arguments])
        self.decided += 1
        self.read = len(self.items)
        return (*[self.visited(argument) for argument in first], self._new(start, last.span))

    def _list(self, start: int, span: Span) -> Core:
        """A list of the items from one on, as an object that the program may keep."""
        if start < len(self.items):
            self.created.append(start)
            self.is_repeated |= self.depth > 0
        return self._new(start, span)

    def _new(self, start: int, span: Span) -> Core:
        items = self.items[start:]
        return PrimCall(TABLE["list"], items, span) if items else Const(List((), None, span), span)

    def _tail(self, core: Core) -> int | None:
        """How many items come before a tail of the list."""
        match core:
            case Local(name):
                return self.tails.get(name)
            case PrimCall(primitive, (inner,)):
                path = _path(primitive)
                start = self._tail(inner) if path and "a" not in path else None
                if start is not None and start + len(path) <= len(self.items):
                    self.read = max(self.read, start + len(path))
                    return start + len(path)
        return None

    def _fact(self, call: PrimCall) -> Core | None:
        """What a call of a primitive on a tail of the list returns."""
        if len(call.arguments) != 1:
            return None
        start, span, path = self._tail(call.arguments[0]), call.span, _path(call.primitive)
        if start is None:
            return None
        match call.primitive.name:
            case "null?":
                return Const(Boolean(start == len(self.items), span), span)
            case "pair?":
                return Const(Boolean(start < len(self.items), span), span)
            case "length" if not self.is_object:
                self.read = len(self.items)
                return Const(Number(len(self.items) - start, span), span)
        at = start + len(path) - 1
        if path and "a" not in path[1:] and at < len(self.items) and not self.is_object:
            self.read = max(self.read, at + 1)
            return replace(self.items[at], span=span)
        return None


def _path(primitive: Primitive) -> str:
    """`ad` of cadr."""
    found = re.fullmatch("c([ad]{1,4})r", primitive.name)
    return found[1] if found else ""
