"""Requests that rank documents by a query, and their answers.

    rerank_request({"model": "m", "query": "a", "documents": ["b", "c"]}, limits)
        =>  RerankRequest(query="a", documents=("b", "c"), ...)

OpenAI has no such protocol; this is the one that Cohere and Jina speak.
"""

import secrets
from dataclasses import dataclass
from typing import Any

from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.fields import Fields, check_text, shown
from lambent.lang.serve.requests import Limits, Target, model_of

_MOST_DOCUMENTS = 2048


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """most: how many documents are returned, None for all.  has_texts: whether with their texts."""

    model: str
    target: Target
    query: str
    documents: tuple[str, ...]
    most: int | None = None
    has_texts: bool = False


def rerank_request(body: dict[str, Any], limits: Limits) -> RerankRequest:
    """The request of a body for /v1/rerank."""
    fields = Fields(body)
    model, target = model_of(fields, limits)
    query = fields.needed_text("query")
    documents = fields.list("documents") or []
    if not 0 < len(documents) <= _MOST_DOCUMENTS:
        raise ApiError(f"documents takes 1 to {_MOST_DOCUMENTS} documents, got {len(documents)}",
                       param="documents")
    texts = tuple(_text_of(document, f"documents[{k}]") for k, document in enumerate(documents))
    most = fields.integer("top_n", 1, 2**31)
    has_texts = fields.flag("return_documents")
    fields.end()
    return RerankRequest(model, target, query, texts, most, has_texts)


def _text_of(document: Any, where: str) -> str:
    match document:
        case str(text) | {"text": str(text)}:
            check_text(text, where)
            return text
    raise ApiError(f"{where} takes a string or an object with a text, got {shown(document)}",
                   param=where)


def rerank_answer(request: RerankRequest, scores: list[float], tokens: int) -> dict[str, Any]:
    """The documents with their scores, best first; equal ones in their order."""
    best = sorted(range(len(scores)), key=lambda k: -scores[k])[: request.most]
    results: list[dict[str, Any]] = [
        {"index": k, "relevance_score": scores[k]}
        | ({"document": {"text": request.documents[k]}} if request.has_texts else {})
        for k in best
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"id": f"rerank-{secrets.token_hex(12)}", "object": "list", "model": request.model,
            "results": results, "usage": usage}
