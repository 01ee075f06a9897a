"""Language models of random weights answer as transformers does, with and without a cache.

One program runs all models of `tests/support/model_folders.py`; transformers' answers are kept with
the folders.
"""

from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from tests.support.model_folders import LANGUAGE_MODELS, folder, outputs  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

DTYPES = ("float32", "bfloat16")

# Where the same positions have other angles in a longer context, old keys in a cache differ.
ANGLES_OF_LENGTH = ("llama-dynamic",)

# transformers lets the biases of padding into the convolutions of these; here each row is as if
# alone.
BIASED_STATES = ("lfm2", "mamba-biases", "mamba2-biases")

PROGRAM = """
(define saved '())
(define (save! name kind x)
  (set! saved (cons (cons (string name "." kind) (tensor-contiguous x)) saved)))

(define (in-steps model ids . options)
  "The logits of a prompt of 5 tokens, 3 more at once, and the others one by one."
  (let* ((cache (kv-cache model :batch (tensor-size ids 0)))
         (prompt (apply model (tensor-narrow ids 1 0 5) :cache cache options))
         (more (model (tensor-narrow ids 1 5 3) :cache cache)))
    (tensor-cat
     (append (list prompt more)
             (map (lambda (k) (model (tensor-narrow ids 1 k 1) :cache cache))
                  (range 8 (tensor-size ids 1))))
     1)))

(define (run name folder answers)
  (let ((model (load-llm folder))
        (ids (hash-ref answers "ids"))
        (padded (hash-ref answers "padded"))
        (padding (hash-ref answers "padding")))
    (no-grad
      (save! name "logits" (model ids))
      (save! name "last" (model ids :last #t))
      (save! name "cached" (in-steps model ids))
      (save! name "padded" (model padded :padding padding))
      (save! name "padded-cached" (in-steps model padded :padding padding)))))

(for-each (lambda (entry)
            (run (car entry) (cadr entry)
                 (load-tensors (string (cadr entry) ".outputs.safetensors"))))
          '(%s))
(save-tensors "out.safetensors" saved)
"""


def test_logits(back_end: str, tmp_path: Path) -> None:
    models = [(name, dtype) for name in LANGUAGE_MODELS for dtype in DTYPES]
    expected = {model: outputs(*model) for model in models}
    rows = (f'("{name}-{dtype}" "{folder(name, dtype)}")' for name, dtype in models)
    found = saved_by(PROGRAM % " ".join(rows), back_end, tmp_path)
    for (name, dtype), answers in expected.items():
        have = {
            key.removeprefix(f"{name}-{dtype}."): value
            for key, value in found.items() if key.startswith(f"{name}-{dtype}.")
        }
        assert have["logits"].dtype == getattr(torch, dtype)
        pairs = [
            ("logits", answers["logits"]),
            ("last", have["logits"][:, -1:]),
            ("cached", have["logits"]),
            ("padded", answers["padded_logits"]),
            ("padded-cached", answers["padded_logits"]),
        ]
        real = torch.arange(12) >= answers["padding"][:, None]
        for kind, wanted in pairs:
            if "cached" in kind and name in ANGLES_OF_LENGTH:
                continue
            difference = (have[kind].float() - wanted.float()).abs()
            if "padded" in kind and name in ANGLES_OF_LENGTH:
                # transformers rotates all rows as the longest one; here each is as if alone.
                difference = difference[answers["padding"] == 0]
                assert difference.numel()
            elif "padded" in kind and name in BIASED_STATES:
                difference = difference[answers["padding"] == 0]
            elif "padded" in kind:
                difference = difference[real]
            # Logits are up to 7.  In bfloat16, with its 8 bits, a near tie of two experts may go
            # the other way, so that single logits differ more.
            error = difference.max() * 400 if dtype == "float32" else difference.mean()
            assert error < 0.04, (name, dtype, kind, error)
