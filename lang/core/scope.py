"""What names mean while a program is analysed.

    Scope  the top level of one module: the names visible there, and those that it defines
    Unit   what the analysis of one program has found so far
    Env    the local names around an expression, each with its meaning

    (lambda (x) (let ((x 1)) x))  =>  the outer x is `x`, the inner one `x.2`
"""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Protocol

from lambent.lang.core.changes import Changes, History
from lambent.lang.core.denotation import (
    Alias,
    Constant,
    Denotation,
    GlobalName,
    Key,
    Macro,
    SpecialForm,
    Variable,
    key_of,
)
from lambent.lang.core.ir import Namespace
from lambent.lang.core.modules.srfi_libraries import lacking_advice
from lambent.lang.core.names.foreign_names import foreign_advice
from lambent.lang.core.names.operators import operators
from lambent.lang.core.names.python_habits import habit_advice, method_advice
from lambent.lang.core.names.pytorch_names import (
    advice,
    is_of_pytorch,
    is_tensor_method,
    lisp_name,
    looks_like_pytorch,
    module_advice,
    well_known_operators,
)
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.table import PRIVATE_PREFIX, operator
from lambent.lang.syntax.datum import Boolean, Datum, List, Symbol
from lambent.lang.syntax.source import Source, Span
from lambent.lang.system.dataclass import dataclass, field

if TYPE_CHECKING:
    from lambent.lang.core.macros.syntax_case import SyntaxBody
    from lambent.lang.core.modules.modules import Modules

_LETTERS_PER_MISTAKE = 8  # one mistake, and one more for as many letters
_SIMILARITY = 0.8  # least similarity of a suggestion; difflib's default of 0.6 is too low
_NOWHERE = Span(Source("ambient", ""), 0, 0)

# The special forms and macros that are part of the language: `special_forms.py` enters them.
SPECIAL_FORMS: dict[str, SpecialForm | Macro] = {}


@dataclass(frozen=True, slots=True)
class Helper:
    """What a macro's procedure may call: a function of `count` data that returns one."""

    name: str
    count: int
    function: Callable[..., Datum]


# An Evaluator makes a Transformer from a `define` form, whose Lisp runs while programs are analysed
# and sees the names of the scope.  The Transformer maps the data of a macro use to its expansion;
# None means the unspecified value.  Helpers are the last arguments of a hygienic macro's procedure.
Transformer = Callable[[Sequence[Datum], Span, Sequence[Helper] | None], Datum | None]
Evaluator = Callable[[Datum, "Scope"], Transformer]


class Dialect(Protocol):
    """How a program in another Lisp is read; `use` gives one to a scope (`core/lispe/`)."""

    variables: set[str]
    classes: dict[str, Any]
    constructors: set[str]

    def methods(self) -> Set[str]:
        """The names of all methods of the program's classes."""

    def prepared(self, data: Sequence[Datum], env: "Env") -> list[Datum]:
        """The program's forms, instead of its text."""

    def call(
        self, form: List, head: Symbol, meaning: Denotation | None, env: "Env"
    ) -> Datum | None:
        """The form that replaces a call by name, if one does."""

    def literal(self, datum: Datum, env: "Env") -> Datum | None:
        """The form that replaces one without a name at its head, if one does."""

    def shown(self, datum: Datum, env: "Env") -> Datum:
        """The form of a session's entry that prints its value."""

    def copy(self) -> "Dialect":
        """An equal dialect, which later forms do not change."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordTypeFacts:
    """What `define-record-type` has said of a type.  name: the identifier that it defines, in env.
    fields: the names of all fields, those of its parents first."""

    name: Symbol
    env: "Env"
    fields: tuple[Symbol, ...]


@dataclass(slots=True, eq=False)
class RecordTypes:
    """The record types of a program by the text of their names, the last one last."""

    by_name: dict[str, list[RecordTypeFacts]] = field(default_factory=dict)

    def add(self, facts: RecordTypeFacts) -> None:
        self.by_name.setdefault(facts.name.name, []).append(facts)

    def of(self, meaning: Denotation | None) -> RecordTypeFacts | None:
        """The type that a variable holds, whose unique name begins with the identifier's text."""
        if not isinstance(meaning, GlobalName | Variable):
            return None
        for end in range(len(meaning.name), 0, -1):
            for facts in reversed(self.by_name.get(meaning.name[:end], ())):
                if facts.env.resolve(facts.name) == meaning:
                    return facts
        return None


@dataclass(slots=True, eq=False)
class Scope:
    """The top level of one module: of a program, a REPL's session, the library.

    names holds the meanings of names that are not ambient.  `analyze` enters what the module
    defines.  `Modules` enters what it imports, under the name by which the module sees it: a
    variable (`GlobalName` with the unique name of its definition), a macro or a special form.  A
    macro refers to the Env of its definition, and so to its Scope, and works wherever it is
    imported.  An entry of None hides the meaning that the name would have otherwise.

    library and macros are ambient: the variables and macros of the library.  The names of the
    language come after them.  Names that begin with % are internal to the library: only private
    scopes, and the library itself, see them.

    own holds the variables that the module itself defines.  A definition in a template creates a
    variable for each expansion.  It is visible under its plain name, too, unless that has another
    meaning (`from_templates` holds such names): the last expansion wins, and a definition in the
    program's text takes precedence.

    module: the suffix of the module's variables in Core; "" for the program itself.
    modules: what can be imported.  imported: for each imported name, the module it comes from.
    record_types: the record types that the program's modules define.
    syntax_body: of the procedure of a macro by syntax-case, what it refers to by number.
    dialect: how the module's forms are read, if it is written in another Lisp.
    changes: how meanings change in the forms under analysis, if any.  at: the position of the form
    whose names are asked for; None for the latest meanings.  history: of the last analysis, if it
    defined macros.
    """

    library: frozenset[str] = frozenset()
    namespace: Namespace = Namespace.PROGRAM
    macros: Mapping[str, Macro] = field(default_factory=dict)
    names: dict[Key, Denotation | None] = field(default_factory=dict)
    own: dict[Key, GlobalName] = field(default_factory=dict)
    from_templates: set[str] = field(default_factory=set)
    evaluator: "Evaluator | None" = None
    module: str = ""
    modules: "Modules | None" = None
    imported: dict[Key, str] = field(default_factory=dict)
    private: bool = False
    dialect: Dialect | None = None
    taken: set[str] | None = None  # the Core names of own, once computed
    changes: Changes | None = None
    at: int | None = None
    history: History | None = None
    record_types: RecordTypes = field(default_factory=RecordTypes)
    syntax_body: "SyntaxBody | None" = None
    _outermost: "Env | None" = None

    def meaning(self, key: Key, ahead: bool = True) -> Denotation | None:
        """The meaning of an identifier at the top level; of an alias, only its own.

        ahead: a variable that a later form defines counts.
        """
        if self.at is not None and self.changes is not None and key in self.changes:
            return self.changes.meaning_at(key, self.at, ahead)
        if key in self.names:
            return self.names[key]
        return self.ambient(key) if isinstance(key, str) else None

    def ambient(self, name: str) -> Denotation | None:
        """The meaning of a name that the module neither defines nor imports."""
        if name.startswith("%") and self.namespace is Namespace.PROGRAM and not self.private:
            return None
        if name in SPECIAL_FORMS:
            return SPECIAL_FORMS[name]
        if name in self.macros:
            return self.macros[name]
        if name in self.library:
            return GlobalName(name, Namespace.LIBRARY)
        if name in TABLE:
            return TABLE[name]
        # Whether LibTorch has the operator is checked when the program runs.
        if name.startswith("tensor-") and name != "tensor-" and advice(name) is None:
            return operator(name)
        return Constant(Boolean(True, _NOWHERE)) if name == "t" else None

    def define(self, symbol: Symbol) -> GlobalName:
        """Define a top-level variable of the module."""
        key = key_of(symbol)
        if key not in self.own:
            self.own[key] = GlobalName(self._unused(self.core_name(symbol.name)), self.namespace)
        self.imported.pop(key, None)  # definitions take precedence over imports
        self.enter(symbol, self.own[key])
        return self.own[key]

    def enter(self, symbol: Symbol, meaning: Denotation) -> None:
        """Give an identifier a meaning at the top level."""
        key, name = key_of(symbol), symbol.name
        self.change(key, meaning, symbol.span)
        if key == name:
            self.from_templates.discard(name)
        elif name in self.from_templates or self.meaning(name) is None:
            self.from_templates.add(name)
            self.change(name, meaning, symbol.span, yields=True)

    def change(
        self, key: Key, meaning: Denotation | None, span: Span, yields: bool = False
    ) -> None:
        """Give a name a meaning from here on.  yields: a later definition takes precedence."""
        if self.changes is not None:
            self.changes.add(key, self.meaning(key), meaning, yields, span)
        self.names[key] = meaning

    def go_to(self, history: History, before: int, position: int) -> None:
        """Give the names the meanings that they have at a position of the last analysis."""
        for key, meaning in history.changes.differing(before, position).items():
            if meaning is None or (isinstance(key, str) and meaning is self.ambient(key)):
                self.names.pop(key, None)
            else:
                self.names[key] = meaning

    def macros_here(self) -> dict[Key, Macro | SpecialForm]:
        """The macros that the module has defined or imported before the form under analysis."""
        meanings = {key: self.meaning(key) for key in self.names}
        return {
            key: meaning
            for key, meaning in meanings.items()
            if isinstance(meaning, Macro | SpecialForm)
        }

    def core_name(self, name: str) -> str:
        """The name of the module's variable in Core; `usage.py` does the reverse."""
        return f"{name}{{{self.module}}}" if self.module else name

    def _unused(self, name: str) -> str:
        """A Core name that no variable of the module has yet; it is taken from now on."""
        if self.taken is None:
            self.taken = self.variables()
        taken = self.taken
        unique = next(
            candidate
            for count in itertools.count(1)
            if (candidate := name if count == 1 else f"{name}.{count}") not in taken
        )
        taken.add(unique)
        return unique

    def variables(self) -> set[str]:
        """The Core names of the variables that the module defines."""
        return {variable.name for variable in self.own.values()}

    def snapshot(self) -> "Callable[[], None]":
        """A function that undoes what has been entered since."""
        names, own = dict(self.names), dict(self.own)
        from_templates, imported = set(self.from_templates), dict(self.imported)
        dialect = self.dialect and self.dialect.copy()

        def restore() -> None:
            self.dialect = dialect and dialect.copy()
            self.names, self.own = dict(names), dict(own)
            self.from_templates, self.imported = set(from_templates), dict(imported)
            self.taken = self.changes = self.at = None

        return restore

    def ambient_env(self) -> "Env":
        """An environment in which the names of the library and the language are not shadowed."""
        if self._outermost is None:
            scope = self
            if self.namespace is Namespace.PROGRAM:
                scope = Scope(self.library, macros=self.macros, private=True)
            self._outermost = Env(Unit(scope))
        return self._outermost


@dataclass(slots=True, eq=False)
class Unit:
    """One program under analysis.

    assigned: the unique names of locals that some `set!` changes.  claimed: the library names that
    some `set!` changes; the program then has its own variable of that name.  globals: the names of
    top-level variables.  mentioned: the mentioned locals, in order.
    For `lambent show expand`: expansions has each use of a macro with its expansion, by the use's
    identity, and each definition of a macro with None; renamed has the unique names of the
    variables that templates introduce.  remarks: for a name that is unbound inside a form, what to
    say of it instead of a near name.
    """

    scope: Scope
    globals: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    claimed: set[str] = field(default_factory=set)
    mentioned: list[str] = field(default_factory=list)
    bound: set[Key] = field(default_factory=set)  # all local names so far, as the source has them
    expansions: dict[int, tuple[Datum, Datum | None]] = field(default_factory=dict)
    renamed: dict[Alias, str] = field(default_factory=dict)
    remarks: list[tuple[str, Span, str]] = field(default_factory=list)

    def fresh(self, name: str, introduced: bool = False) -> str:
        """A name that no other variable of the program has.

        An executable contains the program and the library, so names of the library end in `.lib`,
        and those of a module in the module's name.
        introduced: the name is from a macro's template, so it always gets a number.
        """
        is_library = self.scope.namespace is Namespace.LIBRARY
        base = self.scope.core_name(f"{name}.lib" if is_library else name)
        clashes = introduced or (base == name and name.endswith((".lib", "}")))
        count = self.counts.get(base, 2 if clashes else 1)
        while (
            unique := base if count == 1 else f"{base}.{count}"
        ) in self.used or unique in self.globals:
            count += 1
        self.counts[base] = count + 1
        self.used.add(unique)
        return unique


@dataclass(frozen=True, slots=True, eq=False)
class Env:
    """The visible local names, innermost first, and their meanings."""

    unit: Unit
    names: dict[Key, Denotation] = field(default_factory=dict)
    outer: "Env | None" = None

    def resolve(self, symbol: Symbol, ahead: bool = True) -> Denotation | None:
        """The meaning of an identifier here; None if it is unbound.

        ahead: a top-level variable that a later form defines counts.
        """
        key = key_of(symbol)
        meaning = self._local(key) or self.unit.scope.meaning(key, ahead)
        if meaning is None and isinstance(symbol, Alias):
            return symbol.env.resolve(symbol.original, ahead)
        return meaning

    def later_macro(self, symbol: Symbol) -> Span | None:
        """Where an unbound identifier becomes a macro later in the program, if it does."""
        scope = self.unit.scope
        if scope.changes is None or scope.at is None:
            return None
        macro = scope.changes.later_macro(key_of(symbol), scope.at)
        if macro is None and isinstance(symbol, Alias):
            return symbol.env.later_macro(symbol.original)
        return macro

    def _local(self, key: Key) -> Denotation | None:
        env: Env | None = self if key in self.unit.bound else None
        while env is not None:
            if key in env.names:
                return env.names[key]
            env = env.outer
        return None

    def lookup(self, symbol: Symbol) -> str | None:
        """The unique name of a local variable; None if the identifier does not refer to one."""
        meaning = self.resolve(symbol)
        return meaning.name if isinstance(meaning, Variable) else None

    def bind(self, symbols: Sequence[Symbol]) -> "tuple[Env, list[str]]":
        """The environment with new variables, and their unique names in order."""
        inner = Env(self.unit, {}, self)
        return inner, [inner.add(symbol) for symbol in symbols]

    def add(self, symbol: Symbol) -> str:
        """Bind a variable in this environment itself, as bodies do; its unique name."""
        introduced = isinstance(symbol, Alias)
        unique = self.unit.fresh(symbol.name, introduced)
        if isinstance(symbol, Alias):
            self.unit.renamed[symbol] = unique
        self.enter(symbol, Variable(unique))
        return unique

    def enter(self, symbol: Symbol, meaning: Denotation) -> None:
        """Give an identifier a meaning in this environment itself."""
        key = key_of(symbol)
        self.unit.bound.add(key)
        self.names[key] = meaning

    def visible(self) -> Iterable[str]:
        """The names of everything local that is visible."""
        env: Env | None = self
        while env is not None:
            yield from (key for key in env.names if isinstance(key, str))
            env = env.outer


# What follows a name in `x = 5`, `x := 5` and `(x = 5)`, up to the end of the value.
_ASSIGNED = re.compile(r"[ \t]+:?=[ \t]+([^\s()\[\]]+)[ \t]*(?:;|\r?\n|\)|\Z)")


def unbound_hint(symbol: Symbol, env: Env) -> str | None:
    """What the user may have meant by an unbound name."""
    name = symbol.name
    if (later := env.later_macro(symbol)) is not None:
        return f"{name} is a macro only from line {later.line} on; move its definition up"
    for remarked, form, remark in env.unit.remarks:
        if name == remarked and form.start <= symbol.span.start < form.end:
            return remark
    if assigned := _ASSIGNED.match(symbol.span.source.text, symbol.span.end):
        return f"write (define {name} {assigned[1]}), or (set! {name} {assigned[1]}) to change it"
    known = advice(name) or foreign_advice(name) or module_advice(name)
    if found := known or habit_advice(name) or method_advice(name):
        return f"write {found}" if found[0] in "(#'" else found
    if found := lacking_advice(name):
        return found
    if found := _method(name, env):
        return f"write {found}"
    near = _dashed(name, env) or _operator(name, env) or _nearest(name, env)
    if near is None and is_of_pytorch(name):
        return "Lambent has no such name; docs/from-pytorch.md lists PyTorch's names"
    return f"did you mean {near}?" if near else None


def _method(name: str, env: Env) -> str | None:
    """The call that a name such as x.shape or .item stands for in Python, if x is a variable."""
    receiver, dot, method = name.rpartition(".")
    if not dot or is_of_pytorch(name):
        return None
    if receiver and receiver not in _visible(env) and not is_tensor_method(method):
        return None
    meant = lisp_name(f"Tensor.{method}")
    if meant in {*(operators() or ()), *_visible(env)}:
        return f"({meant} {receiver or 'x'})"
    return advice(f"Tensor.{method}")


def _dashed(name: str, env: Env) -> str | None:
    """The visible name that differs from a Python name only in `-` for `_`."""
    dashed = name.replace("_", "-")
    return dashed if dashed in _visible(env) else None


def _operator(name: str, env: Env) -> str | None:
    """The operator or procedure that a function of PyTorch becomes by the naming rule, if any."""
    if not looks_like_pytorch(name) and name not in well_known_operators():
        return None
    meant, operator_names = lisp_name(name), operators()
    if operator_names is None:  # LibTorch's operators are not known
        return None if "." in meant else meant
    names = {*operator_names, *_visible(env)}
    if meant in names:
        return meant
    public = sorted(n for n in names if not n.startswith(PRIVATE_PREFIX) and "::" not in n)
    near = get_close_matches(meant, public, n=1, cutoff=_SIMILARITY)
    return near[0] if near else None


def _nearest(name: str, env: Env) -> str | None:
    near = get_close_matches(name, sorted(_visible(env)), n=1, cutoff=_SIMILARITY)
    return near[0] if near and _is_misspelt(name, near[0]) else None


def _is_misspelt(name: str, meant: str) -> bool:
    """Whether a few letters make one name the other: `make-directory` is not `make-vector`."""
    longest = max(len(name), len(meant))
    return _edits(name, meant) <= 1 + longest // _LETTERS_PER_MISTAKE


def _edits(a: str, b: str) -> int:
    """How many letters are added, missing, changed, or exchanged with the next one."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y)))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                row[j] = min(row[j], before[j - 2] + 1)
        before = last
    return row[-1]


def _visible(env: Env) -> set[str]:
    scope = env.unit.scope
    names = (*TABLE, *scope.library, *scope.macros, *SPECIAL_FORMS)
    ambient = (key for key in names if not key.startswith("%"))
    own = (key for key in scope.names if isinstance(key, str))
    return {*env.visible(), *own, *ambient}
