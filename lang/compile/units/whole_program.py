"""A program with the bodies of all library functions that it reaches, as one program.

This is what `--emit-c`, debuggers and tests get; other executables are linked with the library's
object files.
"""

from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Function,
    If,
    Loop,
    MakeClosure,
    Statement,
)
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.units.library import body_of, needed_functions
from lambent.lang.system.dataclass import dataclass, replace


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
    renamer = _Renamer(others)
    own = tuple([renamer.function(function) for function in program.functions])
    main = renamer.function(program.main)
    return replace(program, functions=(*library, *own), main=main, externals=())


@dataclass(frozen=True, slots=True)
class _Renamer:
    """Gives other names to functions that have those of library functions."""

    names: dict[str, str]

    def function(self, function: Function) -> Function:
        if not self.names:
            return function
        name = self.names.get(function.name, function.name)
        return replace(function, name=name, body=self.block(function.body))

    def block(self, block: Block) -> Block:
        end = block.end
        if isinstance(end, DirectTailCall):
            end = replace(end, function=self.names.get(end.function, end.function))
        return Block(tuple([self.statement(s) for s in block.statements]), end)

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Bind(operation=DirectCall(name) | MakeClosure(name) as use) if name in self.names:
                return replace(statement, operation=replace(use, function=self.names[name]))
            case If(then=then, orelse=orelse):
                return replace(statement, then=self.block(then), orelse=self.block(orelse))
            case Loop(body=body):
                return replace(statement, body=self.block(body))
        return statement
