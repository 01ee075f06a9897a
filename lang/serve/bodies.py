"""JSON texts from strangers: what does not fit is refused before it costs anything.

    parsed(b'{"model": "m"}')  =>  {"model": "m"}

Everything here is linear in the size of the body.  Python's parser calls itself for each level, on
the stack of its thread.  While Lisp runs, the recursion limit of the process is far beyond that
stack.  So the depth is counted first.
"""

import json
import re
from itertools import accumulate
from typing import Any, NoReturn

from lambent.lang.serve.faults import ApiError

DEEPEST = 64  # levels; requests have about six, schemas of answers some more
_LONGEST_INTEGER = 40  # digits
# A string, also one that never ends: nothing is matched twice, whatever the bytes are.
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = [1 if byte in b"[{" else -1 for byte in range(256)]  # that a bracket goes deeper


def parsed(body: bytes) -> dict[str, Any]:
    """The object of a JSON text; an ApiError if it is not one."""
    if _depth(body) > DEEPEST:
        raise ApiError(f"the body is nested more than {DEEPEST} levels deep", code="invalid_json")
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_refuse, parse_int=_integer)
    except UnicodeDecodeError as error:
        raise ApiError(f"the body is not UTF-8 text (byte {error.start})",
                       code="invalid_json") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ApiError(f"the body is not JSON: {error.msg.lower()} at {where}",
                       code="invalid_json") from None
    if not isinstance(value, dict):
        raise ApiError("the body is not a JSON object", code="invalid_json")
    return value


def _depth(body: bytes) -> int:
    """How deep brackets nest outside of strings."""
    brackets = _STRINGS.sub(b"", body).translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _integer(digits: str) -> int:
    """Python takes minutes for an integer of a million digits."""
    if len(digits) > _LONGEST_INTEGER:
        raise ApiError(f"the body has an integer of {len(digits)} digits", code="invalid_json")
    return int(digits)


def _refuse(name: str) -> NoReturn:
    raise ApiError(f"the body is not JSON: {name} is not a number there", code="invalid_json")
