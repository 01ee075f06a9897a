"""Adapters in the files of Python's peft, both ways: what peft wrote answers here as it does there,
and what is saved here answers there.

Each case is a model of `tests/support/model_folders.py` and the settings of peft's LoraConfig.  One
program a back end loads the adapters into new models, merges them, takes them out again, saves
them, and saves some of its own; peft reads these.
"""

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")
peft = pytest.importorskip("peft")

from safetensors.torch import save_file  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402

from tests.suites.llm.test_gguf_models import write_gguf  # noqa: E402
from tests.support.model_folders import folder, outputs, reference  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

# Name: the model, and the settings besides rank and alpha.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "some": ("llama", {"target_modules": ["q_proj", "v_proj"]}),
    "all": ("llama", {"target_modules": "all-linear", "r": 8}),
    "regex": ("llama", {"target_modules": r".*\.1\.(self_attn\.k_proj|mlp\.up_proj)"}),
    "rslora": ("llama", {"target_modules": ["q_proj", "k_proj", "down_proj"], "use_rslora": True}),
    "patterns": ("llama", {
        "target_modules": ["q_proj", "v_proj", "o_proj"],
        "rank_pattern": {"v_proj": 2, r"layers\.[1-9]\.self_attn\.o_proj": 3},
        "alpha_pattern": {"q_proj": 32, r"layers\.\d+\.self_attn\.o_proj": 5}}),
    "layers": ("llama", {"target_modules": ["gate_proj", "up_proj"], "layers_to_transform": [1]}),
    "dora": ("llama", {"target_modules": ["q_proj", "v_proj", "down_proj"], "use_dora": True}),
    "dora-bias": ("llama-tied", {"target_modules": ["q_proj", "o_proj"], "use_dora": True}),
    "whole": ("llama", {"target_modules": ["q_proj"], "modules_to_save": ["lm_head"]}),
    "tokens": ("llama", {"target_modules": ["embed_tokens", "q_proj"]}),
    "head": ("llama", {"target_modules": ["lm_head", "o_proj"]}),
    "tied-whole": ("qwen3", {"target_modules": ["q_proj"], "modules_to_save": ["lm_head"]}),
    "bias": ("llama-tied", {"target_modules": ["q_proj", "o_proj"], "bias": "lora_only"}),
    "all-bias": ("qwen2", {"target_modules": ["q_proj", "o_proj"], "bias": "all"}),
    "gpt2": ("gpt2", {"target_modules": ["c_attn", "c_proj", "c_fc"], "fan_in_fan_out": True}),
    "phi": ("phi", {"target_modules": "all-linear"}),
    "phi3": ("phi3", {"target_modules": ["qkv_proj", "gate_up_proj"]}),
    "mistral": ("mistral", {"target_modules": ALL}),
    "qwen2": ("qwen2", {"target_modules": ALL}),
    "qwen3": ("qwen3", {"target_modules": ALL}),
    "gemma": ("gemma", {"target_modules": ALL}),
    "gemma2": ("gemma2", {"target_modules": ALL}),
    "mixtral": ("mixtral", {"target_modules": ["q_proj", "v_proj"]}),
    "qwen2-moe": ("qwen2-moe", {"target_modules": ["q_proj", "v_proj"]}),
    "bert": ("bert", {"target_modules": ["query", "value", "dense"]}),
    # Experts are parameters with three dimensions in today's transformers.
    "experts": ("mixtral", {"target_modules": ["q_proj"], "target_parameters": [
        "mlp.experts.gate_up_proj", "mlp.experts.down_proj"]}),
    "experts-patterns": ("qwen2-moe", {
        "target_modules": ["q_proj", "v_proj"], "use_rslora": True,
        "target_parameters": ["experts.gate_up_proj", "experts.down_proj"],
        "rank_pattern": {"down_proj": 2}, "alpha_pattern": {"experts.gate_up_proj": 5}}),
    "one-of-experts": ("mixtral", {"target_modules": [],
                                   "target_parameters": ["mlp.experts.down_proj"]}),
    "gate": ("mixtral", {"target_modules": [],
                         "target_parameters": ["experts.gate_up_proj", "mlp.gate.weight"]}),
    "other-gate": ("qwen2-moe", {"target_modules": ["o_proj"],
                                 "target_parameters": ["mlp.gate.weight"]}),
}

# Adapters that the program makes: the model, and the targets of lora!.
OWN = {
    "own": ("llama", ALL), "own-joined": ("llama", ["qkv_proj", "gate_up_proj"]),
    "own-head": ("llama", ["lm_head"]), "own-gpt2": ("gpt2", ["c_attn", "c_fc"]),
    "own-phi3": ("phi3", ["qkv_proj"]), "own-qwen3": ("qwen3", ["o_proj", "down_proj"]),
    "own-tokens": ("llama", ["embed_tokens", "k_proj"]), "own-bert": ("bert", ["query", "fc1"]),
    "own-experts": ("mixtral", ["gate_up_proj", "down_proj", "gate"]),
    "own-parts": ("mixtral", ["w1", "w2", "w3", "q_proj"]),
    "own-some": ("qwen2-moe", ["experts.1.down_proj", "experts.0.up_proj", "experts.0.gate_proj",
                               "experts.2.gate_proj"]),
}

PROGRAM = """
(define saved '())
(define (save! name x) (set! saved (cons (cons name (tensor-contiguous (detach x))) saved)))
(define (new name folder) (if (equal? name "bert") (load-encoder folder) (load-llm folder)))

(define (run name model-name folder adapters ids)
  (let ((model (load-adapters! adapters (new model-name folder))))
    (eval-mode! model)
    (save! name (model ids))
    (save-adapters (string name "-back") model)
    (load-adapters! (string name "-back") model)
    (save! (string name ".again") (model ids))
    (merge-lora! model)
    (save! (string name ".merged") (model ids))
    (unmerge-lora! model)
    (save! (string name ".unmerged") (model ids))))

(define (own name model-name folder targets ids)
  (manual-seed 3)
  (let ((model (lora! (new model-name folder) :targets targets :rank 4
                      :dora (equal? name "own-qwen3") :rslora (equal? name "own"))))
    (no-grad
      (for-each (lambda (entry)
                  (tensor-copy! (detach (cdr entry))
                                (+ (cdr entry) (* 0.1 (tensor-randn-like (cdr entry))))))
                (lora-parameters model)))
    (eval-mode! model)
    (save-adapters name model)
    (save! name (model ids))
    (load-adapters! name (if (equal? name "own-some") (new model-name folder) model))
    (save! (string name ".again") (model ids))
    (save! (string name ".new")
           ((eval-mode! (load-adapters! name (new model-name folder))) ids))))

(define (ids-of folder) (hash-ref (load-tensors (string folder ".outputs.safetensors")) "ids"))
(for-each (lambda (entry) (apply run (append entry (list (ids-of (caddr entry)))))) '(%s))
(for-each (lambda (entry) (apply own (append entry (list (ids-of (caddr entry)))))) '(%s))
(save-tensors "out.safetensors" saved)
"""


def write_adapters(path: Path, name: str) -> torch.Tensor:
    """Let peft write the adapters of a case; what its model answers."""
    model_name, settings = CASES[name]
    torch.manual_seed(1)
    task = {} if model_name == "bert" else {"task_type": "CAUSAL_LM"}
    config = peft.LoraConfig(**{"r": 4, "lora_alpha": 8, **task, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = peft.get_peft_model(reference(model_name), config).eval()
        with torch.no_grad():
            for key, parameter in model.named_parameters():
                if "lora_" in key or "modules_to_save" in key:
                    parameter.add_(torch.randn_like(parameter), alpha=0.1)
                elif parameter.requires_grad:  # a bias
                    parameter.add_(0.2)
        model.save_pretrained(path)
    return answers(model, model_name)


def answers(model: Any, model_name: str) -> torch.Tensor:
    ids = outputs(model_name)["ids"]
    with torch.no_grad():
        found = model(ids)
    answer: torch.Tensor = found.last_hidden_state if model_name == "bert" else found.logits
    return answer


@cache
def wanted(base: Path) -> dict[str, torch.Tensor]:
    """What peft answers with the adapters of each case, written below base."""
    return {name: write_adapters(base / name, name) for name in CASES}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("adapters")


def read_by_peft(path: Path, model_name: str) -> torch.Tensor:
    """What peft answers with adapters that were saved here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = peft.PeftModel.from_pretrained(reference(model_name), path).eval()
    return answers(model, model_name)


def assert_same(found: torch.Tensor, right: torch.Tensor, what: str) -> None:
    assert (found - right).abs().max() < 2e-3 * right.abs().max(), what


def test_both_ways(back_end: str, tmp_path: Path, written: Path) -> None:
    right = wanted(written)
    cases = [(name, model, str(folder(model)), str(written / name))
             for name, (model, _) in CASES.items()]
    own = [(name, model, str(folder(model)), targets) for name, (model, targets) in OWN.items()]
    text = PROGRAM % (
        " ".join(f'("{n}" "{m}" "{f}" "{a}")' for n, m, f, a in cases),
        " ".join(f'("{n}" "{m}" "{f}" ({" ".join(map(json.dumps, t))}))' for n, m, f, t in own),
    )
    found = saved_by(text, back_end, tmp_path)
    for name, model, _, _ in cases:
        plain = outputs(model)["states" if model == "bert" else "logits"]
        assert (right[name] - plain).abs().max() > 1e-2, f"{name} has no effect"
        for kind in ("", ".again", ".merged", ".unmerged"):
            assert_same(found[name + kind], right[name], name + kind)
        if back_end == "script":
            assert_same(read_by_peft(tmp_path / f"{name}-back", model), right[name], f"{name} back")
    for name, (model, _) in OWN.items():
        for kind in (".again", ".new"):
            assert_same(found[name + kind], found[name], name + kind)
        if back_end == "script":
            plain = outputs(model)["states" if model == "bert" else "logits"]
            assert (found[name] - plain).abs().max() > 1e-2, f"{name} has no effect"
            assert_same(read_by_peft(tmp_path / name, model), found[name], f"{name} read by peft")


# Models whose weights are integers; adapters are floats.

QUANTIZED = """
(define saved '())
(define (save! name x) (set! saved (cons (cons name (tensor-contiguous (detach x))) saved)))
(define (integers? layer)
  (or (quantized-layer? layer) (torch-int8-linear? layer)))
(define (matrix-of layer)
  (if (quantized-layer? layer)
      (dequantized layer)
      (* (tensor-to (torch-int8-linear-weight layer) 'float32)
         (tensor-unsqueeze (torch-int8-linear-scale layer) 1))))
(define (as-floats layer)
  (let* ((weight (matrix-of layer)) (rows (tensor-size weight 0)) (width (tensor-size weight 1)))
    (if (quantized-embedding? layer)
        (let ((new (embedding rows width))) (set-embedding-weight! new weight) new)
        (let ((new (linear width rows
                           :bias (tensor? (assoc-ref (state-dict layer) "bias")))))
          (set-linear-weight! new weight)
          (when (linear-bias new) (set-linear-bias! new (assoc-ref (state-dict layer) "bias")))
          new))))
(define (assoc-ref entries key) (let ((found (assoc key entries))) (and found (cdr found))))
(define (floats! model)
  (for-each (lambda (entry)
              (when (integers? (cdr entry))
                (replace-module! model (car entry) (as-floats (cdr entry)))))
            (named-modules model))
  model)
(define (new folder how)
  (cond ((string-suffix? ".gguf" folder) (load-llm folder))
        ((eq? how 'torch) (quantize-model! (load-llm folder) :kernel 'torch))
        (else (load-llm folder :bits how))))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk) "nothing"))

(define (run name folder how adapters ids)
  (save-llm (floats! (new folder how)) (string name "-floats"))
  (let ((model (eval-mode! (load-adapters! adapters (new folder how)))))
    (save! name (model ids))
    (save-adapters (string name "-back") model)
    (load-adapters! (string name "-back") model)
    (save! (string name ".again") (model ids))
    (backward (tensor-sum (model ids)))
    (save! (string name ".learns")
           (apply + (map (lambda (entry)
                           (tensor-sum (tensor-abs (tensor-grad (cdr entry)))))
                         (lora-parameters model))))
    (print name (message (lambda () (merge-lora! model)))))
  (let ((model (eval-mode! (load-adapters! adapters (floats! (new folder how))))))
    (quantize-model! model)
    (save! (string name ".late") (model ids))))

(define ids (hash-ref (load-tensors "%s.outputs.safetensors") "ids"))
(for-each (lambda (entry) (apply run (append entry (list ids)))) '(%s))
(save-tensors "out.safetensors" saved)
"""

# Name: the adapters of CASES, and how the weights are quantized.
INTEGERS = {
    "int8": ("all", "8"), "int4": ("all", "4"), "int8-dora": ("dora", "8"),
    "int8-whole": ("whole", "8"), "int4-rslora": ("rslora", "4"), "torch": ("all", "torch"),
    "int8-experts": ("experts", "8"), "gguf": ("all", "Q8_0"), "gguf-tokens": ("tokens", "Q8_0"),
    "gguf-4": ("patterns", "Q4_0"), "gguf-experts": ("experts", "Q8_0"),
    "nf4": ("all", "nf4"), "nf4-dora": ("dora", "nf4"),
}


def test_weights_of_integers(back_end: str, tmp_path: Path, written: Path) -> None:
    """What peft answers over floats of the same values, but for activations in 8 bits."""
    wanted(written)
    lines = []
    for name, (adapters, how) in INTEGERS.items():
        model = CASES[adapters][0]
        path = folder(model)
        if how.startswith("Q"):
            path = tmp_path / f"{name}.gguf"
            write_gguf(model, path, how)
        lines.append(f'("{name}" "{path}" {how} "{written / adapters}")')
    found = saved_by(QUANTIZED % (folder("llama"), " ".join(lines)), back_end, tmp_path)
    for name, (adapters, _) in INTEGERS.items():
        model = CASES[adapters][0]
        base = reference(model)
        base.load_state_dict(transformers_floats(tmp_path / f"{name}-floats"))
        with torch.no_grad():
            plain = base(outputs("llama")["ids"]).logits
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            right = answers(peft.PeftModel.from_pretrained(base, written / adapters).eval(),
                            "llama")
        effect = (right - plain).norm()
        for kind in ("", ".again", ".late"):
            assert (found[name + kind] - right).norm() < 0.1 * effect, (name, kind)
        assert found[f"{name}.learns"] > 0
        if back_end == "script":
            back = read_by_peft(tmp_path / f"{name}-back", model)
            assert_same(back, read_by_peft(written / adapters, model), f"{name} back")


def transformers_floats(path: Path) -> dict[str, torch.Tensor]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        states: dict[str, torch.Tensor] = AutoModelForCausalLM.from_pretrained(path).state_dict()
    return states


LAYER_0 = "base_model.model.model.layers.0.self_attn.q_proj"
LAYER_9 = "base_model.model.model.layers.9.self_attn.q_proj"
REFUSED = {
    "an unknown layer": ({}, {f"{LAYER_9}.lora_A.weight": (4, 48),
                              f"{LAYER_9}.lora_B.weight": (48, 4)},
                         "the model has no adapter for"),
    "experts of a model without": (
        {}, {"base_model.model.model.layers.0.mlp.experts.lora_A.weight": (4, 48),
             "base_model.model.model.layers.0.mlp.experts.lora_B.weight": (48, 4)},
        "the model has no adapter for"),
    "other experts": (
        {}, {"base_model.model.model.layers.0.mlp.experts.lora_A.weight": (16, 47),
             "base_model.model.model.layers.0.mlp.experts.lora_B.weight": (48, 16)},
        "no tensor of the model's experts fits the adapter"),
    "a rank that is not a multiple": (
        {}, {"base_model.model.model.layers.0.mlp.experts.lora_A.weight": (15, 48),
             "base_model.model.model.layers.0.mlp.experts.lora_B.weight": (160, 15)},
        "no tensor of the model's experts fits the adapter"),
    "half an adapter": ({}, {f"{LAYER_0}.lora_A.weight": (4, 48)},
                        "the file has no tensor"),
    "another shape": ({}, {f"{LAYER_0}.lora_A.weight": (4, 47),
                           f"{LAYER_0}.lora_B.weight": (48, 4)},
                      "has shape (4 47), the model's has"),
    "another method": ({"peft_type": "IA3"}, {}, "has peft_type"),
    "changed weights": ({"init_lora_weights": "pissa"}, {}, "init_lora_weights"),
    "replicated layers": ({"layer_replication": [[0, 2]]}, {}, "layer_replication"),
    "a bias of B": ({"lora_bias": True}, {}, "lora_bias"),
    "no rank": ({"r": None}, {}, "has no number"),
    "another tensor": ({}, {"base_model.model.model.extra.weight": (2, 2)}, "no tensor for"),
}
EXPERTS = ("other experts", "a rank that is not a multiple")


def test_refusals(back_end: str, tmp_path: Path) -> None:
    lines = []
    for name, (settings, tensors, _) in REFUSED.items():
        path = tmp_path / name.replace(" ", "-")
        path.mkdir()
        config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"]}
        (path / "adapter_config.json").write_text(json.dumps(config | settings))
        save_file({key: torch.zeros(shape) for key, shape in tensors.items()},
                  path / "adapter_model.safetensors")
        model = "mixtral" if name in EXPERTS else "llama"
        lines.append(f'(try "{path.name}" "{folder(model)}")')
    text = f"""
(define (try path folder)
  (print path (guard (e (#t (error-object-message e)))
                (load-adapters! path (load-llm folder))
                "nothing")))
{' '.join(lines)}
(save-tensors "out.safetensors" '())
"""
    said = run(command_of(text, back_end, tmp_path), tmp_path).output.splitlines()
    for line, (name, (_, _, message)) in zip(said, REFUSED.items(), strict=True):
        assert message in line, (name, line)
