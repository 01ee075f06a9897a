"""Images named by any texts: CLIP with its tokenizer and processor, as transformers does it."""

from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")
pytest.importorskip("PIL.Image")

from PIL import Image  # noqa: E402

from tests.support.model_folders import transformers_package  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402

_LABELS = ("cat", "Old Dog", "a  très long label, with points!")
_PROGRAM = """
(define model (load-vision-model "clip"))
(define processor (load-image-processor "clip"))
(define tokenizer (load-tokenizer "clip"))
(define labels '("cat" "Old Dog" "a  très long label, with points!"))
(define (show answers)
  (for-each (lambda (answer) (print (car answer) "," (cdr answer))) answers))
(show (classify-image model processor "one.png" :labels labels :tokenizer tokenizer))
(for-each (lambda (answers) (show answers))
          (classify-image model processor '("two.png" "one.png") :labels labels
                          :tokenizer tokenizer :prompt "~a" :top 2 :batch 1))
"""


def _write(path: Path) -> None:
    """A CLIP whose tokenizer has all bytes and three merges."""
    transformers = transformers_package()
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    letters = list(bytes_to_unicode().values())
    tokens = [*letters, *(letter + "</w>" for letter in letters), "ca", "cat</w>", "do",
              "<|startoftext|>", "<|endoftext|>"]
    vocabulary = {token: k for k, token in enumerate(tokens)}
    merges = [("c", "a"), ("ca", "t</w>"), ("d", "o")]
    tokenizer = transformers.CLIPTokenizer(vocab=vocabulary, merges=merges)
    tokenizer.save_pretrained(path)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
             "intermediate_size": 48}
    config = transformers.CLIPConfig(
        vision_config=sizes | {"image_size": 24, "patch_size": 8}, projection_dim=16,
        text_config=sizes | {"vocab_size": len(tokens), "max_position_embeddings": 30,
                             "bos_token_id": len(tokens) - 2, "eos_token_id": len(tokens) - 1,
                             "pad_token_id": len(tokens) - 1})
    torch.manual_seed(3)
    transformers.CLIPModel(config).save_pretrained(path)
    transformers.CLIPImageProcessor(
        size={"shortest_edge": 24}, crop_size={"height": 24, "width": 24}).save_pretrained(path)


def _expected(path: Path, images: list[Image.Image], prompt: str) -> list[dict[str, float]]:
    transformers = transformers_package()
    texts = transformers.CLIPTokenizer.from_pretrained(path)(
        [prompt.replace("~a", label) for label in _LABELS], padding=True,
        truncation=True, max_length=30, return_tensors="pt")
    pixels = transformers.CLIPImageProcessor.from_pretrained(path)(images, return_tensors="pt")
    with torch.no_grad():
        out = transformers.CLIPModel.from_pretrained(path).eval()(**texts, **pixels)
    rows = out.logits_per_image.softmax(-1).tolist()
    return [dict(zip(_LABELS, row, strict=True)) for row in rows]


def test_images_are_named_by_texts(back_end: str, tmp_path: Path) -> None:
    _write(tmp_path / "clip")
    dice = torch.Generator().manual_seed(2)
    images = [
        Image.fromarray(torch.randint(0, 256, (*size, 3), generator=dice).byte().numpy())
        for size in ((31, 47), (60, 25))
    ]
    for name, image in zip(("one", "two"), images, strict=True):
        image.save(tmp_path / f"{name}.png")
    outcome = run(command_of(_PROGRAM, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    first = _expected(tmp_path / "clip", images[:1], "a photo of ~a")
    others = _expected(tmp_path / "clip", images[::-1], "~a")
    wanted = [
        pair for answers, top in ((first[0], 3), (others[0], 2), (others[1], 2))
        for pair in sorted(answers.items(), key=lambda pair: -pair[1])[:top]
    ]
    lines = [line.rsplit(" , ", 1) for line in outcome.output.splitlines()]
    assert [label for label, _ in lines] == [label for label, _ in wanted]
    for (_, found), (_, probability) in zip(lines, wanted, strict=True):
        assert float(found) == pytest.approx(probability, abs=1e-4)
