"""Generation in Python: a plain loop over PyTorch's operators with a static cache, or transformers.

    generate_torch.py plain|transformers FOLDER DTYPE THREADS

The first line that it prints is how long the weights took to load.  Then it answers lines: `prompt
N` is a prompt of N tokens, `decode N` a prompt of 16 and N tokens after it, one by one.  The answer
is the seconds that the prompt, or the N tokens, took, and a checksum of the tokens.
"""

import inspect
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch.nn import functional

PROMPT, CONTEXT = 16, 1024


def prompt(count: int) -> list[int]:
    return [(7919 * k + 11) % 31991 for k in range(count)]


class Plain:
    """Llama with joined matrices, and keys and values in tensors made once."""

    def __init__(self, folder: Path, dtype: torch.dtype) -> None:
        config = json.loads((folder / "config.json").read_text())
        w = {k: v.to(dtype) for k, v in load_file(folder / "model.safetensors").items()}
        self.heads, self.kv = config["num_attention_heads"], config["num_key_value_heads"]
        self.width, self.eps = config["hidden_size"], config["rms_norm_eps"]
        self.size = self.width // self.heads
        self.embed = w["model.embed_tokens.weight"]
        self.head = w.get("lm_head.weight", self.embed)
        self.norm = w["model.norm.weight"]
        self.layers = []
        for k in range(config["num_hidden_layers"]):
            part = {n.split(f"layers.{k}.")[1]: v for n, v in w.items() if f"layers.{k}." in n}
            self.layers.append((
                part["input_layernorm.weight"],
                torch.cat([part[f"self_attn.{n}_proj.weight"] for n in "qkv"]),
                part["self_attn.o_proj.weight"],
                part["post_attention_layernorm.weight"],
                torch.cat([part[f"mlp.{n}_proj.weight"] for n in ("gate", "up")]),
                part["mlp.down_proj.weight"],
                torch.zeros(1, self.kv, CONTEXT, self.size, dtype=dtype),
                torch.zeros(1, self.kv, CONTEXT, self.size, dtype=dtype),
            ))  # fmt: skip
        rates = 10000.0 ** (-torch.arange(0, self.size, 2) / self.size)
        angles = torch.arange(CONTEXT).unsqueeze(1) * torch.cat([rates, rates])
        signs = torch.cat([-torch.ones(self.size // 2), torch.ones(self.size // 2)])
        self.cos, self.sin = angles.cos().to(dtype), (angles.sin() * signs).to(dtype)

    def step(self, ids: list[int], start: int) -> int:
        t, end = len(ids), start + len(ids)
        x = functional.embedding(torch.tensor([ids]), self.embed)
        cos, sin = self.cos[start:end].unsqueeze(1), self.sin[start:end].unsqueeze(1)
        both, half = self.heads + self.kv, self.size // 2
        for norm, qkv, out, norm_2, gate_up, down, keys, values in self.layers:
            y = functional.rms_norm(x, (self.width,), norm, self.eps)
            y = functional.linear(y, qkv).view(1, t, both + self.kv, self.size)
            turned, v = y[:, :, :both], y[:, :, both:]
            turned = torch.addcmul(turned * cos, turned.roll(half, -1), sin)
            keys[:, :, start:end] = turned[:, :, self.heads :].transpose(1, 2)
            values[:, :, start:end] = v.transpose(1, 2)
            k, v = keys[:, :, :end], values[:, :, :end]
            if t == 1:
                q = turned[:, :, : self.heads].view(1, self.kv, -1, self.size)
                y = functional.scaled_dot_product_attention(q, k, v)
            else:
                q = turned[:, :, : self.heads].transpose(1, 2)
                y = functional.scaled_dot_product_attention(
                    q, k, v, is_causal=True, enable_gqa=self.heads != self.kv
                ).transpose(1, 2)
            x = x + functional.linear(y.reshape(1, t, self.width), out)
            y = functional.linear(functional.rms_norm(x, (self.width,), norm_2, self.eps), gate_up)
            gate, up = y.chunk(2, -1)
            x = x + functional.linear(functional.silu(gate) * up, down)
        last = functional.rms_norm(x[:, -1], (self.width,), self.norm, self.eps)
        return int(functional.linear(last, self.head).argmax())


class Transformers:
    def __init__(self, folder: Path, dtype: torch.dtype) -> None:
        from transformers import AutoModelForCausalLM

        self.model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()
        self.cache: Any = None
        names = inspect.signature(self.model.forward).parameters
        self.name = "cache_params" if "cache_params" in names else "past_key_values"

    def step(self, ids: list[int], start: int) -> int:
        if start == 0:
            self.cache = None
        given = {self.name: self.cache, "use_cache": True, "logits_to_keep": 1}
        out = self.model(torch.tensor([ids]), **given)
        self.cache = getattr(out, self.name)
        return int(out.logits[0, -1].argmax())


def run(model: Plain | Transformers, kind: str, count: int) -> tuple[float, int]:
    start = time.perf_counter()
    if kind == "prompt":
        token = model.step(prompt(count), 0)
        return time.perf_counter() - start, token
    token = model.step(prompt(PROMPT), 0)
    total, start = token, time.perf_counter()
    for k in range(count):
        token = model.step([token], PROMPT + k)
        total = (total * 31 + token) % 1000003
    return time.perf_counter() - start, total


def main() -> None:
    mode, folder, dtype, threads = sys.argv[1:]
    if int(threads):
        torch.set_num_threads(int(threads))
    start = time.perf_counter()
    maker = {"plain": Plain, "transformers": Transformers}[mode]
    with torch.inference_mode():
        model = maker(Path(folder), getattr(torch, dtype))
        print(time.perf_counter() - start, flush=True)
        for line in sys.stdin:
            kind, count = line.split()
            print(*run(model, kind, int(count)), flush=True)


main()
