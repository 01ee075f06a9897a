"""The three equalities.

`equal?` walks both values in parallel, without recursion; it also ends for circular data.
`runtime/data/equal.c` is the counterpart.
"""

from lambent.lang.interp.values.values import (
    FALSE,
    NUMBERS,
    TRUE,
    Boolean,
    Bytes,
    Lisp,
    Pair,
    String,
    Tensor,
    Vector,
)


def same(a: Lisp, b: Lisp) -> bool:
    """eqv?, and eq?: numbers of the same value and exactness count as one object."""
    if a is b:
        return True
    kind = a.__class__
    if kind is not b.__class__ or kind not in NUMBERS:
        return False
    if kind is float:
        # 0.0 and -0.0 differ, and a nan equals itself.
        return repr(a) == repr(b)
    return bool(a == b)


def _equal_atoms(a: Lisp, b: Lisp) -> bool:
    """equal? of values of one class that are neither pairs nor vectors."""
    if a.__class__ is String:
        return bool(a.text == b.text)
    if a.__class__ is Bytes:
        return bool(a.data == b.data)
    if isinstance(a, Tensor):
        from lambent.lang.interp.builtins import tensors

        return tensors.equal_tensors(a, b)
    return same(a, b)


def equal_values(a: Lisp, b: Lisp) -> bool:
    """equal?: a list holds what is still to be compared, so nesting takes no stack."""
    if a is b:
        return True
    if a.__class__ is not b.__class__:
        return False
    if a.__class__ is not Pair and a.__class__ is not Vector:
        return _equal_atoms(a, b)
    waiting = [(a, b)]
    seen = 0
    parents: dict[int, int] = {}
    while waiting:
        a, b = waiting.pop()
        while a is not b:
            kind = a.__class__
            if kind is not b.__class__:
                return False
            if kind is Pair:
                seen += 1
                if seen > _SMALL and _join(parents, id(a), id(b)):
                    break
                first, second = a.car, b.car
                if first is not second:
                    kind = first.__class__
                    if kind is not second.__class__:
                        return False
                    if kind is Pair or kind is Vector:
                        waiting.append((first, second))
                    elif not _equal_atoms(first, second):
                        return False
                a, b = a.cdr, b.cdr
                continue
            if kind is Vector:
                if len(a.items) != len(b.items):
                    return False
                seen += 1 + len(a.items)
                if seen <= _SMALL or not _join(parents, id(a), id(b)):
                    waiting.extend(zip(reversed(a.items), reversed(b.items), strict=True))
            elif not _equal_atoms(a, b):
                return False
            break
    return True


# So many pairs and elements are compared before compared pairs are recorded, for circular data.
_SMALL = 500000


def _join(parents: dict[int, int], a: int, b: int) -> bool:
    """Whether two objects are in one class of objects assumed equal; if not, join their classes."""
    first, second = _class_of(parents, a), _class_of(parents, b)
    if first == second:
        return True
    parents[first] = second
    return False


def _class_of(parents: dict[int, int], identity: int) -> int:
    while (parent := parents.setdefault(identity, identity)) != identity:
        parents[identity] = identity = parents[parent]
    return identity


def eq(a: Lisp, b: Lisp) -> Boolean:
    return TRUE if a is b or same(a, b) else FALSE


def eqv(a: Lisp, b: Lisp) -> Boolean:
    return TRUE if same(a, b) else FALSE


def is_same(a: Lisp, b: Lisp) -> Boolean:
    return eqv(a, b)


def equal(a: Lisp, b: Lisp) -> Boolean:
    return TRUE if equal_values(a, b) else FALSE
