"""Every loss, with its reductions and options, against torch.nn.functional, gradients too.

    (row "3" cross-entropy '("logits") '("classes") ':reduction 'sum)
    =>  the loss "3", and the gradient "3/logits" of its sum

All rows run in one program for each back end.  Inputs come from a file, where the program looks
those options up that are strings, other than reductions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - its usual name

from tests.support.saved_tensors import assert_close, saved_by

REDUCTIONS = ("mean", "sum", "none")
NO_REDUCTION = ("",)  # of losses without that keyword
PROGRAM = """
(define inputs (load-tensors "in.safetensors"))
(define out '())
(define (keep! name x)
  (set! out (cons (cons name (tensor-contiguous (detach x))) out)))
(define (given x)
  (if (and (string? x) (hash-has-key? inputs x)) (hash-ref inputs x) x))
(define (row id loss learned others . options)
  (let* ((leaves (map (lambda (name) (requires-grad! (tensor-copy (given name)))) learned))
         (y (apply loss (append leaves (map given others) (map given options)))))
    (keep! id y)
    (backward (tensor-sum y))
    (for-each (lambda (name leaf) (keep! (string id "/" name) (tensor-grad leaf)))
              learned leaves)))
"""


@dataclass(frozen=True, slots=True)
class Loss:
    lisp: str
    torch: Callable[..., Tensor]
    learned: tuple[str, ...]  # the arguments with gradients
    others: tuple[str, ...]
    options: tuple[dict[str, object], ...] = ({},)
    reductions: tuple[str, ...] = REDUCTIONS


def inputs() -> dict[str, Tensor]:
    torch.manual_seed(3)
    n, c, d = 6, 5, 4
    signs = torch.tensor([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
    return {
        "logits": torch.randn(n, c) * 3,
        "images": torch.randn(n, c, 3, 2),
        "one": torch.randn(c),
        "log-p": torch.log_softmax(torch.randn(n, c), 1),
        "log-images": torch.log_softmax(torch.randn(n, c, 3), 1),
        "classes": torch.tensor([0, 4, 2, 2, 1, 3]),
        "map": torch.randint(0, c, (n, 3, 2)),
        "row-map": torch.randint(0, c, (n, 3)),
        "class": torch.tensor(3),
        "p": torch.softmax(torch.randn(n, c), 1),
        "p-images": torch.softmax(torch.randn(n, c, 3, 2), 1),
        "class-weight": torch.rand(c) + 0.5,
        "features": torch.randn(n, d),
        "matrix": torch.randn(c, d),
        "bias": torch.randn(c),
        "x": torch.randn(n, c) * 2,
        "y": torch.randn(n, c) * 2,
        "z": torch.randn(n, c) * 2,
        "weight": torch.rand(n, c) + 0.2,
        "unit": torch.rand(n, c) * 0.9 + 0.05,
        "yes": (torch.rand(n, c) > 0.5).float(),
        "counts": torch.randint(0, 9, (n, c)).float(),
        "rates": torch.rand(n, c) * 4 + 0.1,
        "variances": torch.rand(n, c) + 0.1,
        "row-variances": torch.rand(n) + 0.1,
        "column-variances": torch.rand(n, 1) + 0.1,
        "signs": signs,
        "all-signs": signs[:, None] * torch.where(torch.rand(n, c) > 0.3, 1.0, -1.0),
        "vector": torch.randn(n),
        "vector-2": torch.randn(n),
        "labels": torch.tensor(
            [[3, 0, -1, 1, 1], [4, -1, 0, 0, 0], [-1, 2, 2, 2, 2],
             [0, 1, 2, 3, 4], [2, 1, -1, 3, 0], [1, -1, -1, -1, -1]]
        ),
        "sequence": torch.log_softmax(torch.randn(9, 3, c), 2),
        "one-sequence": torch.log_softmax(torch.randn(9, c), 1),
        "words": torch.tensor([[1, 2, 2, 3], [4, 1, 3, 0], [2, 2, 0, 0]]),
        "all-words": torch.tensor([1, 2, 2, 3, 4, 1, 3, 2, 2]),
        "word": torch.tensor([1, 2, 2, 3]),
        "nine": torch.tensor([9, 8, 9]),
        "lengths": torch.tensor([4, 3, 2]),
        "nine-0": torch.tensor(9),
        "four-0": torch.tensor(4),
        "short": torch.tensor([9, 3, 9]),
        "other-images": torch.randn(n, c, 3, 2),
        "ref": torch.randn(n),
        "ref-2": torch.randn(n),
        "texts": torch.randn(3, 4, c),
        "tokens": torch.tensor([[1, 2, 0, 3], [4, 0, -100, -100], [2, -100, 1, 1]]),
        "mask": torch.tensor([[1, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 0]]),
    }


def batchmean(*arguments: Tensor, reduction: str, **options: object) -> Tensor:
    return F.kl_div(*arguments, reduction="batchmean", **options)  # type: ignore[arg-type]


def linear_cross_entropy(x: Tensor, w: Tensor, y: Tensor, linear_bias: Tensor | None = None,
                         **options: object) -> Tensor:
    return F.cross_entropy(F.linear(x, w, linear_bias), y, **options)  # type: ignore[arg-type]


def distillation(student: Tensor, teacher: Tensor, y: Tensor, temperature: float = 2.0,
                 alpha: float = 0.5, ignore_index: int = -100, label_smoothing: float = 0.0
                 ) -> Tensor:
    p, q = (torch.log_softmax(x / temperature, 1) for x in (teacher, student))
    soft = (p.exp() * (p - q)).sum(1)[y != ignore_index].mean() * temperature**2
    hard = F.cross_entropy(student, y, ignore_index=ignore_index, label_smoothing=label_smoothing)
    return alpha * soft + (1 - alpha) * hard


def sequence_log_probabilities(logits: Tensor, y: Tensor, mask: Tensor | None = None,
                               average: bool = False) -> Tensor:
    counts = (y != -100) if mask is None else (y != -100) & (mask != 0)
    tokens = torch.log_softmax(logits, 2).gather(2, y.clamp_min(0)[..., None])[..., 0]
    sums = (tokens * counts).sum(1)
    return sums / counts.sum(1) if average else sums


def dpo(chosen: Tensor, rejected: Tensor, ref_chosen: Tensor, ref_rejected: Tensor,
        reduction: str, beta: float = 0.1, label_smoothing: float = 0.0,
        variant: str = "sigmoid") -> Tensor:
    h = chosen - rejected - (ref_chosen - ref_rejected)
    ways = {
        "sigmoid": -F.logsigmoid(beta * h) * (1 - label_smoothing)
        - F.logsigmoid(-beta * h) * label_smoothing,
        "hinge": torch.relu(1 - beta * h),
        "ipo": (h - 1 / (2 * beta)) ** 2,
    }
    losses = ways[variant]
    return {"none": losses, "sum": losses.sum(), "mean": losses.mean()}[reduction]


def cosine_distance(x: Tensor, y: Tensor) -> Tensor:
    return 1 - F.cosine_similarity(x, y)


CLASSES: tuple[dict[str, object], ...] = (
    {}, {"weight": "class-weight"}, {"ignore_index": 2},
    {"weight": "class-weight", "ignore_index": 2},
)
SMOOTH: tuple[dict[str, object], ...] = (
    *CLASSES, {"label_smoothing": 0.1}, {"weight": "class-weight", "label_smoothing": 0.3},
    {"ignore_index": 1, "label_smoothing": 0.2},
)
SMOOTH_P: tuple[dict[str, object], ...] = (
    {}, {"weight": "class-weight"}, {"weight": "class-weight", "label_smoothing": 0.3},
)
WEIGHTS: tuple[dict[str, object], ...] = ({}, {"weight": "weight"})
TRIPLE = ("x", "y", "z")
LOSSES = (
    Loss("cross-entropy", F.cross_entropy, ("logits",), ("classes",), SMOOTH),
    Loss("cross-entropy", F.cross_entropy, ("images",), ("map",), SMOOTH),
    Loss("cross-entropy", F.cross_entropy, ("one",), ("class",), ({}, {"label_smoothing": 0.1})),
    Loss("cross-entropy", F.cross_entropy, ("logits",), ("p",), SMOOTH_P),
    Loss("cross-entropy", F.cross_entropy, ("images",), ("p-images",), SMOOTH_P),
    Loss("cross-entropy", F.cross_entropy, ("logits", "p"), ()),
    Loss("nll-loss", F.nll_loss, ("log-p",), ("classes",), CLASSES),
    Loss("nll-loss", F.nll_loss, ("log-images",), ("row-map",), CLASSES),
    Loss("nll-loss", F.nll_loss, ("one",), ("class",)),
    Loss("linear-cross-entropy", linear_cross_entropy, ("features", "matrix"), ("classes",),
         (*SMOOTH, {"linear_bias": "bias"})),
    Loss("mse-loss", F.mse_loss, ("x", "y"), (), WEIGHTS),
    Loss("l1-loss", F.l1_loss, ("x", "y"), (), WEIGHTS),
    Loss("smooth-l1-loss", F.smooth_l1_loss, ("x", "y"), (), ({}, {"beta": 0.5}, {"beta": 0.0})),
    Loss("huber-loss", F.huber_loss, ("x", "y"), (),
         ({}, {"delta": 0.5}, {"weight": "weight", "delta": 2.0})),
    Loss("poisson-nll-loss", F.poisson_nll_loss, ("x",), ("counts",),
         ({}, {"full": True})),
    Loss("poisson-nll-loss", F.poisson_nll_loss, ("rates",), ("counts",),
         ({"log_input": False}, {"log_input": False, "full": True, "eps": 0.01})),
    Loss("gaussian-nll-loss", F.gaussian_nll_loss, ("x", "y", "variances"), (),
         ({}, {"full": True}, {"eps": 0.5})),
    Loss("gaussian-nll-loss", F.gaussian_nll_loss, ("x", "y", "row-variances"), ()),
    Loss("gaussian-nll-loss", F.gaussian_nll_loss, ("x", "y", "column-variances"), ()),
    Loss("binary-cross-entropy", F.binary_cross_entropy, ("unit",), ("yes",), WEIGHTS),
    Loss("binary-cross-entropy-with-logits", F.binary_cross_entropy_with_logits, ("x",), ("yes",),
         ({}, {"weight": "weight"}, {"pos_weight": "class-weight"},
          {"weight": "weight", "pos_weight": "class-weight"})),
    Loss("kl-div", F.kl_div, ("log-p", "p"), ()),
    Loss("kl-div", F.kl_div, ("log-p", "logits"), (), ({"log_target": True},)),
    Loss("kl-div", batchmean, ("log-p", "p"), (), reductions=("batchmean",)),
    Loss("kl-div", batchmean, ("log-p", "logits"), (), ({"log_target": True},), ("batchmean",)),
    Loss("hinge-embedding-loss", F.hinge_embedding_loss, ("rates",), ("all-signs",),
         ({}, {"margin": 3.0})),
    Loss("margin-ranking-loss", F.margin_ranking_loss, ("vector", "vector-2"), ("signs",),
         ({}, {"margin": 0.5})),
    Loss("soft-margin-loss", F.soft_margin_loss, ("x",), ("all-signs",)),
    Loss("multi-margin-loss", F.multi_margin_loss, ("logits",), ("classes",),
         ({}, {"p": 2}, {"margin": 0.5}, {"weight": "class-weight", "p": 2})),
    Loss("multi-margin-loss", F.multi_margin_loss, ("one",), ("class",)),
    Loss("multilabel-margin-loss", F.multilabel_margin_loss, ("logits",), ("labels",)),
    Loss("multilabel-soft-margin-loss", F.multilabel_soft_margin_loss, ("x",), ("yes",), WEIGHTS),
    Loss("cosine-embedding-loss", F.cosine_embedding_loss, ("x", "y"), ("signs",),
         ({}, {"margin": 0.2})),
    Loss("triplet-margin-loss", F.triplet_margin_loss, TRIPLE, (),
         ({}, {"margin": 3.0, "p": 1.0}, {"swap": True, "margin": 5.0}, {"eps": 1e-3})),
    Loss("triplet-margin-with-distance-loss", F.triplet_margin_with_distance_loss, TRIPLE, (),
         ({}, {"margin": 3.0, "swap": True}, {"distance_function": cosine_distance})),
    Loss("ctc-loss", F.ctc_loss, ("sequence",), ("words", "nine", "lengths"),
         ({}, {"zero_infinity": True})),
    Loss("ctc-loss", F.ctc_loss, ("sequence",), ("all-words", "nine", "lengths")),
    Loss("ctc-loss", F.ctc_loss, ("sequence",), ("words", "short", "lengths"),
         ({"zero_infinity": True},)),
    Loss("ctc-loss", F.ctc_loss, ("sequence",), ("words", "nine", "lengths"), ({"blank": 0},)),
    Loss("ctc-loss", F.ctc_loss, ("one-sequence",), ("word", "nine-0", "four-0")),
    Loss("distillation-loss", distillation, ("logits",), ("x", "classes"),
         ({}, {"temperature": 4.0, "alpha": 0.9}, {"ignore_index": 2, "label_smoothing": 0.1}),
         NO_REDUCTION),
    Loss("distillation-loss", distillation, ("images",), ("other-images", "map"), ({},),
         NO_REDUCTION),
    Loss("sequence-log-probabilities", sequence_log_probabilities, ("texts",), ("tokens",),
         ({}, {"average": True}, {"mask": "mask"}, {"mask": "mask", "average": True}),
         NO_REDUCTION),
    Loss("dpo-loss", dpo, ("vector", "vector-2"), ("ref", "ref-2"),
         ({}, {"beta": 0.5, "label_smoothing": 0.2}, {"variant": "hinge", "beta": 1.0},
          {"variant": "ipo"})),
)


def rows() -> Iterator[tuple[str, Loss, dict[str, object], str]]:
    for k, loss in enumerate(LOSSES):
        for j, (options, reduction) in enumerate(product(loss.options, loss.reductions)):
            yield f"{k}.{j}", loss, options, reduction


def lisp_value(x: object) -> str:
    match x:
        case bool():
            return "#t" if x else "#f"
        case str():
            return f'"{x}"'
        case float() | int():
            return repr(x)
    return "(lambda (x y) (- 1.0 (tensor-cosine-similarity x y)))"


def lisp_row(id: str, loss: Loss, options: dict[str, object], reduction: str, as_text: bool) -> str:
    texts = [f":{name.replace('_', '-')} {lisp_value(x)}" for name, x in options.items()]
    if reduction and (reduction != "mean" or as_text):  # the default
        texts.append(f':reduction {lisp_value(reduction) if as_text else chr(39) + reduction}')
    names = [" ".join(map(lisp_value, group)) for group in (loss.learned, loss.others)]
    quoted = " ".join("':" + text[1:] for text in texts)
    return f'(row "{id}" {loss.lisp} (list {names[0]}) (list {names[1]}) {quoted})'


def expected_of(id: str, loss: Loss, options: dict[str, object], reduction: str,
                given: dict[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    leaves = [given[name].clone().requires_grad_() for name in loss.learned]
    keywords = {
        name: given.get(x, x) if isinstance(x, str) else x for name, x in options.items()
    }
    if reduction:
        keywords["reduction"] = reduction
    y = loss.torch(*leaves, *(given[name] for name in loss.others), **keywords)
    yield id, y
    y.sum().backward()
    for name, leaf in zip(loss.learned, leaves, strict=True):
        assert leaf.grad is not None
        yield f"{id}/{name}", leaf.grad


@pytest.mark.filterwarnings("ignore:reduction.*:UserWarning")  # of kl_div
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_losses_equal_torch(back_end: str, tmp_path: Path) -> None:
    given = inputs()
    save_file(given, tmp_path / "in.safetensors")
    row = partial(lisp_row, as_text=back_end == "script")
    text = "\n".join([PROGRAM, *(row(*r) for r in rows()), '(save-tensors "out.safetensors" out)'])
    found = saved_by(text, back_end, tmp_path)
    expected = dict(pair for r in rows() for pair in expected_of(*r, given))
    assert len(expected) > 400
    assert_close(found, expected)
