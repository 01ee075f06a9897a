"""Short names for the nodes of Python's `ast` that the evaluator emits.

The line of every node is the number of a location (`unit.py`); all constructors take it last.
"""

import ast
from typing import Any

_LOAD, _STORE = ast.Load(), ast.Store()
Expr = ast.expr
Stmt = ast.stmt


def _at(line: int) -> dict[str, Any]:
    return {"lineno": line, "col_offset": 0, "end_lineno": line, "end_col_offset": 0}


def name(identifier: str, line: int) -> ast.Name:
    return ast.Name(
        identifier, _LOAD, lineno=line, col_offset=0, end_lineno=line, end_col_offset=0
    )


def constant(value: Any, line: int) -> ast.Constant:
    return ast.Constant(value, **_at(line))


def call(function: Expr, arguments: list[Expr], line: int) -> ast.Call:
    return ast.Call(function, arguments, [], **_at(line))


def call_name(identifier: str, arguments: list[Expr], line: int) -> ast.Call:
    return call(name(identifier, line), arguments, line)


def spread(value: Expr, line: int) -> ast.Starred:
    return ast.Starred(value, _LOAD, **_at(line))


def attribute(value: Expr, field: str, line: int) -> ast.Attribute:
    return ast.Attribute(value, field, _LOAD, **_at(line))


def item(value: Expr, index: Expr, line: int) -> ast.Subscript:
    return ast.Subscript(value, index, _LOAD, **_at(line))


def tuple_of(items: list[Expr], line: int) -> ast.Tuple:
    return ast.Tuple(items, _LOAD, **_at(line))


def binary(left: Expr, operator: ast.operator, right: Expr, line: int) -> ast.BinOp:
    return ast.BinOp(left, operator, right, **_at(line))


def negative(operand: Expr, line: int) -> ast.UnaryOp:
    return ast.UnaryOp(ast.USub(), operand, **_at(line))


def compare(left: Expr, operator: ast.cmpop, right: Expr, line: int) -> ast.Compare:
    return ast.Compare(left, [operator], [right], **_at(line))


def is_(left: Expr, right: Expr, line: int) -> ast.Compare:
    return compare(left, ast.Is(), right, line)


def is_not(left: Expr, right: Expr, line: int) -> ast.Compare:
    return compare(left, ast.IsNot(), right, line)


def and_(tests: list[Expr], line: int) -> ast.BoolOp:
    return ast.BoolOp(ast.And(), tests, **_at(line))


def or_(tests: list[Expr], line: int) -> ast.BoolOp:
    return ast.BoolOp(ast.Or(), tests, **_at(line))


def not_(test: Expr, line: int) -> Expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test, **_at(line))


def if_else(test: Expr, then: Expr, orelse: Expr, line: int) -> ast.IfExp:
    return ast.IfExp(test, then, orelse, **_at(line))


def bind(identifier: str, value: Expr, line: int) -> ast.NamedExpr:
    """`(identifier := value)`"""
    return ast.NamedExpr(ast.Name(identifier, _STORE, **_at(line)), value, **_at(line))


def assign(identifier: str, value: Expr, line: int) -> ast.Assign:
    return ast.Assign([ast.Name(identifier, _STORE, **_at(line))], value, **_at(line))


def assign_all(identifiers: list[str], value: Expr, line: int) -> ast.Assign:
    """`a, b = value`"""
    targets: list[Expr] = [ast.Name(i, _STORE, **_at(line)) for i in identifiers]
    return ast.Assign([ast.Tuple(targets, _STORE, **_at(line))], value, **_at(line))


def assign_fields(identifier: str, fields: list[str], values: list[Expr], line: int) -> ast.Assign:
    """`identifier.a, identifier.b = values`"""
    targets: list[Expr] = [
        ast.Attribute(name(identifier, line), field, _STORE, **_at(line)) for field in fields
    ]
    return ast.Assign(
        [ast.Tuple(targets, _STORE, **_at(line))], tuple_of(values, line), **_at(line)
    )


def effect(value: Expr, line: int) -> ast.Expr:
    return ast.Expr(value, **_at(line))


def return_(value: Expr, line: int) -> ast.Return:
    return ast.Return(value, **_at(line))


def if_(test: Expr, then: list[Stmt], orelse: list[Stmt], line: int) -> ast.If:
    return ast.If(test, then or [ast.Pass(**_at(line))], orelse, **_at(line))


def while_true(body: list[Stmt], line: int) -> ast.While:
    return ast.While(constant(True, line), body, [], **_at(line))


def continue_(line: int) -> ast.Continue:
    return ast.Continue(**_at(line))


def try_finally(body: list[Stmt], last: list[Stmt], line: int) -> ast.Try:
    return ast.Try(body, [], [], last, **_at(line))


def try_except(
    body: list[Stmt], failures: Expr, variable: str, then: list[Stmt], line: int
) -> ast.Try:
    handler = ast.ExceptHandler(failures, variable, then, **_at(line))
    return ast.Try(body, [handler], [], [], **_at(line))


def nonlocals(names: list[str], line: int) -> ast.Nonlocal:
    return ast.Nonlocal(names, **_at(line))


def global_(identifier: str, line: int) -> ast.Global:
    return ast.Global([identifier], **_at(line))


def function(
    identifier: str, parameters: list[str], rest: str | None, body: list[Stmt], line: int
) -> ast.FunctionDef:
    arguments = ast.arguments(
        posonlyargs=[ast.arg(p, **_at(line)) for p in parameters],
        args=[],
        vararg=ast.arg(rest, **_at(line)) if rest else None,
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    return ast.FunctionDef(identifier, arguments, body, [], **_at(line))
