"""Other models than Llamas, with random weights: mixtures of experts, latents, states, T5, images
and sentences.

    an image of 224, ResNet-50
      executable           31 ms      0.71x of transformers, at most 1x              ok

The peers are transformers, as it is and compiled, torchvision and sentence-transformers.  A peer
whose package is not installed is left out, and the row says so.  Each contender is a process that
answers requests, so they alternate; what they compute is compared.
"""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.bench.build import OUT, PEERS, PROGRAMS, PYTHON, compile_lisp
from tests.bench.generation import EXECUTABLE, HUGGING_FACE, Contender, running
from tests.bench.measure import Command, output
from tests.bench.training import Figures

COMPILED, TORCHVISION, SENTENCES = "torch.compile", "torchvision", "sentence-transformers"
MODES = {HUGGING_FACE: "eager", COMPILED: "compile", TORCHVISION: "torchvision",
         SENTENCES: "sentences"}
PACKAGES = {TORCHVISION: "torchvision", SENTENCES: "sentence_transformers"}
DECODERS = {"moe": "mixture of 8 experts", "mla": "attention to latents", "state": "Mamba 2"}
# Name of the folder: title, kind, tokens, peers, and the most of the first one's time.
OTHERS = {
    "t5": ("60M T5, a source of 32 and 64 tokens", "write", 64, (HUGGING_FACE,), 1.0),
    "vit_b": ("an image of 224, ViT-B", "image", 0, (HUGGING_FACE, COMPILED, TORCHVISION), 1.0),
    "resnet50": ("an image of 224, ResNet-50", "image", 0,
                 (HUGGING_FACE, COMPILED, TORCHVISION), 1.0),
    "minilm": ("eight sentences of 19 words, MiniLM", "embed", 0, (SENTENCES,), 0.6),
}
DECODED, PROMPT = 32, 256
SAME = 1e-3  # relative


def measure_models(rounds: int) -> Iterator[Figures]:
    if not importlib.util.find_spec("transformers"):
        print("models: left out, since transformers is not installed", file=sys.stderr)
        return
    program = compile_lisp(PROGRAMS / "generate_serve.lisp")
    for name, title in DECODERS.items():
        folder = _folder(name)
        commands: dict[str, Command] = {
            EXECUTABLE: [program, folder, "float32", "0", "0"],
            HUGGING_FACE: [PYTHON, PEERS / "generate_torch.py", "transformers", folder, "float32",
                           "0"],
        }
        yield from _decoder(title, commands, rounds)
    program = compile_lisp(PROGRAMS / "models_serve.lisp")
    for name, (title, kind, count, peers, most) in OTHERS.items():
        folder = _folder(name)
        commands = {EXECUTABLE: [program, kind, folder]}
        missing = [peer for peer in peers if not _works(PACKAGES.get(peer))]
        commands |= {peer: [PYTHON, PEERS / "models_torch.py", MODES[peer], kind, folder]
                     for peer in peers if peer not in missing}
        note = ", ".join(f"without {peer}, which is not installed" for peer in missing)
        yield _whole(title, commands, str(count), most, rounds, note)


def _folder(name: str) -> Path:
    """The folder of a model, which is written once."""
    folder = OUT / "models" / name
    if not folder.exists():
        output([PYTHON, PEERS / "models_folders.py", name, folder])
    return folder


def _works(package: str | None) -> bool:
    """Whether a package can be imported, for which some need others."""
    if package is None:
        return True
    if not importlib.util.find_spec(package):
        return False
    done = subprocess.run([PYTHON, "-c", f"import {package}"], capture_output=True, check=False,
                          env=dict(os.environ, HF_HUB_OFFLINE="1"))
    return done.returncode == 0


def _decoder(title: str, commands: dict[str, Command], rounds: int) -> Iterator[Figures]:
    with ExitStack() as stack:
        contenders = _begun(stack, commands)
        for contender in contenders.values():
            contender.ask("decode 2")
        for _ in range(rounds):
            for contender in contenders.values():
                seconds, contender.tokens = contender.ask(f"decode {DECODED}")
                contender.decode.append(seconds / DECODED)
                contender.prompt.append(contender.ask(f"prompt {PROMPT}")[0] / PROMPT)
    if len({contender.tokens for contender in contenders.values()}) > 1:
        raise SystemExit(f"{title}: the tokens differ")
    rows = {"decode": {name: c.decode for name, c in contenders.items()},
            f"prompt of {PROMPT}": {name: c.prompt for name, c in contenders.items()}}
    for what, times in rows.items():
        figures = {name: 1000 * median(seconds) for name, seconds in times.items()}
        yield Figures(f"{what}, {title}, float32, a token", "ms", figures,
                      [(EXECUTABLE, HUGGING_FACE, 1.0)], "")


def _whole(title: str, commands: dict[str, Command], request: str, most: float, rounds: int,
           note: str) -> Figures:
    answers: dict[str, float] = {}
    with ExitStack() as stack:
        contenders = _begun(stack, commands)
        for name, contender in contenders.items():
            answers[name] = float(contender.ask(request)[1])  # compiles, too
        for _ in range(rounds):
            for contender in contenders.values():
                contender.decode.append(contender.ask(request)[0])
    for name, answer in answers.items():
        ours = answers[EXECUTABLE]
        if name != TORCHVISION and abs(answer - ours) > SAME * abs(ours):
            raise SystemExit(f"{title}: {name} computes {answer}, and {EXECUTABLE} {ours}")
    figures = {name: 1000 * median(c.decode) for name, c in contenders.items()}
    limits = [(EXECUTABLE, peer, most) for peer in list(figures)[1:2]]
    return Figures(title, "ms", figures, limits, note)


def _begun(stack: ExitStack, commands: dict[str, Command]) -> dict[str, Contender]:
    contenders = {name: stack.enter_context(running(command))
                  for name, command in commands.items()}
    for contender in contenders.values():
        contender.load = float(contender.line())
    return contenders
