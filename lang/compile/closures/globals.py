"""How lifting writes the top-level variables: what only main uses is a local name of it.

    (define limit 10) (print limit)          =>  limit = 10, a name of main
    (define n 0) (define (tick) (set! n 1))  =>  n, a global variable

Which they are follows from what `top_level.py` and `closures/procedure_analysis.py` have found;
procedures that are called directly are no variables.
"""

from dataclasses import dataclass, field

from lambent.lang.compile.closures.procedures import Known
from lambent.lang.compile.closures.top_level import Key, TopLevel, Variable, long_lived
from lambent.lang.compile.ir import lifted
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.lifted import Lifted, Storage
from lambent.lang.core.ir import Define, Global, SetGlobal


@dataclass(slots=True)
class Globals:
    """names: those of main, by variable.  defined: the variables of them that have a value so far,
    for main's forms are lifted in order."""

    variables: dict[Key, Variable]
    names: dict[Key, str]
    defined: set[Key] = field(default_factory=set)

    def kept(self) -> tuple[Key, ...]:
        """The variables that are no names of main."""
        return tuple([key for key in self.variables if key not in self.names])

    def define(self, form: Define, value: Lifted) -> Lifted:
        key = form.name, form.namespace
        if key not in self.names:
            return lifted.AssignGlobal(form.name, form.namespace, value, False, form.span)
        if key in self.defined:
            return lifted.Assign(self.names[key], self.storage(key), value, form.span)
        self.defined.add(key)
        return lifted.Let(self.names[key], self.storage(key), value, form.span)

    def get(self, form: Global) -> Lifted:
        key = form.name, form.namespace
        variable = self.variables.get(key)
        if variable is None or (key in self.names and key not in self.defined):
            return lifted.Unbound(form.name, None, form.span)
        if key in self.names:
            return lifted.Local(self.names[key], self.storage(key), form.span)
        changes = not variable.once
        return lifted.Global(form.name, form.namespace, changes, variable.early, form.span)

    def assign(self, form: SetGlobal, value: Lifted) -> Lifted:
        key = form.name, form.namespace
        if key not in self.names:
            return lifted.AssignGlobal(form.name, form.namespace, value, True, form.span)
        if key not in self.defined:
            return lifted.Begin((value, lifted.Unbound(form.name, None, form.span)), form.span)
        return lifted.Assign(self.names[key], Storage.SLOT, value, form.span)

    def storage(self, key: Key) -> Storage:
        return Storage.NAME if self.variables[key].once else Storage.SLOT


def globals_of(top: TopLevel, known: Known) -> Globals:
    return Globals(top.variables, _names_of_main(top, known))


def _names_of_main(top: TopLevel, known: Known) -> dict[Key, str]:
    """The variables that only main uses, and that are not in use for too long."""
    names: dict[Key, str] = {}
    taken, numbers = set(known.binder), Numbers()
    far = long_lived(top)
    for key in top.variables:
        hosts = known.global_uses.get(key, ())
        if key not in far and all(known.home(host) is None for host in hosts):
            names[key] = fresh(key[0], taken, numbers)
            taken.add(names[key])
    return names
