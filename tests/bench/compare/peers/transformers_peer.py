"""The model in the package transformers, with its own generation."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import measuring


def measure(task: dict[str, Any]) -> dict[str, Any]:
    import torch
    import transformers

    torch.set_num_threads(task["threads"])
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    start = time.perf_counter()
    dtype = getattr(torch, task["dtype"])
    model = transformers.AutoModelForCausalLM.from_pretrained(task["folder"], dtype=dtype).eval()
    load_seconds = time.perf_counter() - start
    prompt = torch.tensor([task["prompt"]])

    class Clock(transformers.StoppingCriteria):
        def __init__(self, note: Callable[[], None]) -> None:
            self.note = note

        def __call__(self, ids: Any, scores: Any, **_: Any) -> Any:
            self.note()
            return torch.zeros(ids.shape[0], dtype=torch.bool)

    def generate(note: Callable[[], None]) -> Sequence[int]:
        out = model.generate(
            prompt, attention_mask=torch.ones_like(prompt), do_sample=False,
            max_new_tokens=task["tokens"], eos_token_id=None, pad_token_id=0,
            repetition_penalty=1.0, stopping_criteria=[Clock(note)],
        )
        return list(out[0, prompt.shape[1]:].tolist())

    with torch.inference_mode():
        probe = model(prompt).logits[0, -1].float().tolist()
        return measuring.measured(task, load_seconds, generate, probe, task["dtype"])


measuring.run(measure)
