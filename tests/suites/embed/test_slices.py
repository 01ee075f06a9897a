"""Jobs in slices: others run between them, and they end when they are told to."""

import gc
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import lambent
from lambent.lang.interp.embed.executor import EXECUTOR
from lambent.lang.interp.embed.slices import Slices

LOOP = "(lambda (n) (let loop ((k 0)) (if (< k n) (loop (+ k (car (list 1)))) k)))"
ENDLESS = "(let loop ((k 0)) (loop (string-length (number->string k))))"
GENEROUS = 60.0  # seconds


class Sliced:
    """A call on a thread of its own."""

    def __init__(self, function: Callable[..., Any], *arguments: Any, size: int = 0) -> None:
        self.slices = Slices(size)
        self.result: Any = None
        self.failure: BaseException | None = None

        def work() -> None:
            try:
                with EXECUTOR.sliced(self.slices):
                    self.result = function(*arguments)
            except BaseException as failure:
                self.failure = failure

        self.thread = threading.Thread(target=work, daemon=True)
        self.thread.start()

    def stopped(self) -> "Sliced":
        """The call, which is ended after a moment."""
        time.sleep(0.3)
        self.slices.stop()
        return self.joined()

    def joined(self) -> "Sliced":
        self.thread.join(GENEROUS)
        assert not self.thread.is_alive()
        return self


def test_others_run_meanwhile() -> None:
    """And what they do in between does not change the result."""
    session = lambent.Session()
    ended = threading.Event()
    session.define("ended?", ended.is_set)
    sum_until_ended = session.eval(
        "(lambda () (let loop ((k 0) (sum 0))"
        " (if (and (= 0 (modulo k 1000)) (ended?)) (= sum (quotient (* k (- k 1)) 2))"
        " (loop (+ k 1) (+ sum (car (list k)))))))")
    fold = session.eval("(lambda (n) (fold + 0 (map (lambda (k) (* k k)) (iota n))))")
    job = Sliced(sum_until_ended)
    for _ in range(20):
        assert fold(20) == sum(k * k for k in range(20))
    assert job.thread.is_alive(), job.failure
    ended.set()
    assert job.joined().result is True, job.failure


def test_many_at_once() -> None:
    """Each begins above those that are suspended, and all end with their own results."""
    loop = lambent.Session().eval(LOOP)
    jobs = [Sliced(loop, 20_000 + k) for k in range(12)]
    assert [job.joined().result for job in jobs] == [20_000 + k for k in range(12)]


IS_FAST = "evaluator" in lambent.Session.__module__  # it would end by itself


@pytest.mark.parametrize("text", [
    "(lambda (n) (let loop ((k n)) (loop (car (list k)))))" if IS_FAST else LOOP,
    f"(lambda (n) (guard (e (#t 'caught)) {ENDLESS}))",
    "(lambda (n) (string->json (json->string (make-list n '(1)))))",
])
def test_they_end(text: str) -> None:
    session = lambent.Session()
    job = Sliced(session.eval(text), 3_000_000)
    assert isinstance(job.stopped().failure, KeyboardInterrupt)
    assert session.eval("(+ 1 2)") == 3


def test_after_thunks_run() -> None:
    session = lambent.Session()
    session.eval("(define ended 0)")
    function = session.eval(
        f"(lambda () (dynamic-wind (lambda () #f) (lambda () {ENDLESS})"
        " (lambda () (set! ended (+ ended 1)))))")
    for _ in range(3):
        Sliced(function).stopped()
    assert session.eval("ended") == 3


def test_a_job_that_waits_ends() -> None:
    """It has not begun yet."""
    loop = lambent.Session().eval(f"(lambda () {ENDLESS})")
    first = Sliced(lambda: EXECUTOR.run(lambda: time.sleep(1)))
    time.sleep(0.3)
    assert isinstance(Sliced(loop).stopped().failure, KeyboardInterrupt)
    assert first.joined().failure is None


def test_a_reserved_worker_is_kept() -> None:
    """LibTorch keeps some of its state in threads, so others must not get that one, or wait."""
    found: list[list[int]] = []

    def work() -> None:
        EXECUTOR.reserve()
        own, others = [EXECUTOR.run(threading.get_ident)], []
        for _ in range(3):
            jobs = [Sliced(EXECUTOR.run, threading.get_ident) for _ in range(3)]
            own.append(EXECUTOR.run(threading.get_ident))
            others += [job.joined().result for job in jobs]
        found.extend((own, others))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(GENEROUS)
    own, others = found
    assert len(set(own)) == 1 and not set(own) & set(others)


def test_a_short_job_does_not_wait_for_the_end_of_later_long_ones() -> None:
    """One whose slice has ended goes on after those that began above it."""
    session = lambent.Session()
    endless, loop = session.eval(f"(lambda () {ENDLESS})"), session.eval(LOOP)
    below = [Sliced(endless) for _ in range(2)]
    time.sleep(0.5)
    short = Sliced(loop, 200_000)  # a few slices, and less than its share at a time
    above = [Sliced(endless) for _ in range(4)]
    assert short.joined().result == 200_000, short.failure
    for job in (*above, *below):
        job.slices.stop()
    for job in (*above, *below):
        assert isinstance(job.joined().failure, KeyboardInterrupt)


def test_the_smallest_job_begins_first() -> None:
    order: list[int] = []
    session = lambent.Session()
    session.define("note", order.append)
    note = session.eval("(lambda (k) (note k))")
    first = Sliced(lambda: EXECUTOR.run(lambda: time.sleep(1)))
    time.sleep(0.3)
    jobs = [Sliced(note, size, size=size) for size in (300, 100, 200)]
    for job in (first, *jobs):
        assert job.joined().failure is None
    assert order == [100, 200, 300]


def test_callbacks_of_the_collector_do_not_swallow_the_end() -> None:
    """They run wherever a collection begins, and Python drops what they raise."""
    lists = "(let loop ((kept '())) (loop (map list '(1 2 3 4 5 6 7 8))))"

    def step() -> None:
        pass

    def generator() -> Iterator[None]:
        try:
            yield
        finally:
            end = time.monotonic() + 0.05
            while time.monotonic() < end:
                step()

    def callback(phase: str, info: dict[str, int]) -> None:
        for _ in range(500):
            step()
        cycle: list[Any] = [generator()]  # the next collection closes it
        next(cycle[0])
        cycle.append(cycle)

    session = lambent.Session()
    thresholds = gc.get_threshold()
    gc.callbacks.append(callback)
    gc.set_threshold(100)
    try:
        for _ in range(5):
            job = Sliced(session.eval, lists)
            assert isinstance(job.stopped().failure, KeyboardInterrupt)
    finally:
        gc.callbacks.remove(callback)
        gc.set_threshold(*thresholds)
