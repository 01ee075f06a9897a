"""Sends tensors to a Lisp program: files of elements, and data that describes the tensors.

A program maps one file for each dtype and copies ranges of it, so every bit arrives, in any dtype;
its views of the copies have the strides, offsets and shared storages of the originals.
"""

from dataclasses import dataclass, field
from pathlib import Path

import torch

from tests.operators.lisp_call import dtype_name


@dataclass(frozen=True, slots=True)
class View:
    """The layout of a tensor: the index of its storage among those of the case, and its strides."""

    storage: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    flags: tuple[str, ...]

    def datum(self) -> str:
        shape, strides, flags = (" ".join(map(str, x)) for x in
                                 (self.shape, self.strides, self.flags))
        return f"({self.storage} ({shape}) ({strides}) {self.offset} ({flags}))"


@dataclass(frozen=True, slots=True)
class Layout:
    """The tensors of a case: their storages, as 1-d tensors, and the views of them."""

    storages: tuple[torch.Tensor, ...]
    views: tuple[View, ...]

    def made(self, with_grad: bool) -> list[torch.Tensor]:
        """New leaf tensors with the layout of the originals."""
        storages = [s.clone() for s in self.storages]
        return [_made(storages[v.storage], v, with_grad) for v in self.views]


def layout_of(tensors: tuple[torch.Tensor, ...]) -> Layout:
    storages: list[torch.Tensor] = []
    indices: dict[tuple[int, torch.dtype], int] = {}
    views = []
    for x in tensors:
        key = (x.untyped_storage()._cdata, x.dtype)
        if key not in indices:
            indices[key] = len(storages)
            storages.append(_elements(x))
        flags = [name for name, is_so in (("grad", x.requires_grad), ("conj", x.is_conj()),
                                          ("neg", x.is_neg())) if is_so]
        views.append(View(indices[key], tuple(x.shape), x.stride(), x.storage_offset(),
                          tuple(flags)))
    return Layout(tuple(storages), tuple(views))


def _elements(x: torch.Tensor) -> torch.Tensor:
    """All of its storage."""
    count = x.untyped_storage().nbytes() // x.element_size()
    plain = torch._neg_view(x.detach()) if x.is_neg() else x.detach()
    plain = torch._conj(plain) if plain.is_conj() else plain
    return plain.as_strided((count,), (1,), 0).clone()


def _made(storage: torch.Tensor, view: View, with_grad: bool) -> torch.Tensor:
    x = storage.as_strided(view.shape, view.strides, view.offset)
    if "conj" in view.flags:
        x = torch._conj(x)
    if "neg" in view.flags:
        x = torch._neg_view(x)
    return x.requires_grad_() if with_grad and "grad" in view.flags else x


@dataclass(slots=True)
class Files:
    """Collects the elements of all cases' storages, by dtype."""

    parts: dict[torch.dtype, list[torch.Tensor]] = field(default_factory=dict)
    counts: dict[torch.dtype, int] = field(default_factory=dict)

    def storage_datum(self, storage: torch.Tensor) -> str:
        start = self.counts.get(storage.dtype, 0)
        self.parts.setdefault(storage.dtype, []).append(storage)
        self.counts[storage.dtype] = start + storage.numel()
        return f"({dtype_name(storage.dtype)} {start} {storage.numel()})"

    def write(self, folder: Path) -> None:
        """Write DTYPE.bin for each dtype, and `sizes` with their numbers of elements."""
        lines = []
        for dtype, parts in self.parts.items():
            one = torch.zeros(1, dtype=dtype)  # no file is empty
            everything = torch.cat([p.view(torch.uint8) for p in (*parts, one)])
            (folder / f"{dtype_name(dtype)}.bin").write_bytes(everything.numpy().tobytes())
            lines.append(f"({dtype_name(dtype)} {self.counts[dtype] + 1})")
        (folder / "sizes").write_text("(" + " ".join(lines) + ")\n")
