"""How lifting represents top-level variables: those that only main uses are its local names.

    (define limit 10) (print limit)          =>  limit = 10, a local name of main
    (define n 0) (define (tick) (set! n 1))  =>  n, a global variable

This follows from the facts of `top_level.py` and `procedure_analysis.py`.  Procedures that are
called directly are not variables.
"""

from lambent.lang.compile.closures.first_uses import Key
from lambent.lang.compile.closures.procedures import ProcedureAnalysis
from lambent.lang.compile.closures.top_level import TopLevel, Variable, long_lived
from lambent.lang.compile.ir import lifted
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.lifted import Lifted, Storage
from lambent.lang.core.ir import Define, Global, SetGlobal
from lambent.lang.system.dataclass import dataclass, field


@dataclass(slots=True)
class Globals:
    """names: the local names in main, by variable.  defined: the variables among these that have a
    value so far; main's forms are lifted in order."""

    variables: dict[Key, Variable]
    names: dict[Key, str]
    defined: set[Key] = field(default_factory=set)

    def kept(self) -> tuple[Key, ...]:
        """The variables that are not local names of main."""
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
            early = key not in self.variables or self.variables[key].early
            return lifted.AssignGlobal(form.name, form.namespace, value, early, form.span)
        if key not in self.defined:
            return lifted.Begin((value, lifted.Unbound(form.name, None, form.span)), form.span)
        return lifted.Assign(self.names[key], Storage.SLOT, value, form.span)

    def storage(self, key: Key) -> Storage:
        return Storage.NAME if self.variables[key].once else Storage.SLOT


def globals_of(top: TopLevel, analysis: ProcedureAnalysis) -> Globals:
    return Globals(top.variables, _names_of_main(top, analysis))


def _names_of_main(top: TopLevel, analysis: ProcedureAnalysis) -> dict[Key, str]:
    """The variables that only main uses, not the library, and not over too many forms."""
    if top.is_open:
        return {}
    names: dict[Key, str] = {}
    taken, numbers = set(analysis.binder), Numbers()
    far = long_lived(top)
    for key in top.variables:
        users = analysis.global_uses.get(key, ())
        is_kept = key in far or key in top.shared
        if not is_kept and all(analysis.function_of(enclosing) is None for enclosing in users):
            names[key] = fresh(key[0], taken, numbers)
            taken.add(names[key])
    return names
