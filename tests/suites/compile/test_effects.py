"""The records of effects: proved from the C, and derived from LibTorch's schemas.

A record is an upper bound.  `c_effects` computes one from the C, so each declared record must
contain it; what a declaration leaves out is proved to be impossible.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from lambent.lang.compile.c.machine_text import MACHINE_TEXT
from lambent.lang.primitives.effects import NO_EFFECTS, Allocation, Effects, Memory
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.operator_effects import operator_effects
from lambent.lang.primitives.signature import Type
from lambent.lang.primitives.table import Origin, operator
from lambent.lang.primitives.typed import typed_operators
from tests.suites.compile.c_effects import COLLECTING, RELEASING, RUNTIME, Program, read_functions
from tests.suites.compile.operator_marks import FILE, marks_text
from tests.support.paths import ROOT

CONSTRAINTS = ROOT / "constraints.txt"

BRIDGE = ROOT / "ctorch" / "bridge"

# What the C's paths say and no run does, with the reason.
EXCEPTIONS = {
    # They turn every failure of the procedure that they call into a value.
    ("rt_try", "fails"),
    ("rt_try_escape", "fails"),
    # It appends to the list that it makes, through the address of the last cdr.
    ("rt_keys_of_hash", "writes pair"),
    # They change pairs that are moved in and that nobody else holds: nobody can see it.
    ("rt_append", "writes pair"),
    ("rt_reverse", "writes pair"),
    # The procedure that it keeps is called later, by backward.
    ("bridge_custom_gradient", "calls"),
    ("bridge_custom_gradient", "writes pair"),
    ("bridge_custom_gradient", "writes variable record_called"),
    # They fill the tables that they make of C values.
    ("bridge_procedure", "writes table"),
    ("bridge_item", "writes table"),
    ("bridge_tensor_to_list", "writes table"),
}
# The C variables behind a kind of memory.
VARIABLES = {
    "children": "state", "files": "port", "is_shown": "port", "line_is_open": "port",
    "lost": "port", "terminal": "port", "finished_line": "port", "is_finished": "port",
    "current": "dynamic", "deferrals": "state", "rt_interrupted": "state",
    "ends_cleanup": "state", "record_called": "state", "rt_collected": "state",
    "rt_waiting": "condition",
    "seeded": "random", "state": "random", "has_come": "state", "before": "state",
}  # fmt: skip


def _declared() -> Iterator[tuple[str, Effects]]:
    """Each function of the runtime and the bridge that emitted code calls, and its record."""
    for primitive in TABLE.values():
        if primitive.interpreted or primitive.origin in (Origin.OPERATOR, Origin.CTORCH):
            continue
        if primitive.symbol not in ("rt_apply",):
            yield primitive.symbol, primitive.effects
        if primitive.projection:
            yield primitive.projection, primitive.effects
        for v in primitive.variants:
            if v.origin is Origin.RUNTIME and v.symbol is not None:
                yield v.symbol, v.effects
            if v.projection:
                yield v.projection, v.effects


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("gimple")
    inline = folder / "inline.c"  # the functions in headers, too
    symbols = sorted({symbol for symbol, _ in _declared() if symbol.startswith("rt_")})
    addresses = ", ".join(f"(void *){symbol}" for symbol in symbols)
    inline.write_text(f'#include "rt.h"\nvoid *const all[] = {{{addresses}}};\n')
    sources = [*sorted(RUNTIME.rglob("*.c")), inline, *sorted(BRIDGE.glob("*.c"))]
    return read_functions(sources, folder, [RUNTIME, ROOT / "ctorch"])


def _words(found: set[str]) -> Effects:
    """The record of what `c_effects` has found."""
    effects = NO_EFFECTS
    for effect in found:
        verb, _, what = effect.partition(" ")
        match verb:
            case "writes" if what.startswith("variable "):
                words = f"writes {VARIABLES[what.removeprefix('variable ')]}"
            case "returns":  # RT_ERROR
                words = "fails"
            case _:
                words = effect
        effects |= Effects.parse(words)
    return effects


def _within(found: Effects, declared: Effects) -> list[str]:
    """What the C may do and the record leaves out."""
    # A tensor is read, and a new one allocated, only in programs that use tensors.
    lacking = []
    if found.reads & ~(declared.reads | (Memory.TENSOR if declared.on_tensors else Memory(0))):
        lacking.append(f"reads {found.reads & ~declared.reads}")
    if found.writes & ~declared.writes:
        lacking.append(f"writes {found.writes & ~declared.writes}")
    if found.allocates & ~declared.allocates:
        lacking.append(f"allocates {found.allocates & ~declared.allocates}")
    lacking += ["fails"] * (found.may_fail and not declared.may_fail)
    lacking += ["calls"] * (found.may_call and not declared.may_call)
    creates = declared.on_tensors or Allocation.OBJECTS in declared.allocates
    lacking += ["computes with tensors"] * (found.on_tensors and not creates)
    return lacking


def _lies(program: Program, symbol: str, declared: Effects) -> list[str]:
    paths = {
        effect: path
        for effect, path in program.effects(symbol).items()
        if (symbol, effect) not in EXCEPTIONS
        and not (effect == "returns RT_ERROR" and (symbol, "fails") in EXCEPTIONS)
    }
    return [
        f"{symbol}: {effect}: {' > '.join(path)}"
        for effect, path in paths.items()
        if _within(_words({effect}), declared)
    ]


def test_each_record_of_a_function_in_c_contains_what_it_may_do(program: Program) -> None:
    declared = list(_declared())
    assert len(declared) > 400
    assert {symbol for symbol, _ in declared} <= program.functions.keys()
    assert not [lie for symbol, effects in declared for lie in _lies(program, symbol, effects)]


@pytest.mark.parametrize(
    ("symbol", "text", "lacking"),
    [
        ("rt_car", "reads pair", "fails"),
        ("rt_car", "fails", "reads pair"),
        ("rt_car_projection", "reads pair", "fails"),
        ("rt_cons", "", "allocates objects"),
        ("rt_set_car", "reads pair, fails", "writes pair"),
        ("rt_vector_fill", "reads vector, allocates numbers, fails", "writes vector"),
        ("rt_set_record_slot", "reads record, allocates numbers, fails", "writes record"),
        ("rt_hash_set", "reads anything, allocates anything, fails", "writes table"),
        ("rt_add", "allocates memory, computes with tensors, fails", "allocates numbers"),
        ("rt_add", "allocates numbers memory, fails", "computes with tensors"),
        ("rt_multiply_fixnums", "", "allocates numbers"),
        ("rt_string_append", "reads string, fails", "allocates objects"),
        ("rt_try", "reads anything, writes anything, allocates anything", "calls"),
        ("rt_write_char", "reads port, allocates memory, fails", "writes port"),
        ("rt_parameter_swap", "reads dynamic", "writes dynamic"),
        ("bridge_shape", "reads tensor", "allocates objects"),
        ("bridge_backward", "reads anything, writes anything, allocates anything, fails", "calls"),
    ],
)
def test_a_record_that_leaves_something_out_is_found(
    program: Program, symbol: str, text: str, lacking: str
) -> None:
    lies = _lies(program, symbol, Effects.parse(text))
    assert any(lie.startswith(f"{symbol}: {lacking}: {symbol}") for lie in lies), lies


def test_the_exceptions_are_needed(program: Program) -> None:
    for symbol, effect in EXCEPTIONS:
        assert effect in program.effects(symbol)


def test_releasing_references_neither_fails_nor_calls_nor_allocates(program: Program) -> None:
    for symbol in RELEASING & program.functions.keys():
        # A file that is released is flushed; no operation raises an error of that.
        found = program.effects(symbol, without="rt_release_port")
        does = {effect.split()[0] for effect in found}
        assert not does & {"fails", "calls", "allocates", "unknown"}, (symbol, does)


@pytest.mark.parametrize("name", COLLECTING)
def test_collecting_cycles_neither_fails_nor_calls_nor_allocates_objects(
    program: Program, name: str
) -> None:
    found = program.effects(name).keys()
    assert "allocates memory" in found
    assert not found & {"fails", "calls", "allocates objects", "allocates numbers"}
    assert not any(effect.startswith("unknown") for effect in found)


def test_immediate_results_are_no_references(program: Program) -> None:
    immediate = [p for p in TABLE.values() if p.signature.result is Type.IMMEDIATE]
    assert immediate
    for primitive in immediate:
        assert Allocation.OBJECTS not in primitive.effects.allocates
        assert "rt_dup" not in program.reached(primitive.symbol)


def test_functions_of_ctorch_that_cannot_fail_have_no_status() -> None:
    header = (ROOT / "ctorch" / "ctorch.h").read_text(encoding="utf-8")
    safe = [p for p in TABLE.values() if p.origin is Origin.CTORCH and not p.fails]
    assert safe
    for primitive in safe:
        assert re.search(rf"^(bool|int64_t) {primitive.symbol}\(", header, re.MULTILINE)


def test_operations_of_the_machine_only_compute() -> None:
    assert set(MACHINE_TEXT) == set(Machine)
    called = {name for text in MACHINE_TEXT.values() for name in re.findall(r"(\w+)\(", text)}
    assert called <= {
        "atan2", "ceil", "cos", "exp", "fabs", "floor", "isfinite", "isinf", "isnan", "nearbyint",
        "sin", "tan", "tanh", "trunc",
        "rt_absolute", "rt_divided_down", "rt_left_below", "rt_max_fixnums", "rt_min_fixnums",
        "rt_shifted_right",
    }  # fmt: skip
    assert not any(re.search(r"(?<![=!<>])=(?!=)", text) for text in MACHINE_TEXT.values())
    declared = [v for p in TABLE.values() for v in p.variants if isinstance(v.code, Machine)]
    assert declared
    assert all(v.effects == NO_EFFECTS for v in declared)


def test_records_of_operators_follow_from_the_schemas() -> None:
    if f"torch=={torch.__version__.partition('+')[0]}\n" in CONSTRAINTS.read_text():
        assert FILE.read_text(encoding="utf-8") == marks_text()
    kept, found = _marks(FILE.read_text(encoding="utf-8")), _marks(marks_text())
    both = kept.keys() & found.keys()  # versions of LibTorch lack some
    assert len(both) > 1000
    assert {name: kept[name] for name in both} == {name: found[name] for name in both}


def _marks(text: str) -> dict[str, str]:
    """The effects of each operator in a text of the file."""
    names: dict[str, Any] = {}
    exec(text, names)
    return {name: effects for effects, group in names["MARKS"].items() for name in group.split()}


def test_alias_marks_say_what_an_operator_writes() -> None:
    for typed in typed_operators():
        assert (Memory.TENSOR in typed.effects.writes) == ("!" in typed.schema), typed.schema
    assert Memory.TENSOR in operator("tensor-add!").effects.writes
    assert not operator_effects("add", with_out=False).writes
    assert Memory.TENSOR in operator_effects("add").writes  # into :out
    assert Memory.RANDOM in operator("tensor-rand").effects.writes
    assert operator("tensor-no-such-operator").effects == Effects(may_call=False)


def test_the_text_of_a_record_is_the_record() -> None:
    for primitive in TABLE.values():
        for effects in (primitive.effects, *(v.effects for v in primitive.variants)):
            assert Effects.parse(str(effects)) == effects


def test_nothing_is_concluded_from_a_name() -> None:
    """Only the table looks at the prefix of a symbol, and only operators' names end in `!`."""
    prefix = re.compile(r"""startswith\(\(?["'](rt|ct|bridge)_|endswith\(\(?["']!["']""")
    found = {
        str(path.relative_to(ROOT / "lang"))
        for path in (ROOT / "lang").rglob("*.py")
        if prefix.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"primitives/table.py"}
