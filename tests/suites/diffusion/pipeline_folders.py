"""A Stable Diffusion of a few thousand weights, in a folder of diffusers' layout.

`pipeline_answers.json` holds its settings, the names and shapes of its weights, and what diffusers
answers.  The values of weights depend on their names alone, so that nobody needs diffusers.
"""

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

ANSWERS = Path(__file__).with_name("pipeline_answers.json")
PROMPT, NEGATIVE = "A cat, don't  do it!", "dog"
LONG = "a very long text that does not fit in at all"
_NAMES = {"text_encoder": "model.safetensors"}
_MARKS = {"bos_token": "<|startoftext|>", "eos_token": "<|endoftext|>",
          "pad_token": "<|endoftext|>", "unk_token": "<|endoftext|>"}


def values(name: str, shape: tuple[int, ...]) -> torch.Tensor:
    """Weights with which signals neither grow nor vanish."""
    seed = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
    noise = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    if len(shape) < 2:
        return 0.1 * noise + ("norm" in name and name.endswith("weight"))
    return noise * math.prod(shape[1:]) ** -0.5


def inputs() -> dict[str, torch.Tensor]:
    dice = torch.Generator().manual_seed(4)
    return {
        "x": torch.randn(2, 4, 8, 12, generator=dice),
        "text": torch.randn(2, 5, 12, generator=dice),
        "pixels": torch.rand(2, 3, 16, 24, generator=dice) * 2 - 1,
        "code": torch.randn(1, 4, 6, 8, generator=dice),
        "noise": torch.randn(1, 4, 8, 8, generator=dice),
    }


def write_tokenizer(path: Path) -> None:
    """CLIP's files without tokenizer.json: all bytes and three merges."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    letters = list(bytes_to_unicode().values())
    tokens = [*letters, *(letter + "</w>" for letter in letters), "ca", "cat</w>", "do",
              "<|startoftext|>", "<|endoftext|>"]
    path.mkdir(parents=True)
    (path / "vocab.json").write_text(json.dumps({token: k for k, token in enumerate(tokens)}))
    (path / "merges.txt").write_text("#version: 0.2\nc a\nca t</w>\nd o\n")
    (path / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "CLIPTokenizer", "model_max_length": 20} | _MARKS))
    (path / "special_tokens_map.json").write_text(json.dumps(_MARKS))


def write(path: Path) -> dict[str, Any]:
    """Write the folder; what is in `pipeline_answers.json`."""
    kept: dict[str, Any] = json.loads(ANSWERS.read_text())
    write_tokenizer(path / "tokenizer")
    (path / "model_index.json").write_text('{"_class_name": "StableDiffusionPipeline"}')
    for part, config in kept["settings"].items():
        (path / part).mkdir()
        name = "scheduler_config.json" if part == "scheduler" else "config.json"
        (path / part / name).write_text(json.dumps(config))
    for part, shapes in kept["shapes"].items():
        tensors = {name: values(name, tuple(shape)) for name, shape in shapes.items()}
        file = _NAMES.get(part, "diffusion_pytorch_model.safetensors")
        save_file(tensors, path / part / file)
    return kept
