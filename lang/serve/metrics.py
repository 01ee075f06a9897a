"""What Prometheus reads at /metrics: counters of the exchanges, and what the engines do now.

    lambent_requests_total{endpoint="/v1/embeddings",model="m",status="200"} 5

The labels have few values: paths of handlers, names of models that are served, and statuses.
"""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lambent.lang.serve.engine import Load
from lambent.lang.serve.exchanges import Exchange

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)  # seconds

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class EngineState:
    """What an engine has done, and does."""

    model: str
    load: Load
    unfinished: int
    steps: int
    tokens: int


class Histogram:
    """How many seconds something took."""

    def __init__(self) -> None:
        self._counts = [0] * (len(_BOUNDS) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        self._counts[bisect_left(_BOUNDS, seconds)] += 1
        self._sum += seconds

    def lines(self, name: str, labels: Labels) -> Iterable[str]:
        total = 0
        for bound, count in zip([*map(str, _BOUNDS), "+Inf"], self._counts, strict=True):
            total += count
            yield _line(f"{name}_bucket", (*labels, ("le", bound)), total)
        yield _line(f"{name}_sum", labels, self._sum)
        yield _line(f"{name}_count", labels, total)


@dataclass(slots=True)
class Metrics:
    """The exchanges so far."""

    begun: float = field(default_factory=time.time)
    requests: Counter[Labels] = field(default_factory=Counter)
    prompt_tokens: Counter[Labels] = field(default_factory=Counter)
    cached_tokens: Counter[Labels] = field(default_factory=Counter)
    new_tokens: Counter[Labels] = field(default_factory=Counter)
    durations: dict[Labels, Histogram] = field(default_factory=dict)
    first_tokens: dict[Labels, Histogram] = field(default_factory=dict)

    def add(self, exchange: Exchange) -> None:
        """Count an exchange that has ended."""
        model = (("model", exchange.model),)
        endpoint = (("endpoint", exchange.endpoint), *model)
        self.requests[(*endpoint, ("status", str(exchange.status)))] += 1
        self.durations.setdefault(endpoint, Histogram()).add(exchange.seconds)
        if exchange.model:
            self.prompt_tokens[model] += exchange.prompt_tokens
            self.cached_tokens[model] += exchange.cached_tokens
            self.new_tokens[model] += exchange.new_tokens
        if exchange.first_token is not None:
            self.first_tokens.setdefault(model, Histogram()).add(exchange.first_token)

    def text(self, engines: Iterable[EngineState]) -> str:
        """All metrics, as Prometheus reads them."""
        states = list(engines)
        lines = [
            *_counter("requests", "Requests that have been answered.", self.requests),
            *_histogram("request_seconds", "From the request to the end of its answer.",
                        self.durations),
            *_histogram("first_token_seconds", "From the request to its first token.",
                        self.first_tokens),
            *_counter("prompt_tokens", "Tokens of prompts.", self.prompt_tokens),
            *_counter("cached_tokens", "Tokens of prompts that were computed before.",
                      self.cached_tokens),
            *_counter("generated_tokens", "Tokens of answers.", self.new_tokens),
            *_of_engines("steps_total", "counter", "Steps of an engine.",
                         {state.model: state.steps for state in states}),
            *_of_engines("requests_unfinished", "gauge", "Choices that have not ended.",
                         {state.model: state.unfinished for state in states}),
            *_of_engines("requests_running", "gauge", "Choices in the batch.",
                         {state.model: state.load.running for state in states}),
            *_of_engines("requests_waiting", "gauge", "Choices that wait for the batch.",
                         {state.model: state.load.waiting for state in states}),
            *_of_engines("cache_pages", "gauge", "Pages of keys and values.",
                         {state.model: state.load.pages for state in states}),
            *_of_engines("cache_pages_used", "gauge", "Pages that requests hold.",
                         {state.model: state.load.used_pages for state in states}),
            *_of_engines("cache_pages_kept", "gauge", "Pages of earlier requests.",
                         {state.model: state.load.kept_pages for state in states}),
            *_head("start_time_seconds", "gauge", "When the server began, in seconds since 1970."),
            _line("lambent_start_time_seconds", (), self.begun),
        ]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, doc: str) -> list[str]:
    return [f"# HELP lambent_{name} {doc}", f"# TYPE lambent_{name} {kind}"]


def _counter(name: str, doc: str, values: Mapping[Labels, int]) -> list[str]:
    name += "_total"
    return [*_head(name, "counter", doc),
            *(_line(f"lambent_{name}", labels, value) for labels, value in values.items())]


def _histogram(name: str, doc: str, values: Mapping[Labels, Histogram]) -> list[str]:
    lines = _head(name, "histogram", doc)
    for labels, histogram in values.items():
        lines += histogram.lines(f"lambent_{name}", labels)
    return lines


def _of_engines(name: str, kind: str, doc: str, values: Mapping[str, int]) -> list[str]:
    return [*_head(name, kind, doc),
            *(_line(f"lambent_{name}", (("model", model),), value)
              for model, value in values.items())]


def _line(name: str, labels: Labels, value: float) -> str:
    shown = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{shown}}} {value}" if shown else f"{name} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
