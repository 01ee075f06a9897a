"""Generation by llama.cpp's Python package; generation_loop.py says how it answers.

    generate_llama_cpp.py FILE THREADS
"""

import sys

import numpy as np
from llama_cpp import Llama, llama_cpp

from generation_loop import CONTEXT, answer  # isort: skip


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


path, threads = sys.argv[1:]
answer(lambda: Model(path, int(threads)))
