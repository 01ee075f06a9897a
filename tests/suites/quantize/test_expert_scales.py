"""Experts of 8-bit floats as transformers 5 saves them: the scales of all experts are one tensor.

Gates and ups share blocks of scales, also one that goes across both.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402

from tests.suites.quantize.quantizers import Tensors  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

SIZES = {"vocab_size": 64, "hidden_size": 128, "intermediate_size": 96, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64,
         "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
FP8 = torch.float8_e4m3fn
PROGRAM = """
(define ids (tensor '((3 9 27 5 60 11 2 44))))
(save-tensors "out.safetensors"
  (append-map (lambda (name)
                (list (cons name (no-grad ((load-llm name) ids)))))
              (read-json "names.json")))
"""


def config_of(name: str) -> Any:
    if name.startswith("mixtral"):
        return transformers.MixtralConfig(num_local_experts=4, **SIZES)
    if name.startswith("granitemoe"):
        return transformers.GraniteMoeConfig(num_local_experts=4, **SIZES)
    return transformers.Qwen3MoeConfig(
        num_experts=4, num_experts_per_tok=2, moe_intermediate_size=96, decoder_sparse_step=1,
        head_dim=32, **SIZES)


def wide(scale: torch.Tensor, rows: int, columns: int, block: int) -> torch.Tensor:
    """Scales [experts, ...] of blocks as one for each element."""
    if block:
        scale = scale.repeat_interleave(block, 1).repeat_interleave(block, 2)
    return scale.expand(-1, max(rows, scale.shape[1]), max(columns, scale.shape[2]))[
        :, :rows, :columns]


def quantized(x: torch.Tensor, block: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Matrices [experts, rows, columns] as 8-bit floats, their scales, and the floats."""
    experts, rows, columns = x.shape
    shape = (experts, -(-rows // block), -(-columns // block)) if block else (experts, rows, 1)
    scale = torch.rand(shape) * 0.002 + 0.001
    by = wide(scale, rows, columns, block)
    q = (x / by).to(FP8)
    return q, scale, q.float() * by


def quantize_experts(saved: Tensors, floats: Tensors, block: int) -> None:
    """Quantise all experts, in the names of a file and in those of the model."""
    for name in [name for name in floats if ".experts." in name]:
        q, scale, floats[name] = quantized(floats[name], block)
        layer, kind = name.split(".experts.")
        if not any(key.startswith(f"{layer}.") for key in saved):
            layer = layer.replace(".mlp", ".block_sparse_moe")
        saved[f"{layer}.experts.{kind}_scale_inv"] = scale
        joined = {"gate_up_proj": "input_linear", "down_proj": "output_linear"}[kind]
        if f"{layer}.{joined}.weight" in saved:
            saved[f"{layer}.{joined}.weight"] = q
            continue
        parts = {"gate_up_proj": ("gate_proj", "up_proj"), "down_proj": ("down_proj",)}[kind]
        if f"{layer}.experts.0.w1.weight" in saved:
            parts = {"gate_up_proj": ("w1", "w3"), "down_proj": ("w2",)}[kind]
        for k in range(len(q)):
            for part, piece in zip(parts, q[k].chunk(len(parts)), strict=True):
                saved[f"{layer}.experts.{k}.{part}.weight"] = piece.contiguous()


def write_folder(path: Path, name: str, block: int) -> torch.Tensor:
    """Write a folder; returns the logits that it should lead to."""
    torch.manual_seed(5)
    model = transformers.AutoModelForCausalLM.from_config(config_of(name)).eval()
    model.save_pretrained(path)
    saved = load_file(path / "model.safetensors")
    floats = {key: x.clone() for key, x in model.state_dict().items()}
    quantize_experts(saved, floats, block)
    # A matrix that is smaller than a block stays as it is, but has a scale of no meaning.
    saved["model.layers.0.self_attn.k_proj.weight_scale_inv"] = torch.full((1, 1), 1e19)
    save_file(saved, path / "model.safetensors", {"format": "pt"})
    settings = json.loads((path / "config.json").read_text())
    settings["quantization_config"] = {"quant_method": "fp8",
                                       "weight_block_size": [block, block] if block else None}
    (path / "config.json").write_text(json.dumps(settings))
    model.load_state_dict(floats)
    with torch.no_grad():
        return model(torch.tensor([[3, 9, 27, 5, 60, 11, 2, 44]])).logits


def test_experts_share_scales(back_end: str, tmp_path: Path) -> None:
    wanted = {f"{name}-{block}": write_folder(tmp_path / f"{name}-{block}", name, block)
              for name in ("mixtral", "qwen3moe", "granitemoe") for block in (64, 32, 0)}
    (tmp_path / "names.json").write_text(json.dumps(list(wanted)))
    out = saved_by(PROGRAM, back_end, tmp_path)
    for name, logits in wanted.items():
        gap = float((out[name] - logits).abs().max() / logits.abs().max())
        assert gap < 1e-5, (name, gap)


def test_scales_of_more_rows_than_the_matrices_are_refused(back_end: str, tmp_path: Path) -> None:
    write_folder(tmp_path / "mixtral", "mixtral", 32)
    saved = load_file(tmp_path / "mixtral" / "model.safetensors")
    [name, *_] = [name for name in saved if name.endswith("gate_up_proj_scale_inv")]
    saved[name] = torch.cat([saved[name], saved[name][:, :1]], 1)
    save_file(saved, tmp_path / "mixtral" / "model.safetensors", {"format": "pt"})
    done = run(command_of('(load-llm "mixtral")', back_end, tmp_path), tmp_path)
    assert done.status == 70
    assert "scales of (7 4) do not fit 192 rows in blocks of (32 32)" in done.errors
