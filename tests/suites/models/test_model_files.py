"""Models cross to PyTorch and back: safetensors and .pt files, ties, fused parameters, dtypes.

PyTorch writes files; a Lambent program loads each into a model, saves the model's results, and
saves the model again.  PyTorch loads that strictly and must have the same results.
"""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, load_model, save_file, save_model
from torch import Tensor, nn

from tests.support.saved_tensors import assert_close, saved_by

PROGRAM = """
(define-module (net)
  ((layers (list (linear 4 6) (linear 6 6)))
   (scale (tensor-ones 6) :parameter)
   (steps (tensor 0) :buffer)
   (out-head (linear 6 2 :bias #f)))
  (forward (x)
    (out-head (* scale (fold (lambda (layer x) (tensor-tanh (layer x))) x layers)))))
(define-module (tied)
  ((embed (linear 3 3 :bias #f)) (head (linear 3 3 :bias #f)))
  (forward (x) (head (tensor-relu (embed x)))))
(define (tied-model)
  (let ((m (tied)))
    (set-linear-weight! (tied-head m) (linear-weight (tied-embed m)))
    m))
(define-module (fused)
  ((qkv (linear 4 8)) (gate-up (linear 8 6)))
  (forward (x) (gate-up (qkv x))))
(define rules '((qkv :from (q_proj k_proj v_proj) :sizes (2 1 1))
                (gate_up :from (gate up) :sizes (2 1))
                (weight :from weight_t :transpose #t)))
(define x (hash-ref (load-tensors "in.safetensors") "x"))
(define out '())
(define (keep! name y) (set! out (cons (cons name (detach y)) out)))
(define (crossed name model x . options)
  (apply load-model! name model options)
  (keep! name (model x))
  (apply save-model (string "again-" name ".safetensors") model
         (if (memq :rules options) (list :rules rules) '()))
  model)
(define plain (crossed "net.safetensors" (net) x))
(keep! "steps" (net-steps plain))
(crossed "net.pt" (net) x)
(crossed "run.pth" (net) x :key "model")
(crossed "half.safetensors" (net) x)
(crossed "tied.safetensors" (tied-model) (tensor-slice x 1 0 3))
(crossed "tied.pt" (tied-model) (tensor-slice x 1 0 3))
(crossed "fused.safetensors" (fused) x :rules rules)
(save-tensors "out.safetensors" out)
"""


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 6), nn.Linear(6, 6)])
        self.scale = nn.Parameter(torch.rand(6))
        self.register_buffer("steps", torch.tensor(12))
        self.out_head = nn.Linear(6, 2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x).tanh()
        y: Tensor = self.out_head(self.scale * x)
        return y


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(3, 3, bias=False)
        self.head = nn.Linear(3, 3, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.head(self.embed(x).relu())
        return y


def fused_file() -> dict[str, Tensor]:
    """Separate, transposed weights, as a checkpoint of another program may have them."""
    sizes = {"q_proj": (4, 4), "k_proj": (2, 4), "v_proj": (2, 4), "gate": (4, 8), "up": (2, 8)}
    tensors = {}
    for name, (out, inside) in sizes.items():
        tensors[f"{name}.weight_t"] = torch.rand(inside, out)
        tensors[f"{name}.bias"] = torch.rand(out)
    return tensors


def fused_result(file: dict[str, Tensor], x: Tensor) -> Tensor:
    for group in (("q_proj", "k_proj", "v_proj"), ("gate", "up")):
        weight = torch.cat([file[f"{name}.weight_t"].T for name in group])
        x = nn.functional.linear(x, weight, torch.cat([file[f"{name}.bias"] for name in group]))
    return x


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_models_cross_both_ways(tmp_path: Path, back_end: str) -> None:
    torch.manual_seed(5)
    x, net, tied, fused = torch.rand(5, 4), Net(), Tied(), fused_file()
    half = Net().half()
    save_file({"x": x}, tmp_path / "in.safetensors")
    save_file(net.state_dict(), tmp_path / "net.safetensors")
    torch.save(net.state_dict(), tmp_path / "net.pt")
    torch.save({"epoch": 3, "model": net.state_dict()}, tmp_path / "run.pth")
    save_file(half.state_dict(), tmp_path / "half.safetensors")
    save_model(tied, str(tmp_path / "tied.safetensors"))
    torch.save(tied.state_dict(), tmp_path / "tied.pt")
    save_file(fused, tmp_path / "fused.safetensors")

    found = saved_by(PROGRAM, back_end, tmp_path)

    assert_close(found, {
        "net.safetensors": net(x), "net.pt": net(x), "run.pth": net(x), "steps": torch.tensor(12),
        "half.safetensors": half.float()(x), "tied.safetensors": tied(x[:, :3]),
        "tied.pt": tied(x[:, :3]), "fused.safetensors": fused_result(fused, x),
    })
    for name in ("net.safetensors", "net.pt", "run.pth", "half.safetensors"):
        again = Net()
        again.load_state_dict(load_file(tmp_path / f"again-{name}.safetensors"))
        expected = half if name == "half.safetensors" else net
        torch.testing.assert_close(again(x), expected(x))
    for name in ("tied.safetensors", "tied.pt"):
        once = Tied()
        assert load_model(once, tmp_path / f"again-{name}.safetensors") == (set(), [])
        torch.testing.assert_close(once(x[:, :3]), tied(x[:, :3]))
    back = load_file(tmp_path / "again-fused.safetensors.safetensors")
    assert sorted(back) == sorted(fused)
    assert all(torch.equal(back[name], fused[name]) for name in fused)
