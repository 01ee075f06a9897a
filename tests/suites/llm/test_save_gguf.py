"""GGUF files that are written: as the gguf package writes them, and read back equal.

The models of `tests/suites/llm/test_gguf_models.py` are saved as GGUF; each tensor must be the one
that is there under the names of the gguf package, in the order of llama.cpp's rows.  Blocks are
compared with the gguf package's quantizers, or with the error of llama.cpp's own.
"""

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from tests.suites.llm.test_gguf_models import ARCHITECTURES, write_gguf  # noqa: E402
from tests.support.model_folders import folder, outputs  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

PROGRAM = """
(define (ids-of folder)
  (hash-ref (load-tensors (string folder ".outputs.safetensors")) "ids"))
(define (logits path ids) (no-grad (tensor-to ((load-llm path) ids) 'float32)))
(define (gap x y) (tensor-max (tensor-abs (- x y))))
(save-tensors "out.safetensors"
  (map (lambda (entry)
         (let* ((name (car entry)) (path (string name ".gguf")) (ids (ids-of (cadr entry))))
           (save-gguf (load-llm (cadr entry)) path :kind 'F32 :tokenizer (cadr entry))
           (unless (equal? (encode (load-tokenizer path) "It's 1 text!")
                           (encode (load-tokenizer (cadr entry)) "It's 1 text!"))
             (error "tokens" name))
           (cons name (gap (logits path ids) (logits (cadr entry) ids)))))
       '(%(folders)s)))
"""
KINDS_PROGRAM = """
(manual-seed 1)
(define model (llama :vocabulary 300 :width 256 :hidden 768 :layers 9 :heads 4 :kv-heads 2))
(define (file kind) (format "~a.gguf" kind))
(define kinds '(F32 F16 BF16 Q8_0 Q4_0 Q4_1 Q5_0 Q5_1 Q2_K Q3_K Q3_K_M Q3_K_L Q4_K Q4_K_M Q5_K
                Q5_K_M Q6_K))
(for-each (lambda (kind) (save-gguf model (file kind) :kind kind :name "nine layers")) kinds)
(define ids (tensor '((1 2 3 4 5 6 7 8))))
(define (logits model) (no-grad (model ids)))
(define wanted (logits model))
(save-tensors "out.safetensors"
  (map (lambda (kind)
         (cons (symbol->string kind)
               (/ (tensor-norm (- wanted (logits (load-llm (file kind))))) (tensor-norm wanted))))
       kinds))
"""
# Of normally distributed weights: what llama.cpp's own quantizers lose, and how much logits differ.
BLOCKS = {"Q2_K": 0.29677, "Q3_K": 0.15084, "Q4_K": 0.07135, "Q5_K": 0.0361, "Q6_K": 0.01774}
LOGITS = {"F32": 1e-6, "F16": 0.003, "BF16": 0.02, "Q8_0": 0.04, "Q6_K": 0.1, "Q5_K_M": 0.16,
          "Q2_K": 0.9, "Q3_K": 0.7, "Q3_K_M": 0.5, "Q3_K_L": 0.5,
          "Q5_K": 0.18, "Q5_1": 0.2, "Q5_0": 0.25, "Q4_K_M": 0.3, "Q4_K": 0.36, "Q4_1": 0.4,
          "Q4_0": 0.45}


def contents(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values and the tensors of a file."""
    reader = gguf.GGUFReader(path)
    return ({key: field.contents() for key, field in reader.fields.items()},
            {tensor.name: tensor for tensor in reader.tensors})


def test_models(back_end: str, tmp_path: Path) -> None:
    for name in ARCHITECTURES:
        outputs(name)  # the program reads the file
    folders = " ".join(f'("{name}" "{folder(name)}")' for name in ARCHITECTURES)
    found = saved_by(PROGRAM % {"folders": folders}, back_end, tmp_path)
    for name in ARCHITECTURES:
        assert float(found[name]) == 0.0, name
        check_file(name, tmp_path)


def check_file(name: str, path: Path) -> None:
    write_gguf(name, path / "wanted.gguf")
    values, tensors = contents(path / f"{name}.gguf")
    _, wanted = contents(path / "wanted.gguf")
    if "output.weight" not in tensors:
        wanted.pop("output.weight", None)  # transformers writes a tied one for some
    assert set(tensors) == set(wanted), name
    for key, tensor in tensors.items():
        assert np.allclose(tensor.data, wanted[key].data, rtol=1e-5, atol=1e-6), (name, key)
    config = json.loads((folder(name) / "config.json").read_text())
    assert len(values["tokenizer.ggml.tokens"]) == config["vocab_size"]
    assert values["tokenizer.ggml.model"] == "gpt2" and values["tokenizer.ggml.pre"] == "gpt-2"
    assert values["tokenizer.ggml.add_bos_token"] is True


def test_kinds(back_end: str, tmp_path: Path) -> None:
    found = saved_by(KINDS_PROGRAM, back_end, tmp_path)
    for kind, most in LOGITS.items():
        assert float(found[kind]) <= most, kind
    floats = contents(tmp_path / "F32.gguf")[1]
    for kind in LOGITS:
        values, tensors = contents(tmp_path / f"{kind}.gguf")
        assert values["general.name"] == "nine layers"
        assert values["general.file_type"] == wanted_number(kind)
        check_blocks(kind, floats, tensors)


def wanted_number(kind: str) -> int:
    plain = {"F32": "ALL_F32", "Q3_K": "MOSTLY_Q3_K_S", "Q4_K": "MOSTLY_Q4_K_S",
             "Q5_K": "MOSTLY_Q5_K_S"}
    return int(gguf.LlamaFileType[plain.get(kind, f"MOSTLY_{kind}")])


def check_blocks(kind: str, floats: dict[str, Any], tensors: dict[str, Any]) -> None:
    assert set(tensors) == set(floats)
    errors: list[float] = []
    for name, tensor in tensors.items():
        x, written = floats[name].data, tensor.tensor_type
        if x.ndim == 1:
            assert written.name == "F32"
        elif written.name in BLOCKS:
            gap = gguf.quants.dequantize(tensor.data, written) - x
            errors.append(float(np.linalg.norm(gap) / np.linalg.norm(x)))
            assert errors[-1] < BLOCKS[written.name], (kind, name)
        else:
            assert np.array_equal(gguf.quants.quantize(x, written), tensor.data), (kind, name)
    assert bool(errors) == ("_K" in kind)
    for ending, types in MIXES.get(kind, {}).items():
        used = [tensors[f"blk.{k}.{ending}.weight"].tensor_type.name for k in range(9)]
        assert used == types.split(), (kind, ending)


# The types of nine layers, by llama.cpp's rules.
FINER = "{1} {0} {0} {1} {0} {0} {1} {1} {1}"
MIXES = {
    "Q2_K": {"ffn_down": "Q3_K " * 9, "attn_v": "Q3_K " * 9, "attn_output": "Q3_K " * 9,
             "attn_q": "Q2_K " * 9, "ffn_up": "Q2_K " * 9},
    "Q3_K": {"ffn_down": "Q3_K " * 9},
    "Q3_K_M": {"ffn_down": "Q4_K " * 9, "attn_v": "Q5_K Q5_K" + " Q4_K" * 7,
               "attn_output": "Q4_K " * 9, "attn_k": "Q3_K " * 9},
    "Q3_K_L": {"ffn_down": "Q5_K " * 9, "attn_v": "Q5_K " * 9, "attn_output": "Q5_K " * 9},
    "Q4_K_M": {"ffn_down": FINER.format("Q4_K", "Q6_K"), "attn_v": FINER.format("Q4_K", "Q6_K"),
               "attn_output": "Q4_K " * 9},
    "Q5_K_M": {"ffn_down": FINER.format("Q5_K", "Q6_K"), "attn_v": FINER.format("Q5_K", "Q6_K")},
    "Q6_K": {"ffn_down": "Q6_K " * 9},
}


def test_rows_that_are_not_whole_blocks(back_end: str, tmp_path: Path) -> None:
    saved_by("""
    (define model (llama :vocabulary 48 :width 96 :hidden 44 :layers 1 :heads 2))
    (define told (open-output-string))
    (parameterize ((current-error-port told)) (save-gguf model "k.gguf" :kind 'Q4_K))
    (unless (string-contains (get-output-string told) "matrices are in Q5_0 and F16")
      (error "told" (get-output-string told)))
    (no-grad ((load-llm "k.gguf") (tensor '((1 2)))))
    (save-tensors "out.safetensors" (list (cons "x" (tensor '(1.0)))))""", back_end, tmp_path)
    types = {name: tensor.tensor_type.name
             for name, tensor in contents(tmp_path / "k.gguf")[1].items()}
    assert types["blk.0.attn_q.weight"] == "Q5_0"  # 96 columns
    assert types["blk.0.ffn_down.weight"] == "F16"  # 44 columns
    assert types["output.weight"] == "Q8_0"


def test_what_is_refused(back_end: str, tmp_path: Path) -> None:
    """Nothing is written, and what lies under the name stays."""
    (tmp_path / "x.gguf").write_text("older")
    saved_by(f"""
    (define model (llama :vocabulary 8 :width 32 :hidden 32 :layers 1 :heads 2))
    (define (refused wanted . arguments)
      (guard (e ((error-object? e)
                 (unless (equal? (error-object-message e) wanted)
                   (error "got" (error-object-message e)))))
        (apply save-gguf model "x.gguf" arguments)
        (error "written" wanted)))
    (refused "save-gguf: the model has 8 tokens, the tokenizer" :tokenizer "{folder("llama")}")
    (no-grad (tensor-fill! (cdr (assoc "layers.0.mlp.down_proj.weight" (state-dict model))) +nan.0))
    (refused (string "save-gguf: \\"blk.0.ffn_down.weight\\" has elements that blocks cannot "
                     "hold: NaN, or above 65504")
             :kind 'Q8_0)
    (save-tensors "out.safetensors" (list (cons "x" (tensor '(1.0)))))""", back_end, tmp_path)
    assert (tmp_path / "x.gguf").read_text() == "older"
    assert not list(tmp_path.glob("*.settings"))


PACKED_PROGRAM = """
(manual-seed 2)
(define model
  (quantize-model! (eval-mode! (llama :vocabulary 40 :width 256 :hidden 512 :layers 2 :heads 4
                                      :kv-heads 2))
                   :bits 'Q4_K_M))
(save-gguf model "packed.gguf" :kind 'BF16)
(save-tensors "out.safetensors"
  (map (lambda (path) (cons path (dequantized (module-at model path))))
       '("layers.1.self_attn.o_proj" "layers.0.mlp.gate_up_proj" "layers.1.mlp.down_proj")))
"""


def test_blocks_are_written_as_they_are(back_end: str, tmp_path: Path) -> None:
    wanted = saved_by(PACKED_PROGRAM, back_end, tmp_path)
    reader = gguf.GGUFReader(tmp_path / "packed.gguf")
    tensors = {tensor.name: tensor for tensor in reader.tensors}

    def floats(name: str) -> Any:
        tensor = tensors[name]
        return torch.from_numpy(gguf.quants.dequantize(tensor.data, tensor.tensor_type))

    for ours, theirs in (
        ("layers.1.self_attn.o_proj", ["blk.1.attn_output.weight"]),
        ("layers.0.mlp.gate_up_proj", ["blk.0.ffn_gate.weight", "blk.0.ffn_up.weight"]),
        ("layers.1.mlp.down_proj", ["blk.1.ffn_down.weight"]),
    ):
        assert torch.equal(torch.cat([floats(name) for name in theirs]), wanted[ours]), ours
    types = {name: tensor.tensor_type.name for name, tensor in tensors.items()}
    assert types["blk.1.ffn_down.weight"] == "Q6_K"
    assert types["token_embd.weight"] == "BF16"
    assert types["output.weight"] == "Q8_0"
    assert list(tensors["blk.1.ffn_down.weight"].shape) == [512, 256]
    assert reader.fields["general.file_type"].contents() == 14  # Q4_K
