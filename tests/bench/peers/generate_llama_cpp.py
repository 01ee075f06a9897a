"""Generation by llama.cpp's Python package, which answers as generate_torch.py does.

    generate_llama_cpp.py FILE THREADS
"""

import sys
import time

import numpy as np
from llama_cpp import Llama, llama_cpp

PROMPT, CONTEXT = 16, 1024


def prompt(count: int) -> list[int]:
    return [(7919 * k + 11) % 31991 for k in range(count)]


class Model:
    def __init__(self, path: str, threads: int) -> None:
        # Its keys and values are float16 unless it is told: then its tokens would differ.
        exact = llama_cpp.GGML_TYPE_F32 if path.endswith("F32.gguf") else None
        self.model = Llama(
            path, n_ctx=CONTEXT, n_batch=512, n_threads=threads, n_threads_batch=threads,
            type_k=exact, type_v=exact, verbose=False,
        )

    def step(self, ids: list[int], start: int) -> int:
        if start == 0:
            self.model.reset()
            llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.model.ctx), True)
        self.model.eval(ids)
        logits = llama_cpp.llama_get_logits_ith(self.model.ctx, -1)
        return int(np.ctypeslib.as_array(logits, (self.model.n_vocab(),)).argmax())


def run(model: Model, kind: str, count: int) -> tuple[float, int]:
    start = time.perf_counter()
    if kind == "prompt":
        token = model.step(prompt(count), 0)
        return time.perf_counter() - start, token
    token = model.step(prompt(PROMPT), 0)
    total, start = token, time.perf_counter()
    for k in range(count):
        token = model.step([token], PROMPT + k)
        total = (total * 31 + token) % 1000003
    return time.perf_counter() - start, total


def main() -> None:
    path, threads = sys.argv[1:]
    start = time.perf_counter()
    model = Model(path, int(threads))
    print(time.perf_counter() - start, flush=True)
    for line in sys.stdin:
        kind, count = line.split()
        print(*run(model, kind, int(count)), flush=True)


main()
