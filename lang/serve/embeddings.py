"""Requests for embeddings, and their answers.

    embedding_request({"model": "m", "input": ["a", "b"]}, limits)  =>  EmbeddingRequest(("a", "b"))

Only encoders have them.  A vector is a list of numbers, or the base64 of its float32 numbers, which
OpenAI's own client asks for.
"""

import base64
import math
import sys
from array import array
from dataclasses import dataclass
from typing import Any

from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.fields import Fields
from lambent.lang.serve.requests import Limits, Prompt, Target, model_of, texts_or_tokens

_MOST_TEXTS = 2048


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """inputs: texts, or lists of tokens.  width: how many numbers of the vectors are wanted, None
    for all.  cuts: whether the end of a text that is too long is left out."""

    model: str
    target: Target
    inputs: tuple[Prompt, ...]
    is_base64: bool = False
    width: int | None = None
    cuts: bool = False

    def cut(self, vectors: list[list[float]]) -> list[list[float]]:
        """Vectors of as many numbers as are wanted."""
        return [_cut(vector, self.width) for vector in vectors]


def embedding_request(body: dict[str, Any], limits: Limits) -> EmbeddingRequest:
    """The request of a body for /v1/embeddings."""
    fields = Fields(body)
    model, target = model_of(fields, limits)
    inputs = texts_or_tokens(fields, "input")
    if len(inputs) > _MOST_TEXTS:
        raise ApiError(f"input takes at most {_MOST_TEXTS} texts, got {len(inputs)}", param="input")
    encoding = fields.text("encoding_format") or "float"
    if encoding not in ("float", "base64"):
        raise fields.refuse("encoding_format", "float or base64")
    width = fields.integer("dimensions", 1, 2**31)
    fields.end()
    return EmbeddingRequest(model, target, inputs, encoding == "base64", width)


def embedding_answer(
    request: EmbeddingRequest, vectors: list[list[float]], tokens: int
) -> dict[str, Any]:
    """The answer with the vectors of the inputs, which have so many tokens together."""
    data = [
        {"object": "embedding", "index": index,
         "embedding": _base64(vector) if request.is_base64 else vector}
        for index, vector in enumerate(request.cut(vectors))
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": request.model, "usage": usage}


def check_width(request: EmbeddingRequest, vectors: list[list[float]]) -> None:
    """Refuse a request for vectors of more numbers than the model's have."""
    if request.width is not None and request.width > len(vectors[0]):
        raise ApiError(f"dimensions is {request.width}, but the model's vectors have "
                       f"{len(vectors[0])} numbers", param="dimensions", code="unsupported")


def _cut(vector: list[float], width: int | None) -> list[float]:
    """The first numbers of a vector, of length 1 again: models that are trained for it (Matryoshka
    representations, Kusupati et al. 2022) put first what matters most."""
    if width in (None, len(vector)):
        return vector
    first = vector[:width]
    length = math.hypot(*first)
    return [number / length for number in first] if length else first


def _base64(vector: list[float]) -> str:
    numbers = array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return base64.b64encode(numbers.tobytes()).decode()
