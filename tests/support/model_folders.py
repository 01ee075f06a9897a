"""Small models with random weights in Hugging Face's layout, written by the transformers package.

    folder("llama")                     =>  ~/.cache/lambent/model-folders-1f3c.../llama-float32
    folder("llama", dtype="bfloat16")       config.json, model.safetensors, tokenizer.json,
                                            tokenizer_config.json, generation_config.json
    reference("llama")                  =>  the transformers model, in evaluation mode
    outputs("llama")                    =>  what that model answers: see `outputs`

A folder is written once, under the cache folder, in one that is named after this file's text and
the version of transformers; a lock keeps two processes from writing the same.  transformers takes
seconds to import, so it is imported only where a folder is missing or `reference` is called.

Weights are larger than those of new models, so that attention is far from uniform, and all biases,
norms and gates matter.
"""

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from lambent.lang.system.cache_path import cache_path
from tests.support.paths import ROOT

VOCABULARY = 400
CONTEXT = 128

_SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY, "hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2,
    "num_attention_heads": 4, "max_position_embeddings": CONTEXT,
    "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2,
}
_GROUPED = _SIZES | {"num_key_value_heads": 2, "rms_norm_eps": 1e-5}
_GPT2: dict[str, Any] = {
    "vocab_size": VOCABULARY, "n_positions": CONTEXT, "n_embd": 48, "n_layer": 2, "n_head": 4,
    "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
_FALCON: dict[str, Any] = {key: value for key, value in _SIZES.items()
                           if key != "intermediate_size"}
_BLOOM: dict[str, Any] = {
    "vocab_size": VOCABULARY, "hidden_size": 48, "n_layer": 2, "n_head": 4,
    "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
_MPT: dict[str, Any] = {
    "vocab_size": VOCABULARY, "d_model": 48, "n_layers": 2, "n_heads": 4, "max_seq_len": CONTEXT,
    "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}

_LATENT = _SIZES | {
    "num_key_value_heads": 4, "kv_lora_rank": 24, "qk_nope_head_dim": 12, "qk_rope_head_dim": 8,
    "v_head_dim": 10,
    "n_routed_experts": 6, "num_experts_per_tok": 2, "n_shared_experts": 2,
    "moe_intermediate_size": 40, "first_k_dense_replace": 1}

_NEXT = _GROUPED | {
    "head_dim": 16, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
    "linear_key_head_dim": 12, "linear_value_head_dim": 10, "num_experts": 4,
    "num_experts_per_tok": 2, "moe_intermediate_size": 40, "shared_expert_intermediate_size": 56,
    "layer_types": ["linear_attention", "full_attention"]}
_MAMBA: dict[str, Any] = {
    "vocab_size": VOCABULARY, "hidden_size": 48, "num_hidden_layers": 2, "state_size": 8,
    "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}


def _rope(**parameters: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_theta": 10000.0, **parameters}}


# Name: the configuration class of transformers, and its arguments.
_MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("LlamaConfig", _GROUPED),
    "llama-tied": ("LlamaConfig", _GROUPED | {"tie_word_embeddings": True, "head_dim": 16,
                                              "attention_bias": True, "mlp_bias": True}),
    "llama3-rope": ("LlamaConfig", _GROUPED | _rope(
        rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
        original_max_position_embeddings=16)),
    "llama-linear": ("LlamaConfig", _GROUPED | _rope(rope_type="linear", factor=2.5)),
    "llama-dynamic": ("LlamaConfig", _GROUPED | {"max_position_embeddings": 8}
                      | _rope(rope_type="dynamic", factor=4.0)),
    "llama-yarn": ("LlamaConfig", _GROUPED | _rope(
        rope_type="yarn", factor=4.0, original_max_position_embeddings=32)),
    "mistral": ("MistralConfig", _GROUPED | {"sliding_window": 6}),
    "qwen2": ("Qwen2Config", _GROUPED),
    "qwen3": ("Qwen3Config", _GROUPED | {"head_dim": 16, "tie_word_embeddings": True}),
    "gemma": ("GemmaConfig", _GROUPED | {"head_dim": 16, "num_key_value_heads": 1}),
    "gemma2": ("Gemma2Config", _GROUPED | {
        "head_dim": 16, "sliding_window": 6, "query_pre_attn_scalar": 24,
        "attn_logit_softcapping": 5.0, "final_logit_softcapping": 7.0}),
    "gemma3": ("Gemma3TextConfig", _GROUPED | {
        "head_dim": 16, "sliding_window": 6, "query_pre_attn_scalar": 24, "num_hidden_layers": 3,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        "final_logit_softcapping": 7.0, "rope_parameters": {
            "full_attention": {"rope_type": "linear", "rope_theta": 50000.0, "factor": 4.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 1000.0}}}),
    "smollm3": ("SmolLM3Config", _GROUPED | {
        "no_rope_layers": [1, 0], "use_sliding_window": True, "sliding_window": 6}),
    "smollm3-usual": ("SmolLM3Config", _GROUPED | {"num_hidden_layers": 4}),
    "olmo2": ("Olmo2Config", _GROUPED | {"attention_bias": True}),
    "olmo3": ("Olmo3Config", _GROUPED | {
        "sliding_window": 6, "layer_types": ["sliding_attention", "full_attention"],
        "rope_parameters": {
            "full_attention": {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
                               "original_max_position_embeddings": 32},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}}),
    "granite": ("GraniteConfig", _GROUPED | {
        "attention_bias": True, "mlp_bias": True, "embedding_multiplier": 3.0,
        "logits_scaling": 2.0, "residual_multiplier": 0.6, "attention_multiplier": 0.4}),
    "granite-moe": ("GraniteMoeConfig", _GROUPED | {
        "num_local_experts": 4, "num_experts_per_tok": 2, "residual_multiplier": 0.6,
        "attention_multiplier": 0.4}),
    "granite-shared": ("GraniteMoeSharedConfig", _GROUPED | {
        "num_local_experts": 4, "num_experts_per_tok": 2, "shared_intermediate_size": 56,
        "logits_scaling": 2.0, "attention_multiplier": 0.4}),
    "glm": ("GlmConfig", _GROUPED | {"head_dim": 16}),
    "glm4": ("Glm4Config", _GROUPED | {"head_dim": 16, "attention_bias": False}),
    "cohere": ("CohereConfig", _GROUPED | {
        "use_qk_norm": True, "logit_scale": 0.4, "attention_bias": True}),
    "cohere2": ("Cohere2Config", _GROUPED | {
        "logit_scale": 1.0, "sliding_window": 6,
        "layer_types": ["sliding_attention", "full_attention"]}),
    "starcoder2": ("Starcoder2Config", _GROUPED | {"sliding_window": 6}),
    "stablelm": ("StableLmConfig", _GROUPED | {"use_qkv_bias": True} | _rope(
        partial_rotary_factor=0.5)),
    "stablelm-parallel": ("StableLmConfig", _GROUPED | {
        "qk_layernorm": True, "use_parallel_residual": True} | _rope(partial_rotary_factor=0.5)),
    "nemotron": ("NemotronConfig", _GROUPED | {"head_dim": 16, "attention_bias": True}),
    "exaone4": ("Exaone4Config", _GROUPED | {
        "sliding_window": 6, "layer_types": ["sliding_attention", "full_attention"]}),
    "ernie4.5": ("Ernie4_5Config", _GROUPED | {"head_dim": 16, "use_bias": True}),
    "ernie4.5-moe": ("Ernie4_5_MoeConfig", _GROUPED | {
        "moe_num_experts": 4, "moe_k": 2, "moe_intermediate_size": 40, "use_bias": True}),
    "seed-oss": ("SeedOssConfig", _GROUPED | {"head_dim": 16, "attention_out_bias": True}),
    "arcee": ("ArceeConfig", _GROUPED | {"mlp_bias": True} | _rope(
        rope_type="yarn", factor=4.0, original_max_position_embeddings=32)),
    "apertus": ("ApertusConfig", _GROUPED | {"attention_bias": True}),
    "helium": ("HeliumConfig", _GROUPED | {"head_dim": 12}),
    "ministral": ("MinistralConfig", _GROUPED | {
        "head_dim": 16, "sliding_window": 6,
        "layer_types": ["sliding_attention", "full_attention"]}),
    "ministral3": ("Ministral3Config", _GROUPED | {"head_dim": 16} | _rope(
        rope_type="yarn", factor=4.0, original_max_position_embeddings=5,
        llama_4_scaling_beta=0.6, mscale=1.0, mscale_all_dim=1.0)),
    "hunyuan": ("HunYuanDenseV1Config", _GROUPED | {"head_dim": 16} | _rope(
        rope_type="dynamic", alpha=50.0, factor=1.0)),
    "phi": ("PhiConfig", _SIZES | {"partial_rotary_factor": 0.5}),
    "phi3": ("Phi3Config", _GROUPED | {"sliding_window": None}),
    "gpt2": ("GPT2Config", _GPT2),
    "mixtral": ("MixtralConfig", _GROUPED | {
        "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": None}),
    "qwen2-moe": ("Qwen2MoeConfig", _GROUPED | {
        "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 40,
        "shared_expert_intermediate_size": 56, "norm_topk_prob": False}),
    "gpt-neox": ("GPTNeoXConfig", _SIZES | _rope(partial_rotary_factor=0.5)),
    "gpt-neox-serial": ("GPTNeoXConfig", _SIZES | {
        "use_parallel_residual": False, "attention_bias": False, "tie_word_embeddings": True}
        | _rope(rope_type="linear", factor=2.5, partial_rotary_factor=1.0)),
    "gptj": ("GPTJConfig", _GPT2 | {"rotary_dim": 8}),
    "falcon": ("FalconConfig", _FALCON),
    "falcon-serial": ("FalconConfig", _FALCON | {
        "parallel_attn": False, "bias": True, "ffn_hidden_size": 80,
        "tie_word_embeddings": False}),
    "falcon-grouped": ("FalconConfig", _FALCON | {
        "new_decoder_architecture": True, "num_kv_heads": 2}),
    "falcon-one-norm": ("FalconConfig", _FALCON | {
        "new_decoder_architecture": True, "num_kv_heads": 2, "num_ln_in_parallel_attn": 1}),
    "falcon-alibi": ("FalconConfig", _FALCON | {
        "alibi": True, "multi_query": False, "bias": True, "parallel_attn": False}),
    "opt": ("OPTConfig", _SIZES | {"ffn_dim": 80}),
    "opt-narrow": ("OPTConfig", _SIZES | {
        "ffn_dim": 80, "word_embed_proj_dim": 32, "do_layer_norm_before": False,
        "enable_bias": False, "activation_function": "gelu"}),
    "bloom": ("BloomConfig", _BLOOM),
    "bloom-six": ("BloomConfig", _BLOOM | {
        "n_head": 6, "apply_residual_connection_post_layernorm": True}),
    "mpt": ("MptConfig", _MPT),
    "mpt-six": ("MptConfig", _MPT | {
        "n_heads": 6, "attn_config": {"clip_qkv": 1.5, "softmax_scale": 0.5}}),
    "gpt-oss": ("GptOssConfig", _GROUPED | {
        "head_dim": 16, "sliding_window": 6, "num_local_experts": 4, "num_experts_per_tok": 2,
        "swiglu_limit": 1.0}),
    "gpt-oss-rope": ("GptOssConfig", _GROUPED | {
        "head_dim": 16, "sliding_window": 5, "num_local_experts": 3, "num_experts_per_tok": 1,
        "num_key_value_heads": 1, "layer_types": ["full_attention", "sliding_attention"],
        "attention_bias": False} | _rope(rope_type="linear", factor=2.5)),
    "deepseek-v2": ("DeepseekV2Config", _LATENT | {
        "q_lora_rank": None, "n_group": 3, "topk_group": 2, "routed_scaling_factor": 1.5,
        "topk_method": "group_limited_greedy"}),
    "deepseek-v2-greedy": ("DeepseekV2Config", _LATENT | {
        "q_lora_rank": 20, "attention_bias": True} | _rope(
        rope_type="yarn", factor=4.0, mscale=0.7, mscale_all_dim=0.9,
        original_max_position_embeddings=32)),
    "deepseek-v3": ("DeepseekV3Config", _LATENT | {
        "q_lora_rank": 20, "n_group": 3, "topk_group": 2, "num_nextn_predict_layers": 1} | _rope(
        rope_type="yarn", factor=4.0, mscale=1.0, mscale_all_dim=1.0,
        original_max_position_embeddings=32)),
    "deepseek-v3-halves": ("DeepseekV3Config", _LATENT | {
        "q_lora_rank": None, "n_group": 1, "topk_group": 1, "rope_interleave": False,
        "norm_topk_prob": False, "first_k_dense_replace": 0}),
    "qwen3-next": ("Qwen3NextConfig", _NEXT),
    "qwen3-next-plain": ("Qwen3NextConfig", _NEXT | {
        "linear_num_value_heads": 2, "mlp_only_layers": [0], "norm_topk_prob": False,
        "layer_types": ["full_attention", "linear_attention"], "attention_bias": True,
        "partial_rotary_factor": 1.0, "tie_word_embeddings": True}),
    "lfm2": ("Lfm2Config", _SIZES | {
        "num_key_value_heads": 2, "num_hidden_layers": 3, "conv_bias": True,
        "layer_types": ["conv", "full_attention", "conv"], "block_multiple_of": 32,
        "block_ffn_dim_multiplier": 1.1}),
    "lfm2-plain": ("Lfm2Config", _SIZES | {
        "num_key_value_heads": 4, "full_attn_idxs": [0], "conv_L_cache": 4,
        "block_auto_adjust_ff_dim": False, "tie_word_embeddings": False}),
    "mamba": ("MambaConfig", _MAMBA),
    "mamba-biases": ("MambaConfig", _MAMBA | {
        "use_bias": True, "use_conv_bias": False, "residual_in_fp32": False, "expand": 3,
        "time_step_rank": 5, "conv_kernel": 3, "tie_word_embeddings": False}),
    "mamba2": ("Mamba2Config", _MAMBA | {"num_heads": 6, "head_dim": 16, "n_groups": 2}),
    "mamba2-biases": ("Mamba2Config", _MAMBA | {
        "num_heads": 4, "head_dim": 24, "n_groups": 4, "use_bias": True, "chunk_size": 4,
        "time_step_limit": (0.3, 1.5), "tie_word_embeddings": True}),
    "bert": ("BertConfig", {
        "vocab_size": VOCABULARY, "hidden_size": 48, "intermediate_size": 80,
        "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": CONTEXT,
        "pad_token_id": 0}),
}

# transformers 4 cannot make the first or save the second; the third has biases of experts there,
# which version 5 has not.
_NOT_OF_4 = ("stablelm-parallel", "mamba2-biases", "ernie4.5-moe")

LANGUAGE_MODELS = tuple(name for name in _MODELS if name != "bert")

# Of the shape that published templates have: a system message, roles, and a prompt to answer.
CHAT_TEMPLATE = (
    "{%- if messages[0]['role'] == 'system' -%}"
    "{{ '<|start|>system\\n' + messages[0]['content'] | trim + '<|end|>\\n' }}"
    "{%- set rest = messages[1:] -%}{%- else -%}{%- set rest = messages -%}{%- endif -%}"
    "{%- for message in rest -%}"
    "{%- if message['role'] not in ['user', 'assistant', 'tool'] -%}"
    "{{ raise_exception('unknown role: ' + message['role']) }}{%- endif -%}"
    "{{ '<|start|>' + message['role'] + '\\n' + message['content'] | trim + '<|end|>\\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|start|>assistant\\n' }}{%- endif -%}"
)


def is_known(name: str) -> bool:
    """Whether this version of transformers has the class of a model, can write it, and writes the
    weights that version 5 reads."""
    if _is_old() and name in _NOT_OF_4:
        return False
    return hasattr(_transformers(), _MODELS[name][0])


def _is_old() -> bool:
    """Whether this is a version of transformers before 5."""
    return int(version("transformers").split(".")[0]) < 5


def folder(name: str, dtype: str = "float32") -> Path:
    """The folder of a model, written by transformers if it does not exist yet."""
    path = _base() / f"{name}-{dtype}"
    if not path.exists():
        with _locked(_base()):
            if not path.exists():
                _write_whole(path, lambda scratch: _write_model(scratch, name, dtype))
    return path


def reference(name: str, dtype: str = "float32") -> Any:
    """The transformers model of a folder, in evaluation mode, with plain attention."""
    transformers = _transformers()
    kind = transformers.AutoModel if name == "bert" else transformers.AutoModelForCausalLM
    # The eager attention of transformers' Falcon adds the bias of ALiBi twice.
    attention = "sdpa" if name == "falcon-alibi" else "eager"
    return kind.from_pretrained(
        folder(name, dtype), dtype=getattr(torch, dtype), attn_implementation=attention
    ).eval()


def outputs(name: str, dtype: str = "float32") -> dict[str, torch.Tensor]:
    """What transformers answers, kept beside the folder.

    ids [2, 12] and logits [2, 12, v]; padded [2, 12], the second row of which begins with
    padding [2] tokens to leave out, and padded_logits; long [1, 120] and long_logits.  llama: also
    greedy [1, 12 + 20], a continuation of ids[0] that no end token stops.  bert: ids and states.
    """
    path = folder(name, dtype)
    answers = path.with_name(f"{path.name}.outputs.safetensors")
    if not answers.exists():
        with _locked(_base()):
            if not answers.exists():
                _write_whole(answers, lambda file: save_file(_answers(name, dtype), file))
    return load_file(answers)


def kept(base: str, name: str, write: Callable[[Path], None]) -> Path:
    """A file or folder of a folder of the cache, written if it does not exist yet.

    The folder's name says what its contents depend on besides the version of transformers.
    """
    whole = Path(cache_path()) / f"{base}-{version('transformers')}"
    whole.mkdir(parents=True, exist_ok=True)
    path = whole / name
    if not path.exists():
        with _locked(whole):
            if not path.exists():
                _write_whole(path, write)
    return path


def transformers_package() -> Any:
    """The package, told to be quiet and to ask no server."""
    return _transformers()


def _base() -> Path:
    text = Path(__file__).read_bytes() + version("transformers").encode()
    base = Path(cache_path()) / f"model-folders-{hashlib.sha256(text).hexdigest()[:16]}"
    base.mkdir(parents=True, exist_ok=True)
    return base


@contextmanager
def _locked(base: Path) -> Iterator[None]:
    with (base / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _write_whole(path: Path, write: Any) -> None:
    """Write a file or folder elsewhere, and move it: a reader finds all of it, or nothing."""
    scratch = Path(tempfile.mkdtemp(dir=path.parent))
    try:
        write(scratch / path.name)
        (scratch / path.name).rename(path)
    finally:
        shutil.rmtree(scratch)


def _transformers() -> Any:
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import transformers

        transformers.logging.disable_progress_bar()
    return transformers


def _write_model(path: Path, name: str, dtype: str) -> None:
    transformers = _transformers()
    kind, options = _MODELS[name]
    if _is_old():
        options = _before_5(kind, options)
    config = getattr(transformers, kind)(**options)
    maker = transformers.AutoModel if name == "bert" else transformers.AutoModelForCausalLM
    torch.manual_seed(3)  # the steps of Mamba's and Qwen 3 Next's states are drawn
    model = maker.from_config(config, attn_implementation="eager")
    _randomize(model)
    model.to(getattr(torch, dtype)).save_pretrained(path)
    if name == "bert":
        _write_wordpiece(path)
    else:
        model.generation_config.save_pretrained(path)
        _write_bpe(path)


def _before_5(kind: str, options: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names of transformers 4, which had no rope_parameters."""
    options = dict(options)
    rope = dict(options.pop("rope_parameters", {}))
    if local := rope.get("sliding_attention"):
        rope = dict(rope["full_attention"])
        if kind == "Gemma3TextConfig":
            options["rope_local_base_freq"] = local["rope_theta"]
    of_neox = kind == "GPTNeoXConfig"
    for key, old in (("rope_theta", "rotary_emb_base"), ("partial_rotary_factor", "rotary_pct")):
        if key in rope:
            options[old if of_neox else key] = rope.pop(key)
    return options | ({"rope_scaling": rope} if rope else {})


def _randomize(model: Any) -> None:
    """Give each parameter values that depend on its name and shape only."""
    embedding = 0.15 if model.config.tie_word_embeddings else 0.7  # else a token repeats for ever
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            generator = torch.Generator().manual_seed(
                int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
            )
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() < 2:  # a norm's weight or a bias; Gemma adds 1 to the former
                parameter.add_(0.2 * noise)
            else:
                inputs = parameter.shape[-2 if "c_" in name else -1]
                parameter.copy_(
                    noise * (embedding if "embed" in name or "wte" in name else 1.3 * inputs**-0.5)
                )
        for name, buffer in model.named_buffers():
            if name.endswith("e_score_correction_bias"):
                buffer.copy_(torch.linspace(-0.3, 0.3, len(buffer)))


# Trained once, on pages of documentation, by the tokenizers package, and kept: what tests expect
# of texts must not change with those pages.
_TOKENIZERS = ROOT / "tests/support/tokenizers"


def _write_bpe(path: Path) -> None:
    """A byte-level BPE tokenizer: tokenizer.json and tokenizer_config.json."""
    shutil.copy(_TOKENIZERS / "bpe.json", path / "tokenizer.json")
    _write_tokenizer_config(path, {
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>",
        "pad_token": "<pad>", "model_max_length": CONTEXT, "clean_up_tokenization_spaces": False,
        "chat_template": CHAT_TEMPLATE,
    })


def _write_wordpiece(path: Path) -> None:
    """BERT's tokenizer: vocab.txt, tokenizer.json and tokenizer_config.json."""
    shutil.copy(_TOKENIZERS / "wordpiece.json", path / "tokenizer.json")
    shutil.copy(_TOKENIZERS / "wordpiece.txt", path / "vocab.txt")
    _write_tokenizer_config(path, {
        "tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": CONTEXT,
        "unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    })


def _write_tokenizer_config(path: Path, settings: dict[str, Any]) -> None:
    (path / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", "utf-8")


def _answers(name: str, dtype: str) -> dict[str, torch.Tensor]:
    model = reference(name, dtype)
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(5, VOCABULARY, (2, 12), generator=generator)
    if name == "bert":
        with torch.no_grad():
            return {"ids": ids, "states": model(ids).last_hidden_state.contiguous()}
    padding = torch.tensor([0, 4])
    mask = (torch.arange(12) >= padding[:, None]).long()
    padded = ids * mask + 2 * (1 - mask)
    with torch.no_grad():
        found = {
            "ids": ids, "padding": padding, "padded": padded,
            "logits": model(ids).logits,
            "padded_logits": model(
                padded, attention_mask=mask, position_ids=(mask.cumsum(1) - 1).clamp(min=0)
            ).logits,
        }
        # After the others: a rotation of dynamic length keeps what a longer text needed.
        long = torch.randint(5, VOCABULARY, (1, 120), generator=generator)
        found |= {"long": long, "long_logits": model(long).logits}
        if name == "llama":
            found["greedy"] = model.generate(
                input_ids=ids[:1], attention_mask=torch.ones(1, 12, dtype=torch.long),
                max_new_tokens=20, do_sample=False, eos_token_id=None, pad_token_id=2,
            )
    return found
