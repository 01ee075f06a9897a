"""Models in files that say the same in another way: GGUF's keys for scaled positions, settings of
newer versions of transformers, and settings that say that two different matrices are one.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from gguf import MODEL_ARCH as ARCH

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import load_file, save_file  # noqa: E402

from tests.suites.llm.test_gguf_models import add_settings, finish, gguf_tensors  # noqa: E402
from tests.support.model_folders import folder, outputs, reference  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

FACTOR = 2.5  # of the model llama-linear

# What a file says besides, and the model that it is then.  llama.cpp takes linear scaling unless a
# file says another.
SCALINGS: dict[str, tuple[dict[str, Any], str]] = {
    "type": ({"scaling.type": "linear", "scaling.factor": FACTOR}, "llama-linear"),
    "no-type": ({"scaling.factor": FACTOR}, "llama-linear"),
    "old": ({"scale_linear": FACTOR}, "llama-linear"),
    "old-with-type": ({"scale_linear": FACTOR, "scaling.type": "linear"}, "llama-linear"),
    "both": ({"scale_linear": 7.0, "scaling.factor": FACTOR}, "llama-linear"),
    "none": ({"scaling.type": "none", "scaling.factor": FACTOR}, "llama"),
    "zero": ({"scaling.factor": 0.0}, "llama"),
    "one": ({"scaling.factor": 1.0}, "llama"),
    "nothing": ({}, "llama"),
    "yarn": ({"scaling.type": "yarn", "scaling.factor": 4.0,
              "scaling.original_context_length": 32}, "llama-yarn"),
    "yarn-old": ({"scaling.type": "yarn", "scale_linear": 4.0,
                  "scaling.original_context_length": 32}, "llama-yarn"),
}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown": ({"scaling.type": "cubic", "scaling.factor": 2.0}, "expected none, linear, yarn or"),
    "negative": ({"scaling.factor": -2.0}, "expected a number of at least 0"),
    "long": ({"scaling.type": "longrope", "scaling.factor": 2.0}, "rope_factors_long.weight"),
    "sharp": ({"scaling.factor": 2.0, "scaling.attn_factor": 1.5}, "attn_factor"),
}


def write_gguf(path: Path, name: str, rope: dict[str, Any]) -> None:
    config = json.loads((folder(name) / "config.json").read_text())
    config["rope_parameters"] = {"rope_theta": 10000.0}
    writer = gguf.GGUFWriter(path, "llama")
    add_settings(writer, "llama", config)
    for key, value in rope.items():
        if isinstance(value, str):
            writer.add_string(f"llama.rope.{key}", value)
        elif isinstance(value, int):
            writer.add_uint32(f"llama.rope.{key}", value)
        else:
            writer.add_float32(f"llama.rope.{key}", value)
    names = gguf.get_tensor_name_map(ARCH.LLAMA, config["num_hidden_layers"])
    for saved, tensor in gguf_tensors("llama", config).items():  # the weights are the same
        found = names.get_name(saved, try_suffixes=(".weight", ".bias"))
        writer.add_tensor(found, tensor.numpy().astype(np.float32))
    finish(writer)


def write_qwen3_moe(path: Path, counted_as: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The settings of transformers count the experts as num_local_experts, older ones otherwise."""
    import transformers

    config = transformers.Qwen3MoeConfig(
        vocab_size=100, hidden_size=32, intermediate_size=40, num_hidden_layers=2, head_dim=16,
        num_attention_heads=4, num_key_value_heads=2, num_experts=4, num_experts_per_tok=2,
        moe_intermediate_size=24, max_position_embeddings=64, initializer_range=0.3)
    torch.manual_seed(4)
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    model.save_pretrained(path)
    written = json.loads((path / "config.json").read_text())
    count = written.pop("num_local_experts", None) or written.pop("num_experts")
    (path / "config.json").write_text(json.dumps(written | {counted_as: count}))
    ids = torch.arange(20).reshape(2, 10) * 3
    with torch.no_grad():
        return ids, model(ids).logits


def write_untied(path: Path) -> torch.Tensor:
    """A model that its settings tie, with a head of its own."""
    shutil.copytree(folder("llama-tied"), path)
    tensors = load_file(path / "model.safetensors")
    torch.manual_seed(2)
    tensors["lm_head.weight"] = torch.randn(tensors["model.embed_tokens.weight"].shape)
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    with torch.no_grad():
        states = reference("llama-tied").model(outputs("llama-tied")["ids"]).last_hidden_state
    return states @ tensors["lm_head.weight"].T


PROGRAM = """
(define saved '())
(define (save! name x) (set! saved (cons (cons name x) saved)))
(define ids (hash-ref (load-tensors "ids.safetensors") "ids"))
(define moe-ids (hash-ref (load-tensors "ids.safetensors") "moe"))
(no-grad
  (for-each (lambda (name) (save! name ((load-llm (string name ".gguf")) ids))) '(%s))
  (for-each (lambda (name)
              (let ((model (load-llm name)))
                (save! name (model moe-ids))
                (save-llm model (string name "-again"))
                (save! (string name "-again") ((load-llm (string name "-again")) moe-ids))))
            '("num_experts" "num_local_experts"))
  (let ((model (load-llm "untied")))
    (save! "untied" (model ids))
    (save-llm model "untied-again")
    (save! "untied-again" ((load-llm "untied-again") ids)))
  (let ((tied (load-llm "TIED")))
    (save! "tied" (tied ids))
    (save-llm tied "tied-again")))
(save-tensors "out.safetensors" saved)
"""


def test_variants(back_end: str, tmp_path: Path) -> None:
    ids = outputs("llama")["ids"]
    for name, (rope, model) in SCALINGS.items():
        write_gguf(tmp_path / f"{name}.gguf", model, rope)
    moe_ids, moe = write_qwen3_moe(tmp_path / "num_local_experts", "num_local_experts")
    write_qwen3_moe(tmp_path / "num_experts", "num_experts")
    untied = write_untied(tmp_path / "untied")
    save_file({"ids": ids, "moe": moe_ids}, tmp_path / "ids.safetensors")
    names = " ".join(f'"{name}"' for name in SCALINGS)
    text = PROGRAM.replace("TIED", str(folder("llama-tied"))) % names
    found = saved_by(text, back_end, tmp_path)
    right = {name: outputs(model)["logits"] for name, (_, model) in SCALINGS.items()}
    right |= {"untied": untied, "untied-again": untied, "tied": outputs("llama-tied")["logits"]}
    for name in ("num_experts", "num_local_experts"):
        right |= {name: moe, f"{name}-again": moe}
    assert sorted(found) == sorted(right)
    for name, logits in right.items():
        assert (found[name] - logits).abs().max() < 1e-4 * max(1, logits.abs().max()), name
    for name, tied in (("untied", False), ("tied", True)):
        config = json.loads((tmp_path / f"{name}-again" / "config.json").read_text())
        assert config["tie_word_embeddings"] is tied
        tensors = load_file(tmp_path / f"{name}-again" / "model.safetensors")
        assert ("lm_head.weight" in tensors) != tied


def test_scalings_that_are_not_available(back_end: str, tmp_path: Path) -> None:
    for name, (rope, _) in REFUSED.items():
        write_gguf(tmp_path / f"{name}.gguf", "llama", rope)
    text = "\n".join(f'(print (guard (e (#t (error-object-message e))) (load-llm "{name}.gguf")))'
                     for name in REFUSED)
    lines = run(command_of(text, back_end, tmp_path), tmp_path).output.splitlines()
    for line, (name, (_, message)) in zip(lines, REFUSED.items(), strict=True):
        assert message in line, (name, line)
