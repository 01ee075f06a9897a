"""The exact outcome of a case, from Python's torch or from the output of a Lisp program."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from tests.operators.lisp_call import dtype_name

# Of the same width as the bits that driver.lisp shows.
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


@dataclass(frozen=True, slots=True)
class TensorFact:
    """same_as: the input that is the same tensor.  bits: its elements, complex ones as pairs."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    same_as: int | None
    bits: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """result: as data, T for a tensor.  changed, shared: which inputs the call changed, and which
    share storage with its results.  refused: the error message."""

    refused: str | None = None
    result: Any = None
    leaves: tuple[TensorFact, ...] = ()
    changed: tuple[bool, ...] = ()
    inputs: tuple[TensorFact, ...] = ()
    shared: tuple[bool, ...] | str = ()
    gradients: tuple[TensorFact | None, ...] | None = None
    no_gradients: str | None = None


def bits_of(x: torch.Tensor) -> torch.Tensor:
    """The elements' bits, as in driver.lisp."""
    plain = x.detach().resolve_conj().resolve_neg()
    real = torch.view_as_real(plain) if plain.is_complex() else plain
    copy = real.clone(memory_format=torch.contiguous_format)  # zeros without storage get one
    return copy.view(_BITS[real.element_size()])


def fact(x: torch.Tensor, inputs: list[torch.Tensor]) -> TensorFact:
    same = next((k for k, y in enumerate(inputs) if y is x), None)
    return TensorFact(dtype_name(x.dtype), tuple(x.shape), x.stride(), same,
                      tuple(bits_of(x).flatten().tolist()))


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of a result, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from tensors_in(item)


# Reading a program's output.


def read_outcomes(text: str) -> dict[str, Outcome]:
    """Outcomes by the names of cases.  If the program crashed, the last one is incomplete."""
    found: dict[str, Outcome] = {}
    for block in text.split("case ")[1:] if text.startswith("case ") else text.split("\ncase ")[1:]:
        name, _, rest = block.partition("\n")
        found[name] = _read_block(rest.splitlines())
    return found


def _read_block(lines: list[str]) -> Outcome:
    facts: dict[str, Any] = {}
    lists: dict[str, list[Any]] = {"leaf": [], "input": [], "gradient": []}
    for line in lines:
        word = line.lstrip("(").split(" ", 1)[0].rstrip(")")
        if word in lists:
            lists[word].append(_read_fact(line))
        elif line == "no-gradient":
            lists["gradient"].append(None)
        elif line.startswith("("):
            facts[word.replace("-", "_")] = read_datum(line)[1]
    return Outcome(
        refused=facts.get("refused"),
        result=facts.get("result"),
        leaves=tuple(lists["leaf"]),
        changed=_flags(facts.get("changed", ())),
        inputs=tuple(lists["input"]),
        shared=_flags(facts.get("shared", ())),
        gradients=tuple(lists["gradient"]) if lists["gradient"] else None,
        no_gradients=facts.get("no_gradients"),
    )


def _flags(value: Any) -> Any:
    return tuple(value) if isinstance(value, tuple) else value


def _read_fact(line: str) -> TensorFact:
    """leaf float32 (2 3) (3 1) #f [1 2 3 4 5 6]"""
    _, dtype, rest = line.split(" ", 2)
    shape, _, rest = rest[1:].partition(") (")
    strides, _, rest = rest.partition(") ")
    same, _, elements = rest.partition(" ")
    return TensorFact(dtype, _integers(shape), _integers(strides),
                      None if same == "#f" else int(same), _integers(elements[1:-1]))


def _integers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def read_datum(text: str) -> Any:
    """Data of lists, numbers, booleans, strings and symbols; lists are tuples."""
    value, _ = _datum(text, 0)
    return value


def _datum(text: str, at: int) -> tuple[Any, int]:
    while text[at] == " ":
        at += 1
    if text[at] == "(":
        items = []
        at += 1
        while text[at] != ")":
            item, at = _datum(text, at)
            items.append(item)
            while text[at] == " ":
                at += 1
        return tuple(items), at + 1
    if text[at] == '"':
        return _string(text, at + 1)
    end = at
    while end < len(text) and text[end] not in " ()":
        end += 1
    return _atom(text[at:end]), end


def _string(text: str, at: int) -> tuple[str, int]:
    out = ""
    while text[at] != '"':
        if text[at] == "\\":
            at += 1
            out += {"n": "\n", "t": "\t"}.get(text[at], text[at])
        else:
            out += text[at]
        at += 1
    return out, at + 1


# Python has one None for absent values and for no result.
_NAMES = {"#t": True, "#f": False, "#<unspecified>": False, "+nan.0": float("nan"),
          "+inf.0": float("inf"), "-inf.0": float("-inf")}


def _atom(text: str) -> Any:
    if text in _NAMES:
        return _NAMES[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
