"""Programs of LispETorch: models in files, sessions, and that every one of its names is tested.

The functions on data, tensors, training and generation are in tests/programs/lispe_*.lisp.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402

from tests.support.model_folders import folder  # noqa: E402
from tests.support.paths import ROOT  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402

PROGRAM = Path(__file__).with_name("lispe_models.lisp").read_text(encoding="utf-8")


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = torch.nn.Linear(3, 4)
        self.blocks = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2))
        self.register_buffer("shift", torch.ones(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.blocks(torch.relu(self.fc1(x))) + self.shift


def write_script(place: Path) -> None:
    """A TorchScript module, and what it computes."""
    torch.manual_seed(0)
    net, x = Net(), torch.randn(2, 3)
    torch.jit.script(net).save(place / "net.pt")
    with torch.no_grad():
        inner = net.fc1(x)
        answers = {"x": x, "y": net(x), "fc1": inner, "blocks.0": net.blocks[0](torch.relu(inner))}
        net.blocks[1].bias.fill_(5)
        answers["changed"] = net(x)
    save_file({name: value.contiguous() for name, value in answers.items()},
              place / "expected.safetensors")


def test_models_in_files(back_end: str, tmp_path: Path) -> None:
    write_script(tmp_path)
    source = PROGRAM.replace("FOLDER", str(folder("llama")))
    outcome = run(command_of(source, back_end, tmp_path), tmp_path)
    assert outcome.errors == ""
    assert outcome.output.splitlines() == re.findall(r" ; => (.*)$", PROGRAM, re.M)
    assert (outcome.status, outcome.leaks) == (0, "")


def test_a_session_speaks_lispe(tmp_path: Path) -> None:
    entries = "(+ 1 2)\n(use 'lispe_torch)\n(setq x (list 1 \"a\"\n  nil))\nx\n" \
        "(defun f(y) (push x y))\n(f 3)\n`a\nb`\n(defpat g (0) \"zero\")\n(g 0)\n" \
        "(defpat g (n) n)\n(g 5)\n(println x)\n(torch_simple_tokenizer)\n"
    command = [sys.executable, "-m", "lambent.lang"]
    session = subprocess.run(command, input=entries, cwd=tmp_path, capture_output=True, text=True)
    assert session.stderr == ""
    assert session.stdout.splitlines() == [
        "3", '(1 "a" nil)', '(1 "a" nil 3)', '"a\\nb"', '"zero"', "5", '(1 "a" nil 3)',
        "Simple Tokenizer (vocab size: 4)",
    ]  # fmt: skip


def test_every_name_is_called_by_a_program() -> None:
    page = (ROOT / "docs/lispe.md").read_text(encoding="utf-8")
    table = page[page.index("## The names") :]
    names = set(re.findall(r"`((?:torch|tensor|tiktoken)_\w+)`", table))
    assert len(names) >= 228
    programs = [PROGRAM, *(path.read_text(encoding="utf-8")
                           for path in (ROOT / "tests/programs").glob("lispe_*.lisp"))]
    called = set(re.findall(r"[(']((?:torch|tensor|tiktoken)_\w+)", "\n".join(programs)))
    assert sorted(names - called) == []
