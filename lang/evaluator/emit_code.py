"""Owned ANF to code: an instruction for an operation, registers for names.

    t2 = <(n, t1)  failing frees n          UNLESS_LESS_I  r0 2   else: 4   at 0: frees r0
    t3 = truth t2                     =>    RETURN         r0
    if t3                                   ...
      yield n

Registers are given in the order of the blocks: those of an inner block are free after it.  A
constant is loaded where a block first needs it, and not at all where an instruction contains it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from typing import assert_never

from lambent.lang.compile.c.emit_tables import returns_status
from lambent.lang.compile.c.function_writer import (
    Place,
    frames_at,
    name_span,
    procedure_inside,
)
from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    CellGet,
    CellSet,
    CheckStack,
    Convert,
    DirectCall,
    DirectTailCall,
    Dup,
    Fail,
    Free,
    Function,
    GlobalGet,
    GlobalSet,
    HaveTypes,
    If,
    IndirectCall,
    IndirectTailCall,
    Inlined,
    IsAbsent,
    Literal,
    Loop,
    LoopVariable,
    MakeClosure,
    MakeTensor,
    NewCell,
    NewSlot,
    Operation,
    PrimitiveValue,
    Raise,
    Recur,
    Refine,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Statement,
    Truth,
    Yield,
)
from lambent.lang.compile.ir.operands import (
    end_operands,
    inner_blocks,
    never_returns,
    statement_operands,
)
from lambent.lang.compile.tensors.location_records import (
    Creators,
    copy_may_create_tensors,
    find_creators,
    is_copied,
    may_create_tensors,
)
from lambent.lang.compile.types.effects import masks_interrupts
from lambent.lang.core.ir import Namespace, Special
from lambent.lang.core.usage import plain_name
from lambent.lang.evaluator.code import (
    NO_HINTS,
    OF_GRAD_MODE,
    Code,
    CodeTables,
    Hints,
    UnsupportedError,
)
from lambent.lang.evaluator.opcodes import NUMBERS
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Container, Origin, Primitive
from lambent.lang.primitives.typed import may_reuse
from lambent.lang.syntax.datum import Datum, Number
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field, replace

MOST_ARGUMENTS = 12  # of a C function; those with more take an array
MOST_OF_VOID = 5  # those of one that returns nothing, and cannot fail
MOST_REGISTERS = 65_000
_CAUGHT, _FINISHED = 1, 2
_OWNED, _HINTED = 1, 2
_VOID = Representation.VOID

# The tests that an instruction combines with the branch.
_TESTS = {
    "rt_equal_numbers": "UNLESS_EQUAL",
    "rt_less": "UNLESS_LESS",
    "rt_greater": "UNLESS_GREATER",
    "rt_less_or_equal": "UNLESS_LESS_OR_EQUAL",
    "rt_greater_or_equal": "UNLESS_GREATER_OR_EQUAL",
    "rt_eq": "UNLESS_EQ",
    "rt_is_null": "UNLESS_NULL",
    "rt_is_pair": "UNLESS_PAIR",
    "rt_not": "UNLESS_FALSE",
}
_COMPARED = {name for name in _TESTS.values() if name + "_I" in NUMBERS}
_ARITHMETIC = {"rt_add": "ADD", "rt_subtract": "SUBTRACT", "rt_multiply": "MULTIPLY"}
# Of primitives without frees: destination, then the operands.
_OPERATIONS = {
    "rt_car": "CAR", "rt_cdr": "CDR", "rt_cons": "CONS", "rt_vector_ref": "VECTOR_REF",
}  # fmt: skip
_BORROWING = {
    "rt_car": "CAR_BORROWED", "rt_cdr": "CDR_BORROWED", "rt_vector_ref": "VECTOR_REF_BORROWED",
}  # fmt: skip
_RESULTS = {
    Declared.BOOLEAN: "BOOLEAN",
    Declared.FIXNUM: "FIXNUM",
    Declared.FLOAT: "FLOAT",
    Declared.VOID: "VOID",
}
_IMMEDIATE_RESULTS = (Declared.BOOLEAN, Declared.FIXNUM, Declared.VOID, Declared.IMMEDIATE)
_REPRESENTED = {
    Representation.VALUE: "VALUE",
    Representation.BOOLEAN: "BOOLEAN",
    Representation.FIXNUM: "FIXNUM",
    Representation.FLOAT: "FLOAT",
    Representation.NUMBER: "NUMBER",
    Representation.TENSOR: "TENSOR",
    Representation.VOID: "VOID",
}


def emit_code(
    program: Anf,
    within: str | None = None,
    hints: Hints = NO_HINTS,
    definitions: Set[str] = frozenset(),
) -> tuple[CodeTables, list[Code], int]:
    """The code of an owned program whose values are all in generic representation: its functions,
    and the number of its top level.  UnsupportedError says what the evaluator cannot run.

    within: what traces call the top level.  definitions: the library's variables that it defines.
    """
    tables = CodeTables(
        is_open=program.is_open, within=within, hints=hints, library_definitions=definitions
    )
    functions = [*program.functions, program.main]
    numbers = {function.name: number for number, function in enumerate(functions)}
    known = program.by_name
    creators = find_creators(known) if program.uses_tensors else None
    if creators is not None and program.is_open:
        creators = replace(creators, unknown=True)
    codes = [
        _FunctionEmitter(
            tables, function, known, numbers, function is program.main, creators
        ).code()
        for function in functions
    ]
    return tables, codes, len(functions) - 1


class _AllValues(dict[str, Representation]):
    """The representation of every name."""

    def __missing__(self, name: str) -> Representation:
        return Representation.VALUE


_ALL_VALUES = _AllValues()


def _is_arithmetic(operation: Operation | DirectTailCall | IndirectTailCall) -> bool:
    """Whether an instruction does it, which records its location where it gets tensors."""
    if not isinstance(operation, Apply):
        return False
    return operation.primitive.symbol in _ARITHMETIC or operation.primitive.symbol in _TESTS


def many_name(symbol: str) -> str:
    """The import that is a C function with its parameters in an array."""
    return f"many {symbol}"


def _pack(op: str, w: int, a: int, b: int, c: int) -> int:
    return NUMBERS[op] | w << 8 | a << 16 | b << 32 | c << 48


def _small_integer(value: Datum | Special) -> int | None:
    """The integer that an instruction can contain."""
    match value:
        case Number(int(number)) if -0x8000 <= number < 0x8000:
            return number
    return None


def _use_counts(body: Block) -> Counter[str]:
    """How often each name is read, apart from frees."""
    uses: Counter[str] = Counter()
    waiting = [body]
    while waiting:
        block = waiting.pop()
        for statement in block.statements:
            if not isinstance(statement, Free):
                uses.update(statement_operands(statement))
            waiting += inner_blocks(statement)
        uses.update(end_operands(block.end))
    return uses


def _freed_next(statements: Sequence[Statement], index: int) -> frozenset[str]:
    """The names that the statements after an operation free."""
    freed: list[str] = []
    for at in range(index + 1, len(statements)):
        statement = statements[at]
        if not isinstance(statement, Free) or statement.kept:
            break
        freed.append(statement.name)
    return frozenset(freed)


@dataclass(slots=True)
class _Target:
    """Where the value of a block goes: to the caller, or to a register, if there is one; then
    control continues after the statement.  jumps: the instructions that lead there."""

    returns: bool
    register: int | None = None
    jumps: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _OpenLoop:
    loop: Loop
    start: int
    registers: list[int]


@dataclass(slots=True)
class _FunctionEmitter:
    """registers: of the names in scope, which `scope` lists for the present block.  constants: the
    names that stand for constants, by number; they get registers when they are needed.  small: the
    integers that instructions can contain.  immediate: the names that are never freed.
    counted: the names of constants that are objects which an open unit frees; initialized: the
    library's variables that the top level has defined.
    grad_modes: those that are restored instead.  creators: what may create tensors; None if there
    are none.  freed_next: the names that are freed after the present operation."""

    tables: CodeTables
    function: Function
    functions: dict[str, Function]
    numbers: dict[str, int]
    is_main: bool
    creators: Creators | None
    words: list[int] = field(default_factory=list)
    failures: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    registers: dict[str, int] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    small: dict[str, int] = field(default_factory=dict)
    immediate: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    initialized: set[str] = field(default_factory=set)
    grad_modes: set[str] = field(default_factory=set)
    creating: dict[int, bool] = field(default_factory=dict)
    freed_next: frozenset[str] = frozenset()
    uses: Counter[str] = field(default_factory=Counter)
    scope: list[str] = field(default_factory=list)
    loops: list[_OpenLoop] = field(default_factory=list)
    inlined: list[Inlined] = field(default_factory=list)
    next: int = 0
    most: int = 0
    masks: bool = False

    def code(self) -> Code:
        function = self.function
        self.uses = _use_counts(function.body)
        self.masks = masks_interrupts(function)
        for parameter in function.parameters:
            self.bind(parameter.name)
        self.block(function.body, _Target(returns=True))
        borrowed = tuple([
            index
            for index, parameter in enumerate(function.parameters)
            if index >= function.captures and not parameter.own
        ])  # fmt: skip
        if self.most > MOST_REGISTERS:
            raise UnsupportedError("a function with very many names")
        return Code(function, self.most + 1, self.words, self.failures, borrowed)

    # Registers.

    def fresh(self) -> int:
        register = self.next
        self.next += 1
        self.most = max(self.most, self.next)
        return register

    def bind(self, name: str, register: int | None = None) -> int:
        """A register for a new name."""
        found = self.fresh() if register is None else register
        self.registers[name] = found
        self.scope.append(name)
        return found

    def operand(self, name: str) -> int:
        """The register of a name; a constant is loaded, for the rest of the block."""
        register = self.registers.get(name)
        if register is None:
            register = self.bind(name)
            self.wide("CONSTANT", register, self.constants[name])
        return register

    def operands(self, names: Sequence[str]) -> list[int]:
        return [self.operand(name) for name in names]

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A block: its names and registers are gone after it."""
        outside, next_, self.scope = self.scope, self.next, []
        yield
        for name in self.scope:
            self.registers.pop(name, None)
        self.scope, self.next = outside, next_

    @contextmanager
    def inside(self, inlined: tuple[Inlined, ...]) -> Iterator[None]:
        outside = len(self.inlined)
        self.inlined += inlined
        yield
        del self.inlined[outside:]

    # Instructions.

    def write(self, op: str, a: int = 0, b: int = 0, c: int = 0, w: int = 0) -> int:
        self.words.append(_pack(op, w, a, b & 0xFFFF, c & 0xFFFF))
        return len(self.words) - 1

    def wide(self, op: str, a: int, number: int, w: int = 0) -> int:
        return self.write(op, a, number & 0xFFFF, number >> 16, w)

    def extra(self, number: int) -> None:
        """A second word, with a number where an instruction has b and c."""
        self.words.append(number << 32)

    def list(self, registers: Sequence[int]) -> None:
        for start in range(0, len(registers), 4):
            word = 0
            for index, register in enumerate(registers[start : start + 4]):
                word |= register << 16 * index
            self.words.append(word)

    def patch(self, at: int, to: int) -> None:
        """Let a jump lead to an instruction."""
        self.words[at] = self.words[at] & 0xFFFFFFFF | to << 32

    def failing(
        self,
        cleanup: tuple[str, ...] | None,
        span: Span | None = None,
        place: Place = Place.FRAME,
    ) -> None:
        """What the failure of the next instruction does."""
        freed = tuple([
            self.released(name)
            for name in cleanup or ()
            if name not in self.constants and name not in self.immediate
        ])
        notes = self.notes(span, place)
        if freed or notes:
            self.failures.append((len(self.words), freed, notes))

    def released(self, name: str) -> int:
        return self.registers[name] | OF_GRAD_MODE * (name in self.grad_modes)

    def here(self, operation: Operation | DirectTailCall | IndirectTailCall, span: Span) -> None:
        """Record the location of an operation that may create tensors, for reports.  Arithmetic
        does so itself, where it gets tensors."""
        if self.creators is None or _is_arithmetic(operation):
            return
        if may_create_tensors(operation, self.creators, _ALL_VALUES):
            self.record(span)

    def record(self, span: Span) -> None:
        """Record a location; in a copy of the library's, that of the program's call."""
        depth = len(self.inlined)
        while span.source.library and depth:
            depth -= 1
            span = self.inlined[depth].call
        number = self.tables.location(span, self.procedure(depth))
        if number is not None:
            self.wide("HERE", 0, number)

    def notes(self, span: Span | None, place: Place) -> tuple[int, ...]:
        """The locations that a failure adds to the trace, by the rules of `FunctionWriter`."""
        if span is None or place is Place.GONE:
            return ()
        notes: list[int] = []
        for location, name, is_tail in frames_at(span, place, self.inlined, self.procedure):
            number = self.tables.location(location, name)
            if number is not None:
                notes.append(number << 1 | is_tail)
        return tuple(notes)

    def procedure(self, depth: int) -> str | None:
        found = procedure_inside(self.inlined, depth, self.function, self.is_main)
        return self.tables.within if found is None else found

    # Blocks.

    def block(self, block: Block, target: _Target) -> None:
        """Write a block, whose value goes to the target."""
        with self.inner():
            statements, index = block.statements, 0
            while index < len(statements):
                statement = statements[index]
                if isinstance(statement, Bind):
                    fused = self.fused_test(statements, index)
                    if fused is None:
                        self.freed_next = _freed_next(statements, index)
                        with self.inside(statement.inlined):
                            self.operation(statement)
                        if never_returns(statement):
                            return
                        index += 1
                        continue
                    index = fused
                    jump = self.test(statement)
                    statement = statements[index]
                elif isinstance(statement, Free):
                    self.free(statement)
                    index += 1
                    continue
                else:
                    jump = None
                index += 1
                assert isinstance(statement, If | Loop)
                end = block.end if index == len(statements) else None
                if isinstance(end, Yield) and end.name == statement.name:
                    self.branching(statement, target, jump)
                    return
                inner = _Target(False)
                if statement.representation is not _VOID:
                    inner.register = self.bind(statement.name)
                self.branching(statement, inner, jump)
                self.arrive(inner)
            self.end(block, target)

    def branching(self, statement: If | Loop, target: _Target, jump: int | None) -> None:
        """jump: the word with the target of the jump to the second branch, if the test is written
        already."""
        if isinstance(statement, Loop):
            self.loop(statement, target)
            return
        if jump is None:
            jump = self.write("JUMP_IF_FALSE", self.operand(statement.test))
        self.block(statement.then, target)
        self.patch(jump, len(self.words))
        self.block(statement.orelse, target)

    def arrive(self, target: _Target) -> None:
        """What follows a statement begins here."""
        if target.jumps and target.jumps[-1] == len(self.words) - 1:
            target.jumps.pop()
            self.words.pop()
        for at in target.jumps:
            self.patch(at, len(self.words))

    def loop(self, loop: Loop, target: _Target) -> None:
        if self.copy_creates(loop):
            self.record(loop.span)
        registers = [self.variable(v) for v in loop.variables]
        self.loops.append(_OpenLoop(loop, len(self.words), registers))
        with self.inside((loop.inlined,) if loop.inlined else ()):
            self.block(loop.body, target)
        self.loops.pop()

    def copy_creates(self, loop: Loop) -> bool:
        """Whether it is a copy of a procedure of the library that may create tensors."""
        if self.creators is None or not is_copied(loop):
            return False
        return copy_may_create_tensors(loop.body, self.creators, self.creating)

    def variable(self, variable: LoopVariable) -> int:
        """The register of a loop's variable, with its first value."""
        name, initial = variable.name, variable.initial
        if variable.own and initial in self.registers and self.uses[initial] == 1:
            return self.bind(name, self.registers[initial])  # nothing else reads it
        register = self.bind(name)
        if initial in self.registers:
            self.write("MOVE", register, self.registers[initial])
        else:
            self.wide("CONSTANT", register, self.constants[initial])
        return register

    # Ends of blocks.

    def end(self, block: Block, target: _Target) -> None:
        match block.end:
            case Yield(name):
                self.yield_(name, target)
            case Recur():
                self.recur(block.end)
            case DirectTailCall():
                self.direct_tail_call(block.end)
            case IndirectTailCall(callee, arguments, span, spread):
                self.here(block.end, span)
                registers = self.operands((callee, *arguments))
                self.failing((), span)
                op = "TAIL_SPREAD" if spread else "TAIL_VALUE"
                self.write(op, 0, registers[0], len(arguments))
                self.list(registers[1:])
            case Raise():
                pass  # the statement before it does not return
            case _:
                assert_never(block.end)

    def yield_(self, name: str, target: _Target) -> None:
        if target.returns:
            self.write("RETURN", self.operand(name))
            return
        if target.register is not None:
            if name in self.registers:
                self.write("MOVE", target.register, self.registers[name])
            else:
                self.wide("CONSTANT", target.register, self.constants[name])
        target.jumps.append(self.write("JUMP"))

    def recur(self, recur: Recur) -> None:
        """Assign the variables of the next iteration all at once, and begin it."""
        opened = next(o for o in reversed(self.loops) if o.loop.label == recur.label)
        sources = self.operands(recur.arguments)
        moves = [(t, s) for t, s in zip(opened.registers, sources, strict=True) if t != s]
        while moves:
            needed = {source for _, source in moves}
            ready = [move for move in moves if move[0] not in needed]
            if ready:
                for target, source in ready:
                    self.write("MOVE", target, source)
                moves = [move for move in moves if move not in ready]
                continue
            target, source = moves.pop()  # a cycle: one value is saved
            saved = self.fresh()
            self.write("MOVE", saved, target)
            self.write("MOVE", target, source)
            moves = [(t, saved if s == target else s) for t, s in moves]
        if self.masks:
            self.wide("JUMP", 0, opened.start)
        elif self.function.may_fail:
            self.failing(opened.loop.cleanup)
            self.wide("LOOP", 0, opened.start)
        else:
            self.wide("LOOP_OR_LEAVE", 0, opened.start)

    def direct_tail_call(self, tail: DirectTailCall) -> None:
        self.here(tail, tail.span)
        registers = self.operands(tail.arguments)
        callee = self.functions[tail.function]
        if callee.interface is None:
            self.write("TAIL_CALL", 0, self.numbers[tail.function], len(registers))
            self.list(registers)
        elif len(registers) > MOST_ARGUMENTS:
            self.c_call("TAIL_MANY", 0, many_name(callee.interface.symbol), registers)
        elif callee.result is Representation.VALUE:
            self.c_call("TAIL_C", 0, callee.interface.symbol, registers)
        else:
            result = self.fresh()
            self.external_call(callee, result, registers, 0)
            self.write("RETURN", result)

    # Tests.

    def fused_test(self, statements: Sequence[Statement], index: int) -> int | None:
        """The index of the If whose test begins here, if one instruction does both."""
        match statements[index]:
            case Bind(name, _, Apply(primitive, _, None, False)) if self.is_test(primitive):
                pass
            case _:
                return None
        if self.uses[name] != 1 or index + 2 >= len(statements):
            return None
        match statements[index + 1]:
            case Bind(truth, _, Truth(operand)) if operand == name and self.uses[truth] == 1:
                pass
            case _:
                return None
        after = index + 2
        match statements[after]:
            case Free(freed) if freed == name:
                after += 1
        if after == len(statements):
            return None
        match statements[after]:
            case If(test=test) if test == truth:
                return after
        return None

    def is_test(self, primitive: Primitive) -> bool:
        """Whether an instruction combines it with a branch: not `not`, where tensors may be."""
        symbol = primitive.symbol
        return symbol in _TESTS and (symbol != "rt_not" or self.creators is None)

    def test(self, bind: Bind) -> int:
        """Write a test and its branch; the word that gets the target of the jump."""
        apply = bind.operation
        assert isinstance(apply, Apply)
        op, arguments = _TESTS[apply.primitive.symbol], apply.arguments
        w = sum(index + 1 for index in apply.frees)
        if op in _COMPARED and arguments[1] in self.small:
            registers = [self.operand(arguments[0]), self.small[arguments[1]]]
            op, w = op + "_I", w & 1
        else:
            registers = [*self.operands(arguments), 0]
        with self.inside(bind.inlined):
            self.failing(bind.cleanup, bind.span)
        self.write(op, registers[0], registers[1], w=w)
        self.extra(0)
        return len(self.words) - 1

    # Operations.

    def free(self, free: Free) -> None:
        if free.name in self.constants or free.name in self.immediate:
            return
        register = self.registers[free.name]
        if free.name in self.grad_modes:
            self.write("RESTORE_GRAD_MODE", register)
            return
        if not free.kept:
            self.write("FREE", register)
            return
        container = free.kept[0].container
        if container is Container.PAIR:
            bits = {"car": 1, "cdr": 2}
            self.write("FREE_PAIR", register, sum({bits[str(k.field)] for k in free.kept}))
            return
        fields = {kept.field for kept in free.kept}
        op = "FREE_VECTOR" if container is Container.VECTOR else "FREE_RECORD"
        registers = self.operands(free.keeps)
        self.write(op, register, 0, len(registers))
        self.words.append(sum(1 << index for index in fields if isinstance(index, int)))
        self.list(registers)

    def operation(self, bind: Bind) -> None:
        name, operation = bind.name, bind.operation
        self.here(operation, bind.span)
        match operation:
            case Literal(value):
                self.constants[name] = self.tables.constant(value)
                if self.tables.is_open and not operation.is_immediate:
                    self.counted.add(name)
                if (small := _small_integer(value)) is not None:
                    self.small[name] = small
            case PrimitiveValue(primitive) if primitive.is_operator:
                self.constants[name] = self.tables.operator_value(primitive)
            case PrimitiveValue(primitive):
                self.constants[name] = self.tables.object(f"primitive {primitive.symbol}")
            case MakeClosure(function, ()) if self.is_static(function):
                self.constants[name] = self.closure(function)
            case Dup(operand) if operand in self.constants and operand not in self.counted:
                self.constants[name] = self.constants[operand]
                if operand in self.small:
                    self.small[name] = self.small[operand]
            case Dup(operand):
                register = self.operand(operand)
                self.write("DUP", self.bind(name), register)
            case Truth(operand) if self.is_plain(operation):
                self.bind(name, self.operand(operand))  # a branch tests any value
            case Truth(operand):
                register = self.operand(operand)
                self.failing(bind.cleanup, bind.span)
                self.write("TRUTH", self.bind(name), register)
            case Apply():
                self.apply(bind, operation)
            case DirectCall():
                self.direct_call(bind, operation)
            case IndirectCall(callee, arguments, spread, is_last):
                registers = self.operands((callee, *arguments))
                self.failing(bind.cleanup, bind.span, Place.of(bind))
                op = "CALL_SPREAD" if spread else "CALL_LAST" if is_last else "CALL_VALUE"
                self.write(op, self.bind(name), registers[0], len(arguments))
                self.list(registers[1:])
            case MakeClosure(function, captures):
                registers = self.operands(captures)
                self.write("CLOSURE", self.bind(name), self.numbers[function], len(registers))
                self.list(registers)
            case GlobalGet():
                self.global_get(bind, operation)
            case GlobalSet():
                self.global_set(bind, operation)
            case IsAbsent(operand):
                register = self.operand(operand)
                self.write("ABSENT", self.bind(name), register)
            case NewCell(operand):
                register = self.operand(operand)
                self.write("NEW_CELL", self.bind(name), register)
            case CellGet(cell):
                register = self.operand(cell)
                self.write("CELL_GET", self.bind(name), register)
            case CellSet(cell, value):
                self.write("CELL_SET", *self.operands((cell, value)))
            case NewSlot(operand):
                register = self.operand(operand)
                self.write("MOVE", self.bind(name), register)
            case SlotGet(slot):
                register = self.operand(slot)
                self.write("DUP", self.bind(name), register)
            case SlotSet(slot, value):
                self.write("SLOT_SET", *self.operands((slot, value)))
            case CheckStack():
                self.failing(bind.cleanup)
                self.write("CHECK_STACK_STEADY" if self.masks else "CHECK_STACK")
            case Fail(message, hint):
                self.failing(bind.cleanup, bind.span)
                texts = self.tables.texts
                self.wide("FAIL", 0, texts.number(message), hint is not None)
                self.extra(0 if hint is None else texts.number(hint))
            case MakeTensor():
                self.tensor_literal(bind, operation)
            case SetGradMode(enabled):
                self.grad_modes.add(name)
                self.write("SET_GRAD_MODE", self.bind(name), w=enabled)
            case RestoreGradMode(mode):
                self.write("RESTORE_GRAD_MODE", self.operand(mode))
            case Convert() | HaveTypes() | Refine():
                raise AssertionError(operation)  # only passes for types write these
            case _:
                assert_never(operation)

    def is_plain(self, truth: Truth) -> bool:
        """Whether what a branch tests is certainly not a tensor, which may have many elements."""
        name = truth.operand
        static = name in self.constants or name in self.immediate
        return self.creators is None or truth.plain or static

    def tensor_literal(self, bind: Bind, literal: MakeTensor) -> None:
        registers = self.operands(literal.elements)
        self.failing(bind.cleanup, bind.span)
        result, rank = self.bind(bind.name), len(literal.shape)
        self.write("LITERAL", result, len(registers), rank, literal.spread)
        self.words += literal.shape
        self.list(registers)

    def is_static(self, function: str) -> bool:
        """Whether a procedure without captures is one object; in an open unit, which is freed,
        closures of its own functions are counted."""
        return not self.tables.is_open or self.functions[function].interface is not None

    def closure(self, function: str) -> int:
        """The constant that is a procedure without captures."""
        found = self.functions[function]
        if found.interface is not None:
            return self.tables.object(f"closure_{found.interface.symbol}")
        return self.tables.procedure(self.numbers[function])

    # Variables.

    def variable_number(self, name: str, namespace: Namespace) -> int:
        is_library = namespace is not Namespace.PROGRAM
        return self.tables.globals.number((name, is_library))

    def global_get(self, bind: Bind, get: GlobalGet) -> None:
        number = self.variable_number(get.name, get.namespace)
        register = self.bind(bind.name)
        if get.checked:
            self.failing(bind.cleanup, bind.span)
            hint = self.tables.hints.get((get.name, bind.span.start))
            w = _OWNED * get.owned | _HINTED * (hint is not None)
            self.wide("GLOBAL_CHECKED", register, number, w)
            self.extra(self.tables.texts.number(plain_name(get.name)))
            if hint is not None:
                self.extra(self.tables.texts.number(hint))
        else:
            self.wide("GLOBAL_DUP" if get.owned else "GLOBAL", register, number)

    def global_set(self, bind: Bind, operation: GlobalSet) -> None:
        number = self.variable_number(operation.name, operation.namespace)
        register = self.operand(operation.value)
        if operation.checked:
            self.failing(bind.cleanup, bind.span)
            self.wide("GLOBAL_SET", register, number)
            self.extra(self.tables.texts.number(plain_name(operation.name)))
        elif self.initializes(operation):
            self.wide("GLOBAL_INITIALIZE", register, number)
        else:
            self.wide("GLOBAL_DEFINE", register, number)

    def initializes(self, operation: GlobalSet) -> bool:
        """Whether it is the definition of a variable of the library in open code: then another unit
        may have given it its value."""
        is_library = operation.namespace is not Namespace.PROGRAM
        if not (self.tables.is_open and self.is_main and is_library):
            return False
        is_first = operation.name not in self.initialized
        self.initialized.add(operation.name)
        return is_first and operation.name in self.tables.library_definitions

    # Calls.

    def direct_call(self, bind: Bind, call: DirectCall) -> None:
        callee = self.functions[call.function]
        registers = self.operands(call.arguments)
        place = Place.of(bind)
        if place is Place.TAIL and callee.span.source.library:
            place = Place.LEFT
        if not call.caught:
            self.failing(bind.cleanup, bind.span, place)
        result = self.bind(bind.name)
        w = _CAUGHT if call.caught else 0
        if callee.interface is None:
            self.write("CALL", result, self.numbers[call.function], len(registers), w)
            self.list(registers)
        else:
            self.external_call(callee, result, registers, w)

    def external_call(
        self, callee: Function, result: int, registers: Sequence[int], w: int
    ) -> None:
        assert callee.interface is not None
        kind = _REPRESENTED.get(callee.result)
        if kind is None or any(p.representation.value != "value" for p in callee.parameters):
            raise UnsupportedError(f"the procedure {callee.name}")
        if callee.may_tail:
            w |= _FINISHED
        if len(registers) > MOST_ARGUMENTS:
            self.c_call("C_MANY", result, many_name(callee.interface.symbol), registers, w)
            return
        status = "_STATUS" if returns_status(callee) else ""
        self.c_call(f"C_{kind}{status}", result, callee.interface.symbol, registers, w)

    def c_call(
        self, op: str, result: int, symbol: str, registers: Sequence[int], w: int = 0
    ) -> None:
        if op == "C_VOID" and len(registers) > MOST_OF_VOID:
            raise UnsupportedError(f"{symbol} with {len(registers)} arguments")
        self.write(op, result, self.tables.imports.number(symbol), len(registers), w)
        self.list(registers)

    def apply(self, bind: Bind, apply: Apply) -> None:
        primitive, symbol = apply.primitive, apply.primitive.symbol
        assert apply.variant is None and apply.field is None, apply
        if primitive.is_operator:
            self.operator_call(bind, apply)
            return
        if primitive.signature.result in _IMMEDIATE_RESULTS:
            self.immediate.add(bind.name)
        in_runtime = primitive.origin is Origin.RUNTIME
        kind = _RESULTS.get(primitive.signature.result, "VALUE") if in_runtime else "VALUE"
        place = Place.of(bind) if kind == "VALUE" else Place.FRAME
        w = sum(index + 1 for index in apply.frees)
        if symbol in _ARITHMETIC:
            self.arithmetic(bind, apply, w)
            return
        registers = self.operands(apply.arguments)
        self.failing(bind.cleanup, bind.span, place)
        result = self.bind(bind.name)
        if apply.borrows:
            self.projection(primitive, result, registers)
        elif w:
            op = "C_FREEING_STATUS" if kind == "BOOLEAN" else "C_FREEING"
            self.write(op, result, registers[0], registers[1], w)
            self.extra(self.tables.imports.number(symbol + "_freeing"))
        elif symbol in _OPERATIONS:
            self.write(_OPERATIONS[symbol], result, *registers)
        elif symbol == "rt_vector_set":
            self.write("VECTOR_SET", *registers)
        elif symbol == "rt_record_ref":
            self.record_ref("RECORD_REF", result, registers)
        elif primitive.signature.rest is not None:
            self.rest_call(primitive, kind, result, registers)
        else:
            status = "_STATUS" if primitive.fails and kind != "VALUE" else ""
            self.c_call(f"C_{kind}{status}", result, symbol, registers)

    def operator_call(self, bind: Bind, apply: Apply) -> None:
        """Find an operator, which fails at its name, and call it, which fails at the call."""
        primitive = apply.primitive
        registers = self.operands(apply.arguments)
        number = self.tables.operator(primitive)
        self.failing(bind.cleanup, bind.span, Place.of(bind))
        first = apply.arguments[:1]
        reuses = may_reuse(primitive.symbol) and not self.freed_next.isdisjoint(first)
        self.write("OPERATOR", self.bind(bind.name), number, len(registers), reuses)
        self.failing(bind.cleanup, name_span(bind.span, primitive))
        self.extra(0)
        self.list(registers)

    def arithmetic(self, bind: Bind, apply: Apply, w: int) -> None:
        op, (first, second) = _ARITHMETIC[apply.primitive.symbol], apply.arguments
        if second in self.small and op + "_I" in NUMBERS:
            op, w, last = op + "_I", w & 1, self.small[second]
            registers = [self.operand(first)]
        else:
            registers = self.operands((first, second))
            last = registers[1]
        self.failing(bind.cleanup, bind.span, Place.of(bind))
        self.write(op, self.bind(bind.name), registers[0], last, w)

    def projection(
        self, primitive: Primitive, result: int, registers: Sequence[int]
    ) -> None:
        if primitive.symbol in _BORROWING:
            self.write(_BORROWING[primitive.symbol], result, *registers)
        elif primitive.symbol == "rt_record_ref":
            self.record_ref("RECORD_REF_BORROWED", result, registers)
        else:
            assert primitive.projection is not None
            self.c_call("C_VALUE", result, primitive.projection, registers)

    def record_ref(self, op: str, result: int, registers: Sequence[int]) -> None:
        self.write(op, result, registers[0], registers[1])
        self.list(registers[2:])

    def rest_call(
        self, primitive: Primitive, kind: str, result: int, registers: Sequence[int]
    ) -> None:
        suffix = "" if kind == "VALUE" else f"_{kind}_STATUS" if primitive.fails else f"_{kind}"
        op = "C_REST" + suffix
        if op not in NUMBERS:
            raise UnsupportedError(f"the procedure {primitive.name}")
        number = self.tables.imports.number(primitive.symbol)
        self.write(op, result, number, len(registers), len(primitive.signature.params))
        self.list(registers)
