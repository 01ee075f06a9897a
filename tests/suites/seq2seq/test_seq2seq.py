"""Models with an encoder and a decoder, of random weights, answer as transformers does.

One program runs all models of `seq2seq_folders.py`; transformers' answers are kept
with the folders.
"""

import json
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from tests.suites.seq2seq.seq2seq_folders import (  # noqa: E402
    NEW_TOKENS,
    SEQ2SEQ_MODELS,
    folder,
    outputs,
    reference,
)
from tests.support.saved_tensors import saved_by  # noqa: E402

DTYPES = ("float32", "bfloat16")

PROGRAM = """
(define saved '())
(define (save! name kind x)
  (set! saved (cons (cons (string name "." kind) (tensor-contiguous x)) saved)))

(define (in-steps model memory ids)
  "The logits of 5 tokens, 3 more at once, and the others one by one."
  (let* ((cache (kv-cache (seq2seq-decoder model) :batch (tensor-size ids 0)))
         (step (lambda (start count)
                 (model memory (tensor-narrow ids 1 start count) :cache cache))))
    (tensor-cat
     (cons* (step 0 5) (step 5 3)
            (map (lambda (k) (step k 1)) (range 8 (tensor-size ids 1))))
     1)))

(define (texts model source mask . options)
  "The tokens written from both sources, with padding after the end."
  (let* ((row (lambda (k)
                (let ((count (tensor-item (tensor-sum (tensor-select mask 0 k)))))
                  (take (tensor->list (tensor-select source 0 k)) count))))
         (found (map generation-ids
                     (apply generate-result model #f (list (row 0) (row 1))
                            :max-tokens %(new)d :stop-ids '(1) options))))
    (tensor (map (lambda (ids) (append ids (make-list (- %(new)d (length ids)) -1)))
                 found))))

(define (heard model features)
  "The tokens that Whisper writes of the first sound."
  (let ((memory (read-source model (tensor-narrow features 0 0 1))))
    (tensor (list (generation-ids
                   (generate-result model #f memory :greedy #t :max-tokens %(new)d
                                    :stop-ids '(1)))))))

(define (gradients model source mask labels)
  "How many parameters have a gradient, and how many there are."
  (let ((loss (seq2seq-loss model source labels :mask mask)))
    (backward loss)
    (values (tensor-reshape (detach loss) 1)
            (count (lambda (x)
                     (and (tensor? (tensor-grad x))
                          (> (tensor-item (tensor-sum (abs (tensor-grad x)))) 0)))
                   (parameters model))
            (length (parameters model)))))

(define (run name folder answers full)
  (let* ((model (load-seq2seq folder))
         (source (hash-ref answers "source"))
         (hears (sound-encoder? (seq2seq-encoder model)))
         (mask (and (not hears) (hash-ref answers "mask")))
         (ids (hash-ref answers "ids"))
         (labels (hash-ref answers "labels")))
    (no-grad
      (save! name "logits" (model source ids :mask mask))
      (save! name "last" (model source ids :mask mask :last #t))
      (save! name "cached" (in-steps model (read-source model source :mask mask) ids)))
    (when full
      (if hears
          (save! name "greedy" (heard model source))
          (begin
            (save! name "greedy" (texts model source mask :greedy #t))
            (save! name "beams"
                   (texts model source mask :beams 3 :length-penalty 0.5))))
      (save-seq2seq model (string "saved/" name))
      (no-grad
        (save! name "again"
               ((load-seq2seq (string "saved/" name)) source ids :mask mask))
        (save! name "bits"
               ((load-seq2seq folder :bits 8) source ids :mask mask)))
      (let-values (((loss reached all) (gradients model source mask labels)))
        (save! name "loss" loss)
        (save! name "reached" (tensor (list reached all)))))))

(make-folder "saved")
(for-each (lambda (entry)
            (run (car entry) (cadr entry)
                 (load-tensors (string (cadr entry) ".outputs.safetensors"))
                 (caddr entry)))
          '(%(rows)s))
(save-tensors "out.safetensors" saved)
"""


def test_seq2seq(back_end: str, tmp_path: Path) -> None:
    models = [(name, dtype) for name in SEQ2SEQ_MODELS for dtype in DTYPES]
    expected = {model: outputs(*model) for model in models}
    rows = " ".join(
        f'("{name}-{dtype}" "{folder(name, dtype)}" {"#t" if dtype == "float32" else "#f"})'
        for name, dtype in models
    )
    found = saved_by(PROGRAM % {"new": NEW_TOKENS, "rows": rows}, back_end, tmp_path)
    for (name, dtype), answers in expected.items():
        have = {
            key.removeprefix(f"{name}-{dtype}."): value
            for key, value in found.items() if key.startswith(f"{name}-{dtype}.")
        }
        assert have["logits"].dtype == getattr(torch, dtype)
        kinds = {"logits": answers["logits"], "last": have["logits"][:, -1:],
                 "cached": have["logits"]}
        for kind, wanted in kinds.items():
            difference = (have[kind].float() - wanted.float()).abs()
            # In bfloat16, transformers rounds scores, too, which are large in T5.
            error = (difference.max() * 400 if dtype == "float32"
                     else difference.mean() / wanted.float().std())
            assert error < 0.04, (name, dtype, kind, error)
        if dtype == "float32":
            _check_whole(name, have, answers, tmp_path / "saved" / f"{name}-{dtype}")


def _check_whole(name: str, have: dict, answers: dict, saved: Path) -> None:
    """What the program does with models in float32: texts, files, training."""
    for kind in [kind for kind in ("greedy", "beams") if kind in answers]:
        for row, wanted in zip(have[kind], answers[kind], strict=True):
            written = [token for token in row.tolist() if token >= 0]
            assert written == wanted[1:1 + len(written)].tolist(), (name, kind)
            assert 1 in written or len(written) == NEW_TOKENS, (name, kind)
    assert torch.equal(have["again"], have["logits"]), name
    rounding = (have["bits"] - have["logits"]).abs().mean() / have["logits"].std()
    assert rounding < 0.25, (name, rounding)
    assert not torch.equal(have["bits"], have["logits"]), name
    assert abs(float(have["loss"] - answers["loss"])) < 1e-4, name
    reached, count = have["reached"].tolist()
    assert reached == count > 20, name
    assert json.loads((saved / "config.json").read_text("utf-8"))["dtype"] == "float32"


def test_transformers_reads_what_is_saved(tmp_path: Path) -> None:
    """A folder of save-seq2seq, read by transformers, answers as before."""
    rows = [(name, folder(name)) for name in SEQ2SEQ_MODELS]
    program = "(make-folder \"saved\")" + "".join(
        f'(save-seq2seq (load-seq2seq "{path}") "saved/{name}" :tokenizer "{path}")'
        for name, path in rows
    ) + '(save-tensors "out.safetensors" (list (cons "x" (tensor 1.0))))'
    saved_by(program, "script", tmp_path)
    for name, _ in rows:
        answers = outputs(name)
        model = type(reference(name)).from_pretrained(tmp_path / "saved" / name).eval()
        with torch.no_grad():
            mask = {} if name == "whisper" else {"attention_mask": answers["mask"]}
            logits = model(answers["source"], decoder_input_ids=answers["ids"], **mask).logits
        assert (logits - answers["logits"]).abs().max() < 1e-4, name
        assert (tmp_path / "saved" / name / "tokenizer.json").exists(), name
