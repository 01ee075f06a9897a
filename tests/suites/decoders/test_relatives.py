"""Llama's relatives are saved, trained, quantized and served from pages like Llama itself.

One program uses the models of `tests/support/model_folders.py` whose layers differ from Llama's in
norms, positions, factors or experts.  That they answer as transformers does, with caches and
padding, is `test_architectures.py`'s part.
"""

import json
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import load_file, save_file  # noqa: E402

from tests.support.model_folders import folder, outputs  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

MODELS = (
    "gemma3", "smollm3", "smollm3-usual", "olmo2", "olmo3", "granite", "granite-moe",
    "granite-shared", "glm", "glm4", "cohere", "cohere2", "starcoder2", "stablelm",
    "stablelm-parallel", "nemotron", "exaone4", "ernie4.5", "ernie4.5-moe", "seed-oss", "arcee",
    "apertus", "helium", "ministral", "ministral3", "hunyuan",
)

PROGRAM = """
(define saved '())
(define (save! name kind x)
  (set! saved (cons (cons (string name "." kind) (tensor-contiguous x)) saved)))

(define (from-pages model ids)
  "The logits of rows that share pages: a prompt of 5 tokens each, then one token of each."
  (let* ((pool (paged-cache model :pages 16 :page-size 4))
         (rows (map (lambda (k) (tensor-narrow ids 0 k 1)) (range (tensor-size ids 0))))
         (sequences (map (lambda (row) (paged-sequence pool)) rows))
         (prompts (map (lambda (row sequence)
                         (model (tensor-narrow row 1 0 5)
                                :cache (paged-batch (list sequence))))
                       rows sequences)))
    (tensor-cat
     (cons (tensor-cat prompts 0)
           (map (lambda (k) (model (tensor-narrow ids 1 k 1) :cache (paged-batch sequences)))
                (range 5 (tensor-size ids 1))))
     1)))

(define (without-gradient model ids)
  "The parameters that a loss of the next tokens does not reach."
  (let ((logits (model ids)))
    (backward (cross-entropy (tensor-flatten (tensor-narrow logits 1 0 11) 0 1)
                             (tensor-flatten (tensor-narrow ids 1 1 11) 0 1)))
    (filter-map (lambda (entry)
                  (let ((grad (tensor-grad (cdr entry))))
                    (and (or (not (tensor? grad))
                             (= (tensor-item (tensor-max (tensor-abs grad))) 0.0))
                         (car entry))))
                (named-parameters model))))

(define (run name folder ids)
  (let ((model (load-llm folder)))
    (print name (without-gradient model ids))
    (no-grad
      (save! name "pages" (from-pages model ids))
      (save-llm model (string name "-again"))
      (save! name "again" ((load-llm (string name "-again")) ids))
      (save! name "8" ((load-llm folder :bits 8) ids))
      (save! name "4" ((load-llm folder :bits 4) ids)))))

(for-each (lambda (entry)
            (run (car entry) (cadr entry)
                 (hash-ref (load-tensors (string (cadr entry) ".outputs.safetensors")) "ids")))
          '(%s))
(save-tensors "out.safetensors" saved)
"""

# The largest mean difference of quantized logits, as a part of their mean size.
ROUNDING = {"8": 0.05, "4": 0.5}


def test_uses(back_end: str, tmp_path: Path) -> None:
    expected = {name: outputs(name)["logits"] for name in MODELS}
    rows = " ".join(f'("{name}" "{folder(name)}")' for name in MODELS)
    outcome = run(command_of(PROGRAM % rows, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    assert outcome.output.splitlines() == [f"{name} ()" for name in MODELS]
    found = load_file(tmp_path / "out.safetensors")
    for name, logits in expected.items():
        assert (found[f"{name}.pages"] - logits).abs().max() < 1e-4, name
        assert (found[f"{name}.again"] - logits).abs().max() < 1e-4, name
        for bits, most in ROUNDING.items():
            difference = (found[f"{name}.{bits}"] - logits).abs().mean() / logits.abs().mean()
            assert 0 < difference < most, (name, bits, difference)
        assert_same_files(folder(name), tmp_path / f"{name}-again")


def assert_same_files(written: Path, again: Path) -> None:
    """What Lambent saves has the names and elements of what transformers has written."""
    old, new = (load_file(each / "model.safetensors") for each in (written, again))
    assert sorted(old) == sorted(new)
    for name, tensor in old.items():
        assert torch.equal(tensor, new[name]), name


TEXT_OF = """
(define ids (hash-ref (load-tensors "ids.safetensors") "ids"))
(define model (load-llm "pictures"))
(save-llm model "text")
(no-grad
  (save-tensors "out.safetensors"
                (list (cons "logits" (model ids))
                      (cons "newer" ((load-llm "newer") ids))
                      (cons "text" ((load-llm "text") ids)))))
"""


def test_the_language_model_of_one_that_reads_pictures(back_end: str, tmp_path: Path) -> None:
    ids, logits = write_gemma3(tmp_path / "pictures")
    write_newer_names(tmp_path / "pictures", tmp_path / "newer")
    save_file({"ids": ids}, tmp_path / "ids.safetensors")
    found = saved_by(TEXT_OF, back_end, tmp_path)
    assert sorted(found) == ["logits", "newer", "text"]
    for name, have in found.items():
        assert (have - logits).abs().max() < 1e-4, name
    config = json.loads((tmp_path / "text" / "config.json").read_text())
    assert (config["model_type"], config["architectures"]) == (
        "gemma3_text", ["Gemma3ForCausalLM"])


def write_gemma3(path: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """A model with a small encoder of pictures, and what it answers to tokens alone.

    Its settings leave out what is usual, as published ones do.
    """
    import transformers

    config = transformers.Gemma3Config(
        text_config={"vocab_size": 100, "hidden_size": 32, "intermediate_size": 40,
                     "num_hidden_layers": 7, "sliding_window": 4, "max_position_embeddings": 64,
                     "initializer_range": 0.2},
        vision_config={"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1,
                       "num_attention_heads": 2, "image_size": 28, "patch_size": 14})
    torch.manual_seed(3)
    model = transformers.Gemma3ForConditionalGeneration(config).eval()
    model.save_pretrained(path)
    settings = json.loads((path / "config.json").read_text())
    text = settings["text_config"]
    for name in ("num_attention_heads", "num_key_value_heads", "head_dim", "layer_types",
                 "rope_parameters", "query_pre_attn_scalar", "hidden_activation"):
        del text[name]
    (path / "config.json").write_text(json.dumps(settings))
    ids = torch.arange(5, 25).reshape(2, 10)
    with torch.no_grad():
        return ids, model(ids).logits


def write_newer_names(old: Path, new: Path) -> None:
    """The same model with the names that its tensors have in newer versions."""
    new.mkdir()
    (new / "config.json").write_text((old / "config.json").read_text())
    tensors = {
        name.replace("language_model.model.", "model.language_model.")
        if name.startswith("language_model.") else f"model.{name}": tensor
        for name, tensor in load_file(old / "model.safetensors").items()
    }
    save_file(tensors, new / "model.safetensors", metadata={"format": "pt"})


# A model, a setting that it cannot have, and what the error says.
REFUSED: list[tuple[str, dict[str, object], str]] = [
    ("gemma3", {"use_bidirectional_attention": True},
     'expected false for the setting "use_bidirectional_attention", got true'),
    ("gemma3", {"attn_logit_softcapping": 3.0},
     'expected null for the setting "attn_logit_softcapping", got 3.0'),
    ("gemma3", {"layer_types": ["chunked_attention"] * 3},
     'expected "full_attention" or "sliding_attention" for each layer for the setting '
     '"layer_types"'),
    ("gemma3", {"layer_types": ["full_attention"]}, 'for the setting "layer_types"'),
    ("gemma3", {"hidden_activation": "tangent"}, 'as the activation, got "tangent"'),
    ("gemma3", {"sliding_window_pattern": 0}, '"sliding_window_pattern", got 0'),
    ("smollm3", {"no_rope_layers": [2, 0]}, '"no_rope_layers", got [2,0]'),
    ("granite", {"residual_multiplier": -1}, '"residual_multiplier", got -1'),
    ("granite-moe", {"num_experts_per_tok": 5}, 'up to the number of experts, 4'),
    ("exaone4", {"layer_types": None, "sliding_window_pattern": "LGLG"},
     '"sliding_window_pattern", got "LGLG"'),
    ("ernie4.5-moe", {"moe_layer_end_index": -2}, '"moe_layer_end_index", got -2'),
    ("hunyuan", {"rope_parameters": {"rope_type": "dynamic", "alpha": -1}},
     'needs a positive number "alpha", got -1'),
]


def test_settings_that_are_not_available(back_end: str, tmp_path: Path) -> None:
    for k, (name, settings, _) in enumerate(REFUSED):
        path = tmp_path / str(k)
        path.mkdir()
        (path / "model.safetensors").symlink_to(folder(name) / "model.safetensors")
        config = json.loads((folder(name) / "config.json").read_text())
        (path / "config.json").write_text(json.dumps(config | settings))
    text = "\n".join(f'(print (guard (e (#t (error-object-message e))) (load-llm "{k}")))'
                     for k in range(len(REFUSED)))
    lines = run(command_of(text, back_end, tmp_path), tmp_path).output.splitlines()
    for line, (name, settings, message) in zip(lines, REFUSED, strict=True):
        assert message in line, (name, settings, line)
