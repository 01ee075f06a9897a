"""Write the folder of a model with random weights, of the size that its name says.

    models_folders.py NAME FOLDER
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import torch
import transformers

DECODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "moe": ("Qwen2MoeConfig", {
        "vocab_size": 32000, "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 6,
        "num_attention_heads": 8, "num_key_value_heads": 8, "num_experts": 8,
        "num_experts_per_tok": 2, "moe_intermediate_size": 512,
        "shared_expert_intermediate_size": 512}),
    "mla": ("DeepseekV3Config", {
        "vocab_size": 32000, "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 6,
        "num_attention_heads": 8, "num_key_value_heads": 8, "q_lora_rank": 192,
        "kv_lora_rank": 128, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32, "v_head_dim": 64,
        "n_routed_experts": 8, "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1,
        "moe_intermediate_size": 512, "first_k_dense_replace": 1}),
    "state": ("Mamba2Config", {
        "vocab_size": 32000, "hidden_size": 512, "num_hidden_layers": 6, "num_heads": 16,
        "head_dim": 64, "state_size": 64, "n_groups": 1}),
}
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"word{k}" for k in range(9)),
         *(f"other{k}" for k in range(1000))]


def model_of(name: str) -> Any:
    if name in DECODERS:
        kind, options = DECODERS[name]
        config = getattr(transformers, kind)(**options, bos_token_id=0, eos_token_id=1,
                                             pad_token_id=2)
        return transformers.AutoModelForCausalLM.from_config(config)
    if name == "t5":
        model = transformers.T5ForConditionalGeneration(transformers.T5Config(
            vocab_size=32128, d_model=512, d_ff=1024, num_layers=6, num_heads=8, d_kv=64,
            decoder_start_token_id=0))
        with torch.no_grad():  # of its own values, it writes the same token for ever
            for parameter in model.parameters():
                if parameter.dim() > 1:
                    parameter.normal_(std=1.3 * parameter.shape[-1] ** -0.5)
        return model
    if name == "vit_b":
        return transformers.ViTForImageClassification(transformers.ViTConfig(num_labels=1000))
    if name == "resnet50":
        return transformers.ResNetForImageClassification(transformers.ResNetConfig(num_labels=1000))
    return transformers.BertModel(transformers.BertConfig(  # all-MiniLM-L6's sizes
        vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
        intermediate_size=1536))


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    torch.manual_seed(3)
    scratch = folder.with_name(f"{folder.name}-scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    model_of(name).eval().save_pretrained(scratch)
    if name == "minilm":
        (scratch / "vocab.txt").write_text("\n".join(WORDS) + "\n", "utf-8")
        transformers.BertTokenizerFast(str(scratch / "vocab.txt")).save_pretrained(scratch)
        (scratch / "modules.json").write_text(json.dumps([
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling",
             "type": "sentence_transformers.models.Pooling"}]), "utf-8")
        (scratch / "1_Pooling").mkdir()
        (scratch / "1_Pooling/config.json").write_text(json.dumps(
            {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True}), "utf-8")
        (scratch / "sentence_bert_config.json").write_text(
            json.dumps({"max_seq_length": 256, "do_lower_case": False}), "utf-8")
    scratch.rename(folder)


main()
