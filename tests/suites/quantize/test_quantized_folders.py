"""Folders that other programs have quantised: the floats are those of the method's definition, bit
for bit, and a model that keeps integers or codes answers as they explain.

One program a back end loads the folders of all methods, and saves what it has computed.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import load_file, save_file  # noqa: E402

from tests.suites.quantize import quantizers as by  # noqa: E402
from tests.suites.quantize.quantizers import Tensors  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

SIZES = {"vocab_size": 64, "hidden_size": 128, "intermediate_size": 192, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64,
         "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
KEPT = ("self_attn.q_proj",)  # which layer of the second block is not quantised


def scheme(bits: int, form: str, **weights: Any) -> dict[str, Any]:
    """Settings of compressed-tensors."""
    return {"quant_method": "compressed-tensors", "format": form, "config_groups": {
        "group_0": {"targets": ["Linear"], "weights": {"num_bits": bits, **weights}}}}


def of_gptq(bits: int, **settings: Any) -> dict[str, Any]:
    return {"quant_method": "gptq", "bits": bits, **settings}


AWQ = {"quant_method": "awq", "bits": 4, "version": "gemm", "zero_point": True}
# Settings, quantiser, and what the linear layers become: integers of 4 or 8 bits, codes, or floats.
METHODS: dict[str, tuple[dict[str, Any], by.Quantizer, str]] = {
    "gptq-4": (of_gptq(4, sym=True), by.gptq(4, 32, True, version=2), "int4"),
    "gptq-4-v1": (of_gptq(4), by.gptq(4, 64), "int4"),
    "gptq-2": (of_gptq(2), by.gptq(2, 32), "int4"),
    "gptq-3": (of_gptq(3), by.gptq(3, 32), "int4"),
    "gptq-8": (of_gptq(8), by.gptq(8), "int8"),
    "gptq-16": (of_gptq(4), by.gptq(4, 16), "floats"),
    "gptq-order": (of_gptq(4, desc_act=True), by.gptq(4, 32, by_order=True), "floats"),
    "awq": (AWQ, by.awq(64), "int4"),
    "bnb-8": ({"quant_method": "bitsandbytes", "load_in_8bit": True}, by.int8_rows, "int8"),
    "bnb-nf4": ({"quant_method": "bitsandbytes", "load_in_4bit": True}, by.codes("nf4", 64),
                "code"),
    "bnb-nested": ({"load_in_4bit": True}, by.codes("nf4", 64, nested=True), "code"),
    "bnb-fp4": ({"quant_method": "bitsandbytes"}, by.codes("fp4", 32), "code"),
    "bnb-across": ({"quant_method": "bitsandbytes"}, by.codes("nf4", 256), "floats"),
    "fp8-block": ({"quant_method": "fp8", "weight_block_size": [128, 128]}, by.float8("block"),
                  "floats"),
    "fp8-row": ({"quant_method": "fbgemm_fp8"}, by.float8("row"), "floats"),
    "fp8-whole": (scheme(8, "float-quantized"), by.float8("whole", torch.float8_e5m2), "floats"),
    "packed-4": (scheme(4, "pack-quantized", group_size=32), by.integers(4, 32), "int4"),
    "packed-zero": (scheme(4, "pack-quantized", group_size=64), by.integers(4, 64, False), "int4"),
    "packed-3": (scheme(3, "pack-quantized", group_size=32), by.integers(3, 32), "int4"),
    "packed-6": (scheme(6, "pack-quantized"), by.integers(6), "int8"),
    "int8": (scheme(8, "int-quantized"), by.integers(8, dense=True), "int8"),
    "int8-zero": (scheme(8, "naive-quantized"), by.integers(8, 0, False, dense=True), "int8"),
    "mxfp4": (scheme(4, "mxfp4-pack-quantized"), by.float4(True), "code"),
    "nvfp4": (scheme(4, "nvfp4-pack-quantized"), by.float4(False), "code"),
    "ao-int8": ({"quant_method": "torchao"}, by.torchao("Int8Tensor"), "int8"),
    "ao-rows": ({"quant_method": "torchao"}, by.torchao("Int8Tensor", group=64), "int8"),
    "ao-intx": ({"quant_method": "torchao"},
                by.torchao("IntxUnpackedToInt8Tensor", 4, 32, symmetric=False), "int4"),
    "ao-intx16": ({"quant_method": "torchao"},
                  by.torchao("IntxUnpackedToInt8Tensor", 4, 16), "floats"),
    "ao-int4": ({"quant_method": "torchao"}, by.torchao("Int4Tensor", 4, 64), "int4"),
    "ao-float8": ({"quant_method": "torchao"}, by.torchao("Float8Tensor"), "floats"),
}
# What the metadata of torchao's files say of a weight.
TORCHAO: dict[str, dict[str, Any]] = {
    "ao-int8": {"_type": "Int8Tensor", "_data": {"block_size": [1, 128]}},
    "ao-rows": {"_type": "Int8Tensor", "_data": {"block_size": [1, 64]}},
    "ao-intx": {"_type": "IntxUnpackedToInt8Tensor",
                "_data": {"target_dtype": {"_type": "torch.dtype", "_data": "int4"}}},
    "ao-intx16": {"_type": "IntxUnpackedToInt8Tensor",
                  "_data": {"target_dtype": {"_type": "torch.dtype", "_data": "int4"}}},
    "ao-int4": {"_type": "Int4Tensor", "_data": {"block_size": [1, 64]}},
    "ao-float8": {"_type": "Float8Tensor", "_data": {"block_size": [1, 128]}},
}
EXACT = ("code", "floats")  # layers that compute with the same floats


def is_quantized(name: str) -> bool:
    return ".layers." in name and name.endswith("proj.weight") and (
        ".layers.1." not in name or not any(kept in name for kept in KEPT))


def metadata(name: str, tensors: Tensors) -> dict[str, str]:
    """The metadata of a file: torchao's say what a weight is."""
    said = json.dumps(TORCHAO.get(name, {}))
    ending = "._weight_qdata"
    return {"format": "pt"} | {
        key.removesuffix(ending) + ".weight": said for key in tensors if key.endswith(ending)}


def write_folder(path: Path, model: Any, name: str) -> dict[str, torch.Tensor]:
    """Write a folder; returns the weights for which its quantised ones stand."""
    settings, quantize, _ = METHODS[name]
    random = np.random.default_rng(len(name))
    tensors, floats = {}, {}
    for key, weight in model.state_dict().items():
        floats[key] = weight
        if is_quantized(key):
            parts, floats[key] = quantize(random, weight)
            base = key.removesuffix(".weight")
            tensors |= {base + ending: part.clone().contiguous() for ending, part in parts.items()}
            if name == "gptq-2":  # some programs write biases that the model does not have
                tensors[f"{base}.bias"] = torch.zeros(len(weight))
        else:
            tensors[key] = weight
    path.mkdir()
    save_file(tensors, path / "model.safetensors", metadata(name, tensors))
    if name == "gptq-4":
        settings = settings | {"checkpoint_format": "gptq_v2"}
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "dtype": "float32",
              "rms_norm_eps": 1e-5, "quantization_config": settings, **SIZES}
    (path / "config.json").write_text(json.dumps(config))
    return floats


PROGRAM = """
(define ids (tensor '((3 9 27 5 60 11 2 44))))
(define out '())
(define (keep name x) (set! out (cons (cons name (tensor-to (detach x) 'float32)) out)))
(define (kind-at model path)
  (let ((layer (module-at model path)))
    (cond ((int4-linear? layer) 1) ((int8-linear? layer) 2) ((code-linear? layer) 3)
          ((linear? layer) 0) (else 9))))
(define (try name)
  (for-each (lambda (entry)
              (when (string-suffix? "proj.weight" (car entry))
                (keep (string name "/" (car entry)) (cdr entry))))
            (hash->list (load-dequantized name)))
  (no-grad (keep (string name "/expanded") ((load-llm name :expand #t) ids)))
  (let ((model (load-llm name)))
    (no-grad (keep (string name "/logits") (model ids)))
    (keep (string name "/kinds")
          (tensor (map (lambda (path) (kind-at model path))
                       '("layers.0.self_attn.qkv_proj" "layers.0.mlp.down_proj"
                         "layers.1.self_attn.qkv_proj" "lm_head"))))
    (save-llm model (string name "-saved"))
    (no-grad (keep (string name "/saved") ((load-llm (string name "-saved")) ids)))
    (lora! model :targets '("down_proj" "v_proj") :rank 2)
    (backward (tensor-mean (tensor-square (model ids))))
    (keep (string name "/gradient")
          (tensor-norm (tensor-grad (cdr (cadr (lora-parameters model))))))))
(for-each try (read-json "names.json"))
(keep "eight/kinds" (tensor (list (kind-at (load-llm "gptq-order" :bits 8)
                                           "layers.0.mlp.down_proj"))))
(save-tensors "out.safetensors" out)
(call-with-output-file "messages.json"
  (lambda (port)
    (write-json (map (lambda (name)
                       (guard (e ((error-object? e)
                                  (string (error-object-message e) " hint: "
                                          (error-object-hint e))))
                         (load-llm name)
                         "no error"))
                     (read-json "damaged.json"))
                port)))
"""


# What is wrong with a folder, and what the message must say.
Damage = Callable[[Tensors, dict[str, Any]], object]
Q = "model.layers.0.self_attn.q_proj"


def put(ending: str, value: Any) -> Damage:
    """Another tensor, made of the one that is there, or none."""
    def damage(tensors: Tensors, settings: dict[str, Any]) -> None:
        x = tensors.pop(Q + ending)
        if value is not None:
            tensors[Q + ending] = value(x)
    return damage


def put_other(ending: str) -> Damage:
    def damage(tensors: Tensors, settings: dict[str, Any]) -> None:
        tensors[Q + ending] = torch.ones(2)
    return damage


def set_to(**values: Any) -> Damage:
    return lambda tensors, settings: settings.update(values)


def another_layer(tensors: Tensors, settings: dict[str, Any]) -> None:
    for ending in (".qweight", ".qzeros", ".scales", ".g_idx"):
        tensors[f"model.layers.7.extra{ending}"] = tensors[Q + ending].clone()


STATE = ".weight.quant_state.bitsandbytes__nf4"
DAMAGED: dict[str, tuple[str, Damage, str]] = {
    "method": ("gptq-4", set_to(quant_method="hqq"), 'are quantized by "hqq" cannot be read'),
    "ao-type": ("ao-rows", lambda tensors, settings: None,
                'by torchao as "Int4TilePackedTo4dTensor"'),
    "ao-other": ("ao-rows", put_other("._weight_act_pre_scale"), "with scales of activations"),
    "ao-expert": ("ao-rows", put_other("_experts_qdata"), "is not the weight of a layer"),
    "ao-scales": ("ao-rows", put("._weight_scale", lambda x: x[:, :1].repeat(1, 3)),
                  "int8 or float16 or bfloat16 or float32 (128 3)"),
    "ao-zeros": ("ao-rows", put("._weight_zero_point", lambda x: x.float() + 0.5),
                 "zeros that are not integers"),
    "ao-bits": ("ao-intx", lambda tensors, settings: None, "expected int1 to int8"),
    "no-method": ("gptq-4", lambda tensors, settings: settings.pop("quant_method"), "by null"),
    "scales": ("gptq-4", put(".scales", None), f'there is no tensor "{Q}.scales"'),
    "zeros": ("gptq-4", put(".qzeros", lambda x: x[:1].clone()),
              f'expected "{Q}.qzeros" as int32 (4 16), got int32 (1 16)'),
    "words": ("gptq-4", put(".qweight", lambda x: x.float()), "as int32 (any any), got float32"),
    "order": ("gptq-4", put(".g_idx", lambda x: x + 1), "g_idx has groups outside 0 to 3"),
    "bits": ("gptq-4", put(".g_idx", lambda x: x[:100].clone()), "expected 2, 3, 4 or 8 bits"),
    "config-bits": ("awq", set_to(bits=3), 'expected 4 for the setting "bits", got 3'),
    "gemv": ("awq", set_to(version="gemv"), 'for the setting "version", got "gemv"'),
    "awq-scales": ("awq", put(".scales", lambda x: x[:, :8].clone()), "got float16 (2 8)"),
    "awq-groups": ("awq", put(".qweight", lambda x: x[:127].clone()), "are not in 2 groups"),
    "extra": ("gptq-4", another_layer, "model.layers.7.extra.weight"),
    "state": ("bnb-nf4", put(STATE, lambda x: x[:-1].clone()), "is not an object in JSON"),
    "blocks": ("bnb-nf4", put(".weight", lambda x: x[:-1].clone()), "do not hold a matrix"),
    "absmax": ("bnb-nf4", put(".weight.absmax", lambda x: x[1:].clone()), "float32 or uint8 (256)"),
    "map": ("bnb-nested", put(".weight.nested_quant_map", lambda x: x[:9].clone()),
            "as float32 (256)"),
    "rows": ("bnb-8", put(".weight_format", lambda x: x + 2), "the order of a GPU's kernel"),
    "float8": ("fp8-block", put(".weight_scale_inv", None), "its float8-e4m3fn has no scales"),
    "fp8-scales": ("fp8-block", put(".weight_scale_inv", lambda x: x.repeat(3, 1)),
                   "scales of (3 1) do not fit a weight of (128 128) in blocks of (128 128)"),
    "shape": ("packed-4", put(".weight_shape", lambda x: x + 50), "do not hold a matrix of (178"),
    "format": ("packed-4", set_to(format="marlin-24"), 'for the setting "format", got "marlin-24"'),
    "transform": ("packed-4", set_to(transform_config={"config_groups": {"u": {}}}),
                  "a transform_config"),
}


def write_damaged(base: Path, name: str) -> None:
    source, damage, _ = DAMAGED[name]
    config = json.loads((base / source / "config.json").read_text())
    tensors = load_file(base / source / "model.safetensors")
    damage(tensors, config["quantization_config"])
    said = metadata(source, tensors)
    if name == "ao-type":
        said[f"{Q}.weight"] = json.dumps({"_type": "Int4TilePackedTo4dTensor"})
    if name == "ao-bits":
        said[f"{Q}.weight"] = json.dumps({"_type": "IntxUnpackedToInt8Tensor", "_data": {}})
    (base / name).mkdir()
    save_file(tensors, base / name / "model.safetensors", said)
    (base / name / "config.json").write_text(json.dumps(config))


@pytest.fixture(scope="module")
def llama() -> Any:
    import transformers

    torch.manual_seed(5)
    config = transformers.LlamaConfig(rms_norm_eps=1e-5, **SIZES)
    model = transformers.LlamaForCausalLM._from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        for name, x in model.named_parameters():
            if x.dim() == 2:
                size = 0.7 if "embed" in name else 1.3 * x.shape[1] ** -0.5
                x.copy_(torch.randn_like(x) * size)
    return model


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_folders_of_other_programs(llama: Any, back_end: str, tmp_path: Path) -> None:
    weights = {name: write_folder(tmp_path / name, llama, name) for name in METHODS}
    for name in DAMAGED:
        write_damaged(tmp_path, name)
    (tmp_path / "names.json").write_text(json.dumps(list(METHODS)))
    (tmp_path / "damaged.json").write_text(json.dumps(list(DAMAGED)))
    out = saved_by(PROGRAM, back_end, tmp_path)
    original = {key: x.clone() for key, x in llama.state_dict().items()}
    ids = torch.tensor([[3, 9, 27, 5, 60, 11, 2, 44]])
    assert out["eight/kinds"].tolist() == [2]
    said = json.loads((tmp_path / "messages.json").read_text())
    for (name, (_, _, expected)), message in zip(DAMAGED.items(), said, strict=True):
        assert expected in message, (name, message)
        assert name in message, (name, message)
    for name, floats in weights.items():
        for key, weight in floats.items():
            if is_quantized(key):
                assert torch.equal(out[f"{name}/{key}"], weight), (name, key)
        llama.load_state_dict(floats)
        with torch.no_grad():
            logits = llama(ids).logits
        llama.load_state_dict(original)
        layer = METHODS[name][2]
        size = float(logits.abs().max())
        gap = {key: float((out[f"{name}/{key}"] - logits).abs().max()) / size
               for key in ("expanded", "logits")}
        assert gap["expanded"] < 1e-5, (name, gap)
        assert gap["logits"] < (1e-5 if layer in EXACT else 0.05), (name, gap)
        assert torch.equal(out[f"{name}/saved"], out[f"{name}/logits"]), name
        kind = ["floats", "int4", "int8", "code"].index(layer)
        assert out[f"{name}/kinds"].tolist() == [kind, kind, 0, 0], name
        assert float(out[f"{name}/gradient"]) > 0, name


ENCODED = ("gptq-4", "gptq-order", "awq", "bnb-8", "bnb-nested", "fp8-block", "packed-4", "mxfp4",
           "ao-rows", "ao-intx", "ao-int4", "ao-float8")
ENCODER_PROGRAM = """
(define ids (tensor '((3 9 27 5 60 11 2 44))))
(define (states name)
  (let ((model (load-encoder name)))
    (save-encoder model (string name "-saved"))
    (no-grad (list (cons name (model ids))
                   (cons (string name "/saved") ((load-encoder (string name "-saved")) ids))))))
(save-tensors "out.safetensors" (append-map states (read-json "names.json")))
"""


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_encoders_of_other_programs(back_end: str, tmp_path: Path) -> None:
    import transformers

    torch.manual_seed(5)
    sizes = {name: SIZES[name] for name in (
        "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
        "num_attention_heads", "max_position_embeddings", "pad_token_id")}
    model = transformers.BertModel._from_config(
        transformers.BertConfig(**sizes), attn_implementation="eager").eval()
    original = {key: x.clone() for key, x in model.state_dict().items()}
    weights = {}
    for name in ENCODED:
        settings, quantize, _ = METHODS[name]
        if name == "gptq-4":
            settings = settings | {"checkpoint_format": "gptq_v2"}
        random = np.random.default_rng(len(name))
        tensors, floats = {}, dict(original)
        for key, weight in original.items():
            if ".layer." in key and weight.dim() == 2:
                parts, floats[key] = quantize(random, weight)
                base = key.removesuffix(".weight")
                tensors |= {base + end: part.clone().contiguous() for end, part in parts.items()}
            else:
                tensors[key] = weight.clone()
        weights[name] = floats
        (tmp_path / name).mkdir()
        save_file(tensors, tmp_path / name / "model.safetensors", metadata(name, tensors))
        config = model.config.to_dict() | {"quantization_config": settings}
        (tmp_path / name / "config.json").write_text(json.dumps(config))
    (tmp_path / "names.json").write_text(json.dumps(ENCODED))
    out = saved_by(ENCODER_PROGRAM, back_end, tmp_path)
    for name, floats in weights.items():
        model.load_state_dict(floats)
        with torch.no_grad():
            wanted = model(torch.tensor([[3, 9, 27, 5, 60, 11, 2, 44]])).last_hidden_state
        assert (out[name] - wanted).abs().max() < 1e-5, name
        assert torch.equal(out[name], out[f"{name}/saved"]), name
        saved = json.loads((tmp_path / f"{name}-saved" / "config.json").read_text())
        assert "quantization_config" not in saved
