"""The operators written for language models equal their compositions in PyTorch, with gradients.

Rows are a Lisp expression over named inputs and the same in PyTorch; all of them are one program.
Then the sampler: the frequencies of 20,000 draws against the distribution that the settings mean.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402
from torch import Tensor  # noqa: E402
from torch.nn import functional as F  # noqa: E402, N812

from tests.support.saved_tensors import assert_close, saved_by  # noqa: E402

BACK_ENDS = ("script", "executable")
Inputs = Mapping[str, Tensor]
_DICE = torch.Generator().manual_seed(7)


def f(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_DICE)


def angles(times: int, pairs: int, start: int = 0) -> Tensor:
    rates = 10000.0 ** (-torch.arange(pairs) / pairs)
    return (torch.arange(start, start + times).unsqueeze(1) * rates).float()


INPUTS: dict[str, Tensor] = {
    "x": f(2, 5, 40), "w": f(40), "one": f(1, 1, 40), "matrix": f(70, 40), "bias": f(70),
    "several": f(8, 40),
    "g": f(3, 37), "u": f(3, 37), "u2": f(2, 3, 18), "joined": f(2, 3, 8, 24),
    "q": f(2, 4, 3, 24), "q1": f(2, 4, 1, 24), "k": f(2, 2, 3, 24), "v": f(2, 2, 3, 24),
    "keys": f(2, 2, 9, 24), "values": f(2, 2, 9, 24),
    "cos": angles(3, 12, 4).cos(), "sin": angles(3, 12, 4).sin(),
    "cosfew": angles(3, 5).cos(), "sinfew": angles(3, 5).sin(),
    "coseach": torch.stack([angles(3, 12), angles(3, 12, 2)]).cos(),
    "sineach": torch.stack([angles(3, 12), angles(3, 12, 2)]).sin(),
    "pages": f(6, 2, 4, 24), "pagevalues": f(6, 2, 4, 24),
    "table": torch.tensor([[3, 0, 5], [1, 4, 2]]), "lengths": torch.tensor([9, 3]),
    "starts": torch.tensor([3, 6]), "padding": torch.tensor([0, 4]),
    "logits": f(3, 1000),
    "prompt": f(1, 4, 300, 24), "pastkeys": f(1, 2, 320, 24), "pastvalues": f(1, 2, 320, 24),
}  # fmt: skip


def rms(x: Tensor, w: Tensor, eps: float, offset: float) -> Tensor:
    wide = x.float()
    norm = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    return norm.to(x.dtype) * w if offset == 0 else (norm * (w.float() + offset)).to(x.dtype)


def rotated(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool = False) -> Tensor:
    pairs = cos.shape[-1]
    if cos.dim() == 3:
        cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    y = x.float().clone()
    if interleaved:
        a, b = x[..., 0 : 2 * pairs : 2].float(), x[..., 1 : 2 * pairs : 2].float()
        y[..., 0 : 2 * pairs : 2], y[..., 1 : 2 * pairs : 2] = a * cos - b * sin, b * cos + a * sin
    else:
        a, b = x[..., :pairs].float(), x[..., pairs : 2 * pairs].float()
        y[..., :pairs], y[..., pairs : 2 * pairs] = a * cos - b * sin, b * cos + a * sin
    return y.to(x.dtype)


def attended(
    q: Tensor, keys: Tensor, values: Tensor, length: int, *, padding: Tensor | None = None,
    window: int = 0, scale: float | None = None, softcap: float = 0.0,
) -> Tensor:
    times, group = q.shape[2], q.shape[1] // keys.shape[1]
    k = keys[:, :, :length].repeat_interleave(group, 1).float()
    v = values[:, :, :length].repeat_interleave(group, 1).float()
    scores = q.float() @ k.transpose(-1, -2) * (scale or q.shape[-1] ** -0.5)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    queries = torch.arange(length - times, length).unsqueeze(1)
    at = torch.arange(length)
    seen = (at <= queries) & ((at > queries - window) if window else True)
    if padding is not None:
        seen = (seen & (at >= padding.view(-1, 1, 1, 1))) | (at == queries)
    return (scores.masked_fill(~seen, -torch.inf).softmax(-1) @ v).to(q.dtype)


def paged(q: Tensor, i: Inputs, **options: float) -> Tensor:
    rows = []
    for row in range(2):
        keys, values = [
            i[name][i["table"][row]].transpose(0, 1).flatten(1, 2).unsqueeze(0).to(q.dtype)
            for name in ("pages", "pagevalues")
        ]
        length = int(i["lengths"][row])
        rows.append(attended(q[row : row + 1], keys, values, length, **options))  # type: ignore[arg-type]
    return torch.cat(rows)


def written(cache: Tensor, x: Tensor, start: int) -> Tensor:
    return torch.cat([cache[:, :, :start], x, cache[:, :, start + x.shape[2] :]], 2)


@dataclass(frozen=True)
class Row:
    """lisp: an expression of a tensor over the inputs; learned: those with gradients."""

    lisp: str
    expected: Callable[[Inputs], Tensor]
    learned: str = ""
    dtypes: tuple[str, ...] = ("float32", "bfloat16", "float16", "float64")


ROWS = [
    Row("(tensor-fused-rms-norm x w)", lambda i: rms(i["x"], i["w"], 1e-6, 0), "x w"),
    Row("(tensor-fused-rms-norm (tensor-transpose x 0 1) w 0.01 1.0)",
        lambda i: rms(i["x"].transpose(0, 1), i["w"], 0.01, 1), "x w"),
    Row("(tensor-silu-mul g u)", lambda i: F.silu(i["g"]) * i["u"], "g u"),
    Row("(tensor-silu-mul g (tensor-select u 0 1))", lambda i: F.silu(i["g"]) * i["u"][1], "g u"),
    Row("(tensor-gelu-mul g u)", lambda i: F.gelu(i["g"]) * i["u"], "g u"),
    Row("(tensor-gelu-mul g u :approximate 'tanh)",
        lambda i: F.gelu(i["g"], approximate="tanh") * i["u"], "g u"),
    Row("(tensor-silu-mul u2)", lambda i: F.silu(i["u2"][..., :9]) * i["u2"][..., 9:], "u2"),
    Row("(tensor-gelu-mul u2 :approximate 'tanh)",
        lambda i: F.gelu(i["u2"][..., :9], approximate="tanh") * i["u2"][..., 9:], "u2"),
    Row("(tensor-rotary q cos sin)", lambda i: rotated(i["q"], i["cos"], i["sin"]), "q"),
    Row("(tensor-rotary q cos sin #t)", lambda i: rotated(i["q"], i["cos"], i["sin"], True), "q"),
    Row("(tensor-rotary q cosfew sinfew)",
        lambda i: rotated(i["q"], i["cosfew"], i["sinfew"]), "q"),
    Row("(tensor-rotary q cosfew sinfew :interleaved #t)",
        lambda i: rotated(i["q"], i["cosfew"], i["sinfew"], True), "q"),
    Row("(tensor-rotary (tensor-select q 0 1) cos sin)",
        lambda i: rotated(i["q"][1], i["cos"], i["sin"]), "q"),
    Row("(tensor-rotary (tensor-transpose (tensor-reshape q 2 3 4 24) 1 2) coseach sineach)",
        lambda i: rotated(i["q"].reshape(2, 3, 4, 24).transpose(1, 2), i["coseach"], i["sineach"]),
        "q"),
    Row("(tensor-rotary-write! (tensor-copy keys) (tensor-copy values) q k v cos sin 5)",
        lambda i: rotated(i["q"], i["cos"], i["sin"])),
    Row("(let ((c (tensor-copy keys))) "
        "(tensor-rotary-write! c (tensor-copy values) q k v cos sin 5) c)",
        lambda i: written(i["keys"], rotated(i["k"], i["cos"], i["sin"]), 5)),
    Row("(let ((c (tensor-copy values))) "
        "(tensor-rotary-write! (tensor-copy keys) c q k v cos sin 6 :interleaved #t) c)",
        lambda i: written(i["values"], i["v"], 6)),
    Row("(tensor-qkv-write! (tensor-copy keys) (tensor-copy values) joined cos sin 2)",
        lambda i: rotated(i["joined"][:, :, :4].transpose(1, 2), i["cos"], i["sin"])),
    Row("(let ((c (tensor-copy keys))) "
        "(tensor-qkv-write! c (tensor-copy values) joined cos sin 5) c)",
        lambda i: written(
            i["keys"], rotated(i["joined"][:, :, 4:6].transpose(1, 2), i["cos"], i["sin"]), 5)),
    Row("(let ((c (tensor-copy values))) "
        "(tensor-qkv-write! (tensor-copy keys) c joined cos sin 0 #t) c)",
        lambda i: written(i["values"], i["joined"][:, :, 6:].transpose(1, 2), 0)),
    Row("(tensor-cached-attention q1 keys values 7)",
        lambda i: attended(i["q1"], i["keys"], i["values"], 7), "q1 keys values"),
    Row("(tensor-cached-attention q1 keys values 9 :window 4 :scale 0.3 :softcap 2.0)",
        lambda i: attended(i["q1"], i["keys"], i["values"], 9, window=4, scale=0.3, softcap=2.0),
        "q1 keys values"),
    Row("(tensor-cached-attention q1 keys values 6 padding)",
        lambda i: attended(i["q1"], i["keys"], i["values"], 6, padding=i["padding"]),
        "q1 keys values"),
    Row("(tensor-cached-attention q k v 3)",
        lambda i: attended(i["q"], i["k"], i["v"], 3), "q k v"),
    Row("(tensor-cached-attention q keys values 8 padding 3)",
        lambda i: attended(i["q"], i["keys"], i["values"], 8, padding=i["padding"], window=3),
        "q keys values"),
    Row("(tensor-cached-attention q keys values 8 :softcap 1.5)",
        lambda i: attended(i["q"], i["keys"], i["values"], 8, softcap=1.5), "q keys values"),
    Row("(tensor-cached-attention prompt pastkeys pastvalues 310)",
        lambda i: attended(i["prompt"], i["pastkeys"], i["pastvalues"], 310)),
    Row("(tensor-cached-attention prompt pastkeys pastvalues 320 (tensor '(9)) 100)",
        lambda i: attended(i["prompt"], i["pastkeys"], i["pastvalues"], 320,
                           padding=torch.tensor([9]), window=100)),
    Row("(tensor-paged-attention q1 pages pagevalues table lengths)",
        lambda i: paged(i["q1"], i)),
    Row("(tensor-paged-attention q1 pages pagevalues table lengths 5 :softcap 3.0)",
        lambda i: paged(i["q1"], i, window=5, softcap=3.0)),
    Row("(tensor-paged-write! (tensor-copy pages) (tensor-copy pagevalues) k v table starts)",
        lambda i: pages_written(i)),
    Row("(tensor-argmax-last x)", lambda i: i["x"].argmax(-1)),
    Row("(tensor-argmax-last (tensor-log g))", lambda i: i["g"].log().argmax(-1)),  # nan wins
    Row("(tensor-argmax-last logits)", lambda i: i["logits"].argmax(-1)),
    Row("(tensor-sample logits 0.0)", lambda i: i["logits"].argmax(-1)),
    Row("(tensor-linear one matrix bias)", lambda i: F.linear(i["one"], i["matrix"], i["bias"]),
        "one matrix bias"),
    Row("(tensor-linear (tensor-narrow several 0 0 7) matrix bias)",
        lambda i: F.linear(i["several"][:7], i["matrix"], i["bias"]), "several matrix bias"),
    Row("(tensor-linear several (tensor-narrow matrix 0 3 61))",
        lambda i: F.linear(i["several"], i["matrix"][3:64])),
    Row("(tensor-linear (tensor-select one 0 0) matrix)",
        lambda i: F.linear(i["one"][0], i["matrix"]), "one matrix"),
]  # fmt: skip


def pages_written(i: Inputs) -> Tensor:
    found = i["pages"].clone()
    for row in range(2):
        for t in range(3):
            at = int(i["starts"][row]) + t
            found[int(i["table"][row, at // 4]), :, at % 4] = i["k"][row, :, t]
    return found


def names_in(text: str) -> list[str]:
    return [n for n in text.replace("(", " ").replace(")", " ").split() if n in INPUTS]


def program() -> str:
    texts = ['(define inputs (load-tensors "in.safetensors"))',
             "(define saved '())",
             "(define (save! name x) (set! saved (cons (cons name (tensor-copy x)) saved)))",
             "(define (input name dtype) (let ((x (hash-ref inputs name)))"
             "  (if (tensor-is-floating-point x) (tensor-copy (tensor-to x dtype)) x)))",
             "(define (learned x on) (if on (requires-grad! x) x))"]  # fmt: skip
    for number, row in enumerate(ROWS):
        names, learned = sorted(set(names_in(row.lisp))), row.learned.split()
        texts.append(f"(define (row-{number} {' '.join(names)}) {row.lisp})")
        for dtype in row.dtypes:
            given = " ".join(f'(input "{name}" \'{dtype})' for name in names)
            texts.append(f'(save! "{number} {dtype}" (inference-mode (row-{number} {given})))')
        if learned:
            given = " ".join(
                f"(learned (input \"{n}\" 'float32) #{'t' if n in learned else 'f'})" for n in names
            )
            texts.append(
                f"(let* ((given (list {given})) (y (apply row-{number} given))"
                f" (gs (gradients (tensor-sum (tensor-sin y)) (filter requires-grad? given))))"
                f' (for-each (lambda (k g) (save! (string "{number} gradient " k) g))'
                f" (iota (length gs)) gs))"
            )
    return "\n".join([*texts, '(save-tensors "out.safetensors" saved)'])


def expected() -> dict[str, Tensor]:
    found = {}
    for number, row in enumerate(ROWS):
        for dtype in row.dtypes:
            kind = getattr(torch, dtype)
            given = {n: x.to(kind) if x.is_floating_point() else x for n, x in INPUTS.items()}
            found[f"{number} {dtype}"] = row.expected(given)
        learned = sorted(row.learned.split())
        if learned:
            given = dict(INPUTS)
            leaves = [INPUTS[name].clone().requires_grad_() for name in learned]
            given.update(zip(learned, leaves, strict=True))
            gradients = torch.autograd.grad(row.expected(given).sin().sum(), leaves)
            found |= {f"{number} gradient {k}": g for k, g in enumerate(gradients)}
    return found


_TOLERANCE = {"bfloat16": 2e-2, "float16": 2e-3}


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_operators_equal_their_compositions(back_end: str, tmp_path: Path) -> None:
    save_file(INPUTS, tmp_path / "in.safetensors")
    found, wanted = saved_by(program(), back_end, tmp_path), expected()
    assert sorted(found) == sorted(wanted)
    check(found, wanted)


def check(found: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> None:
    for name, y in wanted.items():
        tolerance = _TOLERANCE.get(name.split()[1], 1e-5)
        assert_close({name: found[name]}, {name: y}, tolerance)


# The sampler.

LOGITS = torch.tensor([2.0, -1.0, 1.5, 0.0, 0.5, -3.0, 1.0, -0.5, 2.5, 0.25, -2.0, -torch.inf])
DRAWS = 20_000


def distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0,
    min_p: float = 0.0, typical_p: float = 1.0,
) -> Tensor:
    """The probabilities of the tokens, by the definition of each filter."""
    x = logits.double() / temperature
    if top_k:
        x = x.masked_fill(x < x.topk(top_k).values[-1], -torch.inf)
    if top_p < 1:
        p, order = x.softmax(0).sort(descending=True)
        x = x.index_fill(0, order[p.cumsum(0) - p >= top_p], -torch.inf)
    if min_p:
        x = x.masked_fill(x.softmax(0) < min_p * x.softmax(0).max(), -torch.inf)
    if typical_p < 1:
        p = x.softmax(0)
        entropy = torch.special.entr(p).sum()
        order = (-p.log() - entropy).abs().sort().indices
        x = x.index_fill(0, order[p[order].cumsum(0) - p[order] >= typical_p], -torch.inf)
    return x.softmax(0)


SETTINGS: list[dict[str, float]] = [
    {}, {"temperature": 0.5}, {"temperature": 1.7}, {"top_k": 3}, {"top_k": 1}, {"top_p": 0.8},
    {"top_p": 0.3}, {"min_p": 0.2}, {"typical_p": 0.7}, {"typical_p": 0.2},
    {"temperature": 0.8, "top_k": 6, "top_p": 0.9},
    {"temperature": 1.5, "top_p": 0.95, "min_p": 0.1},
    {"top_k": 7, "typical_p": 0.8}, {"temperature": 0.7, "min_p": 0.05, "typical_p": 0.9},
]  # fmt: skip
# Settings for 32,000 logits, where the survivors are found by buckets and by a heap.
WIDE_SETTINGS: list[dict[str, float]] = [
    {"top_p": 0.5}, {"top_k": 40}, {"top_k": 3000, "top_p": 0.6}, {"min_p": 0.05},
    {"typical_p": 0.3},
]  # fmt: skip


def options(settings: dict[str, float]) -> str:
    return " ".join(f":{name.replace('_', '-')} {value}" for name, value in settings.items())


def sampler_program() -> str:
    texts = ['(define inputs (load-tensors "in.safetensors"))', "(define saved '())",
             "(define (save! name x) (set! saved (cons (cons name x) saved)))",
             '(define small (hash-ref inputs "small"))', '(define wide (hash-ref inputs "wide"))',
             f"(define rows (tensor-expand small '({DRAWS} 12)))", "(define g (make-generator 5))",
             "(define again (make-generator 5))"]  # fmt: skip
    for number, settings in enumerate(SETTINGS):
        texts.append(
            f'(save! "{number}" (tensor-bincount '
            f"(tensor-sample rows {options(settings)} :generator g) :minlength 12))"
        )
    for number, settings in enumerate(WIDE_SETTINGS):
        texts.append(
            f'(save! "wide {number}" (tensor-sample (tensor-expand wide \'(100 32000)) '
            f"{options(settings)} :generator g))"
        )
    texts.append('(save! "first" (tensor-bincount (tensor-sample rows :generator again) '
                 ":minlength 12))")  # fmt: skip
    return "\n".join([*texts, '(save-tensors "out.safetensors" saved)'])


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_sampler_draws_from_the_exact_distribution(back_end: str, tmp_path: Path) -> None:
    wide = f(32000)
    save_file({"small": LOGITS, "wide": wide}, tmp_path / "in.safetensors")
    found = saved_by(sampler_program(), back_end, tmp_path)
    for number, settings in enumerate(SETTINGS):
        exact = distribution(LOGITS, **settings)  # type: ignore[arg-type]
        counts = found[str(number)]
        assert int(counts.sum()) == DRAWS
        assert bool((counts[exact == 0] == 0).all()), settings
        torch.testing.assert_close(
            counts.double() / DRAWS, exact, atol=0.02, rtol=0, msg=f"{settings}"
        )
    assert torch.equal(found["first"], found["0"]), "the same seed draws the same"
    for number, settings in enumerate(WIDE_SETTINGS):
        drawn = found[f"wide {number}"]
        exact = distribution(wide, **settings)  # type: ignore[arg-type]
        allowed = set(exact.nonzero().flatten().tolist())
        assert set(drawn.tolist()) <= allowed, settings
        assert len(set(drawn.tolist())) > min(20, len(allowed) // 2), settings

