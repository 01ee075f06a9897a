"""Other models than Llamas in Python: the counterpart of programs/models_serve.lisp.

    models_torch.py eager|compile|torchvision|sentences image|embed|write FOLDER

The first line that it prints is how long the weights took to load.  Then it answers each line, the
number of tokens to write: the seconds of a run, and a number by which results are compared.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

PIXELS = torch.sin(0.01 * torch.arange(3 * 224 * 224, dtype=torch.float32)).view(1, 3, 224, 224)
SENTENCES = [" ".join(f"word{j * k % 9}" for j in range(1, 20)) for k in range(1, 9)]
SOURCE = [5 + 7919 * k % 30000 for k in range(32)]


def image(mode: str, folder: Path) -> Callable[[int], float]:
    if mode == "torchvision":  # the same structure, with weights of its own
        import torchvision

        maker = {"resnet50": "resnet50", "vit_b": "vit_b_16"}[folder.name]
        model = getattr(torchvision.models, maker)().eval()
        return lambda count: float(model(PIXELS).abs().sum())
    from transformers import AutoModelForImageClassification

    found: Any = AutoModelForImageClassification.from_pretrained(folder).eval()
    if mode == "compile":
        found = torch.compile(found)
    return lambda count: float(found(PIXELS).logits.abs().sum())


def embed(mode: str, folder: Path) -> Callable[[int], float]:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    return lambda count: float(abs(model.encode(SENTENCES, show_progress_bar=False)).sum())


def write(mode: str, folder: Path) -> Callable[[int], float]:
    from transformers import AutoModelForSeq2SeqLM

    model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    source = torch.tensor([SOURCE])

    def run(count: int) -> float:
        ids = model.generate(source, max_new_tokens=count, do_sample=False, eos_token_id=None)
        return float(ids[0, 1:].sum())

    return run


def main() -> None:
    mode, kind, folder = sys.argv[1:]
    start = time.perf_counter()
    with torch.inference_mode():
        run = {"image": image, "embed": embed, "write": write}[kind](mode, Path(folder))
        print(time.perf_counter() - start, flush=True)
        for line in sys.stdin:
            start = time.perf_counter()
            found = run(int(line))
            print(time.perf_counter() - start, found, flush=True)


main()
