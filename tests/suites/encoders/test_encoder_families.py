"""Encoders of random weights answer as transformers does: states, words, and labels.

The folders are those of `encoder_folders.py`.  Padding is at the right; what a model
has there means nothing, so that it is not compared.
"""

from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from tests.suites.encoders import encoder_folders  # noqa: E402
from tests.suites.encoders.encoder_folders import MODELS, expected, folder, kinds_of  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

HEADS = ("text", "tokens", "answers")

PROGRAM = """
(define saved '())
(define (save! name x)
  (set! saved (cons (cons name (tensor-contiguous x)) saved)))

(define (call model given types)
  (no-grad (model (hash-ref given "ids")
                  :mask (tensor-to (hash-ref given "mask") 'bool)
                  :types (and types (hash-ref given "types")))))

(define (words model given types)
  (no-grad (masked-logits model (hash-ref given "ids")
                          :mask (tensor-to (hash-ref given "mask") 'bool)
                          :types (and types (hash-ref given "types")))))

(define (run name folder answers kind types dtype)
  (let* ((given (load-tensors answers))
         (read (if (member kind '("base" "words")) load-encoder load-classifier))
         (ask (if (equal? kind "words") words call))
         (model (read folder :dtype dtype)))
    (save! name (ask model given types))
    (when (eq? dtype 'float32)
      (save-encoder model (string "saved/" name))
      (save! (string name ".again")
             (ask (read (string "saved/" name)) given types)))))

(make-folder "saved")
(for-each (lambda (entry) (apply run entry)) '(%s))
(save-tensors "out.safetensors" saved)
"""


def row_of(name: str, kind: str, dtype: str) -> str:
    given = expected(name, kind, dtype)
    path = encoder_folders.folder(name, kind)
    answers = path.with_name(f"{path.name}-{dtype}.safetensors")
    types = "#t" if given["types"].any() else "#f"
    return f'("{name}-{kind}-{dtype}" "{path}" "{answers}" "{kind}" {types} {dtype})'


@pytest.mark.parametrize("kinds", [("base", "words"), HEADS], ids=["encoders", "classifiers"])
def test_answers(kinds: tuple[str, ...], back_end: str, tmp_path: Path) -> None:
    models = [(name, kind, dtype) for name in MODELS for kind in kinds_of(name) if kind in kinds
              for dtype in ("float32", "bfloat16")]
    found = saved_by(PROGRAM % " ".join(row_of(*model) for model in models), back_end, tmp_path)
    for name, kind, dtype in models:
        given = expected(name, kind, dtype)
        have, wanted = found[f"{name}-{kind}-{dtype}"], given["out"]
        difference = (have.float() - wanted.float()).abs()
        if difference.dim() == 3:
            difference = difference[given["mask"].bool()]
        if dtype == "float32":
            assert difference.max() < 1e-5, (name, kind)
            assert torch.equal(found[f"{name}-{kind}-{dtype}.again"], have), (name, kind)
        else:  # values are up to 7; both sides round to 8 bits at every step, in another order
            assert difference.mean() < 0.05, (name, kind, difference.mean())
    if back_end == "script":
        for name in MODELS:
            _check_read_back(tmp_path, name, kinds)


def _check_read_back(base: Path, name: str, kinds: tuple[str, ...]) -> None:
    """transformers reads what save-encoder has written, and answers as before."""
    for kind in kinds_of(name):
        if kind in kinds:
            given = expected(name, kind)
            model = encoder_folders.read_model(base / "saved" / f"{name}-{kind}-float32", kind)
            again = encoder_folders.answers_of(model, kind, given)
            real = given["mask"].bool() if again.dim() == 3 else slice(None)
            assert torch.equal(again[real], given["out"][real]), (name, kind)


TRAINING = """
(define (ready name folder)
  (let* ((encoder (load-encoder folder))
         (model (new-classifier encoder '("no" "yes")))
         (ids (tensor '((0 7 9 30 2 1) (0 8 44 12 90 2))))
         (mask (tensor-ne ids 1))
         (optimizer (adamw (parameters model) :lr 0.003))
         (loss (lambda ()
                 (cross-entropy (model ids :mask mask) (tensor '(0 1))))))
    (eval-mode! model)                             ; without dropout
    (let ((before (tensor-item (loss))))
      (backward (loss))
      (let ((unreached (filter (lambda (entry) (not (tensor? (tensor-grad (cdr entry)))))
                               (named-parameters model))))
        (for-each (lambda (k)
                    (zero-grad optimizer)
                    (backward (loss))
                    (optimizer-step optimizer))
                  (range 12))
        (let* ((after (tensor-item (loss)))
               (exact (no-grad (model ids :mask mask)))
               (bits (map (lambda (bits)
                            (quantize-model! model :bits bits)
                            (tensor-item
                             (tensor-max
                              (tensor-abs (- exact (no-grad (model ids :mask mask)))))))
                          '(8))))
          (print name (map car unreached) (< after (* 0.7 before)) (< (car bits) 0.2)))))))
"""


def test_training(back_end: str, tmp_path: Path) -> None:
    """A gradient reaches every parameter, the loss falls, and 8 bits are nearly the same."""
    from tests.support.programs_run import command_of, run

    calls = "\n".join(f'(ready "{name}" "{folder(name, "base")}")' for name in MODELS)
    outcome = run(command_of(TRAINING + calls, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    lines = outcome.output.splitlines()
    for name, line in zip(MODELS, lines, strict=True):
        assert line == f"{name} () #t #t"
