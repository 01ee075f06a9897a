"""The instructions of the evaluator, in the order of their numbers.

`lang/evaluator/machine/opcodes.h` is this list in C, which a test compares.
"""

OPCODES = (
    # Registers, constants and variables.
    "MOVE", "CONSTANT", "GLOBAL", "GLOBAL_DUP", "GLOBAL_CHECKED", "GLOBAL_DEFINE", "GLOBAL_SET",
    "GLOBAL_INITIALIZE",
    "DUP", "FREE", "FREE_PAIR", "FREE_VECTOR", "FREE_RECORD",
    "NEW_CELL", "CELL_GET", "CELL_SET", "SLOT_SET", "TRUTH", "ABSENT",
    # Control.
    "JUMP", "LOOP", "LOOP_OR_LEAVE", "JUMP_IF_FALSE", "CHECK_STACK", "CHECK_STACK_STEADY",
    "FAIL", "RETURN",
    # Calls.
    "CALL", "CALL_VALUE", "CALL_LAST", "CALL_SPREAD", "TAIL_CALL", "TAIL_VALUE", "TAIL_SPREAD",
    "TAIL_C", "CLOSURE",
    # Calls of C functions, by how they return their results; those with REST take an array, too.
    "C_VALUE", "C_BOOLEAN", "C_BOOLEAN_STATUS", "C_FIXNUM", "C_FIXNUM_STATUS", "C_FLOAT",
    "C_FLOAT_STATUS", "C_NUMBER", "C_VOID", "C_VOID_STATUS", "C_REST", "C_REST_BOOLEAN_STATUS",
    "C_REST_VOID_STATUS",
    "C_FREEING", "C_FREEING_STATUS",
    # Functions with many parameters, which take them in an array, and return a value.
    "C_MANY", "TAIL_MANY",
    # Tensors: operators of LibTorch by their names, literals, and what only reports ask for.
    "C_TENSOR", "OPERATOR", "LITERAL", "SET_GRAD_MODE", "RESTORE_GRAD_MODE", "HERE",
    # Operations that need no call; those with an I take a small integer in the code.
    "ADD", "SUBTRACT", "MULTIPLY", "ADD_I", "SUBTRACT_I",
    "CAR", "CDR", "CAR_BORROWED", "CDR_BORROWED", "CONS",
    "VECTOR_REF", "VECTOR_REF_BORROWED", "VECTOR_SET", "RECORD_REF", "RECORD_REF_BORROWED",
    # Tests with a jump to the branch for false.
    "UNLESS_EQUAL", "UNLESS_LESS", "UNLESS_GREATER", "UNLESS_LESS_OR_EQUAL",
    "UNLESS_GREATER_OR_EQUAL",
    "UNLESS_EQUAL_I", "UNLESS_LESS_I", "UNLESS_GREATER_I", "UNLESS_LESS_OR_EQUAL_I",
    "UNLESS_GREATER_OR_EQUAL_I",
    "UNLESS_EQ", "UNLESS_NULL", "UNLESS_PAIR", "UNLESS_FALSE",
)  # fmt: skip
NUMBERS = {name: number for number, name in enumerate(OPCODES)}


def header() -> str:
    """The text of `lang/evaluator/machine/opcodes.h`."""
    rows = [f"RT_OPCODE({name})\n" for name in OPCODES]
    return "".join(["/* Generated from lang/evaluator/opcodes.py. */\n", *rows])
