"""Encoders beside transformers, vectors of texts beside torch, and TorchScript as a model."""

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.support import model_folders
from tests.support.saved_tensors import OUT, assert_close, saved_by

TEXTS = ("a tensor", "How do I save the weights of a model?", "", "x" * 30,
         "Models and tensors " * 60)

PROGRAM = """
(define folder "FOLDER")
(define model (load-encoder folder))
(define tokenizer (load-tokenizer folder))
(define texts '(TEXTS))
(define ids (hash-ref (load-tensors "given.safetensors") "ids"))
(define padded (tensor-cat (list ids (tensor-zeros-like ids)) 1))
(define mask (tensor-cat (list (tensor-ones-like ids) (tensor-zeros-like ids)) 1))
(define (states-of text)
  (no-grad (model (let-values (((ids mask) (encode-batch tokenizer (list text) :length #f)))
                    (if (> (tensor-size ids 1) 128)
                        (let-values (((ids mask) (encode-batch tokenizer (list text) :length 128)))
                          ids)
                        ids)))))
(define (named prefix tensors)
  (map (lambda (k x) (cons (string prefix k) x)) (iota (length tensors)) tensors))
(define language (load-llm "language.pt"))
(define windowed (torchscript-model "language.pt" :context 3))
(save-tensors "OUT"
  (append
   (list (cons "states" (no-grad (model ids)))
         (cons "padded" (tensor-narrow (no-grad (model padded :mask mask)) 1 0 12))
         (cons "mean" (embed model tokenizer texts :batch 2))
         (cons "cls" (embed model tokenizer texts :pooling 'cls :normalize #f))
         (cons "max" (embed model tokenizer texts :pooling 'max :normalize #f))
         (cons "one" (embed model tokenizer (cadr texts)))
         (cons "pooled" (no-grad (pooler-output model (model ids))))
         (cons "logits" (no-grad (language ids)))
         (cons "last" (no-grad (windowed ids :last #t)))
         (cons "greedy" (tensor (generation-ids
                                 (generate-result language tokenizer '(5 6 7) :greedy #t
                                                  :max-tokens 9 :ignore-eos #t)))))
   (list (cons "empty" (embed model tokenizer "" :pooling 'cls)))
   (named "text" (map states-of texts))))
"""


class Language(torch.nn.Module):
    """A causal model: each token sees the mean of those before it."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(model_folders.VOCABULARY, 24)
        self.head = torch.nn.Linear(24, model_folders.VOCABULARY)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.table(ids)
        count = torch.arange(1, x.size(1) + 1).unsqueeze(1)
        return self.head(torch.tanh(x + x.cumsum(1) / count))


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_encoders_and_torchscript(back_end: str, tmp_path: Path) -> None:
    from safetensors.torch import save_file

    torch.manual_seed(3)
    language = Language().eval()
    torch.jit.script(language).save(str(tmp_path / "language.pt"))  # type: ignore[no-untyped-call]
    given = model_folders.outputs("bert")
    save_file({"ids": given["ids"]}, tmp_path / "given.safetensors")
    program = (PROGRAM.replace("FOLDER", str(model_folders.folder("bert"))).replace("OUT", OUT)
               .replace("TEXTS", " ".join(f'"{text}"' for text in TEXTS)))
    found = saved_by(program, back_end, tmp_path)
    states = [found.pop(f"text{k}")[0] for k in range(len(TEXTS))]
    assert found.pop("greedy").tolist() == _greedy(language, [5, 6, 7], 9)
    pooled = found.pop("pooled")
    assert pooled.shape == (2, 48)
    assert pooled.abs().max() <= 1
    # The folder's tokenizer adds no tokens, so an empty text has none, and its vector is zero.
    states = [x if len(x) else torch.zeros(1, 48) for x in states]
    mean = torch.stack([torch.nn.functional.normalize(x.mean(0), dim=0) for x in states])
    with torch.no_grad():
        assert_close(found, {
            "states": given["states"], "padded": given["states"], "mean": mean, "one": mean[1],
            "cls": torch.stack([x[0] for x in states]),
            "max": torch.stack([x.amax(0) for x in states]),
            "empty": torch.zeros(48), "logits": language(given["ids"]),
            "last": language(given["ids"][:, -3:])[:, -1:],
        }, relative=1e-4)


def _greedy(model: torch.nn.Module, ids: list[int], count: int) -> list[int]:
    ids = list(ids)
    for _ in range(count):
        ids.append(int(model(torch.tensor([ids]))[0, -1].argmax()))
    return ids[-count:]


# More of the family, for `pytest --all-random`: transformers takes seconds to import.
_SIZES: dict[str, Any] = {
    "vocab_size": 400, "hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2,
    "num_attention_heads": 4, "max_position_embeddings": 64,
}
_FAMILY: dict[str, tuple[str, str, dict[str, Any]]] = {
    "masked": ("BertConfig", "BertForMaskedLM", _SIZES),
    "roberta": ("RobertaConfig", "RobertaForMaskedLM", _SIZES | {"pad_token_id": 1}),
    "distilbert": ("DistilBertConfig", "DistilBertForMaskedLM", {
        "vocab_size": 400, "dim": 48, "hidden_dim": 80, "n_layers": 2, "n_heads": 4,
        "max_position_embeddings": 64}),
}


def test_the_family(all_random: bool, tmp_path: Path) -> None:
    if not all_random:
        pytest.skip("--all-random runs it")
    import transformers

    ids = torch.tensor([[0, 5, 7, 9, 2, 1, 1], [0, 8, 7, 6, 5, 4, 2]])
    mask = (ids != 1).long()
    text, expected = f"(define ids (tensor '{_lisp(ids)}))\n(define mask (tensor-ne ids 1))\n", {}
    for name, (config, kind, sizes) in _FAMILY.items():
        model = getattr(transformers, kind)(getattr(transformers, config)(**sizes)).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.1 * torch.randn(parameter.shape))
            model.save_pretrained(tmp_path / name)
            expected[name] = model(ids, attention_mask=mask).logits[1:]
        model_text = f'(load-encoder "{name}")'
        text += f"(define {name} (no-grad (masked-logits {model_text} ids :mask mask)))\n"
    names = " ".join(f'(cons "{name}" (tensor-narrow {name} 0 1 1))' for name in _FAMILY)
    for back_end in ("script", "executable"):
        found = saved_by(f'{text}(save-tensors "{OUT}" (list {names}))', back_end, tmp_path)
        assert_close(found, expected, relative=1e-4)


def _lisp(ids: torch.Tensor) -> str:
    return str(ids.tolist()).replace("[", "(").replace("]", ")").replace(",", "")
