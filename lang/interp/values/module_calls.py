"""Calls of modules: applicable records whose frames say, in an error, which module failed.

    (model x), where a linear layer inside fails  =>  a frame of `run` for each module on the way,
    so `path_of` finds  layers.0.up (linear)

A module's record has two fields more than its type names: whether it is in training, and its name
in the module that holds it, a string, or #f.  A call of a module is therefore never a tail call.
"""

from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any

from lambent.lang.interp.values.values import TAIL, Lisp, Record, String, run_trampoline


def module_call(call: Callable[..., Lisp]) -> Callable[..., Lisp]:
    """The `__call__` of a class of modules, whose forward procedure is given."""

    def run(self: Record, *arguments: Lisp) -> Lisp:
        result = call(self, *arguments)
        return run_trampoline() if result is TAIL else result

    return run


RUN_CODE = module_call(lambda: None).__code__


def is_module_frame(frame: FrameType) -> bool:
    return frame.f_code is RUN_CODE


def modules_left(traceback: TracebackType | None) -> Iterator[Record]:
    """The modules whose calls are in a traceback, outermost first."""
    while traceback is not None:
        if is_module_frame(traceback.tb_frame):
            yield traceback.tb_frame.f_locals["self"]
        traceback = traceback.tb_next


def name_of(module: Any) -> str | None:
    """The module's name in the one that holds it: `layers.0`."""
    named = len(module.type_.roles.items)
    name = getattr(module, f"f{named + 1}")
    return name.text if name.__class__ is String else None


class ModulePath:
    """The path of the module in which an error was raised, found while the error leaves modules.

    type_name: of the innermost module.  A module without a name is the outermost one of its model.
    """

    __slots__ = ("complete", "names", "type_name")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.type_name = ""
        self.complete = False

    def leave(self, modules: list[Record]) -> None:
        """The error leaves these modules, outermost first."""
        for module in reversed(modules):
            if self.complete:
                return
            self.type_name = self.type_name or module.type_.name
            name = name_of(module)
            if name is None:
                self.complete = True
            else:
                self.names.insert(0, name)

    @property
    def text(self) -> str | None:
        """`layers.0.up (linear)`, or None if no module with a name was left."""
        return f"{'.'.join(self.names)} ({self.type_name})" if self.names else None
