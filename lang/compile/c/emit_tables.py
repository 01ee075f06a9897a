"""The tables that all functions of an emitted program share: names, constants, locations,
procedures.

An emitted function asks these tables for the names that it uses.  The program then declares only
these, because C compilers warn about unused definitions.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from zlib import crc32

from lambent.lang.compile.c.c_constants import c_string, c_struct
from lambent.lang.compile.c.literals import Literals
from lambent.lang.compile.c.locations import Locations
from lambent.lang.compile.c.names import LocalScope, Scope, c_suffix, without_number
from lambent.lang.compile.closures.split_top_level import split_top_level
from lambent.lang.compile.ir.anf import Anf, Apply, Function, PrimitiveValue, Representation
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.ir.operands import (
    Parameters,
    has_loop,
    parameters_by_name,
    statement_count,
)
from lambent.lang.compile.tensors.location_records import NO_CREATORS, Creators, find_creators
from lambent.lang.core.ir import Namespace
from lambent.lang.primitives.table import Primitive, operator_name
from lambent.lang.system.dataclass import dataclass, field

C_TYPES = {
    Representation.VALUE: "rt_value ",
    Representation.FIXNUM: "int64_t ",
    Representation.FLOAT: "double ",
    Representation.NUMBER: "rt_number ",
    Representation.BOOLEAN: "bool ",
    Representation.TENSOR: "ct_tensor *",
    Representation.GRAD_MODE: "bool ",
    Representation.VOID: "void ",
}
# The value of each representation; nothing is the unspecified value.
BOXED = {
    Representation.VALUE: "{}",
    Representation.FIXNUM: "rt_of_fixnum({})",
    Representation.FLOAT: "rt_of_double({})",
    Representation.NUMBER: "rt_box({})",
    Representation.BOOLEAN: "rt_of_boolean({})",
    Representation.TENSOR: "rt_of_tensor({})",
    Representation.VOID: "RT_UNSPECIFIED",
}


@dataclass(slots=True)
class Tables:
    """main: the chunks of the top level, in order.  functions: all functions, these included, by
    their names in ANF.  heads: what prototypes of them need.  tensors: whether there can be any.
    creators: what may create them.  reads_arguments: whether the program may read its command line.
    representations: those of the top-level variables.

    exported: the C names of functions that are in another file or called from one.  shares: there
    are such files, so shared objects have names that are the same in all of them.  several: these
    are files of the program, too, of which no name counts over all.  variables_of_several: the
    program's variables that they share.  called,
    escaping, primitives: the functions that the text calls, the functions and the primitives that
    it uses as values, the latter two by C name; all in order of first use.
    """

    main: dict[str, Function]
    functions: dict[str, Function]
    heads: "Heads"
    parameters: Parameters
    tensors: bool
    creators: Creators
    reads_arguments: bool
    representations: Mapping[tuple[str, Namespace], Representation]
    exported: Mapping[str, str] = field(default_factory=dict)
    shares: bool = False
    several: bool = False
    variables_of_several: Set[str] = frozenset()
    literals: Literals = field(default_factory=Literals)
    locations: Locations = field(default_factory=Locations)
    called: dict[str, None] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)  # of `called`
    escaping: dict[str, Function] = field(default_factory=dict)
    primitives: dict[str, Primitive] = field(default_factory=dict)
    # The top-level variables, by C name.
    variables: dict[str, Representation] = field(default_factory=dict)
    operators: dict[str, str] = field(default_factory=dict)  # C name -> initializer
    shared: dict[str, None] = field(default_factory=dict)  # those that other files have, too
    typed: dict[str, None] = field(
        default_factory=dict
    )  # the typed entry points of operators, by C name
    _scope: Scope = field(default_factory=Scope)

    @staticmethod
    def of(anf: Anf) -> "Tables":
        taken = {f.name for f in (*anf.functions, *anf.externals)}
        main = {chunk.name: chunk for chunk in split_top_level(anf.main, taken)}
        functions = (*anf.functions, *main.values(), *anf.externals)
        named = {f.name: f for f in functions}
        symbols = {f.name: f.interface.symbol for f in anf.externals if f.interface is not None}
        return Tables(
            main,
            named,
            Heads(functions),
            parameters_by_name(functions),
            anf.uses_tensors,
            find_creators(named) if anf.uses_tensors else NO_CREATORS,
            any(map(asks_for_arguments, functions)),
            {(v.name, v.namespace): v.representation for v in anf.globals},
            symbols,
            shares=bool(symbols),
        )

    def of_several(self, symbols: Mapping[str, str], shared: Set[str], own: bool) -> "Tables":
        """New tables, for one of the files of this program.

        symbols: the C names of the functions that other files know.  shared: the variables that
        several files have.  own: whether it is the file of the top level.
        """
        return Tables(
            self.main if own else {},
            self.functions,
            self.heads,
            self.parameters,
            self.tensors,
            self.creators,
            self.reads_arguments,
            self.representations,
            {**self.exported, **symbols},
            shares=True,
            several=True,
            variables_of_several=shared,
        )

    @staticmethod
    def of_library(
        functions: Sequence[Function], symbols: Mapping[str, str], *, tensors: bool
    ) -> "Tables":
        """The tables of a file with functions of the library.  symbols: the C names of those that
        other files know."""
        return Tables(
            {},
            {function.name: function for function in functions},
            Heads(functions),
            parameters_by_name(tuple(functions)),
            tensors,
            NO_CREATORS,
            False,
            {},
            symbols,
            shares=True,
        )

    def in_order(self, names: Iterable[str]) -> list[Function]:
        """Those of the functions that are not part of the top level, in the program's order.

        Those of a library's file are in the order of their names, which all programs share.
        """
        chosen = [name for name in names if name not in self.main]
        is_program = self.main or self.several
        order = sorted(chosen, key=self.heads.position) if is_program else sorted(chosen)
        return [self.functions[name] for name in order]

    def is_main(self, name: str) -> bool:
        """Whether a function is the top level or a chunk of it."""
        return name in self.main

    def call(self, name: str) -> str:
        """The C name of a function that is called."""
        if name not in self.called:
            self.called[name] = None
            self.order.append(name)
        return self._function_name(name)

    def closure_name(self, name: str) -> str:
        """The common end of the C names of a function's entry point, description and static
        closure."""
        symbol = self.call(name)
        self.escaping.setdefault(symbol, self.functions[name])
        return symbol

    def primitive_closure_name(self, primitive: Primitive) -> str:
        """The same for a primitive."""
        ending = self._scope.name(
            f"primitive {primitive.name}",
            f"primitive_{c_suffix(primitive.name)}{self._unique_suffix(primitive.name)}",
        )
        self.primitives.setdefault(ending, primitive)
        return ending

    def variable(self, name: str, namespace: Namespace) -> str:
        """The C variable of a top-level variable."""
        is_own = namespace is Namespace.PROGRAM
        prefix = "global" if is_own else "lib_global"
        is_shared = not is_own or name in self.variables_of_several
        suffix = self._unique_suffix(name) if is_shared else ""
        variable = self._scope.name(f"{prefix} {name}", f"{prefix}_{c_suffix(name)}{suffix}")
        self.variables.setdefault(variable, self.held_as(name, namespace))
        if suffix:
            self.shared.setdefault(variable)
        return variable

    def held_as(self, name: str, namespace: Namespace) -> Representation:
        """How C holds a top-level variable."""
        return self.representations.get((name, namespace), Representation.VALUE)

    def _unique_suffix(self, name: str) -> str:
        """What distinguishes C names that files share, because Lisp names may have the same
        spelling."""
        return f"__{crc32(name.encode()):08x}" if self.shares else ""

    def operator(self, primitive: Primitive) -> str:
        """The C variable that caches the lookup of an operator."""
        name = primitive.name
        found = self._scope.name(f"operator {name}", f"operator_{c_suffix(name)}")
        described = c_struct(lisp_name=c_string(name), name=c_string(operator_name(name)))
        self.operators.setdefault(found, described)
        return found

    def _function_name(self, name: str) -> str:
        if name in self.exported:
            return self.exported[name]
        if self.is_main(name):
            return self._scope.name(f"function {name}", "top_level")
        prefix = "lib_" if self.functions[name].owner.is_library else "fn_"
        shown = without_number(name) if self.several else name
        return self._scope.name(f"function {name}", prefix + c_suffix(shown))


def asks_for_arguments(function: Function) -> bool:
    """Whether it may read the program's command line."""
    if function.interface is not None:
        return function.interface.asks_for_arguments
    return any(
        bind.operation.primitive.symbol == "rt_command_line"
        for bind in binds_in(function.body)
        if isinstance(bind.operation, (Apply, PrimitiveValue))
    )


class Heads:
    """Facts about functions that the files of a program ask for again and again: a library function
    has a prototype in the file of each caller."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self._positions = {function.name: i for i, function in enumerate(functions)}
        self._parameters: dict[str, list[str]] = {}
        self._small: dict[str, bool] = {}

    def position(self, name: str) -> int:
        return self._positions[name]

    def parameter_names(self, function: Function) -> list[str]:
        """The C names of its parameters."""
        if function.name not in self._parameters:
            scope = LocalScope()
            self._parameters[function.name] = [scope.local(p.name) for p in function.parameters]
        return self._parameters[function.name]

    def is_small(self, function: Function) -> bool:
        if function.name not in self._small:
            self._small[function.name] = is_small(function)
        return self._small[function.name]


def signature(tables: Tables, function: Function, names: list[str]) -> str:
    """The head of a C function with these parameter names."""
    parameters = [
        f"{C_TYPES[p.representation]}{name}"
        for p, name in zip(function.parameters, names, strict=True)
    ]
    result = C_TYPES[function.result]
    if returns_status(function):
        if function.result is not Representation.VOID:
            parameters.append(f"{result}*result")
        result = "int "
    symbol = tables.call(function.name)
    small = tables.heads.is_small(function) and not tables.is_main(function.name)
    linkage = "" if function.name in tables.exported else "static inline " if small else "static "
    if is_cold(tables, function):
        linkage += "RT_COLD "
    head = f"{linkage}{result}{symbol}"
    return f"{head}({', '.join(parameters) or 'void'})"


def is_cold(tables: Tables, function: Function) -> bool:
    """Whether it is a chunk of a long top level and runs each operation once: optimizing it is not
    worth the C compiler's time."""
    return len(tables.main) > 1 and tables.is_main(function.name) and not has_loop(function)


# Operations.  C compilers inline `static inline` functions more often, also into themselves.
_SMALL = 8
_SMALL_RECURSIVE = 16


def is_small(function: Function) -> bool:
    """Whether it is small, as accessors and tests are, or small enough to be unrolled where it
    calls itself."""
    return statement_count(function.body) <= (_SMALL_RECURSIVE if function.checks_stack else _SMALL)


def returns_status(function: Function) -> bool:
    """Whether it returns a status and writes its result through its last parameter."""
    return function.may_fail and function.result not in (
        Representation.VALUE,
        Representation.NUMBER,
        Representation.TENSOR,
    )
