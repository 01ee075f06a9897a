"""Write a Llama with random weights: a folder in Hugging Face's layout, and GGUF files.

    generate_models.py FOLDER WIDTH LAYERS HEADS HIDDEN
    =>  FOLDER/config.json, model.safetensors, F32.gguf, BF16.gguf, Q8_0.gguf, Q4_0.gguf
"""

import json
import sys
from pathlib import Path

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Kind
from gguf import quants
from safetensors.torch import save_file
from torch import Tensor

VOCABULARY, CONTEXT = 32000, 1024
GGUF_NAMES = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}  # fmt: skip


def weights(width: int, layers: int, hidden: int) -> dict[str, Tensor]:
    torch.manual_seed(0)
    sizes = {
        **{f"self_attn.{n}_proj": (width, width) for n in "qkvo"},
        "mlp.gate_proj": (hidden, width), "mlp.up_proj": (hidden, width),
        "mlp.down_proj": (width, hidden),
        "input_layernorm": (width,), "post_attention_layernorm": (width,),
    }  # fmt: skip
    made = {"model.embed_tokens.weight": torch.randn(VOCABULARY, width) * 0.05}
    for k in range(layers):
        for name, size in sizes.items():
            noise = torch.randn(size)
            x = 1 + 0.1 * noise if len(size) == 1 else noise * size[1] ** -0.5
            made[f"model.layers.{k}.{name}.weight"] = x
    made["model.norm.weight"] = 1 + 0.1 * torch.randn(width)
    return made


def write_folder(
    folder: Path, made: dict[str, Tensor], width: int, layers: int, heads: int, hidden: int,
    dtype: str = "float32",
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    save_file(made, folder / "model.safetensors", {"format": "pt"})
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": width,
        "intermediate_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads,
        "num_key_value_heads": heads, "vocab_size": VOCABULARY, "rms_norm_eps": 1e-5,
        "max_position_embeddings": CONTEXT, "rope_theta": 10000.0, "tie_word_embeddings": True,
        "hidden_act": "silu", "torch_dtype": dtype, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))


def as_interleaved(x: np.ndarray, heads: int) -> np.ndarray:
    """The rows of queries or keys in the order of llama.cpp's rotation."""
    return x.reshape(heads, 2, -1, x.shape[1]).swapaxes(1, 2).reshape(x.shape)


def write_gguf(
    path: Path, kind: Kind, made: dict[str, Tensor], width: int, layers: int, heads: int,
    hidden: int,
) -> None:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(hidden)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(VOCABULARY)
    writer.add_tokenizer_model("no_vocab")
    for name, tensor in made.items():
        x = tensor.numpy()
        if ".q_proj" in name or ".k_proj" in name:
            x = as_interleaved(x, heads)
        stored = Kind.F32 if x.ndim == 1 else kind
        writer.add_tensor(gguf_name(name), quants.quantize(x, stored), raw_dtype=stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def gguf_name(name: str) -> str:
    if not name.startswith("model.layers."):
        return {"model.embed_tokens.weight": "token_embd.weight"}.get(name, "output_norm.weight")
    layer, _, rest = name.removeprefix("model.layers.").partition(".")
    return f"blk.{layer}.{GGUF_NAMES[rest.removesuffix('.weight')]}.weight"


def main() -> None:
    folder, (width, layers, heads, hidden) = Path(sys.argv[1]), map(int, sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    made = weights(width, layers, hidden)
    for name in ("F32", "BF16", "Q8_0", "Q4_0"):
        write_gguf(folder / f"{name}.gguf", Kind[name], made, width, layers, heads, hidden)
    halves = {name: x.bfloat16() for name, x in made.items()}
    write_folder(folder / "bfloat16", halves, width, layers, heads, hidden, "bfloat16")
    write_folder(folder, made, width, layers, heads, hidden)


main()
