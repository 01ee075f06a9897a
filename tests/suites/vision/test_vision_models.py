"""Models of images of random weights answer as transformers does: labels, states, boxes.

The folders are those of `vision_folders.py`.
"""

import json
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from tests.suites.vision import vision_folders  # noqa: E402
from tests.suites.vision.vision_folders import MODELS, expected, folder  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

PROGRAM = """
(define saved '())
(define (save! name x)
  (set! saved (cons (cons name (tensor-contiguous x)) saved)))

(define (ask! name model given)
  (let ((pixels (hash-ref given "pixels")))
    (no-grad
      (cond ((clip? model)
             (save! (string name ".out") (model pixels (hash-ref given "ids"))))
            ((detector? model)
             (let ((found (model pixels)))
               (save! (string name ".out") (car found))
               (save! (string name ".boxes") (cadr found))))
            (else
             (save! (string name ".out") (model pixels))
             (when (null? (vision-model-labels model))
               (save! (string name ".features") (image-features model pixels))))))))

(define (run name folder answers dtype)
  (let ((given (load-tensors answers))
        (model (load-vision-model folder :dtype dtype)))
    (ask! name model given)
    (when (eq? dtype 'float32)
      (save-vision-model model (string "saved/" name))
      (ask! (string "again-" name) (load-vision-model (string "saved/" name))
            given))))

(make-folder "saved")
(for-each (lambda (entry) (apply run entry)) '(%s))
(save-tensors "out.safetensors" saved)
"""


def row_of(name: str, dtype: str) -> str:
    expected(name, dtype)
    path = folder(name)
    return f'("{name}-{dtype}" "{path}" "{path.with_name(path.name)}-{dtype}.safetensors" {dtype})'


def test_answers(back_end: str, tmp_path: Path) -> None:
    models = [(name, dtype) for name in MODELS for dtype in ("float32", "bfloat16")]
    found = saved_by(PROGRAM % " ".join(row_of(*model) for model in models), back_end, tmp_path)
    for name, dtype in models:
        for key, wanted in expected(name, dtype).items():
            if key in ("pixels", "ids"):
                continue
            have = found[f"{name}-{dtype}.{key}"]
            assert have.shape == wanted.shape, (name, key)
            difference = (have.float() - wanted.float()).abs()
            if dtype == "float32":
                assert difference.max() < 1e-4, (name, key, difference.max())
                assert torch.equal(found[f"again-{name}-{dtype}.{key}"], have), (name, key)
            else:  # both sides round to 8 bits at every step, in another order
                scale = wanted.float().abs().mean()
                assert difference.mean() < 0.04 * scale + 0.01, (name, key, difference.mean())
    if back_end == "script":
        for name in MODELS:
            _check_read_back(tmp_path / "saved" / f"{name}-float32", name)


def _check_read_back(path: Path, name: str) -> None:
    """transformers reads what save-vision-model has written, and answers as before."""
    given = expected(name)
    settings = json.loads((path / "config.json").read_text())
    assert settings["architectures"] == ["".join(MODELS[name][:2])]
    model = vision_folders.read_model(path, name)
    for key, again in vision_folders.answers_of(model, name, given).items():
        assert torch.equal(again, given[key]), (name, key)


TRAINING = """
(define (ready name folder)
  (let* ((model (load-vision-model folder))
         (given (load-tensors (string folder "-float32.safetensors")))
         (pixels (hash-ref given "pixels"))
         (optimizer (adamw (parameters model) :lr 0.003))
         (loss (lambda ()
                 (cond ((clip? model)
                        (cross-entropy (model pixels (hash-ref given "ids"))
                                       (tensor '(2 0))))
                       ((detector? model)
                        (let ((found (model pixels)))
                          (+ (cross-entropy (tensor-flatten (car found) 0 1)
                                            (tensor-ones 12 :dtype 'int64))
                             (tensor-mean (cadr found)))))
                       ((null? (vision-model-labels model))
                        (tensor-mean (tensor-square (- (image-features model pixels) 1))))
                       (else (cross-entropy (model pixels) (tensor '(1 3))))))))
    (train-mode! model)
    (let ((before (tensor-item (loss))))
      (backward (loss))
      (let ((unreached (filter (lambda (entry) (not (tensor? (tensor-grad (cdr entry)))))
                               (named-parameters model))))
        (for-each (lambda (k)
                    (zero-grad optimizer)
                    (backward (loss))
                    (optimizer-step optimizer))
                  (range 12))
        (print name (map car unreached) (< (tensor-item (loss)) (* 0.8 before)))))))
"""


def test_training(back_end: str, tmp_path: Path) -> None:
    """A gradient reaches every parameter, and the loss falls."""
    for name in MODELS:
        expected(name)
    calls = "\n".join(f'(ready "{name}" "{folder(name)}")' for name in MODELS)
    outcome = run(command_of(TRAINING + calls, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    for name, line in zip(MODELS, outcome.output.splitlines(), strict=True):
        assert line == f"{name} () #t"


USE = """
(define folder "%s")
(define processor (image-processor :size '(24 24)))
(define images (tensor-to (tensor-reshape (tensor-remainder (tensor-arange 0 9000) 251)
                                          '(2 3 30 50)) 'uint8))
(define model (load-vision-model folder))
(define names (classify-image model processor images))
(print (length names) (map car (sort (car names) (lambda (a b) (string<? (car a) (car b))))))
(print (< (abs (- 1 (apply + (map cdr (cadr names))))) 1e-5))
(save-image "one.png" (tensor-ref images 0))
(print (every (lambda (one other)   ; a batch may be rounded otherwise
                (and (equal? (car one) (car other)) (< (abs (- (cdr one) (cdr other))) 1e-5)))
              (classify-image model processor "one.png" :top 2) (take (car names) 2)))
(define fresh (new-vision-model (vision-model-config model) :labels '("yes" "no")))
(print (tensor-shape (fresh (processor images))) (vision-model-labels fresh))
(define finder (load-vision-model "%s"))
(define found (detect-objects finder (image-processor :size '(24 32)) "one.png" :threshold 0.01))
(print (length found) (every (lambda (object) (= (length object) 6)) found))
(define (fails thunk)
  (guard (e (#t (print (error-object-message e) (error-object-irritants e)))) (thunk)))
(fails (lambda () (classify-image finder processor "one.png")))
(fails (lambda () (classify-image model processor images :labels '("a"))))
(fails (lambda () (model (tensor-zeros 1 1 24 24))))
(fails (lambda () (detect-objects model processor "one.png")))
(define config (hash-copy (vision-model-config model)))
(define (refused key value)
  (hash-set! config key value)
  (fails (lambda () (new-vision-model config)))
  (hash-set! config key (hash-ref (vision-model-config model) key)))
(refused "patch_size" 999)
(refused "hidden_act" "mish")
(refused "model_type" "swin")
(refused "num_attention_heads" 5)
"""

SAID = """\
2 (label 0 label 1 label 2 label 3 label 4)
#t
#t
(2 2) (yes no)
6 #t
"""


def test_use(back_end: str, tmp_path: Path) -> None:
    text = USE % (folder("vit"), folder("yolos"))
    outcome = run(command_of(text, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    assert outcome.output.startswith(SAID), outcome.output
    lines = outcome.output.removeprefix(SAID).splitlines()
    for line, part in zip(lines, (
        "classify-image: expected a model of images",
        "the model has labels of its own",
        "expected pixels [n, 3, h, w], floating-point numbers, with h and w from 8 and 8, got "
        "((1 1 24 24) float32)",
        "detect-objects: expected a model that finds objects",
        'expected a size up to image_size for the setting "patch_size", got 999',
        'as the activation, got "mish"',
        'expected one of vit, deit, dinov2, dinov2_with_registers, clip, siglip, resnet, convnext, '
        'convnextv2, yolos for the setting "model_type", got "swin"',
        "num_attention_heads must divide hidden_size, got 5 for 32",
    ), strict=True):
        assert part in line, line
