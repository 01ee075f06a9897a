"""Small models with an encoder and a decoder, and what the transformers package answers with them.

    folder("t5")    =>  ~/.cache/lambent/seq2seq-folders-1f3c.../t5-float32
    outputs("t5")   =>  what that model answers: see `outputs`

As `model_folders.py`, whose helpers write them: each once, under the cache folder, in one that is
named after this file's text and the version of transformers.
"""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from lambent.lang.system.cache_path import cache_path
from tests.support.model_folders import (
    CONTEXT,
    VOCABULARY,
    _locked,
    _randomize,
    _transformers,
    _write_bpe,
    _write_whole,
)

_T5: dict[str, Any] = {
    "vocab_size": VOCABULARY, "d_model": 48, "d_kv": 8, "d_ff": 80, "num_layers": 2,
    "num_heads": 4, "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 10, "pad_token_id": 2, "eos_token_id": 1,
    "decoder_start_token_id": 2,
}

_BART: dict[str, Any] = {
    "vocab_size": VOCABULARY, "d_model": 48, "encoder_layers": 2, "decoder_layers": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 6, "encoder_ffn_dim": 80,
    "decoder_ffn_dim": 72, "max_position_embeddings": CONTEXT, "pad_token_id": 2,
    "bos_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 3, "forced_eos_token_id": 1,
}

# Name: the classes of configuration and model of transformers, and the configuration's arguments.
_MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "t5": ("T5Config", "T5ForConditionalGeneration", _T5),
    "flan-t5": ("T5Config", "T5ForConditionalGeneration", _T5 | {
        "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "num_layers": 3,
        "num_decoder_layers": 2}),
    "mt5": ("MT5Config", "MT5ForConditionalGeneration", _T5 | {"feed_forward_proj": "gated-gelu"}),
    "bart": ("BartConfig", "BartForConditionalGeneration", _BART),
    "bart-scaled": ("BartConfig", "BartForConditionalGeneration", _BART | {
        "scale_embedding": True, "activation_function": "relu", "forced_bos_token_id": 7}),
    "mbart": ("MBartConfig", "MBartForConditionalGeneration", _BART),
    "marian": ("MarianConfig", "MarianMTModel", _BART | {
        "scale_embedding": True, "activation_function": "swish"}),
    "marian-apart": ("MarianConfig", "MarianMTModel", _BART | {
        "share_encoder_decoder_embeddings": False, "decoder_vocab_size": VOCABULARY - 10}),
    "pegasus": ("PegasusConfig", "PegasusForConditionalGeneration", _BART | {
        "scale_embedding": True}),
    "m2m_100": ("M2M100Config", "M2M100ForConditionalGeneration", _BART),
    "whisper": ("WhisperConfig", "WhisperForConditionalGeneration", _BART | {
        "max_source_positions": 50, "max_target_positions": CONTEXT, "num_mel_bins": 20,
        "begin_suppress_tokens": [11, 12], "suppress_tokens": [13, 14]}),
}
SEQ2SEQ_MODELS = tuple(_MODELS)
LANGUAGES = {"<|de|>": 21, "<|en|>": 22, "<|fr|>": 23}  # of the folder of Whisper
TASKS = {"transcribe": 24, "translate": 25}
NEW_TOKENS = 14  # of greedy texts and of beams


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
    kind = getattr(_transformers(), _MODELS[name][1])
    return kind.from_pretrained(
        folder(name, dtype), dtype=getattr(torch, dtype), attn_implementation="eager"
    ).eval()


def outputs(name: str, dtype: str = "float32") -> dict[str, torch.Tensor]:
    """What transformers answers, kept beside the folder.

    source [2, 11] with mask [2, 11], the second row of which ends with padding; ids [2, 12], which
    the decoder has written, and logits [2, 12, v]; labels [2, 12], some of which do not count, and
    loss; greedy and beams, the texts from both rows.
    """
    path = folder(name, dtype)
    answers = path.with_name(f"{path.name}.outputs.safetensors")
    if not answers.exists():
        with _locked(_base()):
            if not answers.exists():
                _write_whole(answers, lambda file: save_file(_answers(name, dtype), file))
    return load_file(answers)


def _base() -> Path:
    text = Path(__file__).read_bytes() + version("transformers").encode()
    base = Path(cache_path()) / f"seq2seq-folders-{hashlib.sha256(text).hexdigest()[:16]}"
    base.mkdir(parents=True, exist_ok=True)
    return base


def _write_model(path: Path, name: str, dtype: str) -> None:
    transformers = _transformers()
    kind, maker, options = _MODELS[name]
    config = getattr(transformers, kind)(**options)
    torch.manual_seed(3)
    model = getattr(transformers, maker)._from_config(config, attn_implementation="eager")
    _randomize(model)
    with torch.no_grad():
        if hasattr(model, "final_logits_bias"):
            bias = model.final_logits_bias
            bias.copy_(torch.linspace(-1.0, 1.0, bias.numel())[None])
        for parameter_name, parameter in model.named_parameters():
            if parameter_name.endswith("Attention.q.weight"):  # scores of T5 have no scale
                parameter.mul_(config.d_kv ** -0.5)
    model.to(getattr(torch, dtype)).save_pretrained(path)
    model.generation_config.save_pretrained(path)
    if name == "whisper":
        _add_languages(path)
    _write_bpe(path)
    if name == "flan-t5":
        _add_own_head(path)


def _add_languages(path: Path) -> None:
    """Let generation_config.json name languages and tasks, as those of Whisper do."""
    file = path / "generation_config.json"
    settings = json.loads(file.read_text("utf-8"))
    settings |= {"lang_to_id": LANGUAGES, "task_to_id": TASKS, "is_multilingual": True,
                 "no_timestamps_token_id": 26, "suppress_tokens": [13, 14],
                 "begin_suppress_tokens": [11, 12]}
    file.write_text(json.dumps(settings, indent=2), "utf-8")


def _add_own_head(path: Path) -> None:
    """Give the folder a head that is not the table of tokens, as FLAN-T5's files have."""
    tensors = load_file(path / "model.safetensors")
    noise = torch.randn(tensors["shared.weight"].shape, generator=torch.Generator().manual_seed(3))
    tensors["lm_head.weight"] = (0.3 * noise).to(tensors["shared.weight"].dtype)
    save_file(tensors, path / "model.safetensors", {"format": "pt"})
    settings = json.loads((path / "config.json").read_text("utf-8"))
    settings["tie_word_embeddings"] = False
    (path / "config.json").write_text(json.dumps(settings, indent=2), "utf-8")


def _answers(name: str, dtype: str) -> dict[str, torch.Tensor]:
    model = reference(name, dtype)
    generator = torch.Generator().manual_seed(5)
    source = torch.randint(5, VOCABULARY, (2, 11), generator=generator)
    ids = torch.randint(5, VOCABULARY - 10, (2, 12), generator=generator)
    labels = torch.randint(5, VOCABULARY - 10, (2, 12), generator=generator)
    labels[1, 9:] = -100
    mask = torch.ones(2, 11, dtype=torch.int64)
    mask[1, 7:] = 0
    source = source * mask + model.config.pad_token_id * (1 - mask)
    if name == "whisper":
        source = torch.randn(2, 20, 100, generator=generator)
        heard = {"input_features": source.to(model.dtype)}
        texts = {"greedy": heard_text(model, heard["input_features"][:1])}
    else:
        heard = {"input_ids": source, "attention_mask": mask}
        texts = _texts(model, heard)
    with torch.no_grad():
        logits = model(**heard, decoder_input_ids=ids).logits
        loss = model(**heard, labels=labels).loss
    return {
        "source": source, "mask": mask, "ids": ids, "labels": labels,
        "logits": logits.contiguous(), "loss": loss.reshape(1).float(), **texts,
    }


def _texts(model: Any, heard: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {
        kind: model.generate(
            **heard, max_new_tokens=NEW_TOKENS, do_sample=False, **options
        ).contiguous()
        for kind, options in {
            "greedy": {"num_beams": 1}, "beams": {"num_beams": 3, "length_penalty": 0.5},
        }.items()
    }


def heard_text(model: Any, sound: torch.Tensor) -> torch.Tensor:
    """What Whisper hears in features [1, bins, t], by its likeliest language: ids [1, t].

    Its `generate` adds much to this for long sounds.
    """

    def logits_after(ids: list[int]) -> torch.Tensor:
        with torch.no_grad():
            return model(sound, decoder_input_ids=torch.tensor([ids])).logits[0, -1].float()

    start = model.config.decoder_start_token_id
    first = logits_after([start])
    language = max(LANGUAGES.values(), key=lambda token: float(first[token]))
    ids = [start, language, TASKS["transcribe"], 26]
    written: list[int] = []
    while len(written) < NEW_TOKENS and written[-1:] != [1]:
        logits = logits_after(ids + written)
        logits[[13, 14] + ([] if written else [11, 12])] = -torch.inf
        written.append(int(logits.argmax()))
    return torch.tensor([[start, *written]])
