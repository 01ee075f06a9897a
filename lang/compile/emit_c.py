"""Owned ANF to C99 that a person can read.  Text only: every decision has been made before.

A program becomes one file: what it refers to, its functions in their order, and `main`.  Lisp names
are kept, each operation is a line, the Lisp head stands above its function, and what can fail is
followed by a test that leads to the cleanup labels at the function's end.

    (define (second l) (car (cdr l)))
    =>
    /* (define (second l) (car (cdr l))) -- demo.lisp:1 */
    static rt_value fn_second(rt_value l)
    {
        rt_value t1 = rt_cdr(l);
        if (rt_failed(&t1)) { rt_at(&places[0]); goto free_l; }
        rt_free(l);
        ...
"""

from collections.abc import Iterator

from lambent.lang.compile.anf import (
    Anf,
    Bind,
    Block,
    Function,
    If,
    Loop,
    LoopVariable,
    Recur,
    SlotSet,
    Type,
    Yield,
)
from lambent.lang.compile.effects import is_steady
from lambent.lang.compile.emit_blocks import Blocks
from lambent.lang.compile.emit_tables import Tables, signature
from lambent.lang.compile.entries import (
    entry_head,
    function_description,
    function_entry,
    primitive_description,
    primitive_entry,
)
from lambent.lang.compile.frame import Frame
from lambent.lang.compile.layout import wrapped
from lambent.lang.compile.names import c_comment
from lambent.lang.compile.operands import all_blocks, end_operands, statement_operands
from lambent.lang.deep import call_deep
from lambent.lang.primitives.typed import typed_declaration
from lambent.lang.syntax.source import Span

_HEAD_WIDTH = 80


def emit_c(anf: Anf, *, lines: bool = False, program: str | None = None) -> str:
    """The C text of a whole program.

    lines: write #line directives, so that debuggers show the Lisp source.
    program: define an rt_program of that name for others to run, instead of `main`.
    """
    return call_deep(_emit_c, anf, lines, program)


def _emit_c(anf: Anf, lines: bool, program: str | None) -> str:
    tables = Tables.of(anf)
    main, bodies = _functions(tables, anf, lines)
    entries = _entries(tables)
    parts = [
        ["#define RT_WITHOUT_TENSORS"] * (not anf.uses_tensors)
        + [f'#include "{name}"' for name in ("rt.h", "bridge.h")[: 1 + anf.uses_tensors]]
        + ["#include <math.h>"],
        tables.places.table(),
        _variables(tables),
        wrapped(f"{typed_declaration(symbol)};" for symbol in tables.typed),
        wrapped(f"{text};" for text in _prototypes(tables, anf)),
        *_descriptions(tables),
        *bodies,
        *entries,
        _making(tables),
        *main,
        _program(tables, anf, program),
    ]
    return "\n".join("\n".join((*part, "")) for part in map(list, parts) if part)


# Functions.


def _functions(
    tables: Tables, anf: Anf, lines: bool
) -> tuple[list[list[str]], list[list[str]]]:
    """The text of the top level, and of the functions that it reaches, in the program's order."""
    texts = {name: _function(tables, part, lines) for name, part in tables.main.items()}
    waiting = list(tables.called)
    while waiting:
        for name in waiting:
            if name not in texts:
                texts[name] = _function(tables, tables.functions[name], lines)
        waiting = [name for name in tables.called if name not in texts]
    main = [texts[name] for name in tables.main]
    return main, [texts[f.name] for f in anf.functions if f.name in texts]


def _function(tables: Tables, function: Function, lines: bool) -> list[str]:
    frame = Frame(tables, function, _used(function.body), lines, is_steady(function))
    parameters = [frame.enter(p.name, p.type) for p in function.parameters]
    for parameter, text in zip(function.parameters, parameters, strict=True):
        if parameter.own:
            frame.acquire(parameter.name)
        elif parameter.name not in frame.used:
            frame.say(f"(void){text};")
        if parameter.own and not parameter.type.on_heap and parameter.name not in frame.used:
            frame.say(f"(void){text};")
    if function.checks_stack:
        enter = "rt_enter_steady" if frame.steady else "rt_enter"
        frame.fail_if(f"rt_failed_status({enter}())", None)
    Blocks(frame).function_body(function.body)
    top = tables.is_main(function.name)
    head = c_comment("The top level.") if top else _head(function)
    return [head, *wrapped(frame.text(parameters))]


def _used(body: Block) -> frozenset[str]:
    """The names that the function reads.

    What a branch yields counts only if the If's own name is read or owns something; what a loop's
    variable begins with or goes on with, likewise; and a slot that is only set does not count.
    """
    used: set[str] = set()
    loops: dict[str, Loop] = {}
    receivers: dict[int, If | Loop] = {}  # by the identity of the block that yields to them
    sources: list[tuple[LoopVariable | If | Loop, str]] = []
    for block in all_blocks(body):
        for statement in block.statements:
            match statement:
                case Bind(operation=SlotSet(_, value)):
                    used.add(value)
                case If(test=test, then=then, orelse=orelse):
                    used.add(test)
                    receivers |= {id(then): statement, id(orelse): statement}
                case Loop(label=label, variables=variables, body=turn):
                    loops[label] = receivers[id(turn)] = statement
                    sources += [(variable, variable.initial) for variable in variables]
                case _:
                    used.update(statement_operands(statement))
        match block.end:
            case Recur(label, arguments):
                sources += zip(loops[label].variables, arguments, strict=True)
            case Yield(name) if id(block) in receivers:
                sources.append((receivers[id(block)], name))
            case end:
                used.update(end_operands(end))
    return frozenset(_with_sources(used, sources))


def _with_sources(used: set[str], sources: list[tuple[LoopVariable | If | Loop, str]]) -> set[str]:
    """The names in use with all that is moved into them."""
    moved: dict[str, list[str]] = {}
    for target, source in sources:
        if target.type.on_heap:
            used.add(source)
        moved.setdefault(target.name, []).append(source)
    waiting = list(used)
    while waiting:
        for source in moved.get(waiting.pop(), ()):
            if source not in used:
                used.add(source)
                waiting.append(source)
    return used


def _head(function: Function) -> str:
    """The first line of the function's Lisp source, as a comment with its place."""
    first, *more = function.span.text.splitlines() or [""]
    first = first.rstrip()
    if len(first) > _HEAD_WIDTH:
        first, more = first[: _HEAD_WIDTH - 1].rstrip(), ["..."]
    return c_comment(f"{first}{' ...' if more else ''} -- {_file_line(function.span)}")


def _file_line(span: Span) -> str:
    return f"{span.source.name}:{span.line}"


# What stands before and after the functions.


def _variables(tables: Tables) -> Iterator[str]:
    yield from tables.literals.declarations()
    for name in tables.variables:
        yield f"static rt_value {name} = RT_UNBOUND;"
    for name, described in tables.operators.items():
        yield f"static bridge_operator {name} = {described};"


def _prototypes(tables: Tables, anf: Anf) -> Iterator[str]:
    for function in anf.functions:
        if function.name in tables.called:
            frame = Frame(tables, function, frozenset(), False)
            yield signature(
                tables, function, [frame.enter(p.name, p.type) for p in function.parameters]
            )
    for name in (*tables.closed, *tables.primitives):
        yield entry_head(name)


def _descriptions(tables: Tables) -> Iterator[Iterator[str]]:
    for name, function in tables.closed.items():
        yield wrapped(function_description(name, function))
    for name, primitive in tables.primitives.items():
        yield wrapped(primitive_description(name, primitive))


def _entries(tables: Tables) -> list[list[str]]:
    functions = [function_entry(n, f) for n, f in tables.closed.items()]
    primitives = [primitive_entry(tables, n, p) for n, p in tables.primitives.items()]
    return [list(wrapped(entry)) for entry in (*functions, *primitives)]


def _making(tables: Tables) -> Iterator[str]:
    """The table of the constants, and what reads it."""
    rows = list(wrapped(tables.literals.table()))
    if not rows:
        return
    yield from ("static const rt_literal literals[] = {", *rows, "};", "")
    yield "static void make_literals(void)"
    yield from ("{", "    rt_make_literals(sizeof literals / sizeof *literals, literals);", "}")


def _program(tables: Tables, anf: Anf, program: str | None) -> Iterator[str]:
    """The description of the program for the runtime, and `main`."""
    globals_ = [f"&{name}" for name in tables.variables]
    if globals_:
        yield from wrapped([f"static rt_value *const variables[] = {{{', '.join(globals_)}}};"])
        yield ""
    making = "make_literals" if list(tables.literals.declarations()) else "NULL"
    table = "variables" if globals_ else "NULL"
    hooks = "&bridge_hooks" if anf.uses_tensors else "NULL"
    run, *more = [tables.call(name) for name in tables.main]
    assert anf.main.result is Type.VALUE, anf.main
    if more:
        yield from _sequence([run, *more])
        run = "all_parts"
    if anf.main.may_tail:
        yield f"static rt_value run(void) {{ return rt_finish({run}()); }}"
        run = "run"
    name = program or "program"
    if program:
        yield f"extern const rt_program {name};"
    yield f"{'' if program else 'static '}const rt_program {name} = {{"
    reads = "true" if tables.reads_arguments else "false"
    yield f"    {making}, {run}, {len(globals_)}, {table}, {hooks}, {reads}"
    yield "};"
    if not program:
        yield ""
        yield "int main(int argc, char **argv)"
        yield "{"
        yield "    return rt_main(argc, argv, &program);"
        yield "}"


def _sequence(parts: list[str]) -> Iterator[str]:
    """The function that runs the parts of the top level until one fails."""
    yield from wrapped([f"static rt_value (*const parts[])(void) = {{{', '.join(parts)}}};"])
    yield from (
        "static rt_value all_parts(void)",
        "{",
        "    rt_value value = RT_UNSPECIFIED;",
        "    for (size_t i = 0; i < sizeof parts / sizeof *parts && !rt_failed(&value); i++)",
        "        value = parts[i]();",
        "    return value;",
        "}",
    )
