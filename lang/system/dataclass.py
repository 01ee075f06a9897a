"""`dataclass` and `replace` of Python, in less time.

    from lambent.lang.system.dataclass import dataclass, field, replace

Python compiles the text of six methods for each class that it decorates, where the class stands:
for our two hundred classes that was a fifth of the time of `lambent compile` for a short program.
Here `__init__` is compiled when a class is first instantiated, and the other methods are shared.
`replace` reads all fields at once.  To type checkers these are Python's own.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def dataclass(*, frozen=False, slots, eq=True):
        """Decorate a class with slots."""
        assert slots, "a class without slots can be Python's own dataclass"
        return lambda cls: _decorated(cls, frozen, eq)

    def replace(node, /, **changes):
        """A copy of a node with other values in some fields."""
        cls = node.__class__
        if (layout := _LAYOUTS.get(cls)) is None:
            layout = _LAYOUTS[cls] = _layout(cls)
        indices, values_of = layout
        values = values_of(node)
        for name in changes:
            values[indices[name]] = changes[name]
        return cls(*values)


__all__ = ["dataclass", "field", "replace"]


def _decorated(cls: type, frozen: bool, eq: bool) -> Any:
    if any(map(dataclasses.is_dataclass, cls.__bases__)):
        return dataclasses.dataclass(frozen=frozen, slots=True, eq=eq)(cls)
    cls.__doc__ = cls.__doc__ or cls.__name__  # else Python formats the signature for it
    own = set(cls.__dict__)
    has_hash = cls.__dict__.get("__hash__") is not None
    slotted: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    methods: dict[str, Any] = {"__init__": _first_init(slotted), "__repr__": _repr}
    if eq:
        methods["__eq__"] = _equality(slotted)
        if not has_hash:
            slotted.__hash__ = _hashing(slotted) if frozen else None
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
        methods |= {"__getstate__": _state, "__setstate__": _set_state}
    for name, method in methods.items():
        if name not in own:
            setattr(slotted, name, method)
    slotted.__dataclass_params__.frozen = frozen
    return slotted


# The constructor.


def _first_init(cls: Any) -> Callable[..., None]:
    def __init__(self: object, *args: object, **kwargs: object) -> None:  # noqa: N807
        cls.__init__ = _init(cls)
        cls.__init__(self, *args, **kwargs)

    return __init__


def _init(cls: Any) -> Callable[..., None]:
    """The constructor of a class, compiled: it sets the slots as such, also of frozen objects."""
    names: dict[str, Any] = {"_MISSING": MISSING}
    parameters, body = [], []
    for each in fields(cls):
        parameter, value = _parameter(each, names)
        parameters += [parameter] if each.init else []
        body += [_assignment(cls, each.name, value, names)] if value else []
    body += ["    self.__post_init__()\n"] if hasattr(cls, "__post_init__") else []
    head = f"def __init__(self, {', '.join(parameters)}):\n"
    exec(head + ("".join(body) or "    pass\n"), names)
    initializer: Callable[..., None] = names["__init__"]
    initializer.__qualname__ = f"{cls.__qualname__}.__init__"
    return initializer


def _assignment(cls: Any, name: str, value: str, names: dict[str, Any]) -> str:
    names[f"_set_{name}"] = getattr(cls, name).__set__
    return f"    _set_{name}(self, {value})\n"


def _parameter(each: "Field[Any]", names: dict[str, Any]) -> tuple[str, str]:
    """The parameter for a field, and the value that the field gets, "" if none."""
    default, factory = f"_default_{each.name}", f"_factory_{each.name}"
    if each.default is not MISSING:
        names[default] = each.default
        return f"{each.name}={default}", each.name if each.init else default
    if each.default_factory is not MISSING:
        names[factory] = each.default_factory
        new = f"{factory}()"
        value = f"{new} if {each.name} is _MISSING else {each.name}"
        return f"{each.name}=_MISSING", value if each.init else new
    return each.name, each.name if each.init else ""


# The other methods.


def _tuple_of(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What reads some attributes of an object."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple([getattr(node, name) for name in names])


def _equality(cls: Any) -> Callable[[Any, object], Any]:
    compared = _tuple_of([each.name for each in fields(cls) if each.compare])

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        if other.__class__ is self.__class__:
            return compared(self) == compared(other)
        return NotImplemented

    return __eq__


def _hashing(cls: Any) -> Callable[[Any], int]:
    hashed = _tuple_of(
        [each.name for each in fields(cls) if (each.compare if each.hash is None else each.hash)]
    )

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(hashed(self))

    return __hash__


def _repr(self: Any) -> str:
    shown = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr]
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse(self: object, name: str, value: object = None) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


# Copies.


_Layout = tuple[dict[str, int], Callable[[Any], list[Any]]]
_LAYOUTS: dict[type, _Layout] = {}


def _layout(cls: Any) -> _Layout:
    """The indices of the parameters of a class, and what reads their values from an object."""
    names = [each.name for each in fields(cls) if each.init]
    values = _tuple_of(names)
    return {name: index for index, name in enumerate(names)}, lambda node: list(values(node))
