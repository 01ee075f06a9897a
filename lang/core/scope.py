"""What names mean while a program is analysed.

    Scope  what is visible before the first form: the library, and a REPL's earlier entries
    Unit   what the analysis of one program has found out so far
    Env    the local variables around an expression, each with its unique name

    (lambda (x) (let ((x 1)) x))  =>  the outer x is `x`, the inner one `x.2`
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from lambent.lang.core.ir import Define, Home, Program
from lambent.lang.primitives.library import TABLE

_LIKENESS = 0.8  # how near a suggestion must be; difflib's usual 0.6 finds far-fetched ones


@dataclass(frozen=True, slots=True)
class Scope:
    """The global names that a program starts with, and whose program it is."""

    library: frozenset[str] = frozenset()
    program: frozenset[str] = frozenset()
    home: Home = Home.PROGRAM

    def after(self, program: Program) -> "Scope":
        """The scope of a REPL's next entry."""
        names = {form.name for form in program.forms if isinstance(form, Define)}
        return Scope(self.library, self.program | names, self.home)


@dataclass(slots=True)
class Unit:
    """One program under analysis.

    defined holds the top-level names that the program defines, assigned the unique names of locals
    that some `set!` changes, claimed the library names that some `set!` changes: the program then
    has a variable of its own of that name.  mentioned logs the locals that are mentioned, in order.
    """

    scope: Scope
    defined: frozenset[str]
    used: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    claimed: set[str] = field(default_factory=set)
    mentioned: list[str] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)  # the source names of all locals so far

    def is_global(self, name: str) -> bool:
        """Whether it is a top-level variable of the program's own."""
        return name in self.defined or name in self.scope.program

    def fresh(self, name: str) -> str:
        """A name that no other variable of the program has.

        Programs and the library meet in one executable: the library's names end in `.lib`.
        """
        base = f"{name}.lib" if self.scope.home is Home.LIBRARY else name
        clashes = base is name and name.endswith(".lib")
        count = self.counts.get(base, 2 if clashes else 1)
        while (
            unique := base if count == 1 else f"{base}.{count}"
        ) in self.used or self.is_global(unique):
            count += 1
        self.counts[base] = count + 1
        self.used.add(unique)
        return unique


@dataclass(frozen=True, slots=True)
class Env:
    """The local variables in sight, innermost first: source name to unique name."""

    unit: Unit
    names: dict[str, str] = field(default_factory=dict)
    outer: "Env | None" = None

    def lookup(self, name: str) -> str | None:
        """The unique name of a local variable, or None if there is none of that name."""
        env: Env | None = self if name in self.unit.bound else None
        while env is not None:
            if name in env.names:
                return env.names[name]
            env = env.outer
        return None

    def bind(self, names: Sequence[str]) -> "tuple[Env, list[str]]":
        """The environment with new variables, and their unique names in order."""
        self.unit.bound.update(names)
        unique = [self.unit.fresh(name) for name in names]
        return Env(self.unit, dict(zip(names, unique, strict=True)), self), unique

    def visible(self) -> Iterable[str]:
        """The names of all local variables in sight."""
        env: Env | None = self
        while env is not None:
            yield from env.names
            env = env.outer


def suggestion(name: str, env: Env, special_forms: Iterable[str]) -> str | None:
    """The visible name that is nearest to one that nothing binds."""
    unit = env.unit
    primitives = (key for key in TABLE if not key.startswith("%"))
    visible = {
        *env.visible(), *unit.defined, *unit.scope.program, *unit.scope.library,
        *primitives, *special_forms,
    }
    near = get_close_matches(name, sorted(visible), n=1, cutoff=_LIKENESS)
    return near[0] if near else None
