"""Decoders that are not built as Llama is: biases by distance, sinks, latents and states.

`tests/suites/llm/test_architectures.py` compares the logits of all models; this compares long
texts, and what their caches can do: pages, integers, rows in another order, going back; and how
such models are saved, quantized and trained.
"""

import json
import math
import shutil
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import load_file, save_file  # noqa: E402

from tests.support.model_folders import folder, outputs  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

STATES = ("lfm2", "mamba", "mamba2", "mamba2-biases", "qwen3-next")
KEYS = ("gpt-neox", "gptj", "falcon-grouped", "falcon-alibi", "opt-narrow", "bloom-six", "mpt-six",
        "gpt-oss", "deepseek-v2-greedy", "deepseek-v3")

PROGRAM = """
(define saved '())
(define (save! name kind x)
  (set! saved (cons (cons (string name "." kind) (tensor-contiguous x)) saved)))

(define (in-parts call ids . sizes)
  "The logits of parts of ids, of the sizes, and of what is left."
  (let loop ((start 0) (sizes sizes) (parts '()))
    (let ((size (if (null? sizes) (- (tensor-size ids 1) start) (car sizes))))
      (if (= start (tensor-size ids 1))
          (tensor-cat (reverse parts) 1)
          (loop (+ start size) (if (null? sizes) '() (cdr sizes))
                (cons (call (tensor-narrow ids 1 start size)) parts))))))

(define (through cache model)
  (lambda (ids) (model ids :cache cache)))

(define (swapped model ids)
  "The last logits of a cache whose rows are swapped, from a copy."
  (let* ((cache (kv-cache model :batch 2)))
    (model (tensor-narrow ids 1 0 7) :cache cache)
    (let ((copy (copy-cache cache)))
      (model (tensor-narrow ids 1 0 3) :cache cache)
      (cache-reset! cache)
      (model (tensor-narrow ids 1 0 1) :cache cache)
      (cache-select! copy '(1 0))
      (model (tensor-flip (tensor-narrow ids 1 7 5) '(0)) :cache copy :last #t))))

(define (paged model ids)
  "The logits of both rows, each a sequence of pages: 4 tokens at once, then one by one together."
  (let* ((pool (paged-cache model :pages 12 :page-size 3))
         (pair (list (paged-sequence pool) (paged-sequence pool)))
         (first (tensor-cat
                 (map (lambda (k)
                        (model (tensor-narrow (tensor-narrow ids 0 k 1) 1 0 4)
                               :cache (paged-batch (list (list-ref pair k)))))
                      '(0 1))
                 0)))
    (tensor-cat (cons first
                      (map (lambda (k) (model (tensor-narrow ids 1 k 1) :cache (paged-batch pair)))
                           (range 4 12)))
                1)))

(define (shown thunk)
  (guard (e (#t (print (error-object-message e)))) (thunk)))

(define (try-states name model ids)
  (let ((cache (kv-cache model :batch 2)))
    (model (tensor-narrow ids 1 0 9) :cache cache)
    (cache-truncate! cache 9)
    (shown (lambda () (cache-truncate! cache 5)))
    (let ((sequence (paged-sequence (paged-cache model))))
      (model (tensor-narrow (tensor-narrow ids 0 0 1) 1 0 9)
             :cache (paged-batch (list sequence)))
      (shown (lambda () (sequence-truncate! sequence 8))))
    (shown (lambda () (kv-cache model :window 4)))
    (shown (lambda () (generate model #f '(7 8 9) :draft model :max-tokens 9 :ignore-eos #t)))
    (let* ((one (generate-result model #f '(7 8 9) :max-tokens 4 :greedy #t :ignore-eos #t
                                 :keep-cache #t))
           (again (lambda (prompt)
                    (equal? (generate model #f prompt :max-tokens 4 :greedy #t :ignore-eos #t
                                      :cache (generation-cache one))
                            (generate model #f prompt :max-tokens 4 :greedy #t :ignore-eos #t)))))
      (print (again (append '(7 8 9) (generation-ids one) '(5))) (again '(7 8 3 4))))))

(define (train model ids)
  "The parameters that no gradient reaches."
  (backward (tensor-mean (tensor-square (model ids))))
  (print (filter (lambda (name) name)
                 (map (lambda (entry)
                        (let ((g (tensor-grad (cdr entry))))
                          (and (or (not g) (= 0 (tensor-item (tensor-count-nonzero g))))
                               (car entry))))
                      (named-parameters model)))))

(define (run name folder states)
  (let* ((model (load-llm folder))
         (answers (load-tensors (string folder ".outputs.safetensors")))
         (ids (hash-ref answers "ids"))
         (long (hash-ref answers "long")))
    (no-grad
      (save! name "long" (model long))
      (save! name "long-cached" (in-parts (through (kv-cache model) model) long 70 1 17 30 1))
      (save! name "int8-cache" (in-parts (through (kv-cache model :batch 2 :bits 8) model) ids 5 1))
      (save! name "swapped" (swapped model ids))
      (when states (try-states name model ids))
      (save! name "paged" (paged model ids))
      (save-llm model name)
      (save! name "again" ((load-llm name) ids))
      (save! name "8" ((load-llm folder :bits 8) ids))
      (save! name "4" ((load-llm folder :bits 4) ids)))
    (train model long)))

(for-each (lambda (entry) (apply run entry)) '(%s))
(save-tensors "out.safetensors" saved)
"""

REFUSED = [
    "cache-truncate!: cannot go back to 5 of 9 tokens: the layers of the model have states, not "
    "keys",
    "sequence-truncate!: cannot go back to 8 of 9 tokens: the layers of the model have states, not "
    "keys",
    "kv-cache: the layers of the model have states, and no windows",
    "generate: a model whose layers have states cannot be drafted for, or draft",
    "#t #t",
]


@pytest.mark.parametrize("has_states", [False, True])
def test_caches_and_files(back_end: str, tmp_path: Path, has_states: bool) -> None:
    names = STATES if has_states else KEYS
    answers = {name: outputs(name) for name in names}
    rows = [f'("{name}" "{folder(name)}" {"#t" if has_states else "#f"})' for name in names]
    outcome = run(command_of(PROGRAM % " ".join(rows), back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    each = [*(REFUSED if has_states else []), "()"]  # a gradient reaches every parameter
    assert outcome.output.splitlines() == each * len(names)
    found = load_file(tmp_path / "out.safetensors")
    for name in names:
        logits = answers[name]["logits"]
        exact = {
            "long": answers[name]["long_logits"], "long-cached": answers[name]["long_logits"],
            "swapped": logits[:, -1:].flip(0), "again": logits, "paged": logits,
        }
        for kind, wanted in exact.items():
            error = (found[f"{name}.{kind}"] - wanted).abs().max()
            assert error < 1e-4, (name, kind, error)
        for kind, most in (("int8-cache", 0.05), ("8", 0.08), ("4", 0.8)):
            error = (found[f"{name}.{kind}"] - logits).abs().mean()
            assert error < most, (name, kind, error)


STATES_TOGETHER = """
(define prompts '((7 8 9 10 11 12 13 14 15 16 17) (5 6) (20 21 22 23 24 25 26) (30 31 32 33)))
(define longer '(7 8 9 10 11 12 13 14 15 16 18 19 20 21))
(define options '((max-tokens . 12) (greedy . #t) (ignore-eos . #t)))

(define (alone model prompt)
  (generate model #f prompt :max-tokens 12 :greedy #t :ignore-eos #t))

(define (submit! engine model prompt)
  (engine-submit! engine prompt options
                  (lambda (text result)
                    (when result
                      (unless (equal? (generation-ids result) (alone model prompt))
                        (print "differs" prompt))
                      (print (generation-reason result)
                             (cdr (assq 'cached-tokens (generation-statistics result))))))))

(define (run folder)
  (let* ((model (load-llm folder))
         (engine (batch-engine model #f :max-batch 3 :page-size 4 :prefill 8))
         (small (batch-engine model #f :max-batch 2 :page-size 4 :pages 8 :share #f)))
    (for-each (lambda (prompt) (submit! engine model prompt)) prompts)
    (engine-run! engine)
    (submit! engine model longer)
    (engine-run! engine)
    (dotimes (k 2)                                           ; whole pages
      (submit! engine model '(33 32 31 30 29 28 27 26))
      (engine-run! engine))
    (for-each (lambda (prompt) (submit! small model prompt)) prompts)   ; one waits for pages
    (engine-run! small)
    (print (equal? (generate model #f prompts :max-tokens 12 :greedy #t :ignore-eos #t)
                   (map (lambda (prompt) (alone model prompt)) prompts))
           (equal? (generate model #f prompts :max-tokens 6 :beams 3)
                   (map (lambda (prompt) (generate model #f prompt :max-tokens 6 :beams 3))
                        prompts)))))

(for-each run '(%s))
"""


def test_states_of_unequal_texts(back_end: str, tmp_path: Path) -> None:
    folders = [f'"{folder(name)}"' for name in (*STATES, "mamba-biases")]
    outcome = run(command_of(STATES_TOGETHER % " ".join(folders), back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    each = ["length 0"] * 4 + ["length 8", "length 0", "length 4"] + ["length 0"] * 4 + ["#t #t"]
    assert outcome.output.splitlines() == each * len(folders)


def write_four_bits(path: Path) -> dict[str, torch.Tensor]:
    """Write a gpt-oss whose experts are 4-bit floats: its ids, logits and expanded matrices."""
    import transformers
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors

    torch.manual_seed(3)
    config = transformers.GptOssConfig(
        vocab_size=90, hidden_size=64, intermediate_size=96, num_hidden_layers=2, head_dim=16,
        num_attention_heads=4, num_key_value_heads=2, num_local_experts=3, num_experts_per_tok=2,
        sliding_window=4, max_position_embeddings=64, initializer_range=0.3)
    model = transformers.AutoModelForCausalLM.from_config(
        config, attn_implementation="eager").eval()
    state = {name: x.to(torch.bfloat16) for name, x in model.state_dict().items()}
    expanded = {}
    for layer in range(2):
        for part, rows, width in (("gate_up_proj", 192, 64), ("down_proj", 64, 96)):
            name = f"model.layers.{layer}.mlp.experts.{part}"
            del state[name]
            blocks = torch.randint(0, 256, (3, rows, width // 32, 16), dtype=torch.uint8)
            scales = torch.randint(120, 127, blocks.shape[:3], dtype=torch.uint8)
            scales[0, 0, 0] = 1  # almost zero
            state |= {f"{name}_blocks": blocks, f"{name}_scales": scales}
            expanded[name] = convert_moe_packed_tensors(blocks, scales)
    model.load_state_dict(state | expanded, strict=False)
    save_file({k: v.contiguous() for k, v in state.items()}, path / "model.safetensors")
    config.quantization_config = {"quant_method": "mxfp4"}
    (path / "config.json").write_text(config.to_json_string(use_diff=False), "utf-8")
    ids = torch.randint(0, 90, (2, 9))
    with torch.no_grad():
        return {"ids": ids, "logits": model(ids).logits} | expanded


FOUR_BITS = """
(define model (load-llm "model" :dtype 'float32))
(save-llm model "again")
(save-tensors "out.safetensors"
              (list (cons "logits"
                          (no-grad (model (hash-ref (load-tensors "ids.safetensors") "ids"))))))
"""


def test_four_bit_floats(back_end: str, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    right = write_four_bits(tmp_path / "model")
    save_file({"ids": right.pop("ids")}, tmp_path / "ids.safetensors")
    found = saved_by(FOUR_BITS, back_end, tmp_path)
    logits = right.pop("logits")
    error = (found["logits"] - logits).abs().max() / logits.abs().max()
    assert error < 1e-5, error
    again = load_file(tmp_path / "again" / "model.safetensors")
    for name, matrices in right.items():
        assert torch.equal(again[name], matrices.float()), name
    assert "quantization_config" not in json.loads((tmp_path / "again/config.json").read_text())


INFINITE = """
(define (limits folder)
  (print (mamba2-mixer-limits (mixer-layer-mixer (car (decoder-layers (load-llm folder)))))))
(limits "model")
"""


def test_infinity_as_python_writes_it(back_end: str, tmp_path: Path) -> None:
    # transformers 4 writes such settings, which are not JSON, for Mamba 2.
    shutil.copytree(folder("mamba2"), tmp_path / "model")
    path = tmp_path / "model/config.json"
    config = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(config | {
        "time_step_limit": [0.25, math.inf], 'say "Infinity': [math.nan, -math.inf, math.inf],
        "\\": "NaN"}), "utf-8")
    outcome = run(command_of(INFINITE, back_end, tmp_path), tmp_path)
    assert (outcome.output, outcome.errors, outcome.status) == ("(0.25 +inf.0)\n", "", 0)


# A setting of a small model, and what it is refused with.
REFUSED_SETTINGS = [
    ("mpt", {"attn_config": {"qk_ln": True}}, 'expected false for the setting "qk_ln", got true'),
    ("mpt", {"no_bias": False}, 'expected true for the setting "no_bias", got false'),
    ("bloom", {"slow_but_exact": True},
     'expected false for the setting "slow_but_exact", got true'),
    ("falcon", {"new_decoder_architecture": True, "parallel_attn": False},
     'expected true with new_decoder_architecture for the setting "parallel_attn", got false'),
    ("gptj", {"rotary_dim": 7},
     'expected an even integer up to the size of a head, 12 for the setting "rotary_dim", got 7'),
    ("opt", {"activation_function": "tanh"}, "as the activation, got"),
    ("deepseek-v2", {"topk_method": "random"},
     'expected "greedy" or "group_limited_greedy" for the setting "topk_method", got "random"'),
    ("deepseek-v3", {"n_group": 4},
     'expected a divisor of n_routed_experts, 6 for the setting "n_group", got 4'),
    ("deepseek-v3", {"topk_group": 5},
     'expected an integer up to n_group, 3 for the setting "topk_group", got 5'),
    ("lfm2", {"layer_types": ["conv", "full_attention"]},
     'expected a list of num_hidden_layers, 3, types for the setting "layer_types"'),
    ("qwen3-next", {"layer_types": ["linear_attention", "conv"]},
     'expected a list of "linear_attention" and "full_attention" for the setting "layer_types"'),
    ("mamba2", {"num_heads": 5},
     'expected expand * hidden_size / head_dim, 6.0 for the setting "num_heads", got 5'),
    ("mamba2", {"n_groups": 4}, 'expected a divisor of num_heads, 6 for the setting "n_groups"'),
    ("mamba2", {"time_step_limit": [1]},
     'expected a list of two numbers for the setting "time_step_limit", got [1]'),
]


def test_settings_that_are_refused(back_end: str, tmp_path: Path) -> None:
    for k, (name, changes, _) in enumerate(REFUSED_SETTINGS):
        config = json.loads((folder(name) / "config.json").read_text())
        for key, value in changes.items():
            config[key] = config[key] | value if isinstance(value, dict) else value
        (tmp_path / f"{k}.json").write_text(json.dumps(config))
    program = """
(for-each (lambda (k)
            (print (guard (e (#t (error-object-message e)))
                     (new-llm (read-json (string k ".json")))
                     "no error")))
          (iota COUNT))""".replace("COUNT", str(len(REFUSED_SETTINGS)))
    lines = run(command_of(program, back_end, tmp_path), tmp_path).output.splitlines()
    for line, (name, changes, message) in zip(lines, REFUSED_SETTINGS, strict=True):
        assert message in line, (name, changes, line)
