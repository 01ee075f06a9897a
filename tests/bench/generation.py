"""Generation: Llamas of 15 and 110 million random weights, token by token, and whole prompts.

    decode, 15M Llama, float32
      executable          1.33 ms        0.71x of plain loop, at most 1x             ok

The peers are a loop over PyTorch's operators with a static cache, transformers, and llama.cpp where
its Python package is installed (LAMBENT_BENCH_LLAMA_CPP is the folder if it is not in the
environment).  Each contender is a process that answers requests, so they alternate.  In float32 the
tokens of all must be the same; in other precisions they need not be.
"""

import importlib.util
import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.bench.build import LAMBENT, OUT, PEERS, PROGRAMS, PYTHON, compile_lisp
from tests.bench.measure import Command, last_number, output
from tests.bench.training import Figures

EXECUTABLE, SCRIPT, PLAIN, HUGGING_FACE = "executable", "script", "plain loop", "transformers"
LLAMA_CPP = "llama.cpp"
LLAMA_CPP_FOLDER = "LAMBENT_BENCH_LLAMA_CPP"
PROGRAM = PROGRAMS / "generate_serve.lisp"
DECODED, PROMPT, SEQUENCES = 64, 512, 8
MEGABYTE = 1 << 20
MOST_OVER_WEIGHTS = 250 * MEGABYTE
MOST_FIRST_MS, MOST_SAMPLE_US = 500.0, 60.0
MOST_FIRST_OF_LLAMA_CPP = 1.5
MOST_OVER_PLAIN = 1.1  # of a token by a schema
LONG_PROMPT = 900


@dataclass(frozen=True, slots=True)
class Model:
    """memory_bound: whether reading the weights takes most of the time."""

    name: str
    sizes: tuple[int, int, int, int]  # width, layers, heads, hidden
    weights: int  # elements
    memory_bound: bool

    @property
    def folder(self) -> Path:
        return OUT / "models" / self.name


MODELS = (
    Model("15M", (288, 6, 6, 768), 15_191_712, False),
    Model("110M", (768, 12, 12, 2048), 109_529_856, True),
)


@dataclass(frozen=True, slots=True)
class Precision:
    """decode, prompt: what llama.cpp's time is multiplied by for the limit; None: no limit."""

    title: str
    dtype: str
    bits: int
    file: str  # llama.cpp's
    bytes_each: float  # of a weight
    decode: float | None
    prompt: float | None


PRECISIONS = (
    Precision("float32", "float32", 0, "F32", 4, None, None),
    Precision("bfloat16", "bfloat16", 0, "BF16", 2, 1.0, 1 / 4),
    Precision("int8", "float32", 8, "Q8_0", 1.125, 1 / 0.8, None),
    Precision("int4", "float32", 4, "Q4_0", 0.625, 1 / 0.65, None),
)


@dataclass(slots=True)
class Contender:
    process: subprocess.Popen[str]
    started: float
    load: float = 0.0
    first: float = 0.0  # seconds from the start of the process to its first token
    decode: list[float] = field(default_factory=list)
    prompt: list[float] = field(default_factory=list)
    batch: list[float] = field(default_factory=list)  # a token of one of eight sequences
    tokens: str = ""

    def ask(self, request: str) -> tuple[float, str]:
        """The seconds that it took, and the checksum of the tokens."""
        assert self.process.stdin is not None
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        seconds, tokens = self.line().split()
        return float(seconds), tokens

    def begin(self) -> None:
        self.load = float(self.line())
        self.ask("decode 1")
        self.first = time.perf_counter() - self.started

    def line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"generation failed: {self.process.args}")
        return line

    def peak(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        row = next(line for line in status if line.startswith("VmHWM:"))
        return float(row.split()[1]) * 1024


def measure_generation(rounds: int) -> Iterator[Figures]:
    program = compile_lisp(PROGRAM)
    for model in MODELS:
        _write(model)
        for precision in PRECISIONS:
            yield from _measure(model, precision, commands_of(program, model, precision), rounds)
    yield _sampling()
    yield _grammar()
    yield from _caches()


def _write(model: Model) -> None:
    """The model's files, once."""
    written = [model.folder / "bfloat16" / "config.json", model.folder / "config.json"]
    if not all(path.exists() for path in written):  # the other is written last
        output([PYTHON, PEERS / "generate_models.py", model.folder, *map(str, model.sizes)])
    for precision in PRECISIONS:
        folder = _folder(model, precision)
        if not (folder / "config.json").exists():
            output([LAMBENT, "quantize", model.folder, folder, "--bits", str(precision.bits)])


def _folder(model: Model, precision: Precision) -> Path:
    """Weights of each precision lie in a folder of their own, as llama.cpp's do, and are mapped."""
    return model.folder if precision.title == "float32" else model.folder / precision.title


def commands_of(program: Path, model: Model, precision: Precision) -> dict[str, Command]:
    given = [_folder(model, precision), precision.dtype, "0", "0"]
    commands: dict[str, Command] = {
        EXECUTABLE: [program, *given],
        SCRIPT: [LAMBENT, PROGRAM, *given],
    }
    if not precision.bits:
        python = [PYTHON, PEERS / "generate_torch.py"]
        rest = [_folder(model, precision), precision.dtype, "0"]
        commands[PLAIN] = [*python, "plain", *rest]
        if importlib.util.find_spec("transformers"):
            commands[HUGGING_FACE] = [*python, "transformers", *rest]
    if os.environ.get(LLAMA_CPP_FOLDER) or importlib.util.find_spec("llama_cpp"):
        file = model.folder / f"{precision.file}.gguf"
        threads = str(os.cpu_count())
        commands[LLAMA_CPP] = [PYTHON, PEERS / "generate_llama_cpp.py", file, threads]
    return commands


@contextmanager
def running(command: Command) -> Iterator[Contender]:
    environment = dict(os.environ, HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")
    folder = environment.get(LLAMA_CPP_FOLDER)
    if folder and "generate_llama_cpp.py" in str(command[1]):
        environment["PYTHONPATH"] = folder
    started = time.perf_counter()
    with subprocess.Popen(
        [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, env=environment,
    ) as process:  # fmt: skip
        try:
            yield Contender(process, started)
        finally:
            process.kill()


def _measure(
    model: Model, precision: Precision, commands: Mapping[str, Command], rounds: int
) -> Iterator[Figures]:
    with ExitStack() as stack:
        contenders: dict[str, Contender] = {}
        for name, command in commands.items():
            with running(command) as cold:  # fills the disk cache
                cold.begin()
            contenders[name] = stack.enter_context(running(command))
            contenders[name].begin()
        for _ in range(rounds):
            for contender in contenders.values():
                _, contender.tokens = contender.ask(f"decode {DECODED}")
                contender.decode.append(contender.ask(f"decode {DECODED}")[0] / DECODED)
                contender.ask(f"prompt {PROMPT}")
                contender.prompt.append(contender.ask(f"prompt {PROMPT}")[0] / PROMPT)
        peaks = {name: contender.peak() for name, contender in contenders.items()}
        for _ in range(rounds):
            for ours in (contenders[EXECUTABLE], contenders[SCRIPT]):
                seconds, _ = ours.ask(f"batch {DECODED}")
                ours.batch.append(seconds / DECODED / SEQUENCES)
    if precision.title == "float32":
        _check_tokens(model, contenders)
    yield from _tables(model, precision, contenders, peaks)


def _check_tokens(model: Model, contenders: Mapping[str, Contender]) -> None:
    """All of them must have chosen the same tokens."""
    tokens = {name: contender.tokens for name, contender in contenders.items()}
    if len(set(tokens.values())) > 1:
        raise SystemExit(f"{model.name}: the tokens differ: {tokens}")


def _tables(
    model: Model, precision: Precision, contenders: Mapping[str, Contender],
    peaks: Mapping[str, float],
) -> Iterator[Figures]:
    what = f"{model.name} Llama, {precision.title}"
    decode = {name: 1000 * median(c.decode) for name, c in contenders.items()}
    prompt = {name: 1000 * median(c.prompt) for name, c in contenders.items()}
    limits = _decode_limits(model, precision, decode)
    yield Figures(f"decode, {what}", "ms", decode, limits, _rates(decode))
    limits = []
    if precision.prompt and LLAMA_CPP in prompt:
        limits = [(EXECUTABLE, LLAMA_CPP, precision.prompt)]
    yield Figures(f"prompt of {PROMPT}, {what}, a token", "ms", prompt, limits, _rates(prompt))
    batch = {f"{EXECUTABLE}, alone": decode[EXECUTABLE]}
    batch |= {name: 1000 * median(contenders[name].batch) for name in (EXECUTABLE, SCRIPT)}
    limits = [(EXECUTABLE, f"{EXECUTABLE}, alone", 1 / 3)]
    yield Figures(f"eight sequences together, {what}, a token", "ms", batch, limits, _rates(batch))
    load = {name: 1000 * c.load for name, c in contenders.items()}
    limits = [(EXECUTABLE, HUGGING_FACE, 1 / 3)] if HUGGING_FACE in load else []
    yield Figures(f"loading, {what}", "ms", load, limits, "without imports")
    first = {name: 1000 * c.first for name, c in contenders.items()}
    limits = []  # what llama.cpp takes includes the start of Python
    if model.memory_bound and not precision.bits:
        first["at most"] = MOST_FIRST_MS
        limits = [(EXECUTABLE, "at most", 1.0)]
    if model.memory_bound and LLAMA_CPP in first:
        limits.append((EXECUTABLE, LLAMA_CPP, MOST_FIRST_OF_LLAMA_CPP))
    yield Figures(f"first token, {what}", "ms", first, limits, "from the start of the process")
    most = model.weights * precision.bytes_each + MOST_OVER_WEIGHTS
    yield Figures(
        f"peak memory, {what}", "bytes", dict(peaks) | {"weights + 250 MB": most},
        [(EXECUTABLE, "weights + 250 MB", 1.0)], "resident, with the prompt",
    )  # fmt: skip


def _decode_limits(
    model: Model, precision: Precision, decode: Mapping[str, float]
) -> list[tuple[str, str, float]]:
    peers = [name for name in decode if name not in (EXECUTABLE, SCRIPT)]
    if precision.title == "float32" and model.memory_bound:
        return [(EXECUTABLE, min(peers, key=lambda name: decode[name]), 1.05)]
    if precision.title == "float32":
        return [(EXECUTABLE, PLAIN, 1.0)]
    if precision.decode and LLAMA_CPP in decode:
        return [(EXECUTABLE, LLAMA_CPP, precision.decode)]
    return []


def _rates(milliseconds: Mapping[str, float]) -> str:
    rates = ", ".join(f"{name} {1000 / figure:,.0f}" for name, figure in milliseconds.items())
    return f"tokens per second: {rates}"


def _sampling() -> Figures:
    """One step of the sampler over 32,000 logits."""
    program = compile_lisp(PROGRAMS / "sample.lisp")
    names: Sequence[str] = output([program]).splitlines()
    figures = {line.rpartition(" ")[0]: last_number(line) for line in names}
    limits = [(name, "at most", 1.0) for name in figures]
    return Figures(
        "sampling one of 32,000 tokens", "us", figures | {"at most": MOST_SAMPLE_US}, limits,
        "executable, one thread",
    )  # fmt: skip


def _grammar() -> Figures:
    """A token of a text, plain and with a JSON schema, where the vocabulary has 128,000."""
    program = compile_lisp(PROGRAMS / "grammar.lisp")
    figures = dict(_rows(output([program])))
    return Figures(
        "a token of 128,000, by a schema", "ms", figures,
        [("schema", "plain", MOST_OVER_PLAIN)], "a small model: six layers of 288",
    )  # fmt: skip


def _caches() -> Iterator[Figures]:
    """Tokens after a long prompt with caches of several bits, drafts, and a prompt asked again."""
    program = compile_lisp(PROGRAMS / "long_prompt.lisp")
    rows = dict(_rows(output([program, MODELS[0].folder])))
    decode = {name: rows[f"decode {name}"] for name in ("float32", "int8", "int4", "ngrams")}
    yield Figures(f"decode after {LONG_PROMPT}, 15M Llama, by the cache", "ms", decode, [],
                  "int8 and int4 save memory; ngrams: of a text that repeats itself")
    sizes = {name: rows[f"bytes {name}"] for name in ("float32", "int8", "int4")}
    yield Figures(f"keys and values of {LONG_PROMPT} tokens, 15M Llama", "bytes", sizes,
                  [("int8", "float32", 0.3), ("int4", "float32", 0.26)], "")
    prompt = {name: rows[f"prompt {name}"] for name in ("first", "again")}
    yield Figures(f"prompt of {LONG_PROMPT} in a batch engine, 15M Llama", "ms", prompt,
                  [("again", "first", 0.2)], "again: its pages are kept")


def _rows(text: str) -> Iterator[tuple[str, float]]:
    for line in text.splitlines():
        name, _, figure = line.rpartition(" ")
        yield name, float(figure)
