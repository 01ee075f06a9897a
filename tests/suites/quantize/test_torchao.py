"""Folders that torchao itself has quantised, where it is installed: the same floats to the bit."""

import json
from pathlib import Path
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
torchao = pytest.importorskip("torchao.quantization")

from tests.support.saved_tensors import saved_by  # noqa: E402

SIZES = {"vocab_size": 64, "hidden_size": 128, "intermediate_size": 192, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64,
         "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
PROGRAM = """
(define ids (tensor '((3 9 27 5 60 11 2 44))))
(define out '())
(define (keep name x) (set! out (cons (cons name x) out)))
(for-each
 (lambda (name)
   (for-each (lambda (entry) (keep (string name "/" (car entry)) (cdr entry)))
             (hash->list (load-dequantized name)))
   (no-grad (keep (string name "/expanded") ((load-llm name :expand #t) ids))
            (keep (string name "/logits") ((load-llm name) ids))))
 (read-json "names.json"))
(save-tensors "out.safetensors" out)
"""


def methods() -> dict[str, Any]:
    group = torchao.PerGroup(32)
    return {
        "int8": torchao.Int8WeightOnlyConfig(),
        "int8-whole": torchao.Int8WeightOnlyConfig(granularity=torchao.PerTensor()),
        "int8-dynamic": torchao.Int8DynamicActivationInt8WeightConfig(),
        "float8": torchao.Float8WeightOnlyConfig(),
        "int4-unpacked": torchao.IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=group),
        "int4-dynamic": torchao.Int8DynamicActivationIntxWeightConfig(
            weight_dtype=torch.int4, weight_granularity=group),
        "int3": torchao.IntxWeightOnlyConfig(weight_dtype=torch.int3, granularity=group),
    }


def test_folders_of_torchao(back_end: str, tmp_path: Path) -> None:
    torch.manual_seed(5)
    config = transformers.LlamaConfig(rms_norm_eps=1e-5, **SIZES)
    model = transformers.LlamaForCausalLM._from_config(config).eval()
    model.save_pretrained(tmp_path / "base")
    floats = {}
    for kind, method in methods().items():
        for dtype in (torch.float32, torch.bfloat16):
            name = f"{kind}-{str(dtype).removeprefix('torch.')}"
            quantized = transformers.LlamaForCausalLM.from_pretrained(
                tmp_path / "base", dtype=dtype, device_map="cpu",
                quantization_config=transformers.TorchAoConfig(method))
            quantized.save_pretrained(tmp_path / name)
            floats[name] = {
                key: x if type(x) is torch.Tensor else x.dequantize()
                for key, x in quantized.state_dict().items()}
    (tmp_path / "names.json").write_text(json.dumps(list(floats)))
    out = saved_by(PROGRAM, back_end, tmp_path)
    for name, weights in floats.items():
        for key, weight in weights.items():
            assert torch.equal(out[f"{name}/{key}"].to(weight.dtype), weight), (name, key)
        model.load_state_dict({key: x.float() for key, x in weights.items()})
        with torch.no_grad():
            logits = model(torch.tensor([[3, 9, 27, 5, 60, 11, 2, 44]])).logits
        size = float(logits.abs().max())
        close = 1e-5 if name.endswith("float32") else 0.03
        for key, most in (("expanded", close), ("logits", 0.05)):
            assert float((out[f"{name}/{key}"] - logits).abs().max()) / size < most, (name, key)
