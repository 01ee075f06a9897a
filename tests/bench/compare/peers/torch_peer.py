"""The model in plain PyTorch: a loop of about a hundred lines with a static cache.

It has the layers of Llama, Mistral, Qwen 2 and Qwen 3.  With "compile" in the task, the step of one
token is compiled.
"""

import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import measuring
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

FAMILIES = ("llama", "mistral", "qwen2", "qwen3")


class Model:
    def __init__(self, folder: Path, dtype: torch.dtype, room: int) -> None:
        config = json.loads((folder / "config.json").read_text())
        if config["model_type"] not in FAMILIES:
            raise measuring.Unavailable(
                f"the plain loop knows {', '.join(FAMILIES)}, not {config['model_type']}"
            )
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.groups = config.get("num_key_value_heads") or self.heads
        self.size = config.get("head_dim") or config["hidden_size"] // self.heads
        self.epsilon = config["rms_norm_eps"]
        window = config.get("sliding_window")
        if window and window < room and config.get("use_sliding_window", True):
            raise measuring.Unavailable("the plain loop has no sliding window")
        self.weights = _weights(folder, dtype)
        name = "lm_head.weight"
        self.head = self.weights.get(name, self.weights["model.embed_tokens.weight"])
        self.cos, self.sin = _rotation(config, self.size, room, dtype)
        shape = (self.layers, 1, self.groups, room, self.size)
        self.keys, self.values = torch.zeros(shape, dtype=dtype), torch.zeros(shape, dtype=dtype)
        self.positions = torch.arange(room)

    def forward(self, ids: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        """ids [t], their positions at [t] -> logits of the last one [vocabulary]."""
        w = self.weights
        x = w["model.embed_tokens.weight"][ids][None]
        seen = self.positions[None] <= at[:, None]
        cos, sin = self.cos[at], self.sin[at]
        for k in range(self.layers):
            p = f"model.layers.{k}."
            h = self.norm(x, w[p + "input_layernorm.weight"])
            x = x + self.attend(h, p + "self_attn.", k, at, seen, cos, sin)
            h = self.norm(x, w[p + "post_attention_layernorm.weight"])
            gate = F.silu(F.linear(h, w[p + "mlp.gate_proj.weight"]))
            up = F.linear(h, w[p + "mlp.up_proj.weight"])
            x = x + F.linear(gate * up, w[p + "mlp.down_proj.weight"])
        x = self.norm(x[:, -1], w["model.norm.weight"])
        return F.linear(x, self.head)[0]

    def norm(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, (x.shape[-1],), weight, self.epsilon)

    def attend(
        self, x: torch.Tensor, p: str, k: int, at: torch.Tensor, seen: torch.Tensor,
        cos: torch.Tensor, sin: torch.Tensor,
    ) -> torch.Tensor:
        t, w = x.shape[1], self.weights
        split = {
            name: F.linear(x, w[f"{p}{name}_proj.weight"], w.get(f"{p}{name}_proj.bias"))
            .view(1, t, -1, self.size)
            for name in "qkv"
        }
        if f"{p}q_norm.weight" in w:
            split["q"] = self.norm(split["q"], w[f"{p}q_norm.weight"])
            split["k"] = self.norm(split["k"], w[f"{p}k_norm.weight"])
        q, key, value = (split[name].transpose(1, 2) for name in "qkv")
        q, key = _rotated(q, cos, sin), _rotated(key, cos, sin)
        self.keys[k].index_copy_(2, at, key)
        self.values[k].index_copy_(2, at, value)
        y = F.scaled_dot_product_attention(
            q, self.keys[k], self.values[k], attn_mask=seen,
            enable_gqa=self.groups != self.heads,
        )
        return F.linear(y.transpose(1, 2).reshape(1, t, -1), w[p + "o_proj.weight"],
                        w.get(p + "o_proj.bias"))


def _weights(folder: Path, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise measuring.Unavailable("the folder has no safetensors files")
    found: dict[str, torch.Tensor] = {}
    for file in files:
        found |= load_file(file)
    return {name: value.to(dtype) for name, value in found.items()}


def _rotation(
    config: dict[str, Any], size: int, room: int, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines [room, size], the halves of a head alike."""
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    theta = rope.get("rope_theta") or config.get("rope_theta", 10000.0)
    kind = rope.get("rope_type", rope.get("type", "default"))
    rates = theta ** -(torch.arange(0, size, 2).float() / size)
    if kind == "llama3":
        rates = _llama3(rates, rope)
    elif kind != "default":
        raise measuring.Unavailable(f"the plain loop does not know the rope type {kind}")
    angles = torch.outer(torch.arange(room).float(), rates)
    angles = torch.cat((angles, angles), -1)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def _llama3(rates: torch.Tensor, rope: dict[str, Any]) -> torch.Tensor:
    length = 2 * math.pi / rates
    context = rope["original_max_position_embeddings"]
    low, high = rope["low_freq_factor"], rope["high_freq_factor"]
    share = ((context / length - low) / (high - low)).clamp(0, 1)
    return rates * (share + (1 - share) / rope["factor"])


def _rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


def measure(task: dict[str, Any]) -> dict[str, Any]:
    torch.set_num_threads(task["threads"])
    start = time.perf_counter()
    room = len(task["prompt"]) + task["tokens"]
    model = Model(Path(task["folder"]), getattr(torch, task["dtype"]), room)
    load_seconds = time.perf_counter() - start
    step = torch.compile(model.forward) if task["compile"] else model.forward
    prompt = torch.tensor(task["prompt"])

    def generate(note: Callable[[], None]) -> Sequence[int]:
        ids: list[int] = []
        logits = model.forward(prompt, torch.arange(len(prompt)))
        for at in range(len(prompt), room):
            ids.append(int(logits.argmax()))
            note()
            if len(ids) < task["tokens"]:
                logits = step(torch.tensor(ids[-1:]), torch.tensor([at]))
        return ids

    with torch.inference_mode():
        probe = model.forward(prompt, torch.arange(len(prompt))).float().tolist()
        return measuring.measured(task, load_seconds, generate, probe, task["dtype"])


measuring.run(measure)
