"""Which functions a verifier looks at, where it has proved the program before the last pass.

Passes return the bodies that they do not change.  What is proved of a body depends on it and on
what functions declare, so it still holds where both are as they were.

    fn f = A   fn g = B     proved     a pass makes B' of B     =>   [g]
"""

from lambent.lang.compile.ir.anf import Anf, Function


def unproved(program: Anf, proved: Anf | None) -> list[Function]:
    """The functions of a program of which nothing is proved yet; proved: the one before the pass,
    None if nothing is known of it."""
    functions = list(program.own_functions)
    if proved is None or program.globals != proved.globals:
        return functions
    before = list(proved.own_functions)
    if list(map(_declared, functions)) != list(map(_declared, before)):
        return functions
    return [f for f, old in zip(functions, before, strict=True) if f.body is not old.body]


def _declared(function: Function) -> tuple[object, ...]:
    """What other functions may depend on, and the function's own body."""
    parameters = [(p.name, p.representation, p.range) for p in function.parameters]
    return (
        function.name, function.captures, function.escapes, function.result,
        function.result_range, function.fixnums, *parameters,
    )  # fmt: skip
