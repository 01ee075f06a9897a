"""`lambent serve FOLDER`, from its words to the end of the server.

    serving tiny at http://127.0.0.1:8000/v1 (Ctrl-C ends)

Ctrl-C ends it: requests that are running are ended, and the status is 0.  SIGTERM closes the port,
so that another process can take it, lets running requests finish for --drain seconds, and ends the
rest.  A thread of its own watches for signals, and ends the process at the second one, or if the
event loop, an engine or a thread of a request does not end in time.

Connections are accepted while the models load: /health and /ready say so.
"""

import asyncio
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from aiohttp import web

from lambent.lang.errors import LispError, UsageFault
from lambent.lang.interp.embed.to_python import EmbeddedError
from lambent.lang.serve.app import Connection, Service, Settings
from lambent.lang.serve.engine import Engine
from lambent.lang.serve.options import NGRAMS, Options, parse
from lambent.lang.serve.request_log import RequestLog
from lambent.lang.serve.requests import Limits, Target
from lambent.lang.system.collector import keep_little_memory

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_GRACE = 2.0  # seconds for running requests to end after a signal
_LONGEST_END = 3 * _GRACE  # seconds for everything to end; then the process just ends


def serve(words: list[str]) -> int:
    """Run the server until a signal; the exit status."""
    if hasattr(signal, "SIGPIPE"):  # other commands end where a reader goes away
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    options = parse(words)
    keep_little_memory()
    return asyncio.run(_serve(options))


async def _serve(options: Options) -> int:
    log = RequestLog(options.log)
    with _signalled(options.drain) as ended, _listening(options) as listener:
        engines = {name: _engine(options, name) for name in options.models}
        settings = _settings(options)
        service = Service(engines, settings, log, options.max_responses)
        runner = web.AppRunner(service.app(), handler_cancellation=True, shutdown_timeout=_GRACE)
        await runner.setup()
        http = runner.server
        assert http is not None
        sockets = await asyncio.get_running_loop().create_server(
            lambda: Connection(http, options.timeout), sock=listener
        )
        try:
            if await _first(_all(engine.opened() for engine in engines.values()), ended):
                _check_used(options, engines.values())
                service.begin()
                _announce(options, listener, has_key=settings.api_key is not None)
                await _first(_any(engine.closed() for engine in engines.values()), ended)
            service.refuse()
            sockets.close()
            if ended.number == signal.SIGTERM:
                await _within(options.drain, service.idle())
        finally:
            sockets.close()
            for engine in engines.values():
                engine.stop()
            await runner.cleanup()
            await _within(_GRACE, _all(engine.closed() for engine in engines.values()))
            log.close()
    return 0

SERVER_PAGE = 16  # tokens, as %server-page in stdlib/chat/model-server.lisp
_PAGES = re.compile(r":pages (\d+)")
_KEYWORD = re.compile(r"(?<!\S):([a-z][a-z-]*)")
_OPTIONS = {"window": "--cache-window", "sinks": "--cache-sinks"} | {
    name: f"--{name}"
    for name in ("cache-tokens", "cache-bits", "cache-window", "cache-sinks", "draft",
                 "draft-tokens", "bits", "dtype", "device", "threads")
}


def _engine(options: Options, name: str) -> Engine:
    return Engine(_opening(options, name), options.max_batch + options.max_waiting,
                  options.max_tokens, options.timeout)


def _check_used(options: Options, engines: Iterable[Engine]) -> None:
    """Refuse options of language models where all models are others.  A single model refuses them
    itself, when it is opened."""
    if any(engine.model.kind == "decoder" for engine in engines):
        return
    for word, value in (
        ("--draft", options.draft), ("--draft-tokens", options.draft_tokens),
        ("--cache-tokens", options.cache_tokens), ("--cache-bits", options.cache_bits),
        ("--cache-window", options.cache_window), ("--cache-sinks", options.cache_sinks >= 0),
    ):
        if value:
            raise LispError(f"lambent: {word} is for language models, and none of these is one",
                            hint="leave it out")


async def _all(jobs: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Wait for jobs, or for the first one that fails."""
    await asyncio.gather(*jobs)


async def _any(jobs: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Wait for the first job that ends; what it raises is raised."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()


async def _within(seconds: float, job: Coroutine[Any, Any, None]) -> None:
    """Wait for a job, but not longer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await job


class Ended(asyncio.Event):
    """Set by the first signal.  number: of that signal."""

    number = 0


async def _first(job: Coroutine[Any, Any, None], ended: Ended) -> bool:
    """Wait for a job or for a signal; whether the job came first.  What it raises is raised."""
    task = asyncio.ensure_future(job)
    waiting = asyncio.ensure_future(ended.wait())
    try:
        await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            return False
        task.result()
        return True
    except EmbeddedError as failure:
        error = failure.error
        raise LispError(f"lambent: {_naming_options(error.message)}",
                        hint=error.hint and _naming_options(error.hint)) from None
    finally:
        task.cancel()
        waiting.cancel()


@contextmanager
def _signalled(drain: float) -> Iterator[Ended]:
    """An event that the first signal sets; the second one ends the process.

    drain: seconds that requests may go on after SIGTERM.  Python writes the number of a signal to a
    socket as soon as it arrives, and a thread reads it there, so that a main thread that is busy
    does not matter.
    """
    ended = Ended()
    loop = asyncio.get_running_loop()
    reader, writer = socket.socketpair()
    writer.setblocking(False)

    def watch() -> None:
        with reader:
            first = reader.recv(1)
            if not first:
                return
            ended.number = first[0]
            longest = _LONGEST_END + (drain if ended.number == signal.SIGTERM else 0)
            timer = threading.Timer(longest, _end_at_once, (0,))
            timer.daemon = True
            timer.start()
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(ended.set)
            if second := reader.recv(1):
                _end_at_once(128 + second[0])

    threading.Thread(target=watch, name="signals", daemon=True).start()
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = [signal.signal(number, lambda *_: None) for number in numbers]
    descriptor = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        yield ended
    finally:
        signal.set_wakeup_fd(descriptor)
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)
        writer.close()


def _end_at_once(status: int) -> None:
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(status)


def _listening(options: Options) -> socket.socket:
    """The socket of the server, open before the model is loaded: mistakes show at once."""
    try:
        (family, _, _, _, address), *_ = socket.getaddrinfo(
            options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise UsageFault(f"lambent: cannot listen at {options.host}: {error.strerror}") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise LispError(
            f"lambent: cannot listen at {options.host}:{options.port}: {error.strerror}",
            hint="--port 0 takes a free one",
        ) from None
    return listener


def _settings(options: Options) -> Settings:
    is_local = options.host in _LOOPBACK
    return Settings(
        limits=Limits(_targets(options), options.max_tokens),
        sizes={name: _size(Path(path)) for name, path in options.models.items()},
        body_bytes=options.max_body,
        audio_bytes=options.max_audio,
        patience=options.timeout,
        api_key=options.api_key or os.environ.get("LAMBENT_API_KEY") or None,
        names=frozenset(_LOOPBACK) if is_local else frozenset(),
        origins=frozenset(options.cors.replace(",", " ").split()),
    )


def _size(path: Path) -> int:
    """The bytes of a file, or of the files in a folder."""
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _targets(options: Options) -> dict[str, Target]:
    """What the names of models mean: each model, and each with one of its adapters."""
    targets = {name: Target(name) for name in options.models}
    for model, adapters in options.adapters.items():
        targets |= {f"{model}:{adapter}": Target(model, k) for k, adapter in enumerate(adapters)}
    return targets


def _announce(options: Options, listener: socket.socket, *, has_key: bool) -> None:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    models = ", ".join(options.models)
    print(f"serving {models} at http://{shown}:{port}/v1 (Ctrl-C ends)", flush=True)
    if options.host not in _LOOPBACK and not has_key:
        print("lambent: everybody who reaches this machine can use the server; --api-key KEY "
              "asks for a key", file=sys.stderr, flush=True)


def _opening(options: Options, name: str) -> str:
    """The Lisp that opens a model."""
    folder = _string(options.models[name])
    words = [f"(model-server {folder} :max-batch {options.max_batch}"]
    if adapters := options.adapters[name]:
        words.append(f":adapters '({' '.join(map(_string, adapters.values()))})")
    if options.dtype:
        words.append(f":dtype (string->symbol {_string(options.dtype)})")
    if options.device:
        words.append(f":device {_string(options.device)}")
    if options.bits:
        words.append(f":bits {options.bits}")
    if options.cache_tokens:
        words.append(f":cache-tokens {options.cache_tokens}")
    if options.cache_bits:
        words.append(f":cache-bits {options.cache_bits}")
    if options.cache_window:
        words.append(f":cache-window {options.cache_window}")
    if options.cache_sinks >= 0:
        words.append(f":cache-sinks {options.cache_sinks}")
    if options.draft:
        draft = f"'{NGRAMS}" if options.draft == NGRAMS else _string(options.draft)
        words.append(f":draft {draft}")
    if options.draft_tokens:
        words.append(f":draft-tokens {options.draft_tokens}")
    if len(options.models) > 1:
        words.append(":several #t")
    if options.threads:
        words.append(f":threads {options.threads}")
    if sys.stderr.isatty():
        words.append(":progress #t")
    return " ".join(words) + ")"


def _naming_options(text: str) -> str:
    """A text of an error with the command's options in the place of the keywords that they stand
    for, which its user has not written."""
    text = _PAGES.sub(lambda found: f"--cache-tokens {int(found[1]) * SERVER_PAGE}", text)
    return _KEYWORD.sub(lambda found: _OPTIONS.get(found[1], found[0]), text)


def _string(text: str) -> str:
    """A text as a Lisp string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
