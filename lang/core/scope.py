"""What names mean while a program is analysed.

    Scope  the top level of one module: what is visible there, and what it defines
    Unit   what the analysis of one program has found out so far
    Env    the local names around an expression, each with what it means

    (lambda (x) (let ((x 1)) x))  =>  the outer x is `x`, the inner one `x.2`
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

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
from lambent.lang.core.names.pytorch_names import (
    advice,
    is_of_pytorch,
    lisp_name,
    looks_like_pytorch,
    module_advice,
    well_known_operators,
)
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.table import operator
from lambent.lang.syntax.datum import Boolean, Datum, Symbol
from lambent.lang.syntax.source import Source, Span

if TYPE_CHECKING:
    from lambent.lang.core.modules.modules import Modules

_LIKENESS = 0.8  # how near a suggestion must be; difflib's usual 0.6 finds far-fetched ones
_NOWHERE = Span(Source("ambient", ""), 0, 0)

# The special forms and macros that are part of the language: `special_forms.py` enters them.
SPECIAL_FORMS: dict[str, SpecialForm | Macro] = {}

# Makes a function from the data of a use to the data it stands for of a `define` form, which
# is Lisp that runs while programs are analysed; None says that the use stands for nothing.  The
# scope says what that Lisp sees.
Transformer = Callable[[Sequence[Datum], Span], Datum | None]
Evaluator = Callable[[Datum, "Scope"], Transformer]


@dataclass(slots=True, eq=False)
class Scope:
    """The top level of one module: of a program, a REPL's session, the library.

    names says what a name means there that is not ambient.  `analyze` enters what the module
    defines; who builds modules enters what a module imports, under the name by which the module
    sees it, be it a variable (`GlobalName` with the unique name of its definition), a macro or a
    special form.  A macro remembers the Env it was defined in, and through it the Scope, so it
    works wherever it is imported.  An entry of None hides what the name would mean otherwise.

    library and macros are ambient: the variables and macros of the library.  Below them lie the
    language's own names.  Names that begin with % are the library's own: only private scopes, and
    the library itself, see them.

    own holds the variables that the module itself defines.  What a template defines at the top
    level has a variable for each expansion.  It is visible under its plain name, too, while that
    means nothing else (`lent` holds such names): the last expansion's counts, and a definition in
    the program's text beats it.

    module: what the names of the module's variables end in, in Core; "" for a program's own.
    modules: what can be imported.  imported: where the names that other modules define come from.
    """

    library: frozenset[str] = frozenset()
    namespace: Namespace = Namespace.PROGRAM
    macros: Mapping[str, Macro] = field(default_factory=dict)
    names: dict[Key, Denotation | None] = field(default_factory=dict)
    own: dict[Key, GlobalName] = field(default_factory=dict)
    lent: set[str] = field(default_factory=set)
    evaluator: "Evaluator | None" = None
    module: str = ""
    modules: "Modules | None" = None
    imported: dict[Key, str] = field(default_factory=dict)
    private: bool = False
    taken: set[str] | None = None  # the Core names of own, if they have been asked for
    _outermost: "Env | None" = None

    def meaning(self, key: Key) -> Denotation | None:
        """What an identifier means at the top level, its own aliases aside."""
        if key in self.names:
            return self.names[key]
        return self.ambient(key) if isinstance(key, str) else None

    def ambient(self, name: str) -> Denotation | None:
        """What a name means that the module neither defines nor imports."""
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
        # LibTorch's own table says, when the program runs, whether there is such an operator.
        if name.startswith("tensor-") and name != "tensor-" and advice(name) is None:
            return operator(name)
        return Constant(Boolean(True, _NOWHERE)) if name == "t" else None

    def define(self, symbol: Symbol) -> GlobalName:
        """Enter a top-level variable of the module's own."""
        key = key_of(symbol)
        if key not in self.own:
            self.own[key] = GlobalName(self._unused(self.core_name(symbol.name)), self.namespace)
        self.imported.pop(key, None)  # what a module defines goes before what it imports
        self.enter(symbol, self.own[key])
        return self.own[key]

    def enter(self, symbol: Symbol, meaning: Denotation) -> None:
        """Give an identifier a meaning at the top level."""
        key, name = key_of(symbol), symbol.name
        self.names[key] = meaning
        if key == name:
            self.lent.discard(name)
        elif name in self.lent or self.meaning(name) is None:
            self.lent.add(name)
            self.names[name] = meaning

    def core_name(self, name: str) -> str:
        """The name that a variable of the module has in Core: `usage.py` takes it back."""
        return f"{name}{{{self.module}}}" if self.module else name

    def _unused(self, name: str) -> str:
        """A Core name that no variable of the module has, which has it from now on."""
        if self.taken is None:
            self.taken = self.variables()
        taken = self.taken
        found = next(
            candidate
            for count in itertools.count(1)
            if (candidate := name if count == 1 else f"{name}.{count}") not in taken
        )
        taken.add(found)
        return found

    def variables(self) -> set[str]:
        """The names that the module's own variables have in Core."""
        return {variable.name for variable in self.own.values()}

    def snapshot(self) -> "Callable[[], None]":
        """A function that undoes what has been entered since."""
        names, own, lent = dict(self.names), dict(self.own), set(self.lent)
        imported = dict(self.imported)

        def restore() -> None:
            self.names, self.own, self.lent = dict(names), dict(own), set(lent)
            self.taken = None
            self.imported = dict(imported)

        return restore

    def ambient_env(self) -> "Env":
        """An environment in which nothing hides the names of the library and the language."""
        if self._outermost is None:
            bare = self
            if self.namespace is Namespace.PROGRAM:
                bare = Scope(self.library, macros=self.macros, private=True)
            self._outermost = Env(Unit(bare))
        return self._outermost


@dataclass(slots=True, eq=False)
class Unit:
    """One program under analysis.

    assigned holds the unique names of locals that some `set!` changes, claimed the library names
    that some `set!` changes: the program then has a variable of its own of that name.  globals
    are the names of top-level variables.  mentioned logs the locals that are mentioned, in order.
    expansions holds each use of a macro with what it stands for, by the use's identity, and each
    definition of a macro with None; renamed holds the unique names of the variables that templates
    introduce: `lambent show expand` prints all that.
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

    def fresh(self, name: str, introduced: bool = False) -> str:
        """A name that no other variable of the program has.

        Programs and the library meet in one executable: the library's names end in `.lib`, those
        of a module of the program in the module's name.
        introduced: a macro's template has the name, so it looks like none in the source.
        """
        is_library = self.scope.namespace is Namespace.LIBRARY
        base = f"{name}.lib" if is_library else self.scope.core_name(name)
        clashes = introduced or (base is name and name.endswith((".lib", "}")))
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
    """The local names in sight, innermost first, and what they mean."""

    unit: Unit
    names: dict[Key, Denotation] = field(default_factory=dict)
    outer: "Env | None" = None

    def resolve(self, symbol: Symbol) -> Denotation | None:
        """What an identifier means here; None if nothing binds it."""
        key = key_of(symbol)
        found = self._local(key) or self.unit.scope.meaning(key)
        if found is None and isinstance(symbol, Alias):
            return symbol.env.resolve(symbol.original)
        return found

    def _local(self, key: Key) -> Denotation | None:
        env: Env | None = self if key in self.unit.bound else None
        while env is not None:
            if key in env.names:
                return env.names[key]
            env = env.outer
        return None

    def lookup(self, symbol: Symbol) -> str | None:
        """The unique name of a local variable, or None if the identifier means none."""
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
        """The names of all that is local in sight."""
        env: Env | None = self
        while env is not None:
            yield from (key for key in env.names if isinstance(key, str))
            env = env.outer


def unbound_hint(name: str, env: Env) -> str | None:
    """What may have been meant by a name that nothing binds."""
    if found := advice(name) or foreign_advice(name) or module_advice(name):
        return f"write {found}" if found[0] in "(#'" else found
    if found := lacking_advice(name):
        return found
    near = _dashed(name, env) or _operator(name, env) or _nearest(name, env)
    if near is None and is_of_pytorch(name):
        return "nothing here is called that; docs/from-pytorch.md lists PyTorch's names"
    return f"did you mean {near}?" if near else None


def _dashed(name: str, env: Env) -> str | None:
    """The name as it is spelt here, where it is spelt as in Python."""
    dashed = name.replace("_", "-")
    return dashed if dashed in _visible(env) else None


def _operator(name: str, env: Env) -> str | None:
    """The operator or procedure that a function of PyTorch's is by the rule, if there is one."""
    if not looks_like_pytorch(name) and name not in well_known_operators():
        return None
    meant, known = lisp_name(name), operators()
    if known is None:  # nobody can say what there is
        return None if "." in meant else meant
    there = {*known, *_visible(env)}
    if meant in there:
        return meant
    public = sorted(n for n in there if not n.startswith("tensor--") and "::" not in n)
    near = get_close_matches(meant, public, n=1, cutoff=_LIKENESS)
    return near[0] if near else None


def _nearest(name: str, env: Env) -> str | None:
    near = get_close_matches(name, sorted(_visible(env)), n=1, cutoff=_LIKENESS)
    return near[0] if near else None


def _visible(env: Env) -> set[str]:
    scope = env.unit.scope
    known = (*TABLE, *scope.library, *scope.macros, *SPECIAL_FORMS)
    ambient = (key for key in known if not key.startswith("%"))
    own = (key for key in scope.names if isinstance(key, str))
    return {*env.visible(), *own, *ambient}
