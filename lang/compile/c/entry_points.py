"""Procedures as values: the entry point for indirect calls, and the description of the procedure.

The runtime checks the number of arguments, finds the keyword arguments and creates the rest list.
An entry point only unpacks the arguments.  It owns the arguments, and borrows the captures.  A
function that owns its captures has a second entry point, for the last call of a closure: it takes
the captures out of the closure instead of duplicating them.

    (define (f x y) ...) as a value  =>  static rt_value entry_fn_f(captures, arguments)
                                         {
                                             (void)captures;
                                             return fn_f(arguments[0], arguments[1]);
                                         }
"""

from collections.abc import Iterator

from lambent.lang.compile.c.c_constants import c_boolean, c_string, c_struct
from lambent.lang.compile.c.emit_tables import BOXED, C_TYPES, Tables, returns_status
from lambent.lang.compile.ir.anf import Function, Representation
from lambent.lang.core.primitive_calls import default_datum, primitive_of_two
from lambent.lang.primitives.signature import Param
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Origin, Primitive

_HEAD = "static rt_value entry_{}(const rt_value *captures, const rt_value *arguments)"
_MOST_FREED = 2  # arguments of a primitive, by statements of their own
_LAST_HEAD = "static rt_value last_entry_{}(rt_value closure, const rt_value *arguments)"


def entry_head(name: str) -> str:
    return _HEAD.format(name)


def entry_heads(name: str, function: Function) -> Iterator[str]:
    """The heads of the entry points of a function of the program."""
    yield _HEAD.format(name)
    if takes_captures(function):
        yield _LAST_HEAD.format(name)
    if primitive_for_two(function) is not None:
        yield _HEAD.format(name_for_two(name))


def primitive_for_two(function: Function) -> Primitive | None:
    """The primitive that calls of the function with two arguments come to: `<` of the library, as a
    value, needs no list for them."""
    if not function.owner.is_library or not function.has_rest or function.lisp_name is None:
        return None
    return primitive_of_two(function.lisp_name)


def name_for_two(name: str) -> str:
    """The name of the entry point of these calls."""
    return f"of_two_{name}"


def takes_captures(function: Function) -> bool:
    """Whether it owns its captures."""
    captures = function.parameters[: function.captures]
    return bool(captures) and all(p.own for p in captures)


def function_entry(name: str, function: Function) -> Iterator[str]:
    """The entry point of a function of the program."""
    yield entry_head(name)
    yield "{"
    count = len(function.parameters) - function.captures
    yield from _unused(bool(function.captures), count > 0)
    captures = function.parameters[: function.captures]
    texts = [
        f"rt_dup(captures[{i}])" if p.own else f"captures[{i}]" for i, p in enumerate(captures)
    ]
    yield from _body(name, function, texts)


def last_function_entry(name: str, function: Function) -> Iterator[str]:
    """The entry point for the last call of a closure."""
    count = function.captures
    yield _LAST_HEAD.format(name)
    yield "{"
    yield from _unused(True, len(function.parameters) > count)
    yield f"    rt_value captures[{count}];"
    yield f"    rt_take_captures(closure, {count}, captures);"
    yield from _body(name, function, [f"captures[{i}]" for i in range(count)])


def _body(name: str, function: Function, captures: list[str]) -> Iterator[str]:
    """The call of the function.  captures: the arguments for the captures."""
    parameters = function.parameters
    texts = [*captures, *[f"arguments[{i}]" for i in range(len(parameters) - len(captures))]]
    assert all(p.representation is Representation.VALUE for p in parameters), function.name
    borrowed = [
        text
        for text, p in zip(texts[function.captures :], parameters[function.captures :], strict=True)
        if not p.own
    ]
    is_of_library = function.span.source.library and function.may_fail
    result = "rt_of_library({})" if is_of_library else "{}"
    if function.result is Representation.VALUE and not borrowed:
        call = f"{name}({', '.join(texts)})"
        yield f"    return {result.format(call)};"
    else:
        yield from _result_of_function(name, function, texts)
        yield from (f"    rt_free({text});" for text in borrowed)
        yield f"    return {result.format('result')};"
    yield "}"


def _result_of_function(name: str, function: Function, texts: list[str]) -> Iterator[str]:
    c_type = C_TYPES[function.result]
    if returns_status(function) and function.result is not Representation.VOID:
        yield f"    {c_type}found;"
        texts = [*texts, "&found"]
    call = f"{name}({', '.join(texts)})"
    match function.result:
        case Representation.VALUE:
            yield f"    rt_value result = {call};"
        case Representation.TENSOR:
            yield f"    ct_tensor *found = {call};"
            yield "    rt_value result = found == NULL ? RT_ERROR : rt_of_tensor(found);"
        case Representation.VOID if function.may_fail:
            yield f"    rt_value result = {call} ? RT_ERROR : RT_UNSPECIFIED;"
        case Representation.VOID:
            yield f"    {call};"
            yield "    rt_value result = RT_UNSPECIFIED;"
        case representation if function.may_fail:
            boxed = BOXED[representation].format("found")
            yield f"    rt_value result = {call} ? RT_ERROR : {boxed};"
        case representation:
            yield f"    rt_value result = {BOXED[representation].format(call)};"


def _unused(captures: bool, arguments: bool) -> Iterator[str]:
    if not captures:
        yield "    (void)captures;"
    if not arguments:
        yield "    (void)arguments;"


# Primitives as values.


def primitive_entry(
    tables: Tables, name: str, primitive: Primitive, of_library: bool = False
) -> Iterator[str]:
    """The entry point of a primitive: it fills in defaults, and frees the borrowed arguments.
    of_library: it stands for a procedure of the library."""
    signature = primitive.signature
    count = len(signature.params) + (signature.rest is not None)
    yield entry_head(name)
    yield "{"
    yield from _unused(False, count > 0)
    texts = []
    for index, param in enumerate(signature.params):
        text = f"arguments[{index}]"
        if param.default is not None:
            default = tables.literals.expression(default_datum(param.default), Representation.VALUE)
            yield f"    rt_value {_name(param)} = {text} == RT_ABSENT ? {default} : {text};"
            text = _name(param)
        if param.type is Declared.TENSOR:
            yield f"    if (!rt_is_tensor({text})) {{"
            words = f"{c_string(primitive.name)}, {c_string(param.type.noun)}, {text}"
            yield f"        rt_fail_wrong_type({words});"
            yield f"        rt_free_all({count}, arguments);"
            yield "        return RT_ERROR;"
            yield "    }"
            text = f"rt_tensor({text})"
        texts.append(text)
    if signature.rest:
        yield f"    rt_value items = rt_list_to_vector(arguments[{count - 1}]);"
        if signature.rest.own:
            yield "    for (size_t i = 0; i < rt_vector_of(items)->length; i++)"
            yield "        rt_dup(rt_vector_of(items)->items[i]);"
        texts.append("rt_vector_of(items)->length, rt_vector_of(items)->items")
    yield from _result_of_primitive(tables, primitive, texts)
    if signature.rest:
        yield "    rt_free(items);"
    yield from _free_arguments(primitive, count)
    yield f"    return {'rt_of_library(result)' if of_library else 'result'};"
    yield "}"


def _result_of_primitive(tables: Tables, primitive: Primitive, texts: list[str]) -> Iterator[str]:
    result, symbol = primitive.signature.result, primitive.symbol
    if primitive.is_operator:
        operator = f"&{tables.operator(primitive)}"
        call = f"bridge_call({operator}, {', '.join(texts)})"
        yield f"    rt_value result = bridge_find({operator}) ? RT_ERROR : {call};"
        return
    in_ctorch = primitive.origin is Origin.CTORCH
    error = f"bridge_fail({c_string(primitive.name)})" if in_ctorch else "RT_ERROR"
    boxes = {
        Declared.BOOLEAN: ("bool ", "rt_of_boolean(found)"),
        Declared.FIXNUM: ("int64_t ", "rt_of_fixnum(found)"),
        Declared.FLOAT: ("double ", "rt_of_double(found)"),
        Declared.TENSOR: ("ct_tensor *", "rt_of_tensor(found)"),
    }
    if result in boxes and primitive.fails:
        c_type, boxed = boxes[result]
        yield f"    {c_type}found;"
        call = f"{symbol}({', '.join([*texts, '&found'])})"
        yield f"    rt_value result = {call} ? {error} : {boxed};"
        return
    call = f"{symbol}({', '.join(texts)})"
    if result in boxes:
        yield f"    rt_value result = {boxes[result][1].replace('found', call)};"
    elif result is not Declared.VOID:
        yield f"    rt_value result = {call};"
    elif primitive.fails:
        yield f"    rt_value result = {call} ? {error} : RT_UNSPECIFIED;"
    else:
        yield f"    {call};"
        yield "    rt_value result = RT_UNSPECIFIED;"


def _free_arguments(primitive: Primitive, count: int) -> Iterator[str]:
    params = primitive.signature.params
    if count > _MOST_FREED and not any(p.own for p in params):
        yield f"    rt_free_all({count}, arguments);"
        return
    for index in range(count):
        if index >= len(params) or not params[index].own:
            yield f"    rt_free(arguments[{index}]);"


def _name(param: Param) -> str:
    return f"{param.name}_"


# Descriptions.


def declared_elsewhere(name: str, function: Function) -> Iterator[str]:
    """The declarations of a function that is in another file."""
    yield f"extern const rt_function function_{name};"
    if not function.captures:
        yield f"extern rt_closure_object closure_{name};"


def function_description(name: str, function: Function, linkage: str = "static ") -> Iterator[str]:
    """The description that all closures of a function share, and the static closure if it captures
    nothing."""
    yield from _keywords(name, [(k.keyword, k.index) for k in function.keywords])
    yield from _description(
        name,
        function.lisp_name,
        function.usage,
        linkage,
        **_entries_for_two(name, function),
        required=str(function.required),
        parameters=str(len(function.parameters) - function.captures),
        keyword_count=str(len(function.keywords)),
        has_rest=c_boolean(function.has_rest),
        last_entry=f"last_entry_{name}" if takes_captures(function) else "NULL",
    )
    if not function.captures:
        yield f"{linkage}rt_closure_object closure_{name} = RT_STATIC_CLOSURE(&function_{name});"


def _entries_for_two(name: str, function: Function) -> dict[str, str]:
    """The fields for its entry points: calls with two arguments may have one of their own."""
    if primitive_for_two(function) is None:
        return {"entry": f"entry_{name}"}
    return {
        "entry": f"entry_{name_for_two(name)}",
        "general": f"entry_{name}",
        "exact": "3",
        "at_once": "true",
    }


def primitive_description(
    name: str, primitive: Primitive, linkage: str = "static "
) -> Iterator[str]:
    """The same for a primitive, which captures nothing."""
    signature = primitive.signature
    params = signature.params if signature.takes_keywords else ()
    named = [(p.name.replace("_", "-"), i) for i, p in enumerate(params) if p.default]
    optional = len(signature.positional) - signature.least
    parameters = len(signature.params) + (signature.rest is not None)
    yield from _keywords(name, named)
    yield from _description(
        name,
        primitive.name,
        primitive.usage,
        entry=f"entry_{name}",
        required=str(signature.least),
        optional=str(optional),
        parameters=str(parameters),
        keyword_count=str(len(named)),
        has_rest=c_boolean(signature.rest is not None),
        at_once="true",
    )
    yield f"{linkage}rt_closure_object closure_{name} = RT_STATIC_CLOSURE(&function_{name});"


def _keywords(name: str, keywords: list[tuple[str, int]]) -> Iterator[str]:
    if keywords:
        rows = [c_struct(name=c_string(keyword), index=str(i)) for keyword, i in keywords]
        yield f"static const rt_keyword keywords_{name}[] = {{{', '.join(rows)}}};"


def _description(
    name: str,
    lisp_name: str | None,
    usage: str,
    linkage: str = "static ",
    **fields: str,
) -> Iterator[str]:
    """fields: the counts and flags of the struct."""
    shown = "NULL" if lisp_name is None else c_string(lisp_name)
    if fields["keyword_count"] != "0":
        fields["keywords"] = f"keywords_{name}"
    if fields["required"] == fields["parameters"]:
        fields["exact"] = str(int(fields["required"]) + 1)
    described = c_struct(name=shown, usage=c_string(usage), **fields)
    yield f"{linkage}const rt_function function_{name} = {described};"
