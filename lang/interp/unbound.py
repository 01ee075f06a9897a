"""The error of a name that nothing binds, which the program has got to."""

from typing import NoReturn

from lambent.lang.errors import LispError


def unbound(name: str, suggestion: str | None) -> NoReturn:
    """What emitted code calls where such a name is evaluated."""
    hint = f"did you mean {suggestion}?" if suggestion else None
    raise LispError(f"unbound variable: {name}", hint=hint)
