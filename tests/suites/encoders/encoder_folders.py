"""Small encoders with random weights in Hugging Face's layout, written by transformers.

    folder("mpnet", "text")     =>  a folder with the model for labels of texts
    expected("mpnet", "text")   =>  ids, mask and types, and what the model answers

Folders are kept as those of `tests/support/model_folders.py` are.  Settings make what is special in
a family visible: windows are smaller than texts, far distances share vectors, heads are grouped.
"""

import hashlib
import inspect
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from tests.support.model_folders import kept, transformers_package

LENGTH = 20
_SIZES: dict[str, Any] = {
    "vocab_size": 400, "hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2,
    "num_attention_heads": 4, "max_position_embeddings": 64, "pad_token_id": 1,
}
_ENDS = {"bos_token_id": 0, "eos_token_id": 2}
_MODERN = _SIZES | _ENDS | {"cls_token_id": 0, "sep_token_id": 2}
_RELATIVE = _SIZES | {"relative_attention": True}

# Name: the configuration class of transformers, and its arguments.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "bert": ("BertConfig", _SIZES),
    "bert-untied": ("BertConfig", _SIZES | {"tie_word_embeddings": False, "type_vocab_size": 3,
                                            "hidden_act": "gelu_new"}),
    "roberta": ("RobertaConfig", _SIZES | _ENDS),
    "xlm-roberta": ("XLMRobertaConfig", _SIZES | _ENDS | {"type_vocab_size": 1}),
    "prelayernorm": ("RobertaPreLayerNormConfig", _SIZES | _ENDS),
    "distilbert": ("DistilBertConfig", {
        "vocab_size": 400, "dim": 48, "hidden_dim": 80, "n_layers": 2, "n_heads": 4,
        "max_position_embeddings": 64, "pad_token_id": 1}),
    "electra": ("ElectraConfig", _SIZES | {"embedding_size": 32}),
    "electra-same": ("ElectraConfig", _SIZES | {"embedding_size": 48}),
    "albert": ("AlbertConfig", _SIZES | _ENDS | {"embedding_size": 32, "inner_group_num": 2}),
    "albert-groups": ("AlbertConfig", _SIZES | _ENDS | {
        "embedding_size": 48, "num_hidden_layers": 5, "num_hidden_groups": 2,
        "hidden_act": "gelu"}),
    "mpnet": ("MPNetConfig", _SIZES | _ENDS),
    "deberta-v3": ("DebertaV2Config", _RELATIVE | {
        "pos_att_type": "p2c|c2p", "norm_rel_ebd": "layer_norm", "position_buckets": 8,
        "share_att_key": True, "position_biased_input": False}),
    "deberta-v2": ("DebertaV2Config", _RELATIVE | {
        "pos_att_type": ["c2p", "p2c"], "norm_rel_ebd": "layer_norm", "position_buckets": 8,
        "conv_kernel_size": 3, "conv_act": "gelu", "type_vocab_size": 2}),
    "deberta-c2p": ("DebertaV2Config", _RELATIVE | {"pos_att_type": ["c2p"]}),
    "deberta-plain": ("DebertaV2Config", _SIZES | {"type_vocab_size": 2}),
    "modernbert": ("ModernBertConfig", _MODERN | {"num_hidden_layers": 4, "local_attention": 8}),
    "modernbert-biased": ("ModernBertConfig", _MODERN | {
        "local_attention": 6, "norm_bias": True, "attention_bias": True, "mlp_bias": True,
        "classifier_bias": True, "decoder_bias": False, "classifier_pooling": "mean",
        "tie_word_embeddings": False}),
    "nomic": ("NomicBertConfig", _SIZES),
    "gte": ("GteConfig", _SIZES | _ENDS),
    "gte-plain": ("GteConfig", _SIZES | _ENDS | {"type_vocab_size": 0}),
    "jina": ("JinaEmbeddingsV3Config", _SIZES | _ENDS),
    "eurobert": ("EuroBertConfig", _SIZES | _ENDS | {"num_key_value_heads": 2}),
    "eurobert-mean": ("EuroBertConfig", _SIZES | _ENDS | {
        "classifier_pooling": "mean", "attention_bias": True, "mlp_bias": True,
        "tie_word_embeddings": True}),
}

# What stands on top: the class that transformers finds for a model, and how many labels there are.
_KINDS = {
    "base": ("AutoModel", 0), "words": ("AutoModelForMaskedLM", 0),
    "text": ("AutoModelForSequenceClassification", 3),
    "tokens": ("AutoModelForTokenClassification", 3),
    "answers": ("AutoModelForQuestionAnswering", 2),
}
_WITHOUT_ANSWERS = ("nomic", "gte", "gte-plain", "eurobert", "eurobert-mean")


def kinds_of(name: str) -> tuple[str, ...]:
    """What transformers puts on top of a model."""
    return tuple(kind for kind in _KINDS if kind != "answers" or name not in _WITHOUT_ANSWERS)


def folder(name: str, kind: str) -> Path:
    """The folder of a model with what stands on top."""
    return kept(_base(), f"{name}-{kind}", lambda path: _write(path, name, kind))


def expected(name: str, kind: str, dtype: str = "float32") -> dict[str, torch.Tensor]:
    """What transformers answers: ids, mask and types [3, 20], and out, states or logits."""
    path = folder(name, kind)
    return load_file(kept(_base(), f"{name}-{kind}-{dtype}.safetensors",
                          lambda file: save_file(_answers(path, kind, dtype), file)))


def read_model(path: Path, kind: str, dtype: str = "float32") -> Any:
    """The transformers model of a folder, in evaluation mode, with plain attention."""
    maker = getattr(transformers_package(), _KINDS[kind][0])
    return maker.from_pretrained(
        path, dtype=getattr(torch, dtype), attn_implementation="eager").eval()


def answers_of(model: Any, kind: str, given: dict[str, torch.Tensor]) -> torch.Tensor:
    """What a transformers model makes of ids, mask and types."""
    options = {}
    if takes_types(model):
        options["token_type_ids"] = given["types"]
    with torch.no_grad():
        out = model(given["ids"], attention_mask=given["mask"], **options)
    if kind == "base":
        return out.last_hidden_state.contiguous()
    if kind == "answers":
        return torch.stack([out.start_logits, out.end_logits], -1)
    return out.logits.contiguous()


def takes_types(model: Any) -> bool:
    """Whether a model distinguishes the first and the second text."""
    return (getattr(model.config, "type_vocab_size", 0) > 1
            and "token_type_ids" in inspect.signature(model.forward).parameters)


@cache
def _base() -> str:
    text = Path(__file__).read_bytes()
    return f"encoder-folders-{hashlib.sha256(text).hexdigest()[:16]}"


def _write(path: Path, name: str, kind: str) -> None:
    transformers = transformers_package()
    config_class, options = MODELS[name]
    maker, labels = _KINDS[kind]
    config = getattr(transformers, config_class)(
        **options, **({"num_labels": labels} if labels else {}))
    torch.manual_seed(3)
    model = getattr(transformers, maker).from_config(config, attn_implementation="eager")
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            _randomize(parameter_name, parameter)
    model.save_pretrained(path)


def _randomize(name: str, parameter: torch.Tensor) -> None:
    seed = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
    noise = torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed))
    if parameter.dim() < 2:
        parameter.add_(0.2 * noise)
    else:
        parameter.copy_(noise * (0.15 if "embed" in name else 1.3 * parameter.shape[-1] ** -0.5))


def _answers(path: Path, kind: str, dtype: str) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    mask = (torch.arange(LENGTH) < torch.tensor([LENGTH, 13, 5])[:, None]).long()
    ids = torch.randint(5, 400, (3, LENGTH), generator=generator) * mask + 1 - mask
    model = read_model(path, kind, dtype)
    types = ((torch.arange(LENGTH) >= 7).long() * mask if takes_types(model)
             else torch.zeros_like(ids))
    given = {"ids": ids, "mask": mask, "types": types}
    return {**given, "out": answers_of(model, kind, given)}
