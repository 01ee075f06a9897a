"""The model in llama.cpp, through the package llama-cpp-python, from a GGUF file."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import measuring

# llama.cpp's numbers for the type of most weights.
FILE_TYPES = {"0": "float32", "1": "float16", "2": "Q4_0", "7": "Q8_0", "14": "Q4_K", "15": "Q4_K",
              "18": "Q6_K", "32": "bfloat16"}
F32, F16 = 0, 1  # ggml's, of the cache


def measure(task: dict[str, Any]) -> dict[str, Any]:
    import llama_cpp
    import numpy

    if not task["gguf"]:
        raise measuring.Unavailable("it reads GGUF: --gguf FILE names one with these weights")
    cache = F32 if task["dtype"] == "float32" else F16
    start = time.perf_counter()
    model = llama_cpp.Llama(
        task["gguf"], n_ctx=len(task["prompt"]) + task["tokens"] + 8, verbose=False,
        n_threads=task["threads"], n_threads_batch=task["threads"], type_k=cache, type_v=cache,
        n_batch=max(512, len(task["prompt"])), n_gpu_layers=0,
    )
    load_seconds = time.perf_counter() - start
    size = model.n_vocab()

    def logits() -> Any:
        pointer = llama_cpp.llama_get_logits_ith(model.ctx, -1)
        return numpy.ctypeslib.as_array(pointer, (size,))

    def generate(note: Callable[[], None]) -> Sequence[int]:
        ids: list[int] = []
        model.reset()
        model.eval(task["prompt"])
        while True:
            ids.append(int(logits().argmax()))
            note()
            if len(ids) == task["tokens"]:
                return ids
            model.eval(ids[-1:])

    model.reset()
    model.eval(task["prompt"])
    probe = logits().astype("float64").tolist()
    kind = str(model.metadata.get("general.file_type", "?"))
    dtype = FILE_TYPES.get(kind, f"GGUF type {kind}")
    return measuring.measured(task, load_seconds, generate, probe, dtype)


measuring.run(measure)
