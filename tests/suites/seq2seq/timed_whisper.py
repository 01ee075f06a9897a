"""A small Whisper of one second that writes times, and what transformers hears with it.

Its tokens stand in the order of real ones: texts, the end, languages and tasks, then times from 0
to 1.00.
"""

import json
from pathlib import Path
from typing import Any

import torch

from tests.suites.seq2seq.seq2seq_folders import _BART
from tests.support.model_folders import (
    CONTEXT,
    VOCABULARY,
    _randomize,
    _transformers,
    _write_bpe,
    transformers_package,
)

TIMES = 51  # tokens
TIMES_BEGIN = VOCABULARY - TIMES
END, START = 320, 321
LANGUAGES = {"<|de|>": 322, "<|en|>": 323, "<|fr|>": 324}
TASKS = {"transcribe": 325, "translate": 326}
PREVIOUS = 327
NEW_TOKENS = 24
ALIGNMENT_HEADS = [[0, 1], [1, 0], [1, 3]]
_BINS = 20


def write_timed_whisper(path: Path, seed: int = 3) -> Path:
    """Write the folder of a model."""
    transformers = _transformers()
    config = transformers.WhisperConfig(**_BART | {
        "max_source_positions": 50, "max_target_positions": CONTEXT, "num_mel_bins": _BINS,
        "begin_suppress_tokens": [11, END], "suppress_tokens": [13, 14, PREVIOUS, START],
        "eos_token_id": END, "decoder_start_token_id": START, "bos_token_id": END,
        "pad_token_id": END, "forced_eos_token_id": None,
    })
    torch.manual_seed(seed)
    model = transformers.WhisperForConditionalGeneration._from_config(
        config, attn_implementation="eager")
    _randomize(model)
    with torch.no_grad():  # what it hears and has written matters more than that it writes
        table = model.model.decoder.embed_tokens.weight
        generator = torch.Generator().manual_seed(seed)
        table.mul_(1 + 0.1 * torch.randn(VOCABULARY, 1, generator=generator))
        model.model.decoder.embed_positions.weight.mul_(6)
    model.save_pretrained(path)
    model.generation_config.save_pretrained(path)
    file = path / "generation_config.json"
    settings = json.loads(file.read_text("utf-8"))
    del settings["_from_model_config"]  # with it, transformers ignores what follows
    settings |= {
        "lang_to_id": LANGUAGES, "task_to_id": TASKS, "is_multilingual": True,
        "no_timestamps_token_id": TIMES_BEGIN - 1, "prev_sot_token_id": PREVIOUS,
        "suppress_tokens": [13, 14, PREVIOUS, START], "begin_suppress_tokens": [11, END],
        "max_initial_timestamp_index": 10, "return_timestamps": False,
        "alignment_heads": ALIGNMENT_HEADS,
    }
    file.write_text(json.dumps(settings, indent=2), "utf-8")
    _write_bpe(path)
    return path


def heard_segments(
    path: Path, sound: torch.Tensor, most: int | None = NEW_TOKENS, **options: Any
) -> list[tuple[Any, ...]]:
    """The beginnings, ends and tokens of the segments of a sound [n], by transformers.

    most: tokens of a window.
    """
    return [(float(segment["start"]), float(segment["end"]), segment["tokens"].tolist())
            for segment in _heard(path, sound, most, options)]


def heard_words(path: Path, sound: torch.Tensor, **options: Any) -> list[tuple[str, float, float]]:
    """The words of a sound, with their beginnings and ends, by transformers."""
    from transformers.models.whisper.tokenization_whisper import _collate_word_timestamps

    tokenizer = transformers_package().AutoTokenizer.from_pretrained(path)

    class Plain:
        eos_token_id = END
        language = None

        @staticmethod
        def decode(tokens: list[int], **_: Any) -> str:
            return str(tokenizer.decode(tokens, clean_up_tokenization_spaces=False))

    words = []
    for segment in _heard(path, sound, NEW_TOKENS, {"return_token_timestamps": True} | options):
        tokens = segment["tokens"].tolist()
        times = [float(segment["start"]), *map(float, segment["token_timestamps"])]
        spoken = [(token, (round(times[k], 2), round(times[k + 1], 2)))
                  for k, token in enumerate(tokens) if token < TIMES_BEGIN and token != END]
        if not spoken:
            continue
        found = _collate_word_timestamps(Plain, *map(list, zip(*spoken, strict=True)), None, False)
        words += [(word["text"], *word["timestamp"]) for word in found]
    return words


def _heard(path: Path, sound: torch.Tensor, most: int | None, options: dict[str, Any]) -> Any:
    transformers = _transformers()
    model = transformers.WhisperForConditionalGeneration.from_pretrained(
        path, attn_implementation="eager").eval()
    model.generation_config = transformers.GenerationConfig.from_pretrained(path)
    extract = transformers.WhisperFeatureExtractor(feature_size=_BINS, chunk_length=1)
    is_long = len(sound) > 16000
    extracted = extract(
        sound.numpy(), sampling_rate=16000, return_tensors="pt", truncation=not is_long,
        padding="longest" if is_long else "max_length", return_attention_mask=True,
    )
    if "return_token_timestamps" in options:
        options = {"attention_mask": extracted.attention_mask} | options
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the model is too small for more
    found = model.generate(
        extracted.input_features, return_timestamps=True, return_segments=True,
        **{} if most is None else {"max_new_tokens": most}, **{"task": "transcribe"} | options,
    )
    torch.set_num_threads(threads)
    return found["segments"][0]
