"""A small interpreter: expressions are lists, environments are chains of pairs."""

import sys
from collections.abc import Callable, Sequence
from typing import Any


class Closure:
    __slots__ = ("body", "env", "parameters")

    def __init__(self, parameters: list[str], body: Any, env: Any) -> None:
        self.parameters, self.body, self.env = parameters, body, env


class Binding:
    __slots__ = ("name", "rest", "value")

    def __init__(self, name: str, value: Any, rest: Any) -> None:
        self.name, self.value, self.rest = name, value, rest


def lookup(name: str, env: Any) -> Any:
    while env is not None:
        if env.name == name:
            return env.value
        env = env.rest
    raise NameError(name)


def evaluate(x: Any, env: Any) -> Any:
    if isinstance(x, str):
        return lookup(x, env)
    if not isinstance(x, list):
        return x
    head = x[0]
    if head == "quote":
        return x[1]
    if head == "if":
        return evaluate(x[2] if evaluate(x[1], env) else x[3], env)
    if head == "lambda":
        return Closure(x[1], x[2], env)
    if head == "letrec":
        return evaluate_letrec(x, env)
    return call(evaluate(head, env), [evaluate(argument, env) for argument in x[1:]])


def evaluate_letrec(x: Any, env: Any) -> Any:
    inner = env
    for name, _ in x[1]:
        inner = Binding(name, None, inner)
    cell = inner
    for _, value in reversed(x[1]):
        cell.value = evaluate(value, inner)
        cell = cell.rest
    return evaluate(x[2], inner)


def call(f: Any, arguments: Sequence[Any]) -> Any:
    if not isinstance(f, Closure):
        return f(*arguments)
    env = f.env
    for name, value in zip(f.parameters, arguments, strict=True):
        env = Binding(name, value, env)
    return evaluate(f.body, env)


# Lists of the interpreted language are pairs, None at the end.
PRIMITIVES: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "<": lambda a, b: a < b,
    "cons": lambda a, b: (a, b), "car": lambda a: a[0], "cdr": lambda a: a[1],
    "null?": lambda a: a is None,
}  # fmt: skip

items: Any = None
for item in reversed((31, 4, 15, 92, 65, 35, 89, 79, 32, 38)):
    items = (item, items)

PROGRAM = [
    "letrec",
    [["fib", ["lambda", ["n"], ["if", ["<", "n", 2], "n",
                                ["+", ["fib", ["-", "n", 1]], ["fib", ["-", "n", 2]]]]]],
     ["insert", ["lambda", ["x", "items"],
                 ["if", ["null?", "items"], ["cons", "x", "items"],
                  ["if", ["<", "x", ["car", "items"]], ["cons", "x", "items"],
                   ["cons", ["car", "items"], ["insert", "x", ["cdr", "items"]]]]]]],
     ["sort", ["lambda", ["items"],
               ["if", ["null?", "items"], "items",
                ["insert", ["car", "items"], ["sort", ["cdr", "items"]]]]]],
     ["sum", ["lambda", ["f", "items"],
              ["if", ["null?", "items"], 0,
               ["+", ["f", ["car", "items"]], ["sum", "f", ["cdr", "items"]]]]]]],
    ["+", ["fib", 10],
     ["sum", ["lambda", ["x"], ["+", "x", "x"]], ["sort", ["quote", items]]]],
]  # fmt: skip

globals_ = None
for name, f in PRIMITIVES.items():
    globals_ = Binding(name, f, globals_)

result = 0
for _ in range(int(sys.argv[1])):
    result = (result + evaluate(PROGRAM, globals_)) % 1000003
print(result)
