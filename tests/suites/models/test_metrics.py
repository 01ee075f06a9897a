"""The measures against definitions in Python, which count one example at a time."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from tests.support.saved_tensors import assert_close, saved_by

CLASSES = 5
AVERAGES = ("none", "macro", "micro", "weighted")
SCORES = ("precision", "recall", "f1-score")
PROGRAM = """
(define inputs (load-tensors "in.safetensors"))
(define x (hash-ref inputs "x"))  (define y (hash-ref inputs "y"))
(define u (hash-ref inputs "u"))  (define v (hash-ref inputs "v"))
(define (kept x) (if (tensor? x) x (tensor (inexact x) :dtype 'float64)))
(define scores
  (append-map
   (lambda (average)
     (list (cons (string "precision-" average) (kept (precision x y :average average)))
           (cons (string "recall-" average) (kept (recall x y :average average)))
           (cons (string "f1-score-" average) (kept (f1-score x y :average average)))))
   '(none macro micro weighted)))
(save-tensors "out.safetensors"
  (append scores
          (list (cons "confusion" (confusion-matrix x y))
                (cons "top-1" (kept (accuracy x y)))
                (cons "top-3" (kept (accuracy x y :k 3)))
                (cons "r2" (kept (r2-score u v)))
                (cons "mae" (kept (mean-absolute-error u v)))
                (cons "perplexity" (kept (perplexity (cross-entropy x y)))))))
"""


def number(x: float) -> Tensor:
    return torch.tensor(x, dtype=torch.float64)


def averaged(per_class: list[float], counts: list[int], overall: float) -> dict[str, Tensor]:
    weighted = sum(x * n for x, n in zip(per_class, counts, strict=True)) / sum(counts)
    return {
        "none": torch.tensor(per_class, dtype=torch.float64),
        "macro": number(sum(per_class) / len(per_class)),
        "micro": number(overall),
        "weighted": number(weighted),
    }


def expected(x: Tensor, y: Tensor, u: Tensor, v: Tensor) -> dict[str, Tensor]:
    predicted, right = x.argmax(1).tolist(), y.tolist()
    pairs = list(zip(right, predicted, strict=True))
    confusion = [[pairs.count((i, j)) for j in range(CLASSES)] for i in range(CLASSES)]
    hits = [confusion[i][i] for i in range(CLASSES)]
    counts, claims = [right.count(i) for i in range(CLASSES)], [
        predicted.count(i) for i in range(CLASSES)
    ]
    fractions = {
        "precision": [h / n if n else 0.0 for h, n in zip(hits, claims, strict=True)],
        "recall": [h / n if n else 0.0 for h, n in zip(hits, counts, strict=True)],
        "f1-score": [2 * h / (m + n) if m + n else 0.0
                     for h, m, n in zip(hits, claims, counts, strict=True)],
    }  # fmt: skip
    overall = sum(hits) / len(right)
    top = [target in row.topk(3).indices.tolist() for row, target in zip(x, right, strict=True)]
    rest, all_ = ((v - u) ** 2).sum(0), ((v - v.mean(0)) ** 2).sum(0)
    found = {
        "confusion": torch.tensor(confusion),
        "top-1": number(overall),
        "top-3": number(sum(top) / len(top)),
        "r2": number(float((1 - rest / all_).mean())),
        "mae": number(float((u - v).abs().mean())),
        "perplexity": number(float(torch.nn.functional.cross_entropy(x, y).exp())),
    }
    for score in SCORES:
        answers = averaged(fractions[score], counts, overall)
        found |= {f"{score}-{average}": answers[average] for average in AVERAGES}
    return found


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_measures(back_end: str, tmp_path: Path) -> None:
    torch.manual_seed(2)
    x, y = torch.randn(40, CLASSES), torch.randint(0, CLASSES - 1, (40,))
    x[:, 1] -= 9  # a class that is never predicted; the last one is never right
    u, v = torch.randn(30, 3), torch.randn(30, 3)
    save_file({"x": x, "y": y, "u": u, "v": v}, tmp_path / "in.safetensors")
    assert_close(saved_by(PROGRAM, back_end, tmp_path), expected(x, y, u, v))
