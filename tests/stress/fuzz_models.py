"""Damage GGUF files at random and read them: `python -m tests.stress.fuzz_models SEED COUNT`.

A damaged file opens, and all its values and tensors can be read, as floats and repacked; or the
message names the file and shows no C++.  Reads out of bounds are found in a build with
AddressSanitizer, in which files lie in memory that has bounds:

    CXX="g++ -fsanitize=address" LAMBENT_CACHE=/tmp/checked ASAN_OPTIONS=detect_leaks=0 \
        LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)" \
        python -m tests.stress.fuzz_models 1 100000

`fuzz_files.py` does the same for safetensors files and their indexes.
"""

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from lambent.ctorch import load
from tests.stress.fuzz_files import FORBIDDEN, damaged_bytes, touch

TYPES = ("F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K")
LONGEST = 1 << 30  # elements of a list


def write_sample(path: Path) -> None:
    """A small file with values and tensors of all types."""
    random_bytes = np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint32("llama.block_count", 2)
    writer.add_float32("a.float", 0.5)
    writer.add_array("a.list", [1, -2, 3])
    writer.add_array("tokenizer.ggml.tokens", ["<s>", "a", "hé"])
    for name in TYPES:
        kind = gguf.GGMLQuantizationType[name]
        elements, size = gguf.GGML_QUANT_SIZES[kind]
        if elements == 1:
            writer.add_tensor(name, np.zeros((3, 4), np.float32 if name == "F32" else np.uint8),
                              raw_dtype=kind)
        else:
            blocks = random_bytes.integers(0, 256, (3, 256 // elements * size), dtype=np.uint8)
            writer.add_tensor(name, blocks, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Reader:
    """Calls the procedures of ctorch on a file."""

    def __init__(self) -> None:
        self.lib, self.ffi = load()

    def call(self, name: str, *arguments: Any) -> Any:
        """The result, to be cleared; a ValueError with the message if it fails."""
        values = self.ffi.new("ct_value[]", max(len(arguments), 1))
        texts = []
        for value, given in zip(values, arguments, strict=False):
            if isinstance(given, str):
                texts.append(self.ffi.new("char[]", given.encode()))
                value.kind, value.text = self.lib.CT_STRING, texts[-1]
            elif isinstance(given, int):
                value.kind, value.i = self.lib.CT_INT, given
            elif given is None:
                value.kind, value.i = self.lib.CT_BOOL, 0
            else:
                value.kind, value.object = self.lib.CT_OBJECT, given.object
        result = self.ffi.new("ct_value *")
        if self.lib.ct_procedure(name.encode(), len(arguments), values, result):
            raise ValueError(self.ffi.string(self.lib.ct_last_error()).decode())
        return result

    def read(self, path: Path) -> str | None:
        """Read all of a file; returns the message if it cannot be opened."""
        try:
            file = self.call("open-gguf", str(path))
        except ValueError as error:
            return str(error)
        said = None
        for name, arguments in self.requests(file):
            try:
                result = self.call(name, file, *arguments)
            except ValueError as error:
                said = str(error)
                continue
            touch(self.lib, self.ffi, result[0])
            self.lib.ct_value_clear(result)
        self.lib.ct_value_clear(file)
        return said

    def requests(self, file: Any) -> list[tuple[str, tuple[Any, ...]]]:
        """What can be asked of an open file."""
        tensors = self.call("gguf-tensors", file)
        names = [
            self.ffi.string(tensors.items[k].items[0].text).decode() for k in range(tensors.count)
        ]
        self.lib.ct_value_clear(tensors)
        found: list[tuple[str, tuple[Any, ...]]] = [("gguf-metadata", (LONGEST,))]
        for name in names:
            for heads in (None, 1, 3):
                found += [("gguf-tensor", (name, None, heads)), ("gguf-packed", (name, heads)),
                          ("gguf-tensor", (name, "bfloat16", heads))]
        return found


def main(seed: int, count: int) -> None:
    chance, reader, refused = random.Random(seed), Reader(), 0
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "sample.gguf"
        write_sample(sample)
        whole, damaged = sample.read_bytes(), Path(folder) / "damaged.gguf"
        descriptions = whole[: whole.rindex(b"Q6_K") + 40]
        for k in range(count):
            # Mostly the descriptions: all elements are valid.
            data = damaged_bytes(chance, descriptions) + whole[len(descriptions) :]
            if chance.random() < 0.1:
                data = damaged_bytes(chance, whole)
            damaged.write_bytes(data)
            said = reader.read(damaged)
            if said is not None:
                refused += 1
                assert not any(word in said for word in FORBIDDEN), (k, said)
    assert reader.lib.ct_live_handles() == 0
    print(f"{count} files, {refused} with a message")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
