"""Requests that cost much: other clients are answered meanwhile, and a signal ends the server."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from lambent.lang.embedding import Session
from lambent.lang.serve import bodies
from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.preparing import Model, Prepared, Preparer
from lambent.lang.serve.requests import Limits, Target, chat_request, text_request
from tests.suites.serve.test_serve import (
    CHAT,
    GENEROUS,
    TEXT,
    USER,
    Server,
    asked,
    raw,
    started,
    stream_request,
    text,
)
from tests.support.model_folders import folder

LIMIT = 4_000_000  # bytes of a body


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with started("--timeout", "5") as running:
        yield running
        running.process.send_signal(signal.SIGINT)
        output, errors = running.process.communicate(timeout=GENEROUS)
        assert (output, errors, running.process.returncode) == ("", "", 0)


# Bodies.

UNITS = (b'"', b'\\"', b'"\\"', b"[", b"{}", b'"a', b"\\", b"[],", b'"",', b"0,", b"\xff", b"[{",
         b"]")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("before", [b"", b'"', b'{"a":"', b"["])
def test_bodies_are_read_in_linear_time(before: bytes, unit: bytes) -> None:
    """A square of the size would take days."""
    begun = time.monotonic()
    with pytest.raises(ApiError):
        bodies.parsed(before + unit * (LIMIT // len(unit)))
    assert time.monotonic() < begun + 20


@pytest.mark.parametrize(("body", "depth"), [
    (b'["[[", "\\"[[", [1]]', 2), (b'[{"a]": "}"}, [[]]]', 3), (b"[1]]]][", 1), (b'"\\', 0),
    (b'{"a": "\\\\", "b": [[[]]]}', 4), (b'["\n[[[[\n"]', 1),
])
def test_depth(body: bytes, depth: int) -> None:
    assert bodies._depth(body) == depth


# Others meanwhile.


def watched(server: Server, path: str, body: bytes) -> tuple[float, tuple[int, dict[str, Any]]]:
    """The longest time that another client waited while a body was answered, and the answer."""
    answers: list[tuple[int, dict[str, Any]]] = []
    attack = threading.Thread(target=lambda: answers.append(asked(server, "POST", path, body)))
    attack.start()
    longest = 0.0
    while attack.is_alive():
        begun = time.monotonic()
        assert asked(server, "POST", TEXT, text())[0] == 200
        longest = max(longest, time.monotonic() - begun)
        time.sleep(0.02)
    return longest, answers[0]


def chat_body(**more: Any) -> bytes:
    return json.dumps({"model": "tiny", "messages": USER, "max_tokens": 2, **more}).encode()


def schema_body(schema: Any) -> bytes:
    return chat_body(response_format={"type": "json_schema", "json_schema": {"schema": schema}})


MANY_MESSAGES = chat_body(messages=USER * 60_000)
WIDE = schema_body({"type": "object", "properties": {
    f"p{k}": {"type": "string"} for k in range(1500)}, "required": [f"p{k}" for k in range(1500)]})

COSTLY: dict[str, tuple[str, bytes, int | None]] = {
    "a string that never ends": (CHAT, b'"' + b'\\"' * (LIMIT // 2 - 1), 400),
    "a long prompt": (TEXT, text(prompt="word é " * 300_000), 400),
    "a prompt of tokens": (TEXT, text(prompt=[5] * 1_000_000), 400),
    "a long message": (CHAT, chat_body(messages=[{**USER[0], "content": "a" * 3_900_000}]), 400),
    "many messages": (CHAT, MANY_MESSAGES, 400),
    "a wide schema": (CHAT, WIDE, None),  # a fast machine has its grammar in time
    "a long schema": (CHAT, schema_body({"enum": ["a" * 70_000]}), 400),
    "a long bias": (TEXT, text(logit_bias={str(k): 1 for k in range(300_000)}), 400),
    "many tools": (CHAT, chat_body(tools=[{}] * 800_000), 400),
    "a long field": (CHAT, chat_body(**{"a" * 3_000_000: 1}), 400),
}


@pytest.mark.parametrize("name", COSTLY)
def test_others_are_answered_meanwhile(server: Server, name: str) -> None:
    path, body, status = COSTLY[name]
    longest, answer = watched(server, path, body)
    print(f"others waited for {longest:.2f} s at most")
    assert answer[0] == (status or answer[0]) and answer[0] in (200, 400), answer
    assert ("error" in answer[1]) == (answer[0] == 400), answer
    assert longest < 10, longest  # seconds; the event loop alone was blocked for longer before


def tiny_model() -> Model:
    server = Session().eval(f'(model-server "{folder("llama")}")')
    return Model(server, *Model(server, 0, 0, "", False, False).call("info"))


def test_a_preparation_has_its_time() -> None:
    """More messages than a body may have: a fast machine prepares those in time."""
    body = {"model": "tiny", "messages": USER * 600_000, "max_tokens": 2}
    request = chat_request(body, Limits({"tiny": Target("tiny")}, 100))
    with pytest.raises(ApiError) as ended:
        asyncio.run(Preparer(tiny_model(), 0.5).prepared(request))
    assert (ended.value.status, ended.value.message) == (
        400, "preparing the request took longer than 0.5 seconds")


def test_requests_that_only_waited() -> None:
    """Many at once, each of which takes little time: those that wait too long may come again."""
    preparer = Preparer(tiny_model(), 0.2)
    request = text_request({"model": "tiny", "max_tokens": 2, "prompt": ["a word é, " * 12] * 16},
                           Limits({"tiny": Target("tiny")}, 100))

    async def prepared() -> list[Any]:
        return await asyncio.gather(*(preparer.prepared(request) for _ in range(100)),
                                    return_exceptions=True)

    results = asyncio.run(prepared())
    faults = [result for result in results if not isinstance(result, Prepared)]
    assert 0 < len(faults) < len(results)
    assert {(fault.status, fault.code) for fault in faults} == {(503, "busy")}
    assert faults[0].message == "the request waited for others for 0.2 seconds; try again later"


def test_a_preparation_ends_with_its_client() -> None:
    """Otherwise the next ones would wait for it."""
    with started("--timeout", "600", "--max-waiting", "0", "--max-batch", "1") as server:
        head = (b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n" % (CHAT.encode(), len(MANY_MESSAGES)))
        for _ in range(3):
            address = ("127.0.0.1", server.port)
            with socket.create_connection(address, timeout=GENEROUS) as connection:
                connection.sendall(head + MANY_MESSAGES)
                deadline = time.monotonic() + GENEROUS
                while not server.health()["unfinished"]:
                    assert time.monotonic() < deadline
                    time.sleep(0.02)
            server.wait_until_idle()
        assert asked(server, "POST", TEXT, text())[0] == 200


def resident(server: Server) -> int:
    """Megabytes of memory that no file holds."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) // 1024


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_returns() -> None:
    """Threads that read large bodies at once kept what they had freed, each its own."""
    with started("--timeout", "3") as server:
        costly = [(path, body) for path, body, _ in COSTLY.values() if len(body) > 1_000_000]
        for path, body in ((TEXT, text()), costly[0]):
            asked(server, "POST", path, body)
        before = resident(server)
        for _ in range(3):
            threads = [threading.Thread(target=asked, args=(server, "POST", path, body))
                       for path, body in costly]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(GENEROUS)
        most = resident(server)
        server.wait_until_idle()
        deadline = time.monotonic() + GENEROUS
        while resident(server) > before + 50:
            assert time.monotonic() < deadline, (before, most, resident(server))
            time.sleep(0.2)


def test_compressed_bodies_are_refused(server: Server) -> None:
    """A thousand bytes can become a million."""
    body = b"x" * 100
    for encoding in (b"gzip", b"deflate", b"br", b"zstd", b"x"):
        answer = raw(server, b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n"
                             b"Content-Type: application/json\r\nConnection: close\r\n"
                             b"Content-Encoding: %b\r\nContent-Length: %d\r\n\r\n"
                             % (encoding, len(body)) + body)
        assert b" 415 " in answer[:20], answer


# Signals.

STUCK = """
import sys, time
from lambent.lang.serve import app, engine
from lambent.lang.cli import main
def stuck(*_):
    while True: pass
if sys.argv[1] == "loop":
    app.Service._check_host = stuck
elif sys.argv[1] == "engine":
    engine.Engine._step = stuck
else:
    app.parsed = stuck
sys.exit(main(["serve", sys.argv[2], "--port", "0", "--name", "tiny"]))
"""


@pytest.mark.parametrize("what", ["loop", "engine", "body"])
def test_a_signal_ends_a_server_that_is_stuck(what: str, tmp_path: Path) -> None:
    """Whatever goes on for ever: the event loop, a step, or a thread of a request."""
    (tmp_path / "stuck.py").write_text(STUCK)
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "stuck.py"), what, str(folder("llama"))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().split()[3].rsplit(":", 1)[1].removesuffix("/v1"))
        with socket.create_connection(("127.0.0.1", port), timeout=GENEROUS) as connection:
            connection.sendall(stream_request(5))
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            assert process.wait(GENEROUS) == 0
    finally:
        process.kill()
        process.communicate()


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text(STUCK)
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "stuck.py"), "engine", str(folder("llama"))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().split()[3].rsplit(":", 1)[1].removesuffix("/v1"))
        with socket.create_connection(("127.0.0.1", port), timeout=GENEROUS) as connection:
            connection.sendall(stream_request(5))
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            assert process.wait(GENEROUS) == 128 + signal.SIGINT
    finally:
        process.kill()
        process.communicate()


# What is bounded in number, and what reports tell.  The server tells what it did in a file.

OBSERVED = """
import base64, json, sys, threading, time
from urllib.parse import quote
from lambent.lang.serve import app, preparing
from lambent.lang.cli import main
told = open(sys.argv[1], "a", buffering=1)
def tell(name, value):
    told.write(json.dumps([name, value]) + "\\n")

check_host = app.Service._check_host
def broken(self, request):
    line = request.query.get("line")
    if line is None:
        return check_host(self, request)
    given = request.headers.get("Authorization", "")
    key = given.removeprefix("Bearer ")
    data = key.encode("utf-8", "surrogateescape")
    text = f"{given} {given!r} {given!a} {json.dumps(given)} {request.headers!r} {data!r} "
    text += f"{quote(data, '')} {base64.b64encode(data)} {data.hex()} {data.decode('latin-1')!r}"
    exec(compile("\\n" * int(line) + "raise ValueError(text)", "broken", "exec"), {"text": text})
app.Service._check_host = broken

grammar_of = preparing.Preparer._grammar_of
def observed(self, schema):
    made = grammar_of(self, schema)
    tell("grammars", [len(self._grammars), sum(map(len, self._grammars))])
    return made
preparing.Preparer._grammar_of = observed

parsed, lock, running = app.parsed, threading.Lock(), 0
def counted(body):
    global running
    with lock:
        running += 1
        if len(body) > 100_000:
            tell("readers", running)
    time.sleep(0.3)
    try:
        return parsed(body)
    finally:
        with lock:
            running -= 1
app.parsed = counted
sys.exit(main(["serve", sys.argv[2], "--port", "0", "--name", "tiny", *sys.argv[3:]]))
"""


@contextmanager
def observed(tmp_path: Path, *options: str) -> Iterator[tuple[Server, Path]]:
    """A server, and the file where it tells what it did; its reports are in the same folder."""
    program, told = tmp_path / "observed.py", tmp_path / "told"
    program.write_text(OBSERVED)
    process = subprocess.Popen(
        [sys.executable, str(program), str(told), str(folder("llama")), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(tmp_path)},
    )
    try:
        assert process.stdout is not None
        yield Server(process, process.stdout.readline().split()[3].removesuffix("/v1")), told
    finally:
        process.kill()
        process.communicate()


def told_of(told: Path, name: str) -> list[Any]:
    return [value for what, value in map(json.loads, told.read_text().splitlines()) if what == name]


KEY = "sk-é \"ü\\/+secret"


def test_reports_have_no_keys_and_are_few(tmp_path: Path) -> None:
    with observed(tmp_path, "--api-key", KEY) as (server, _):
        for line in range(20):
            given = KEY if line % 2 else f"another{line}"
            answer = raw(server, b"GET /v1/models?line=%d HTTP/1.1\r\nHost: localhost\r\n"
                                 b"Connection: close\r\nAuthorization: Bearer %b\r\n\r\n"
                         % (line, given.encode()))
            assert answer.startswith(b"HTTP/1.1 500 "), answer
        server.process.send_signal(signal.SIGINT)
        _, errors = server.process.communicate(timeout=GENEROUS)
    reports = [path.read_text() for path in tmp_path.glob("lambent-*.txt")]
    assert len(reports) == 8
    data = KEY.encode()
    forms = [KEY, "secret", quote(data, ""), b64encode(data).decode(), data.hex(), "another"]
    for said in (errors, *reports):
        assert "ValueError" in said
        assert [form for form in forms if form in said] == []


def test_few_grammars_are_kept(tmp_path: Path) -> None:
    with observed(tmp_path) as (server, told):
        for number in range(14):
            words = [f"{number} {'x' * 2000 * (number > 10)}", "b" * 9000 * (number > 10)]
            form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"enum": words}}}
            body = {"model": "tiny", "messages": USER, "max_tokens": 1, "response_format": form}
            assert asked(server, "POST", CHAT, json.dumps(body).encode())[0] == 200
        kept = told_of(told, "grammars")
    assert max(count for count, _ in kept) == 8
    assert max(characters for _, characters in kept) <= 64_000


def test_one_large_body_is_read_at_a_time(tmp_path: Path) -> None:
    """Each thread that reads one keeps memory of its own."""
    with observed(tmp_path) as (server, told):
        large = text(prompt="a" * 200_000)
        threads = [threading.Thread(target=asked, args=(server, "POST", TEXT, large))
                   for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(GENEROUS)
        readers = told_of(told, "readers")
    assert readers == [1] * 6
