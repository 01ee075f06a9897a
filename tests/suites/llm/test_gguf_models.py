"""GGUF files and saved folders answer as transformers does.

The models of `tests/support/model_folders.py` are written as GGUF, with the names of the gguf
package and what llama.cpp changes: rows of Llama's queries and keys, norms of Gemma, the matrices
of GPT-2.  One program a back end loads them all, saves some, and loads what it has saved.
"""

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from gguf import MODEL_ARCH as ARCH

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import load_file  # noqa: E402

from tests.support.model_folders import folder, outputs  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

ARCHITECTURES = {
    "llama": ARCH.LLAMA, "llama3-rope": ARCH.LLAMA, "llama-tied": ARCH.LLAMA,
    "llama-linear": ARCH.LLAMA, "mixtral": ARCH.LLAMA, "qwen2": ARCH.QWEN2, "qwen3": ARCH.QWEN3,
    "qwen2-moe": ARCH.QWEN2MOE, "gemma": ARCH.GEMMA, "gemma2": ARCH.GEMMA2, "phi": ARCH.PHI2,
    "phi3": ARCH.PHI3, "gpt2": ARCH.GPT2, "gemma3": ARCH.GEMMA3, "smollm3-usual": ARCH.SMOLLM3,
    "olmo2": ARCH.OLMO2, "olmo3": ARCH.OLMO2, "granite": ARCH.GRANITE,
    "granite-moe": ARCH.GRANITE_MOE, "granite-shared": ARCH.GRANITE_MOE, "glm4": ARCH.GLM4,
    "cohere": ARCH.COMMAND_R, "cohere2": ARCH.COHERE2, "starcoder2": ARCH.STARCODER2,
    "stablelm": ARCH.STABLELM, "nemotron": ARCH.NEMOTRON, "exaone4": ARCH.EXAONE4,
    "ernie4.5": ARCH.ERNIE4_5, "seed-oss": ARCH.SEED_OSS, "arcee": ARCH.ARCEE,
    "hunyuan": ARCH.HUNYUAN_DENSE,
}
# Models whose rows of queries and keys llama.cpp reorders, and whose norms it adds 1 to.
REORDERED = (ARCH.LLAMA, ARCH.SMOLLM3, ARCH.GRANITE, ARCH.GRANITE_MOE, ARCH.ARCEE)
RAISED = (ARCH.GEMMA, ARCH.GEMMA2, ARCH.GEMMA3, ARCH.NEMOTRON)
LEFT_OUT = ("llama-tied",)  # llama.cpp has no biases of a Llama's output and MLP
Q8 = ("qwen3", "gemma", "gpt2")  # also with matrices in Q8_0
KEYS = {  # names of GGUF after the architecture's: those of config.json
    "embedding_length": ("hidden_size", "n_embd"), "block_count": ("num_hidden_layers", "n_layer"),
    "feed_forward_length": ("intermediate_size", "n_inner"),
    "attention.head_count": ("num_attention_heads", "n_head"),
    "attention.head_count_kv": ("num_key_value_heads",), "attention.key_length": ("head_dim",),
    "context_length": ("max_position_embeddings", "n_positions"),
    "attention.sliding_window": ("sliding_window",), "expert_count": ("num_experts",
    "num_local_experts"), "expert_used_count": ("num_experts_per_tok",),
    "expert_feed_forward_length": ("moe_intermediate_size",),
    "expert_shared_feed_forward_length": ("shared_expert_intermediate_size",
    "shared_intermediate_size"),
}
FLOATS = {
    "attention.layer_norm_rms_epsilon": ("rms_norm_eps",),
    "attention.layer_norm_epsilon": (
        "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps"),
    "attention.scale": ("attention_multiplier",), "embedding_scale": ("embedding_multiplier",),
    "residual_scale": ("residual_multiplier",), "logit_scale": ("logits_scaling", "logit_scale"),
    "attn_logit_softcapping": ("attn_logit_softcapping",),
    "final_logit_softcapping": ("final_logit_softcapping",),
}


def write_gguf(name: str, path: Path, kind: str = "F32") -> None:
    """Write a model as GGUF; matrices in the given format where their rows have whole blocks."""
    config = json.loads((folder(name) / "config.json").read_text())
    arch = ARCHITECTURES[name]
    writer = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[arch])
    add_settings(writer, gguf.MODEL_ARCH_NAMES[arch], config)
    names = gguf.get_tensor_name_map(arch, config.get("num_hidden_layers", config.get("n_layer")))
    for saved, tensor in gguf_tensors(name, config).items():
        found = names.get_name(saved, try_suffixes=(".weight", ".bias")) or saved
        data = tensor.numpy().astype(np.float32)
        if kind == "F32" or tensor.dim() != 2 or tensor.shape[1] % 32:
            writer.add_tensor(found, data)
        else:
            quantized = gguf.GGMLQuantizationType[kind]
            writer.add_tensor(found, gguf.quants.quantize(data, quantized), raw_dtype=quantized)
    finish(writer)


def write_byte_pairs(path: Path) -> None:
    """A file with a byte-level BPE tokenizer only."""
    tokens = [chr(c) if 32 < c < 127 else f"x{c}" for c in range(127)]
    tokens += ["he", "ll", "hell", "hello", "Ġ", "Ġw", "<|end|>"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_merges(["h e", "l l", "he ll", "hell o", "Ġ w"])
    writer.add_token_types([1] * (len(tokens) - 1) + [3])
    writer.add_eos_token_id(len(tokens) - 1)
    finish(writer)


def write_pieces(path: Path) -> None:
    """A file with a SentencePiece tokenizer only."""
    pieces = ["▁", "h", "e", "l", "o", "▁h", "he", "ll", "▁he", "▁hello", "llo"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(["<unk>", "<s>", "</s>", *(f"<0x{k:02X}>" for k in range(256)), *pieces])
    writer.add_token_scores([0.0] * 259 + [-float(k) for k in range(len(pieces))])
    writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * len(pieces))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    finish(writer)


def write_word_pieces(path: Path) -> None:
    """A file with a tokenizer of BERT only: what begins a word has a mark there."""
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁hello", "▁w", "or", "ld", "▁!"]
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_tokenizer_model("bert")
    writer.add_token_list(tokens)
    writer.add_token_types([3] * 4 + [1] * 5)
    writer.add_unk_token_id(1)
    writer.add_uint32("tokenizer.ggml.cls_token_id", 2)
    writer.add_sep_token_id(3)
    finish(writer)


def finish(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_settings(writer: gguf.GGUFWriter, arch: str, config: dict[str, Any]) -> None:
    for key, names in KEYS.items():
        for value in (config.get(name) for name in names):
            if value is not None:
                writer.add_uint32(f"{arch}.{key}", value)
    for key, names in FLOATS.items():
        for value in (config.get(name) for name in names):
            if value is not None:
                writer.add_float32(f"{arch}.{key}", value)
    if "query_pre_attn_scalar" in config:
        writer.add_float32(f"{arch}.attention.scale", config["query_pre_attn_scalar"] ** -0.5)
    if "layer_types" in config and arch not in ("gemma2", "smollm3"):
        kinds = [kind == "sliding_attention" for kind in config["layer_types"]]
        writer.add_array(f"{arch}.attention.sliding_window_pattern", kinds)
    add_rope(writer, arch, config)


def add_rope(writer: gguf.GGUFWriter, arch: str, config: dict[str, Any]) -> None:
    rope = config.get("rope_parameters") or {}
    if "sliding_attention" in rope:
        writer.add_float32(f"{arch}.rope.freq_base_swa", rope["sliding_attention"]["rope_theta"])
    rope = rope.get("full_attention", rope)
    size = config.get("head_dim") or config.get("hidden_size", 0) // config.get(
        "num_attention_heads", 1)
    if "partial_rotary_factor" in rope:
        part = int(size * rope["partial_rotary_factor"])
        writer.add_uint32(f"{arch}.rope.dimension_count", part)
    if "alpha" in rope:
        rope = {"rope_theta": rope["rope_theta"] * rope["alpha"] ** (size / (size - 2))}
    if rope:
        writer.add_float32(f"{arch}.rope.freq_base", rope["rope_theta"])
    if rope.get("rope_type") in ("linear", "yarn"):
        writer.add_string(f"{arch}.rope.scaling.type", rope["rope_type"])
        writer.add_float32(f"{arch}.rope.scaling.factor", rope["factor"])
    if rope.get("rope_type") == "yarn":
        writer.add_uint32(f"{arch}.rope.scaling.original_context_length",
                          rope["original_max_position_embeddings"])


def gguf_tensors(name: str, config: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The tensors of a folder as llama.cpp's converter writes them."""
    tensors = load_file(folder(name) / "model.safetensors")
    found: dict[str, torch.Tensor] = {}
    for saved, tensor in tensors.items():
        x = tensor
        if ARCHITECTURES[name] in REORDERED and (".q_proj." in saved or ".k_proj." in saved):
            key = "num_attention_heads" if ".q_proj." in saved else "num_key_value_heads"
            x = neighbours(tensor, config[key])
        if ARCHITECTURES[name] in RAISED and saved.endswith("norm.weight"):
            x = tensor + 1
        if name == "gpt2" and ".c_" in saved and saved.endswith(".weight"):
            x = tensor.T.contiguous()
        if saved.endswith("input_linear.weight"):
            end = "exps" if x.dim() == 3 else "shexp"
            for half, part in zip(("gate", "up"), x.chunk(2, dim=-2), strict=True):
                found[f"blk.{saved.split('.')[2]}.ffn_{half}_{end}.weight"] = part.contiguous()
        else:
            found[saved] = x
    rope = config.get("rope_parameters") or {}
    if rope.get("rope_type") == "llama3":
        found["rope_freqs.weight"] = divisors(config, rope)
    return stacked(found)


def neighbours(x: torch.Tensor, heads: int) -> torch.Tensor:
    """The rows of each head in the order in which rotated pairs are neighbours."""
    return x.reshape(heads, 2, -1, *x.shape[1:]).transpose(1, 2).reshape(x.shape)


def divisors(config: dict[str, Any], rope: dict[str, Any]) -> torch.Tensor:
    """What Llama 3's scaling divides each frequency by."""
    size = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    frequencies = 1 / rope["rope_theta"] ** (torch.arange(0, size, 2) / size)
    turns = frequencies * rope["original_max_position_embeddings"] / (2 * torch.pi)
    low, high = rope["low_freq_factor"], rope["high_freq_factor"]
    smooth = ((turns - low) / (high - low)).clamp(0, 1)
    return 1 / ((1 - smooth) / rope["factor"] + smooth)


def stacked(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The matrices of a layer's experts as one tensor each."""
    found, experts = {}, {}
    for name, x in tensors.items():
        parts = name.split(".")
        if "experts" in parts:
            parts.pop(parts.index("experts") + 1)
            experts.setdefault(".".join(parts), []).append(x)
        else:
            found[name] = x
    return found | {name: torch.stack(xs) for name, xs in experts.items()}


PROGRAM = """
(define saved '())
(define (save! name x)
  (set! saved (cons (cons name (tensor-to x 'float32)) saved)))
(define (logits! name model)
  (no-grad (save! name (model ids))))
(define ids #f)
(for-each
  (lambda (entry)
    (set! ids (hash-ref (load-tensors (string (caddr entry) ".outputs.safetensors")) "ids"))
    (logits! (car entry) (load-llm (cadr entry))))
  '(%(files)s))
(for-each
  (lambda (entry)
    (set! ids (hash-ref (load-tensors (string (cadr entry) ".outputs.safetensors")) "ids"))
    (let ((model (load-llm (cadr entry))))
      (save-llm model (car entry) :tokenizer (cadr entry) :shard-bytes 50000)
      (logits! (string "again-" (car entry)) (load-llm (car entry)))
      (quantize-model! model :bits 8)
      (logits! (string "int8-" (car entry)) model)
      (logits! (string "int8-loaded-" (car entry)) (load-llm (cadr entry) :bits 8))
      (save-llm model (string (car entry) "-int8"))
      (logits! (string "int8-again-" (car entry)) (load-llm (string (car entry) "-int8")))))
  '(%(folders)s))
(define (encoded path text)
  (let ((tokenizer (load-tokenizer path)))
    (unless (equal? (decode tokenizer (encode tokenizer text)) text) (error "decode" text))
    (tensor (encode tokenizer text))))
(save-tensors "out.safetensors"
  (append saved (list (cons "byte-pairs" (encoded "byte-pairs.gguf" "hello wow"))
                      (cons "words" (encoded "words.gguf" "hello world!"))
                      (cons "pieces" (encoded "pieces.gguf" "hello hell é")))))
"""
SAVED = ("llama", "gpt2", "qwen2-moe")


def test_logits(back_end: str, tmp_path: Path) -> None:
    models = [name for name in ARCHITECTURES if name not in LEFT_OUT]
    files = []
    for name in [*models, *SAVED]:
        outputs(name)  # the program reads the file
    for name in models:
        write_gguf(name, tmp_path / f"{name}.gguf")
        files.append(f'("{name}" "{name}.gguf" "{folder(name)}")')
    for name in Q8:
        write_gguf(name, tmp_path / f"{name}-q8.gguf", "Q8_0")
        files.append(f'("{name}-q8" "{name}-q8.gguf" "{folder(name)}")')
    for name in {*models, *Q8, *SAVED}:
        outputs(name)  # writes the file that the program reads
    text = PROGRAM % {
        "files": " ".join(files),
        "folders": " ".join(f'("{name}" "{folder(name)}")' for name in SAVED),
    }
    write_byte_pairs(tmp_path / "byte-pairs.gguf")
    write_pieces(tmp_path / "pieces.gguf")
    write_word_pieces(tmp_path / "words.gguf")
    found = saved_by(text, back_end, tmp_path)
    assert found["byte-pairs"].tolist() == [130, 132, ord("o"), ord("w")]
    assert found["words"].tolist() == [2, 4, 5, 6, 7, 8, 3]
    assert found["pieces"].tolist() == [1, 268, 267, 266, 259, 3 + 0xC3, 3 + 0xA9]
    for name in models:
        wanted = outputs(name)["logits"]
        assert (found[name] - wanted).abs().max() < 1e-4, name
    for name in Q8:
        wanted = outputs(name)["logits"]
        assert error_of_most(found[f"{name}-q8"], wanted) < 0.05, name
    for name in SAVED:
        wanted = outputs(name)["logits"]
        assert (found[f"again-{name}"] - wanted).abs().max() < 1e-4, name
        assert error_of_most(found[f"int8-{name}"], wanted) < 0.05, name
        assert torch.equal(found[f"int8-again-{name}"], found[f"int8-{name}"]), name
        assert torch.equal(found[f"int8-loaded-{name}"], found[f"int8-{name}"]), name
    if back_end == "script":
        check_transformers(tmp_path)


def error_of_most(found: torch.Tensor, wanted: torch.Tensor) -> float:
    """The relative error of the median token: a near tie of experts may go the other way."""
    return float(((found - wanted).norm(dim=-1) / wanted.norm(dim=-1)).median())


def check_transformers(path: Path) -> None:
    """transformers reads the saved folders, tokenizer included."""
    import transformers

    for name in SAVED:
        files = {file.name for file in (path / name).iterdir()}
        assert "model.safetensors.index.json" in files and "model.safetensors" not in files
        model = transformers.AutoModelForCausalLM.from_pretrained(path / name).eval()
        answers = outputs(name)
        with torch.no_grad():
            logits = model(answers["ids"]).logits
        assert (logits - answers["logits"]).abs().max() < 1e-5, name
        tokenizer = transformers.AutoTokenizer.from_pretrained(path / name)
        original = transformers.AutoTokenizer.from_pretrained(folder(name))
        assert tokenizer("Hello world").input_ids == original("Hello world").input_ids
