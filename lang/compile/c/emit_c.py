"""Owned ANF to C99 that a person can read.  Earlier passes have made all decisions.

A program becomes one file: declarations, its functions in order, and `main`.  Lisp names are kept,
each operation is a line, each function has its Lisp head as a comment, and a test that jumps to the
cleanup labels follows each operation that can fail.

    (define (second l) (car (cdr l)))
    =>
    /* (define (second l) (car (cdr l))) -- demo.lisp:1 */
    static rt_value fn_second(rt_value l)
    {
        rt_value t1 = rt_cdr(l);
        if (rt_failed(&t1)) { rt_at(&locations[0]); goto free_l; }
        rt_free(l);
        ...
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from lambent.lang.compile.c.c_constants import c_boolean, c_string, c_struct
from lambent.lang.compile.c.emit_blocks import Blocks
from lambent.lang.compile.c.emit_tables import C_TYPES, Tables, signature
from lambent.lang.compile.c.entry_points import (
    declared_elsewhere,
    entry_head,
    entry_heads,
    function_description,
    function_entry,
    last_function_entry,
    name_for_two,
    primitive_description,
    primitive_entry,
    primitive_for_two,
    takes_captures,
)
from lambent.lang.compile.c.function_writer import FunctionWriter
from lambent.lang.compile.c.layout import C_LINES, directed, with_own_lines, wrapped
from lambent.lang.compile.c.names import c_comment
from lambent.lang.compile.ir.anf import (
    Anf,
    Function,
    Representation,
)
from lambent.lang.compile.types.effects import masks_interrupts
from lambent.lang.compile.types.read_names import read_names
from lambent.lang.deep import call_deep
from lambent.lang.primitives.typed import typed_declaration
from lambent.lang.syntax.source import Span

_HEAD_WIDTH = 80


def emit_c(anf: Anf, *, lines: bool = False, program: str | None = None) -> str:
    """The C text of a program.  Functions of the library that are elsewhere are only declared.

    lines: write #line directives, so that debuggers show the Lisp source.
    program: define an rt_program of that name instead of `main`, for other C to run.
    """
    return call_deep(_emit_c, anf, lines, program)


def program_text(
    anf: Anf,
    other_literals: Sequence[str],
    tables: Tables | None = None,
    own: Sequence[str] = (),
) -> str:
    """The C of a program that is linked with other files: the library's, and those of its own.

    other_literals: the C names of the tables of constants of those files.  tables: those of the
    program's file with the top level, if there are others; these use the functions in `own`.
    """
    return call_deep(_program_text, tables or Tables.of(anf), anf, other_literals, own)


def _emit_c(anf: Anf, lines: bool, program: str | None) -> str:
    text = _program_text(Tables.of(anf), anf, (), program=program, lines=lines)
    return with_own_lines(text) if lines else text


def _program_text(
    tables: Tables,
    anf: Anf,
    other_literals: Sequence[str],
    own: Sequence[str] = (),
    *,
    program: str | None = None,
    lines: bool = False,
) -> str:
    texts = _functions(tables, [*tables.main, *own], lines, frozenset(own))
    _describe(tables, own)
    return _joined(
        _head_of_file(anf.uses_tensors),
        *_file(tables, texts, frozenset(own)),
        _make_literals(tables, other_literals),
        *[texts[name] for name in tables.main],
        _program(tables, anf, program, bool(other_literals)),
    )


def separate_text(tables: Tables, own: Sequence[str], literals_name: str) -> str:
    """The C of a file with some functions of the library, or of a program that has several.

    own: their names.  literals_name: the C name of the file's table of constants.
    """
    texts = _functions(tables, own, False, frozenset(own))
    _describe(tables, own)
    return _joined(
        _head_of_file(tables.tensors),
        *_file(tables, texts, frozenset(own)),
        _table(tables, literals_name),
    )


def _describe(tables: Tables, own: Sequence[str]) -> None:
    """Ask for the descriptions of the functions that other files may make values of."""
    for name in own:
        if tables.functions[name].escapes:
            tables.closure_name(name)


def _joined(*parts: Iterable[str]) -> str:
    return "\n".join("\n".join((*part, "")) for part in map(list, parts) if part)


def _head_of_file(tensors: bool) -> list[str]:
    names = ("rt.h", "bridge/bridge.h")[: 1 + tensors]
    includes = [f'#include "{name}"' for name in names]
    return [*["#define RT_WITHOUT_TENSORS"] * (not tensors), *includes, "#include <math.h>"]


def _file(
    tables: Tables, texts: Mapping[str, list[str]], own: Set[str]
) -> Iterator[Iterable[str]]:
    """All before the top level: tables, prototypes, descriptions, functions."""
    entries = _entries(tables, own)
    yield tables.locations.table()
    yield _variables(tables)
    yield wrapped(f"{typed_declaration(symbol)};" for symbol in tables.typed)
    yield wrapped(f"{text};" for text in _prototypes(tables, own))
    yield from _descriptions(tables, own)
    yield from [texts[function.name] for function in tables.in_order(texts)]
    yield from entries


# Functions.


def _functions(
    tables: Tables, roots: Sequence[str], lines: bool, own: Set[str]
) -> dict[str, list[str]]:
    """The text of some functions, and of those in the same file that they reach."""
    texts: dict[str, list[str]] = {}
    waiting, looked_at = list(roots), 0
    while waiting:
        for name in waiting:
            texts[name] = _function(tables, tables.functions[name], lines)
        called, looked_at = tables.order[looked_at:], len(tables.order)
        waiting = [
            name
            for name in called
            if name not in texts and (name in own or name not in tables.exported)
        ]
    return texts


def _function(tables: Tables, function: Function, lines: bool) -> list[str]:
    writer = FunctionWriter(
        tables, function, read_names(function.body), lines, masks_interrupts(function)
    )
    parameters = [writer.enter(p.name, p.representation) for p in function.parameters]
    for parameter, text in zip(function.parameters, parameters, strict=True):
        is_owned = parameter.own and parameter.representation.on_heap
        if not is_owned and parameter.name not in writer.used:
            writer.write(f"(void){text};")
    Blocks(writer).function_body(function.body)
    top = tables.is_main(function.name)
    head = c_comment("The top level.") if top else _head(function)
    if not lines:
        return [head, *wrapped(writer.text(parameters))]
    span = function.span
    first = f"#line {span.line} {c_string(span.source.name)}"
    return [head, *directed(writer.text(parameters), first), C_LINES]


def _head(function: Function) -> str:
    """The first line of the function's Lisp source, as a comment with its location."""
    first, *more = function.span.text.splitlines() or [""]
    first = first.rstrip()
    if len(first) > _HEAD_WIDTH:
        first, more = first[: _HEAD_WIDTH - 1].rstrip(), ["..."]
    return c_comment(f"{first}{' ...' if more else ''} -- {_file_line(function.span)}")


def _file_line(span: Span) -> str:
    return f"{span.source.name}:{span.line}"


# Before and after the functions.


def _variables(tables: Tables) -> Iterator[str]:
    """The constants and the top-level variables.  Each file defines those that it
    shares with others."""
    yield from tables.literals.declarations()
    for name, representation in tables.variables.items():
        linkage = "RT_ONE_OF_MANY " if name in tables.shared else "static "
        unbound = " = RT_UNBOUND" if representation is Representation.VALUE else ""
        yield f"{linkage}{C_TYPES[representation]}{name}{unbound};"
    for name, described in tables.operators.items():
        yield f"static bridge_operator {name} = {described};"


def _is_elsewhere(tables: Tables, function: Function, own: Set[str]) -> bool:
    return function.name in tables.exported and function.name not in own


def _prototypes(tables: Tables, own: Set[str]) -> Iterator[str]:
    for function in tables.in_order(tables.called):
        yield signature(tables, function, tables.heads.parameter_names(function))
    for name, function in tables.escaping.items():
        if not _is_elsewhere(tables, function, own):
            yield from entry_heads(name, function)
    yield from map(entry_head, tables.primitives)


def _descriptions(tables: Tables, own: Set[str]) -> Iterator[Iterator[str]]:
    for name, function in tables.escaping.items():
        if _is_elsewhere(tables, function, own):
            yield declared_elsewhere(name, function)
        else:
            linkage = "" if function.name in own else "static "
            yield wrapped(function_description(name, function, linkage))
    for name, primitive in tables.primitives.items():
        linkage = "RT_ONE_OF_MANY " if tables.shares else "static "
        yield wrapped(primitive_description(name, primitive, linkage))


def _entries(tables: Tables, own: Set[str]) -> list[list[str]]:
    functions = []
    for name, function in tables.escaping.items():
        if not _is_elsewhere(tables, function, own):
            functions.append(function_entry(name, function))
            if takes_captures(function):
                functions.append(last_function_entry(name, function))
            if (primitive := primitive_for_two(function)) is not None:
                functions.append(primitive_entry(tables, name_for_two(name), primitive, True))
    primitives = [primitive_entry(tables, n, p) for n, p in tables.primitives.items()]
    return [list(wrapped(entry)) for entry in (*functions, *primitives)]


def _table(tables: Tables, name: str) -> Iterator[str]:
    """The table of the constants of a separate file."""
    if rows := list(wrapped(tables.literals.table())):
        yield from ("static const rt_literal literals[] = {", *rows, "};", "")
        yield f"extern const rt_literals {name};"
        described = c_struct(count="sizeof literals / sizeof *literals", rows="literals")
        yield f"const rt_literals {name} = {described};"


def _make_literals(tables: Tables, other_literals: Sequence[str]) -> Iterator[str]:
    """The table of the constants, and the function that reads it."""
    rows = list(wrapped(tables.literals.table()))
    if not rows and not other_literals:
        return
    if rows:
        yield from ("static const rt_literal literals[] = {", *rows, "};", "")
    for name in other_literals:
        yield f"extern const rt_literals {name};"
    yield "static void make_literals(void)"
    yield "{"
    if rows:
        yield "    rt_make_literals(sizeof literals / sizeof *literals, literals);"
    for name in other_literals:
        yield f"    rt_make_literals({name}.count, {name}.rows);"
    yield "}"


def _program(
    tables: Tables, anf: Anf, program: str | None, has_other_literals: bool
) -> Iterator[str]:
    """The description of the program for the runtime, and `main`."""
    globals_ = [f"&{n}" for n, held in tables.variables.items() if held is Representation.VALUE]
    if globals_:
        yield from wrapped([f"static rt_value *const variables[] = {{{', '.join(globals_)}}};"])
        yield ""
    has_literals = has_other_literals or any(tables.literals.declarations())
    make_literals = "make_literals" if has_literals else "NULL"
    table = "variables" if globals_ else "NULL"
    hooks = "&bridge_hooks" if anf.uses_tensors else "NULL"
    run, *more = [tables.call(name) for name in tables.main]
    assert anf.main.result is Representation.VALUE, anf.main
    if more:
        yield from _sequence([run, *more])
        run = "all_chunks"
    if anf.main.may_tail:
        yield f"static rt_value run(void) {{ return rt_finish({run}()); }}"
        run = "run"
    name = program or "program"
    if program:
        yield f"extern const rt_program {name};"
    described = c_struct(
        make_literals=make_literals,
        run=run,
        global_count=str(len(globals_)),
        globals=table,
        tensors=hooks,
        reads_arguments=c_boolean(tables.reads_arguments),
    )
    linkage = "" if program else "static "
    yield from wrapped([f"{linkage}const rt_program {name} = {described};"])
    if not program:
        yield ""
        yield "int main(int argc, char **argv)"
        yield "{"
        yield "    return rt_main(argc, argv, &program);"
        yield "}"


def _sequence(chunks: list[str]) -> Iterator[str]:
    """The function that runs the chunks of the top level until one fails."""
    yield from wrapped([f"static rt_value (*const chunks[])(void) = {{{', '.join(chunks)}}};"])
    yield from (
        "static rt_value all_chunks(void)",
        "{",
        "    rt_value value = RT_UNSPECIFIED;",
        "    for (size_t i = 0; i < sizeof chunks / sizeof *chunks && !rt_failed(&value); i++)",
        "        value = chunks[i]();",
        "    return value;",
        "}",
    )
