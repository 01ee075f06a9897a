"""Caches with sinks answer as attention without a cache does.

For a Llama the reference is plain PyTorch: each token sees the first tokens and a window of the
last ones, and is rotated by places among those.  Other architectures (scores with caps, windows,
biases by distance or learned sinks, latents) are compared with themselves: where no token has been
forgotten with their answers without a cache, and in whatever parts a text comes.
"""

import json
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import load_file  # noqa: E402

from tests.support.model_folders import folder, outputs  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

SINKS, WINDOW = 3, 7
OTHERS = ("gemma2", "gemma3", "mistral", "gpt-oss", "falcon-alibi", "mpt-six", "deepseek-v2-greedy",
          "deepseek-v3", "granite", "ministral3")

PROGRAM = """
(define saved '())
(define (save! name x) (set! saved (cons (cons name (tensor-contiguous x)) saved)))

(define (in-parts call ids . sizes)
  (let loop ((start 0) (sizes sizes) (parts '()))
    (let ((size (if (null? sizes) 1 (car sizes))))
      (if (= start (tensor-size ids 1))
          (tensor-cat (reverse parts) 1)
          (loop (+ start size) (if (null? sizes) '() (cdr sizes))
                (cons (call (tensor-narrow ids 1 start size)) parts))))))

(define (cached model . options)
  (let ((cache (apply kv-cache model options)))
    (lambda (ids) (model ids :cache cache))))

(define (paged model . options)
  (let* ((pool (apply paged-cache model :page-size 3 options)) (sequence (paged-sequence pool)))
    (lambda (ids) (model ids :cache (paged-batch (list sequence))))))

(define (run name folder sinks window)
  (let* ((model (load-llm folder))
         (ids (hash-ref (load-tensors (string folder ".outputs.safetensors")) "ids"))
         (long (hash-ref (load-tensors (string folder ".outputs.safetensors")) "long"
                         (tensor-narrow ids 0 0 1)))
         (options (list :window window :sinks sinks)))
    (define (save-as! kind x) (save! (string name "." kind) x))
    (inference-mode
      (save-as! "whole" (model long))
      (save-as! "kept" ((cached model :window (tensor-size long 1) :sinks 2) long))
      (save-as! "one" (in-parts (apply cached model options) long))
      (save-as! "parts" (in-parts (apply cached model options) long 40 1 17))
      (save-as! "pages" (in-parts (apply paged model options) long))
      (save-as! "parts-in-pages" (in-parts (apply paged model options) long 13 1 30)))))

(for-each (lambda (row) (apply run row)) '(%s))
(save-tensors "out.safetensors" saved)
"""


def _rotated(x: "torch.Tensor", places: "torch.Tensor", base: float) -> "torch.Tensor":
    """x [heads, s, d] rotated by places [s]."""
    half = x.shape[-1] // 2
    angles = places[:, None].float() * base ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1)


def _streamed(path: Path, ids: "torch.Tensor") -> "torch.Tensor":
    """The logits [t, v] of a Llama whose tokens see sinks and a window, token by token."""
    config = json.loads((path / "config.json").read_text("utf-8"))
    weights = load_file(path / "model.safetensors")
    heads, shared = config["num_attention_heads"], config["num_key_value_heads"]
    base = (config.get("rope_parameters") or config)["rope_theta"]
    size = config["hidden_size"] // heads

    def norm(x: "torch.Tensor", name: str) -> "torch.Tensor":
        return weights[name] * x / (x.pow(2).mean(-1, keepdim=True) + config["rms_norm_eps"]).sqrt()

    x = weights["model.embed_tokens.weight"][ids]
    for layer in range(config["num_hidden_layers"]):
        name = f"model.layers.{layer}."

        def times(x: "torch.Tensor", part: str, name: str = name) -> "torch.Tensor":
            return x @ weights[f"{name}{part}_proj.weight"].T

        y = norm(x, name + "input_layernorm.weight")
        q, k, v = (times(y, f"self_attn.{part}").view(len(ids), -1, size).transpose(0, 1)
                   for part in "qkv")
        k, v = (each.repeat_interleave(heads // shared, 0) for each in (k, v))
        rows = []
        for i in range(len(ids)):
            seen = [j for j in range(i + 1) if j < SINKS or i - j < WINDOW]
            places = torch.arange(len(seen))
            query = _rotated(q[:, i : i + 1], places[-1:], base)
            scores = query @ _rotated(k[:, seen], places, base).transpose(1, 2) / size**0.5
            rows.append((scores.softmax(-1) @ v[:, seen]).transpose(0, 1).reshape(1, -1))
        x = x + times(torch.cat(rows), "self_attn.o")
        y = norm(x, name + "post_attention_layernorm.weight")
        gate = torch.nn.functional.silu(times(y, "mlp.gate"))
        x = x + times(gate * times(y, "mlp.up"), "mlp.down")
    return norm(x, "model.norm.weight") @ weights["lm_head.weight"].T


def test_sinks(back_end: str, tmp_path: Path) -> None:
    names = ("llama", *OTHERS)
    long = {name: outputs(name).get("long", outputs(name)["ids"][:1]) for name in names}
    rows = " ".join(f'("{name}" "{folder(name)}" {SINKS} {WINDOW})' for name in names)
    found = saved_by(PROGRAM % rows, back_end, tmp_path)
    expected = _streamed(folder("llama"), long["llama"][0])
    torch.testing.assert_close(found["llama.one"][0], expected, rtol=0, atol=1e-4)
    for name in names:
        one, whole = found[f"{name}.one"], found[f"{name}.whole"]
        torch.testing.assert_close(found[f"{name}.kept"], whole, rtol=0, atol=2e-4, msg=name)
        torch.testing.assert_close(one[:, :WINDOW], whole[:, :WINDOW], rtol=0, atol=2e-4, msg=name)
        forgets = name != "mistral"  # whose own window is smaller
        assert ((one - whole).abs().max() > 0.01) == forgets, name
        for kind in ("parts", "pages", "parts-in-pages"):
            assert (found[f"{name}.{kind}"] - one).abs().max() < 2e-4, (name, kind)
