"""What transformers generates from the models of model_folders.py, and what its filters keep.

    texts("llama")      =>  [(Lisp options, [tokens of a text, ...]), ...]
    filtered()          =>  {"logits": [n, v], "0": what the first of FILTERS leaves, ...}

As there, answers are kept on disk, because transformers takes seconds to import.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from tests.support import model_folders

PROMPT = [46, 374, 387, 20, 241, 40, 17, 203, 183, 79, 359, 5]
ENDS = list(range(3, 400, 9))  # so many that most texts end early

# Lisp options, and the same for transformers.
_SEARCHES: list[tuple[str, dict[str, Any]]] = [
    (":beams 4", {"num_beams": 4}),
    (":beams 3 :count 3 :length-penalty 2.0", {
        "num_beams": 3, "num_return_sequences": 3, "length_penalty": 2.0}),
    (":beams 5 :count 2 :length-penalty 0.0 :early-stopping #t", {
        "num_beams": 5, "num_return_sequences": 2, "length_penalty": 0.0, "early_stopping": True}),
    (":beams 2 :length-penalty 1.5 :early-stopping 'never", {
        "num_beams": 2, "length_penalty": 1.5, "early_stopping": "never"}),
    (":beams 4 :length-penalty -1.0 :repetition-penalty 1.4", {
        "num_beams": 4, "length_penalty": -1.0, "repetition_penalty": 1.4}),
    (":greedy #t", {}),
    (":greedy #t :repetition-penalty 1.7", {"repetition_penalty": 1.7}),
]

# Lisp options, and the filters of transformers in its order.
FILTERS: list[tuple[str, list[tuple[str, Any]]]] = [
    (":temperature 0.7", [("Temperature", 0.7)]),
    (":top-k 5", [("TopK", 5)]),
    (":top-p 0.6", [("TopP", 0.6)]),
    (":min-p 0.2", [("MinP", 0.2)]),
    (":typical-p 0.5", [("Typical", 0.5)]),
    (":temperature 1.7 :top-k 12 :top-p 0.9", [("Temperature", 1.7), ("TopK", 12), ("TopP", 0.9)]),
    (":temperature 1.3 :top-k 20 :top-p 0.95 :min-p 0.05 :typical-p 0.8", [
        ("Temperature", 1.3), ("TopK", 20), ("TopP", 0.95), ("MinP", 0.05), ("Typical", 0.8)]),
]


def lisp_list(ids: list[int]) -> str:
    return f"'({' '.join(map(str, ids))})"


def texts(name: str, tokens: int = 14) -> list[tuple[str, list[list[int]]]]:
    """Rows of options and the tokens of the texts, the one that ended a text included."""
    path = _kept(f"texts-{name}.json")
    if not path.exists():
        path.write_text(json.dumps(_texts(name, tokens)), encoding="utf-8")
    return [(options, found) for options, found in json.loads(path.read_text(encoding="utf-8"))]


def filtered() -> dict[str, torch.Tensor]:
    """Logits [8, 40], and what each row of FILTERS makes of them."""
    path = _kept("filtered.safetensors")
    if not path.exists():
        save_file(_filtered(), path)
    return load_file(path)


@cache
def _kept(name: str) -> Path:
    text = Path(__file__).read_bytes() + Path(model_folders.__file__).read_bytes()
    base = model_folders.folder("llama").parent
    return base / f"{hashlib.sha256(text).hexdigest()[:12]}-{name}"


def _texts(name: str, tokens: int) -> list[tuple[str, list[list[int]]]]:
    model = model_folders.reference(name)
    ids = torch.tensor([PROMPT])
    rows = []
    for ends in ([], ENDS):
        for options, keywords in _SEARCHES:
            with torch.no_grad():
                found = model.generate(
                    input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=False,
                    max_new_tokens=tokens, pad_token_id=2, eos_token_id=ends or None, **keywords,
                )
            rows.append((
                f"{options} :max-tokens {tokens} :stop-ids {lisp_list(ends)}",
                [_cut(row[len(PROMPT):].tolist(), ends) for row in found],
            ))
    return rows


def _cut(ids: list[int], ends: list[int]) -> list[int]:
    """The tokens up to the first that ends the text; what follows is padding."""
    for k, token in enumerate(ids):
        if token in ends:
            return ids[: k + 1]
    return ids


def _filtered() -> dict[str, torch.Tensor]:
    from transformers.generation import logits_process

    generator = torch.Generator().manual_seed(3)
    logits = 3 * torch.randn(8, 40, generator=generator)
    found = {"logits": logits}
    for k, (_, filters) in enumerate(FILTERS):
        scores = logits
        for name, value in filters:
            warper = getattr(logits_process, f"{name}LogitsWarper")(value)
            scores = warper(torch.zeros(8, 1, dtype=torch.long), scores)
        found[str(k)] = scores.contiguous()
    return found
