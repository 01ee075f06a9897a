"""Lets variables go where they die: a Python function would keep what they hold until it returns.

    t = o:ones(2)                t = o:ones(2)
    n = o:numel(t)          =>   n = o:numel(t)
    return p:f(n)                t = None
                                 return p:f(n)

Only what a later call would wait for is worth a store: a variable that dies with no call after it,
and one that dies in the last call itself, stay.  But a variable that holds a tensor for certain
moves into the last call:

    return p:f(r:relu(t))   =>   return p:f((r:relu(t), t := None)[0])

A variable that a closure mentions may be needed as long as the closure.  A closure that is only
called (a loop, mostly) is dead when nothing calls it any more, and its variables with it.
"""

import ast
from collections.abc import Iterator, Set
from dataclasses import dataclass, field

from lambent.lang.interp.emit import pycode as py

_OPERATORS = ("o:", "r:", "b:bridge_")  # functions of tensors
_QUICK = (":", "n:", "b:")  # functions that take little time and memory


@dataclass(slots=True)
class _Names:
    """What a simple statement or an expression does with names."""

    loads: set[str] = field(default_factory=set)  # used before the statement sets them
    stores: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)  # set within expressions, before they are used
    runs: bool = False  # whether it calls what may take long


@dataclass(slots=True)
class _Uses:
    """How a function uses names."""

    values: set[str] = field(default_factory=set)  # those that it does not only call
    tensors: set[str] = field(default_factory=set)  # arguments of operators


@dataclass(slots=True)
class Scope:
    """The names of the enclosing functions that a function uses."""

    free: set[str]
    values: set[str]  # those that it does not only call
    pinned: set[str]  # those in closures that may outlive their calls


def drop_dead(function: ast.FunctionDef, scopes: dict[int, Scope]) -> None:
    """Insert stores of None.  scopes: of the functions within it, by id; its own is added."""
    names: dict[int, _Names] = {}
    nested: dict[str, Scope] = {}
    own, uses, outside = _Names(), _Uses(), set[str]()
    for statement in _statements(function.body):
        match statement:
            case ast.FunctionDef(name):
                nested[name] = scopes[id(statement)]
                own.stores.add(name)
            case ast.Global(identifiers) | ast.Nonlocal(identifiers):
                outside.update(identifiers)
            case _:
                used = names[id(statement)] = _names_of(statement, uses)
                own.loads |= used.loads
                own.stores |= used.stores | used.bound
                own.runs |= used.runs
    parameters = {a.arg for a in function.args.posonlyargs}
    if function.args.vararg:
        parameters.add(function.args.vararg.arg)
    local = (own.stores | parameters) - outside
    pinned: set[str] = set()
    captured: dict[str, set[str]] = {}  # of closures that are only called
    for name, scope in nested.items():
        others = (s for other, s in nested.items() if other != name)
        if name in uses.values or name in scope.values or any(name in s.free for s in others):
            pinned |= scope.free
        else:
            pinned |= scope.pinned
            captured[name] = scope.free
    free = own.loads.union(outside, *(s.free for s in nested.values())) - local
    values = uses.values.union(*(s.values for s in nested.values())) - local
    scopes[id(function)] = Scope(free, values, pinned - local)
    if own.runs:
        tensors = uses.tensors | _results_of_operators(function.body)
        lifetimes = _Lifetimes(names, local - pinned, captured, tensors)
        lifetimes.function(function.body, parameters, function.lineno)


def _statements(body: list[py.Stmt]) -> Iterator[py.Stmt]:
    """All statements of a function but those of functions within it."""
    for statement in body:
        yield statement
        match statement:
            case ast.If(_, then, orelse):
                yield from _statements(then)
                yield from _statements(orelse)
            case ast.While(_, then):
                yield from _statements(then)
            case ast.Try(then, handlers, _, last):
                yield from _statements(then)
                for handler in handlers:
                    yield from _statements(handler.body)
                yield from _statements(last)


def _names_of(statement: py.Stmt, uses: _Uses) -> _Names:
    """The names in a statement; only in the test of one that contains others."""
    names = _Names()
    pending: list[ast.AST]
    if isinstance(statement, ast.Assign):
        pending = [*statement.targets, statement.value]
    elif isinstance(statement, ast.If):
        pending = [statement.test]
    elif isinstance(statement, ast.Expr | ast.Return) and statement.value:
        pending = [statement.value]
    else:
        return names
    _walk(pending, names, uses)
    names.loads -= names.bound
    return names


def _walk(pending: list[ast.AST], names: _Names, uses: _Uses) -> None:
    """Every expression of a program comes here: `isinstance` is several times as fast as patterns
    and `ast.iter_child_nodes`."""
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                names.stores.add(node.id)
            else:
                names.loads.add(node.id)
                uses.values.add(node.id)
        elif isinstance(node, ast.Call):
            _call(node, names, uses)
            if not isinstance(node.func, ast.Name):
                pending.append(node.func)
            pending += node.args
        elif isinstance(node, ast.NamedExpr):
            names.bound.add(node.target.id)
            pending.append(node.value)
        elif not isinstance(node, ast.Constant):
            for name in node._fields:
                child = getattr(node, name)
                if isinstance(child, list):
                    pending += child
                elif isinstance(child, ast.expr):
                    pending.append(child)


def _call(node: ast.Call, names: _Names, uses: _Uses) -> None:
    if not isinstance(node.func, ast.Name):
        names.runs = True
        return
    callee = node.func.id
    names.loads.add(callee)
    if callee.startswith(_OPERATORS):
        names.runs = True
        uses.tensors.update(a.id for a in node.args if isinstance(a, ast.Name))
    elif not callee.startswith(_QUICK) or callee == ":trampoline":
        names.runs = True


def _results_of_operators(body: list[py.Stmt]) -> set[str]:
    return {
        target.id
        for statement in _statements(body)
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
        for target in statement.targets
        if isinstance(target, ast.Name)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id.startswith(_OPERATORS)
    }


@dataclass(slots=True)
class _Lifetimes:
    """One function: its statements are walked from the last to the first."""

    names: dict[int, _Names]
    droppable: set[str]
    captured: dict[str, set[str]]
    tensors: set[str]
    head: set[str] = field(default_factory=set)  # what an iteration of the loop needs
    loop_runs: bool = False  # whether a call follows `continue`
    inserts: bool = False

    def function(self, body: list[py.Stmt], parameters: set[str], line: int) -> None:
        match body:
            case [*_, ast.While(_, iteration)]:
                self.loop_runs = any(n.runs for n in self.names.values())
                while not (needed := self.block(iteration, set(), False)[0]) <= self.head:
                    self.head |= needed
        self.inserts = True
        live, runs = self.block(body, set(), False)
        start = 0
        while isinstance(body[start], ast.Global | ast.Nonlocal):
            start += 1
        body[start:start] = self.stores(parameters - live, runs, line)

    def stores(self, dead: set[str], runs: bool, line: int) -> list[py.Stmt]:
        """The stores for variables that are dead, if a call follows that would keep them."""
        dropped = sorted(dead & self.droppable) if runs and self.inserts else []
        return [py.assign(name, py.constant(None, line), line) for name in dropped]

    def block(
        self, body: list[py.Stmt], live: set[str], runs: bool, kept: Set[str] = frozenset()
    ) -> tuple[set[str], bool]:
        """What the statements need, and whether they call.  live, runs: of what follows them.
        kept: what the handlers around them need, whenever an error comes."""
        live = live | kept
        reverse: list[py.Stmt] = []
        for statement in reversed(body):
            dead: list[py.Stmt] = []
            match statement:
                case ast.Return():
                    live, runs = self.leave(statement, kept)
                case ast.Continue():
                    live, runs = self.head | kept, self.loop_runs
                case ast.If() if not _makes_tail_call(statement):
                    live, runs = self.branch(statement, live, runs, kept)
                case ast.While(_, iteration):
                    live, runs = self.block(iteration, set(), False)
                case ast.Try():
                    live, runs = self.attempt(statement, live, runs, kept)
                case ast.FunctionDef(name):
                    live = live - {name}
                case ast.Expr() | ast.Assign() | ast.If():
                    names = self.names[id(statement)]
                    used = self.used(names)
                    gone = (used | names.stores | names.bound) - live
                    dead = self.stores(gone, runs, statement.lineno)
                    live = (live - names.stores) | used | kept
                    runs = runs or names.runs
            if dead and reverse and isinstance(reverse[-1], ast.Try):
                # No statement may come between the installation of handlers and their `try`.
                reverse[-1].body[:0] = dead
            else:
                reverse += reversed(dead)
            reverse.append(statement)
        if self.inserts:
            body[:] = reversed(reverse)
        return live, runs

    def used(self, names: _Names) -> set[str]:
        """The variables that a statement needs, also those of closures that it calls."""
        used = set(names.loads)
        for name in names.loads & self.captured.keys():
            used |= self.captured[name]
        return used

    def leave(self, statement: ast.Return, kept: Set[str]) -> tuple[set[str], bool]:
        names = self.names[id(statement)]
        match statement.value:
            case ast.Call(function, [*_, last] as arguments) if self.inserts and names.runs:
                moved = (names.loads & self.tensors & self.droppable) - kept
                if isinstance(function, ast.Name):
                    moved -= {function.id}
                for closure in names.loads & self.captured.keys():
                    moved -= self.captured[closure]
                if moved and not isinstance(last, ast.Starred):
                    arguments[-1] = _then_drop(last, sorted(moved))
        return self.used(names) | kept, names.runs

    def branch(
        self, statement: ast.If, live: set[str], runs: bool, kept: Set[str]
    ) -> tuple[set[str], bool]:
        names = self.names[id(statement)]
        then, then_runs = self.block(statement.body, live, runs, kept)
        orelse, orelse_runs = self.block(statement.orelse, live, runs, kept)
        needed = self.used(names) | then | orelse
        before, line = needed | names.bound, statement.lineno
        statement.body[:0] = self.stores(before - then, then_runs, line)
        statement.orelse[:0] = self.stores(before - orelse, orelse_runs, line)
        return needed, names.runs or then_runs or orelse_runs

    def attempt(
        self, statement: ast.Try, live: set[str], runs: bool, kept: Set[str]
    ) -> tuple[set[str], bool]:
        line = statement.lineno
        after, after_runs = self.block(statement.finalbody, live, runs, kept)
        caught: set[str] = set(after) if statement.finalbody else set()
        for handler in statement.handlers:
            caught |= self.block(handler.body, after, after_runs, kept)[0] - {str(handler.name)}
        needed, body_runs = self.block(statement.body, after, after_runs, kept | caught)
        stored = {n for s in _statements(statement.body) for n in self.stored(s)}
        for handler in statement.handlers:
            # The failure may have come before the body dropped its variables.
            left = (needed | stored) - after - _dropped_at_end(handler.body)
            handler.body += self.stores(left, after_runs, line)
        return needed | caught, body_runs or after_runs

    def stored(self, statement: py.Stmt) -> set[str]:
        names = self.names.get(id(statement))
        return names.stores | names.bound if names else set()


def _dropped_at_end(body: list[py.Stmt]) -> set[str]:
    """The variables that the last statements store None in."""
    dropped = set()
    for statement in reversed(body):
        match statement:
            case ast.Assign([ast.Name(name)], ast.Constant(None)):
                dropped.add(name)
            case _:
                break
    return dropped


def _makes_tail_call(statement: ast.If) -> bool:
    """Whether it is a call for its effect: the pending tail call may need what the call needed."""
    match statement.body:
        case [ast.Expr(ast.Call(ast.Name(":trampoline")))]:
            return True
    return False


def _then_drop(value: py.Expr, dropped: list[str]) -> py.Expr:
    """`(value, a := None, b := None)[0]`"""
    line = value.lineno
    stores: list[py.Expr] = [py.bind(name, py.constant(None, line), line) for name in dropped]
    return py.item(py.tuple_of([value, *stores], line), py.constant(0, line), line)
