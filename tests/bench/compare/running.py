"""The peers of a comparison: each runs the task in a process of its own, one after the other.

    measure("torch", task)  =>  Row("torch", figures={"tokens_per_second": 55.1, ...})
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.compare.options import Options

SHOWN = {
    "script": "Lambent, script", "executable": "Lambent, executable", "torch": "PyTorch, eager",
    "torch-compiled": "PyTorch, compiled", "transformers": "transformers",
    "llama.cpp": "llama.cpp",
}
_SCRIPTS = {
    "torch": "torch_peer.py", "torch-compiled": "torch_peer.py",
    "transformers": "transformers_peer.py", "llama.cpp": "llama_cpp_peer.py",
}
_PROGRAM = "(language-model-command (cdr (command-line)))\n"
_LONGEST_REASON = 300  # characters

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """A peer, with its figures or why it has none."""

    peer: str
    figures: Figures | None = None
    reason: str = ""

    @property
    def name(self) -> str:
        return SHOWN[self.peer]


@dataclass(frozen=True, slots=True)
class Task:
    """What all peers do: dtype, and the tokens of the prompt."""

    options: Options
    dtype: str
    prompt: list[int]

    @property
    def threads(self) -> int:
        return self.options.threads or len(os.sched_getaffinity(0))


def task_of(options: Options) -> Task:
    """The task for a folder: the prompt is that of stdlib/chat/model-bench.lisp."""
    config = json.loads((Path(options.folder) / "config.json").read_text("utf-8"))
    dtype = options.dtype or config.get("dtype") or config.get("torch_dtype") or "float32"
    size = int(config["vocab_size"])
    return Task(options, dtype, [(13 + 7919 * k) % size for k in range(options.prompt_tokens)])


def measure(peer: str, task: Task) -> Row:
    """Run a peer to its end."""
    with tempfile.TemporaryDirectory(prefix="lambent-bench-") as folder:
        result = Path(folder) / "result.json"
        try:
            command = _command(peer, task, Path(folder), result)
        except OSError as error:
            return Row(peer, reason=str(error))
        start = time.time()
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace", timeout=task.options.timeout, env=_environment(task),
            )
        except subprocess.TimeoutExpired:
            return Row(peer, reason=f"it took longer than {task.options.timeout} seconds")
        except OSError as error:
            return Row(peer, reason=f"cannot run {command[0]}: {error.strerror}")
        if done.returncode != 0 or not result.exists():
            return Row(peer, reason=_failure(done))
        figures = json.loads(result.read_text("utf-8"))
    if "unavailable" in figures:
        return Row(peer, reason=figures["unavailable"])
    figures["cold_start_seconds"] = figures.pop("first_token_at") - start
    return Row(peer, figures)


def _command(peer: str, task: Task, folder: Path, result: Path) -> list[str]:
    if peer in _SCRIPTS:
        described = {
            "folder": str(Path(task.options.folder).absolute()), "prompt": task.prompt,
            "dtype": task.dtype, "tokens": task.options.tokens, "repeats": task.options.repeats,
            "threads": task.threads, "compile": peer == "torch-compiled",
            "gguf": task.options.gguf and str(Path(task.options.gguf).absolute()),
        }
        (folder / "task.json").write_text(json.dumps(described))
        script = Path(__file__).with_name("peers") / _SCRIPTS[peer]
        python = task.options.python or sys.executable
        return [python, str(script), str(folder / "task.json"), str(result)]
    words = [
        "bench", task.options.folder, "--prompt-tokens", str(len(task.prompt)),
        "--tokens", str(task.options.tokens), "--repeats", str(task.options.repeats),
        "--threads", str(task.threads), "--dtype", task.dtype, "--json", str(result),
    ]
    if peer == "script":
        return [sys.executable, "-P", "-m", "lambent.lang", *words]
    return [str(_executable(folder)), *words]


def _executable(folder: Path) -> Path:
    """The commands for language models, compiled."""
    from lambent.lang.pipeline import compile_file

    source, program = folder / "bench.lisp", folder / "bench"
    source.write_text(_PROGRAM)
    compile_file(str(source), program, False, lambda _: None)
    return program


def _environment(task: Task) -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": str(task.threads), "HF_HUB_OFFLINE": "1",
            "TOKENIZERS_PARALLELISM": "false"}


def _failure(done: "subprocess.CompletedProcess[str]") -> str:
    """The last line that says why a process failed."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("lambent:", "error:")) or "Error" in line]
    said = (errors or lines or ["it printed nothing"])[-1]
    return f"status {done.returncode}: {said[:_LONGEST_REASON]}"
