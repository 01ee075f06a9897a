"""A program with the bodies of all library functions that it reaches, as one program.

This is what `--emit-c`, debuggers and tests get; other executables are linked with the library's
object files.
"""

from lambent.lang.compile.ir.anf import Anf, Function
from lambent.lang.compile.ir.blocks import map_calls, map_functions
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.units.library import body_of, needed_functions
from lambent.lang.system.dataclass import replace


def whole_program(program: Anf) -> Anf:
    """The owned program without external functions."""
    if not program.externals:
        return program
    names = needed_functions(program.externals, program.uses_tensors).names
    library = tuple([body_of(name, program.uses_tensors) for name in names])
    taken, numbers, others = {*names, *program.by_name}, Numbers(), dict[str, str]()
    for function in program.functions:
        if function.name in names:
            others[function.name] = fresh(function.name, taken, numbers)
            taken.add(others[function.name])

    def renamed(function: Function) -> Function:
        body = map_calls(function.body, lambda use: others.get(use.function, use.function))
        return replace(function, name=others.get(function.name, function.name), body=body)

    own = map_functions(program, renamed) if others else program
    return replace(own, functions=(*library, *own.functions), externals=())
