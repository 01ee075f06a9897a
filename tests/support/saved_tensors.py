"""Runs a program that saves tensors, on either back end, so that Python's torch can judge them.

    (save-tensors "out.safetensors" (list (cons "y" y) ...))
    =>  {"y": tensor([...]), ...}

The independent safetensors package reads the file.  A program that fails, prints to stderr or
leaves a live tensor or object is a failure here.
"""

from pathlib import Path

import torch
from safetensors.torch import load_file

from tests.support.programs_run import command_of, run

OUT = "out.safetensors"  # in the folder where the program runs


def saved_by(text: str, back_end: str, folder: Path) -> dict[str, torch.Tensor]:
    """The tensors that a program has saved as OUT.  back_end: "script" or "executable"."""
    outcome = run(command_of(text, back_end, folder), folder)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    return load_file(folder / OUT)


def assert_close(
    found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor], relative: float = 1e-5
) -> None:
    """The same names, shapes and dtypes, and values within a relative error of the largest one."""
    assert sorted(found) == sorted(expected)
    for name, wanted in expected.items():
        have = found[name]
        assert (have.shape, have.dtype) == (wanted.shape, wanted.dtype), name
        scale = float(wanted.detach().abs().max()) if wanted.numel() else 0.0
        torch.testing.assert_close(
            have, wanted.detach(), rtol=relative, atol=relative * max(scale, 1e-3),
            msg=lambda text, name=name: f"{name}: {text}",
        )
