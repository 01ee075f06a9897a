"""The executables that run code, each made once: the runtime, the compiled library, and a table of
everything that code may name.  Programs without tensors have one of their own, as compiled ones do
without ctorch.

    rt_imports        {"rt_car", (rt_any_function *)rt_car}, ...
    rt_data_imports   {"closure_lib_map__5d1c0a2e", &closure_lib_map__5d1c0a2e}, ...

They are in the cache, under a hash of the C from which they are made.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lambent.lang.compile.build.library_files import LibraryFile, compile_library_files
from lambent.lang.compile.build.toolchain import (
    Options,
    compile_objects,
    compiler_identity,
    include_flags,
    link_flags,
    run_compiler,
)
from lambent.lang.compile.c.c_constants import c_string
from lambent.lang.compile.c.emit_tables import (
    BOXED,
    C_TYPES,
    Tables,
    returns_status,
    signature,
)
from lambent.lang.compile.c.entry_points import (
    declared_elsewhere,
    entry_head,
    primitive_description,
    primitive_entry,
)
from lambent.lang.compile.c.layout import wrapped
from lambent.lang.compile.ir.anf import Function, Representation
from lambent.lang.compile.units.library import compiled_unit, entries_of_file, library_function
from lambent.lang.compile.units.library_units import library_units
from lambent.lang.compile_library import compile_units
from lambent.lang.core.ir import Namespace
from lambent.lang.evaluator.code import literals_name
from lambent.lang.evaluator.emit_code import MOST_ARGUMENTS, many_name
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import TABLE, Origin, Primitive
from lambent.lang.system.cache import ensure_folder, is_complete, key_of, seal, writable_folder
from lambent.lang.system.scratch import scratch_folder

_MACHINE = Path(__file__).parent / "machine"
_OPTIONS = Options()
# The tables are long: at a fixed address they need no change when the program starts.
_FIXED = () if sys.platform == "darwin" else ("-no-pie",)
_WITH_TENSORS = "with_tensors.c"
_NOT_FOR_PROGRAMS = ("guest.c",)
_NOT_FOR_LIBRARIES = ("program.c", "session.c")
# Those with a parameter that is not a value: machine/calls.h has functions for values.
_WRAPPED = ("rt_caught_signal", "rt_caught_replace")


def evaluator_program(tensors: bool) -> Path:
    """The executable for programs with or without tensors, from the cache if it is there."""
    return _linked(tensors, "evaluator", _FIXED, _NOT_FOR_PROGRAMS)


def evaluator_library(tensors: bool) -> Path:
    """The same as a shared library, for other programs' processes: machine/guest.h."""
    return _linked(tensors, "liblambent_machine.so", ("-shared",), _NOT_FOR_LIBRARIES)


def _linked(tensors: bool, name: str, how: Sequence[str], without: Sequence[str]) -> Path:
    indices = list(range(len(library_units().files)))
    compile_units(indices, tensors)
    compiled = compile_library_files(tensors)
    files = dict(zip(_files(tensors), compiled, strict=True))
    text = "\n".join(_table_text(_functions(indices, tensors), files, tensors)) + "\n"
    libraries = link_flags(_OPTIONS, tensors=tensors)
    sources = [
        path for path in sorted(_MACHINE.glob("*.c"))
        if (tensors or path.name != _WITH_TENSORS) and path.name not in without
    ]  # fmt: skip
    contents = [path.read_bytes() for path in sorted(_MACHINE.glob("*.[ch]"))]
    names = [str(file.path) for file in compiled]
    flags = (*_OPTIONS.flags, *how)
    key = key_of([compiler_identity(), name, *flags, *contents, text, *names, *libraries])
    target = writable_folder() / f"evaluator-{key}" / name
    if not is_complete(target.parent):
        ensure_folder(target.parent)
        with scratch_folder() as folder:
            (folder / "table.c").write_text(text)
            c_flags = (*_OPTIONS.flags, f"-I{_MACHINE}")
            objects = compile_objects([*sources, folder / "table.c"], folder, _OPTIONS, c_flags)
            made = folder / name
            arguments: list[str | Path] = [*flags, *objects, *names, "-o", made]
            run_compiler([*arguments, *libraries, *include_flags()], folder)
            made.replace(target)
        seal(target.parent)
    return target


def _files(tensors: bool) -> list[str]:
    """The files of the library that have C of their own, in the order of their units."""
    files = [file for group in library_units().files for file in group]
    return [file for file in files if entries_of_file(file, tensors)]


def _functions(indices: Sequence[int], tensors: bool) -> list[Function]:
    """The procedures that the library's units export."""
    found: list[Function] = []
    for index in indices:
        unit = compiled_unit(index, tensors)
        assert unit is not None, index
        found += [library_function(name, tensors) for name in unit.interfaces]
    return found


def _primitives(tensors: bool) -> list[Primitive]:
    """Those with a C function."""
    return list({
        primitive.symbol: primitive
        for primitive in TABLE.values()
        if not primitive.is_operator
        if tensors or primitive.origin is Origin.RUNTIME
    }.values())  # fmt: skip


def _table_text(
    functions: Sequence[Function], files: Mapping[str, LibraryFile], tensors: bool
) -> Iterator[str]:
    symbols = {f.name: f.interface.symbol for f in functions if f.interface is not None}
    tables = Tables.of_library(functions, symbols, tensors=tensors)
    primitives = _primitives(tensors)
    imports: dict[str, str] = {}
    data: dict[str, str] = {}
    heads: list[str] = []
    wrappers: list[str] = []
    for function in functions:
        symbol = symbols[function.name]
        imports[symbol] = symbol
        heads.append(f"{signature(tables, function, _parameter_names(function))};")
        heads += declared_elsewhere(symbol, function)
        if len(function.parameters) > MOST_ARGUMENTS:
            imports[many_name(symbol)] = f"many_{symbol}"
            wrappers += _function_of_many(symbol, function)
        if not function.captures:
            data[f"closure_{symbol}"] = f"&closure_{symbol}"
    for primitive in primitives:
        imports |= _primitive_imports(primitive)
        if primitive.origin is not Origin.RUNTIME:
            wrappers += _tensor_wrapper(primitive)
        name = tables.primitive_closure_name(primitive)
        data[f"primitive {primitive.symbol}"] = f"&closure_{name}"
    for name in sorted(library_units().variables):
        data[name] = f"&{tables.variable(name, Namespace.LIBRARY)}"
    yield from _includes(tensors)
    entries = list(_primitive_entries(tables))
    yield from tables.literals.declarations()
    yield from wrapped(heads)
    yield from (f"RT_ONE_OF_MANY rt_value {name} = RT_UNBOUND;" for name in tables.variables)
    yield from wrappers
    yield from entries
    yield "static const rt_literal literals[] = {{RT_LITERAL_WORD, 0, NULL, NULL},"
    yield from tables.literals.table()
    yield "};"
    yield from _made_literals([file.constants for file in files.values() if file.constants])
    for name, file in files.items():
        data[literals_name(name)] = f"(void *)&{file.constants or 'no_literals'}"
    functions_of = {name: f"(rt_any_function *){text}" for name, text in imports.items()}
    yield from _rows("rt_import rt_imports", functions_of)
    yield "const size_t rt_import_count = sizeof rt_imports / sizeof *rt_imports;"
    yield from _rows("rt_data_import rt_data_imports", data)
    yield "const size_t rt_data_import_count = sizeof rt_data_imports / sizeof *rt_data_imports;"
    calls = "&rt_calls_of_bridge" if tensors else "NULL"
    yield f"const rt_tensor_calls *const rt_code_tensors = {calls};"


def _includes(tensors: bool) -> Iterator[str]:
    if not tensors:
        yield "#define RT_WITHOUT_TENSORS"
    yield from ('#include "code.h"', '#include "calls.h"', "#include <math.h>")
    if tensors:
        yield '#include "bridge/bridge.h"'
        yield "extern const rt_tensor_calls rt_calls_of_bridge;"


def _parameter_names(function: Function) -> list[str]:
    return [f"p{index}" for index in range(len(function.parameters))]


def _primitive_imports(primitive: Primitive) -> dict[str, str]:
    symbol = primitive.symbol
    found = {symbol: symbol.replace("rt_", "evaluator_", 1) if symbol in _WRAPPED else symbol}
    if primitive.origin is not Origin.RUNTIME:
        return {symbol: f"evaluator_{symbol}"}
    if primitive.projection:
        found[primitive.projection] = primitive.projection
    if primitive.freeing:
        found[f"{symbol}_freeing"] = f"{symbol}_freeing"
    return found


def _function_of_many(symbol: str, function: Function) -> Iterator[str]:
    """A procedure of the library that takes its parameters in an array, and returns a value."""
    texts = [f"v[{index}]" for index in range(len(function.parameters))]
    yield f"static rt_value many_{symbol}(const rt_value *v) {{"
    if function.result is Representation.VALUE:
        yield f"    return {symbol}({', '.join(texts)});"
    elif function.result is Representation.TENSOR:
        yield f"    ct_tensor *found = {symbol}({', '.join(texts)});"
        yield "    return found == NULL ? RT_ERROR : rt_of_tensor(found);"
    elif returns_status(function) and function.result is not Representation.VOID:
        yield f"    {C_TYPES[function.result]}found;"
        boxed = BOXED[function.result].format("found")
        yield f"    return {symbol}({', '.join([*texts, '&found'])}) ? RT_ERROR : {boxed};"
    else:
        raise AssertionError(function.name)  # none of the library's has such a result
    yield "}"


def _tensor_wrapper(primitive: Primitive) -> Iterator[str]:
    """The function of a primitive of ctorch's for callers that have values only, and want one."""
    signature, name = primitive.signature, c_string(primitive.name)
    texts: list[str] = []
    heads: list[str] = []
    checks: list[str] = []
    for index, param in enumerate(signature.params):
        value = f"v{index}"
        heads.append(f"rt_value {value}")
        if param.type is Declared.TENSOR:
            noun = c_string(param.type.noun)
            failure = f"return rt_fail_wrong_type({name}, {noun}, {value});"
            checks.append(f"    if (!rt_is_tensor({value})) {failure}")
            value = f"rt_tensor({value})"
        texts.append(value)
    if signature.rest is not None:
        heads.append("size_t count, const rt_value *items")
        texts.append("count, items")
    yield f"static rt_value evaluator_{primitive.symbol}({', '.join(heads) or 'void'}) {{"
    yield from checks
    yield from _wrapped_call(primitive, texts)
    yield "}"


def _wrapped_call(primitive: Primitive, texts: list[str]) -> Iterator[str]:
    """The call, and its result as a value."""
    in_ctorch = primitive.origin is Origin.CTORCH
    error = f"bridge_fail({c_string(primitive.name)})" if in_ctorch else "RT_ERROR"
    symbol, boxed = primitive.symbol, _BOXED.get(primitive.signature.result)
    call = f"{symbol}({', '.join(texts)})"
    if primitive.signature.result is Declared.VOID:
        yield f"    return {call} ? {error} : RT_UNSPECIFIED;"
    elif boxed is None:
        yield f"    return {call};"
    elif primitive.fails:
        yield f"    {boxed[0]}found;"
        call = f"{symbol}({', '.join([*texts, '&found'])})"
        yield f"    return {call} ? {error} : {boxed[1].format('found')};"
    else:
        yield f"    return {boxed[1].format(call)};"


_BOXED = {
    Declared.BOOLEAN: ("bool ", "rt_of_boolean({})"),
    Declared.FIXNUM: ("int64_t ", "rt_of_fixnum({})"),
    Declared.FLOAT: ("double ", "rt_of_double({})"),
    Declared.TENSOR: ("ct_tensor *", "rt_of_tensor({})"),
}


def _primitive_entries(tables: Tables) -> Iterator[str]:
    """The entry points of all primitives, and their descriptions."""
    for name in tables.primitives:
        yield f"{entry_head(name)};"
    for name, primitive in tables.primitives.items():
        yield from primitive_description(name, primitive, "RT_ONE_OF_MANY ")
    for name, primitive in tables.primitives.items():
        yield from primitive_entry(tables, name, primitive)


def _made_literals(names: Sequence[str]) -> Iterator[str]:
    """The function that makes the constants of the table, and the names of those of the library,
    of which a program makes those that it needs."""
    yield "static const rt_literals no_literals = {0, NULL};"
    yield from (f"extern const rt_literals {name};" for name in names)
    yield "void rt_make_table_literals(void) {"
    yield "    rt_make_literals(sizeof literals / sizeof *literals - 1, literals + 1);"
    yield "}"


def _rows(head: str, rows: dict[str, str]) -> Iterator[str]:
    yield f"const {head}[] = {{"
    for name in sorted(rows, key=str.encode):
        yield f"    {{{c_string(name)}, {rows[name]}}},"
    yield "};"
