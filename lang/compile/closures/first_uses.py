"""When top-level variables are first used: the first form that may run a use of each.

    (define table (list (cons 'add (lambda (e) (ev e)))))    runs no procedure: no use of ev yet
    (define (ev e) ((cdr (assq (car e) table)) e))           runs nothing
    (ev '(add 1))                                            the first use of ev, and of table

So `ev` needs no variable, and no test whether it is defined.  A form that calls only primitives
that call nothing, and procedures that do no more, leaves the procedures that it makes for later
forms.  Other forms may run all that have been made before.
"""

from collections.abc import Iterator, Mapping, Sequence, Set

from lambent.lang.core.ir import (
    Call,
    Core,
    Define,
    Externals,
    Global,
    Lambda,
    Letrec,
    Local,
    Namespace,
    PrimCall,
    SetGlobal,
)
from lambent.lang.core.traverse import children, walk
from lambent.lang.system.dataclass import dataclass, field

Key = tuple[str, Namespace]
_MENTIONING = (Global, SetGlobal)
_LIBRARY = Namespace.LIBRARY


@dataclass(slots=True)
class Mentions:
    """The top-level variables that forms use or assign.  Each form is walked once."""

    _found: dict[int, tuple[Core, tuple[Key, ...], tuple[Key, ...]]] = field(default_factory=dict)

    def of(self, form: Core) -> tuple[Key, ...]:
        """All of them, each once, in the order of the text."""
        return self._look(form)[1]

    def assigned_in(self, form: Core) -> tuple[Key, ...]:
        return self._look(form)[2]

    def _look(self, form: Core) -> tuple[Core, tuple[Key, ...], tuple[Key, ...]]:
        found = self._found.get(id(form))
        if found is None:
            nodes = [node for node in walk(form) if isinstance(node, _MENTIONING)]
            used = dict.fromkeys((node.name, node.namespace) for node in nodes)
            assigned = [(n.name, n.namespace) for n in nodes if isinstance(n, SetGlobal)]
            found = self._found[id(form)] = form, tuple(used), tuple(assigned)
        return found


@dataclass(slots=True)
class _Reach:
    """The variables that forms have reached so far.  first: the index of the first such form."""

    mentions: Mentions
    definitions: dict[Key, list[Lambda]]
    first: dict[Key, int] = field(default_factory=dict)

    def reach(self, form: Core, index: int) -> None:
        self.reach_all(self.mentions.of(form), index)

    def reach_all(self, keys: Sequence[Key], index: int) -> None:
        waiting = list(keys)
        while waiting:
            key = waiting.pop()
            if key not in self.first:
                self.first[key] = index
                for code in self.definitions.get(key, ()):
                    waiting.extend(self.mentions.of(code))


def first_uses(
    forms: Sequence[Core], mentions: Mentions, externals: Externals
) -> dict[Key, int]:
    """For each variable the first form that may run a use of it: the form mentions it, or reaches a
    procedure that does."""
    definitions: dict[Key, list[Lambda]] = {}
    unknown = {key for form in forms for key in mentions.assigned_in(form)}
    for form in forms:
        if isinstance(form, Define):
            key = form.name, form.namespace
            if isinstance(form.value, Lambda):
                definitions.setdefault(key, []).append(form.value)
            else:
                unknown.add(key)
    constant = {key: codes for key, codes in definitions.items() if key not in unknown}
    calls = _Calls(constant, externals.heads.keys() - externals.calling)
    reach = _Reach(mentions, definitions)
    made: list[Lambda] = []  # procedures that no form may have called yet
    for index, form in enumerate(forms):
        if isinstance(form, Define) and isinstance(form.value, Lambda):
            continue
        nodes = list(_run(form))
        if calls.are_known(nodes):
            made.extend(node for node in nodes if isinstance(node, Lambda))
            reach.reach_all([k for node in nodes for k in _mentioned(node)], index)
            continue
        reach.reach(form, index)
        for code in made:
            reach.reach(code, index)
        made.clear()
    return reach.first


def calls_unknown(code: Lambda, procedures: Set[str]) -> bool:
    """Whether a procedure of the library may itself call one that it is given, or finds in an
    object.  procedures: the library's variables that hold known ones."""
    return not _Calls({}, procedures).are_known(list(_run(code.body)))


@dataclass(slots=True)
class _Calls:
    """Which procedures call only what is known: primitives that call nothing, and each other.

    definitions: of the variables that hold nothing else.  elsewhere: the library's procedures that
    do so and are compiled elsewhere.
    """

    definitions: Mapping[Key, Sequence[Lambda]]
    elsewhere: Set[str]
    _known: dict[Key, bool] = field(default_factory=dict)

    def are_known(self, nodes: Sequence[Core]) -> bool:
        """Whether the calls among the expressions that a form or a body runs are such calls."""
        loops = {n for node in nodes if isinstance(node, Letrec) for n, _ in node.bindings}
        return all(self._is_known(node, loops) for node in nodes)

    def _is_known(self, node: Core, loops: set[str]) -> bool:
        match node:
            case PrimCall(primitive):
                return not primitive.effects.may_call
            case Call(Local(name)):
                return name in loops
            case Call(Global(name, namespace)):
                return self.is_known_key((name, namespace))
            case Call(function):
                return isinstance(function, Lambda)
        return True

    def is_known_key(self, key: Key) -> bool:
        """Whether a top-level variable holds such a procedure."""
        if key not in self._known:
            self._known[key] = True  # while it is looked for: a recursive call
            codes = self.definitions.get(key, ())
            is_elsewhere = key[1] is _LIBRARY and key[0] in self.elsewhere
            self._known[key] = is_elsewhere or (
                bool(codes) and all(self.are_known(list(_run(code.body))) for code in codes)
            )
        return self._known[key]


def _mentioned(node: Core) -> Iterator[Key]:
    if isinstance(node, _MENTIONING):
        yield node.name, node.namespace


def _run(core: Core) -> Iterator[Core]:
    """The expressions that run when one does: not those in procedures that it makes, but those in
    the loops of a letrec and in procedures that are called where they stand."""
    waiting = [core]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case Lambda():
                pass
            case Letrec(bindings, body):
                waiting.extend([body, *[code.body for _, code in bindings]])
            case Call(Lambda(body=body), arguments):
                waiting.extend([body, *arguments])
            case _:
                waiting.extend(children(node))
