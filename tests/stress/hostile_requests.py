"""Random requests that are almost right, sent to `lambent serve`.

    python -m tests.stress.hostile_requests 1000 [SEED]
    python -m tests.stress.hostile_requests 200 [SEED] --costly

The server has a language model and an encoder, and each endpoint gets requests.  Each must get one
answer in JSON: a completion, or an error that is not the server's fault.  Some clients close the
connection at a random byte.  Every answer must be counted in the metrics.  Then clients send header
bytes one by one, speak HTTP/1.0, send many requests before they read, ask two hundred at once, and
leave in the middle of a stream.  At the end no request may be left, and the server, which a signal
ends while it generates, must end with status 0 and without a word.

With --costly, requests of 1 KB up to the largest body are made to cost much: nesting of each kind,
prompts, conversations, schemas, headers; a third of their clients leave early.  Another client's
requests must be answered within two seconds all the time, and memory must not grow when the same
requests come again.  A busy machine lengthens every wait, so a longer one counts only if the server
worked for so long meanwhile: its seconds of the processor are shown beside, and how many times
longer the wait is than one without hostile requests.
"""

import json
import os
import random
import re
import signal
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.suites.serve.test_serve import (
    CHAT,
    GENEROUS,
    TEXT,
    TOOLS,
    USER,
    Server,
    asked,
    chat,
    raw,
    started,
    stream_request,
    text,
)
from tests.support.model_folders import folder

RESPONSES, EMBEDDINGS, RERANK = "/v1/responses", "/v1/embeddings", "/v1/rerank"
ENCODER = "words"  # the name of the second model
MOST_METRICS = 2000  # lines

ODD: list[Any] = [
    None, True, False, -1, 0, 1, 2**31, 2**63, -(2**70), 1e308, 0.5, "", "a", "\0", "\U0001f600",
    "\ud800", "[" * 100, [], [[]], [None], {}, {"a": {}}, [1, "a"], [-1], ["a"] * 40, {"1": 1e9},
    10**9, "\x1b[2J", TOOLS, [{"type": "function", "function": {"name": "{"}}], "none", "auto",
    [{"function": {"name": "f", "arguments": "["}}], {"type": "json_object"},
    {"type": "json_schema", "json_schema": {"schema": {"$ref": "#"}}},
    {"format": {"type": "json_schema", "schema": {"$ref": "#"}}}, ENCODER, "base64",
    [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "["}],
    [{"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text"}]}],
    [{"role": "user", "content": [{"type": "input_text", "text": "\ud800"}]}],
    [{"type": "function", "name": "f", "parameters": {"$ref": "#/$defs/f"}}],
]
FIELDS = (
    "model", "messages", "prompt", "max_tokens", "max_completion_tokens", "temperature", "top_p",
    "top_k", "min_p", "n", "stream", "stream_options", "stop", "seed", "logit_bias", "logprobs",
    "top_logprobs", "response_format", "presence_penalty", "frequency_penalty", "echo", "tools",
    "repetition_penalty", "typical_p", "best_of", "suffix", "user", "odd",
    "tool_choice", "tool_calls",
    "input", "instructions", "previous_response_id", "max_output_tokens", "store", "text",
    "include", "dimensions", "encoding_format", "query", "documents", "top_n", "return_documents",
)


def changed(body: dict[str, Any], choose: random.Random) -> dict[str, Any]:
    """A body with some fields of other values."""
    for _ in range(choose.randint(1, 3)):
        name = choose.choice(FIELDS)
        body[name] = choose.choice(ODD)
        if name == "messages" and choose.random() < 0.7:
            role = choose.choice((*ODD, "user", "assistant", "tool"))
            body[name] = [{"role": role, "content": choose.choice(ODD),
                           "tool_calls": choose.choice(ODD)}]
    return body


def damaged(data: bytes, choose: random.Random) -> bytes:
    """The bytes with some changed, cut or repeated."""
    for _ in range(choose.randint(0, 2)):
        at = choose.randrange(len(data) + 1)
        data = choose.choice((
            data[:at] + bytes([choose.randrange(256)]) + data[at + 1 :], data[:at],
            data[:at] + data[at:] * 2,
        ))
    return data


def leave_early(server: Server, path: str, body: bytes, choose: random.Random) -> None:
    request = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               f"Content-Length: {len(body)}\r\n\r\n").encode() + body
    with socket.create_connection(("127.0.0.1", server.port), timeout=GENEROUS) as connection:
        connection.sendall(request[: choose.randrange(len(request) + 1)])


PLAIN_REQUESTS: tuple[tuple[str, bytes], ...] = (
    (CHAT, chat()), (TEXT, text()),
    (RESPONSES, json.dumps({"model": "tiny", "input": "a", "max_output_tokens": 2}).encode()),
    (EMBEDDINGS, json.dumps({"model": ENCODER, "input": ["a", "b"], "dimensions": 7}).encode()),
    (RERANK, json.dumps({"model": ENCODER, "query": "a", "documents": ["a", "b"]}).encode()),
)


def attack(server: Server, count: int, choose: random.Random) -> dict[int, int]:
    """How many answers had each status."""
    statuses: dict[int, int] = {}
    for _ in range(count):
        path, body = choose.choice(PLAIN_REQUESTS)
        data = damaged(json.dumps(changed(json.loads(body), choose)).encode(), choose)
        if b'"stream": true' in data or choose.random() < 0.1:
            leave_early(server, path, data, choose)
            continue
        status, answer = asked(server, "POST", path, data)
        assert status == 200 or (400 <= status < 500 and list(answer) == ["error"]), (
            status, answer, data,
        )
        statuses[status] = statuses.get(status, 0) + 1
    check_metrics(server, statuses)
    return statuses


def check_metrics(server: Server, statuses: dict[int, int]) -> None:
    """Every answer is counted, in lines whose number does not grow with the requests."""
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=GENEROUS) as answer:
        lines = answer.read().decode().splitlines()
    assert len(lines) < MOST_METRICS, len(lines)
    counted: dict[int, int] = {}
    for line in lines:
        if found := re.fullmatch(r'lambent_requests_total\{.*status="(\d+)"\} (\d+)', line):
            counted[int(found[1])] = counted.get(int(found[1]), 0) + int(found[2])
    assert all(counted.get(status, 0) >= count for status, count in statuses.items()), (
        counted, statuses)


PLAIN = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n"


def trickle(server: Server) -> None:
    """Header bytes that come one by one hold a connection for a limited time only."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=GENEROUS) as connection:
        begun = time.monotonic()
        try:
            while time.monotonic() < begun + GENEROUS:
                connection.sendall(b"G")
                time.sleep(0.2)
        except OSError:
            return
    raise AssertionError("a slow client holds its connection")


def odd_connections(server: Server) -> None:
    """What clients of other kinds send; each gets answers, and the server goes on."""
    old = raw(server, b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n")
    assert b" 200 " in old.split(b"\r\n")[0], old
    many = raw(server, (PLAIN + b"\r\n") * 50 + PLAIN + b"Connection: close\r\n\r\n")
    assert many.count(b"HTTP/1.1 200 ") == 51, many
    for junk in (b"\0" * 1000, b"\x16\x03\x01\x02\0\x01", b"GET / HTTP/9.9\r\n\r\n",
                 PLAIN + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                 PLAIN + b"\xff\xfe: \xff\r\n\r\n", PLAIN + b"A: b\r\n" * 10_000 + b"\r\n"):
        assert b" 400 " in raw(server, junk)[:20], junk[:40]


def crowd(server: Server, size: int) -> dict[int, int]:
    """Many clients at once; those that find no room are told to come again."""
    statuses: list[int] = []

    def ask(path: str, body: bytes) -> None:
        statuses.append(asked(server, "POST", path, body)[0])

    threads = [threading.Thread(target=ask, args=PLAIN_REQUESTS[k % len(PLAIN_REQUESTS)])
               for k in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GENEROUS)
    found = {status: statuses.count(status) for status in set(statuses)}
    assert len(statuses) == size and set(found) <= {200, 429, 503} and 200 in found, found
    return found


def leave_streams(server: Server) -> None:
    """After its client has left, a stream is not generated to its end."""
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", server.port), timeout=GENEROUS) as connection:
            connection.sendall(stream_request(20))
            connection.recv(200)
    server.wait_until_idle()


# Requests that cost much.

LARGEST = 4_000_000  # bytes of a body
PATIENCE = 2.0  # seconds for another client's request
ROUNDS = 2  # of the same requests
SETTLED = 4.0  # seconds, after which the server has released memory
GROWTH = 50  # megabytes that memory may grow in the second round
ATTACKERS = 4  # at the same time


def costly(size: int, choose: random.Random) -> tuple[str, bytes]:
    """A path and a body of about that size."""
    def chat_of(**more: Any) -> tuple[str, bytes]:
        body = {"model": "tiny", "messages": USER, "max_tokens": 3, **more}
        return CHAT, json.dumps(body).encode()

    def text_of(**more: Any) -> tuple[str, bytes]:
        return TEXT, json.dumps({"model": "tiny", "prompt": "a", "max_tokens": 3, **more}).encode()

    def schema_of(schema: Any) -> tuple[str, bytes]:
        return chat_of(response_format={"type": "json_schema", "json_schema": {"schema": schema}})

    def response_of(**more: Any) -> tuple[str, bytes]:
        body = {"model": "tiny", "input": "a", "max_output_tokens": 3, **more}
        return RESPONSES, json.dumps(body).encode()

    def embedding_of(given: Any) -> tuple[str, bytes]:
        body = {"model": ENCODER, "input": given, "dimensions": choose.choice((1, 48, 10**6))}
        return EMBEDDINGS, json.dumps(body).encode()

    def rank_of(documents: Any) -> tuple[str, bytes]:
        body = {"model": ENCODER, "query": "a", "documents": documents}
        return RERANK, json.dumps(body).encode()

    def nested(before: str, after: str, levels: int) -> bytes:
        return (before * levels + "1" + after * levels).encode()

    unit = choose.choice((b'"', b'\\"', b"[", b"{}", b"[],", b'"a', b"\\", b"{\"a\":", b"\xff"))
    wide = {f"p{k}": choose.choice(({"type": "string"}, {"type": "integer", "minimum": -99999},
                                    {"enum": ["a", "b"]})) for k in range(size // 30)}
    deep: Any = {"type": "string"}
    for k in range(25):
        deep = choose.choice(({"type": "array", "items": deep}, {"anyOf": [deep, {"type": "null"}]},
                              {"type": "object", "properties": {f"p{k}": deep}}))
    words = "".join(choose.choice(("a", " ", "word ", "\u00e9", "\U0001f600", "\n", "<s>"))
                    for _ in range(997))
    long = (words * (size // 997 + 1))[: size // 2]
    loops = [{"role": choose.choice(("user", "assistant")), "content": "a"}
             for _ in range(size // 36)]
    return choose.choice((
        lambda: (CHAT, (choose.choice((b'"', b'{"a":', b"[", b"")) + unit * (size // len(unit)))),
        lambda: (CHAT, nested("[", "]", min(size // 2, choose.choice((60, 10**7))))),
        lambda: (CHAT, nested('{"a":', "}", min(size // 6, choose.choice((60, 10**7))))),
        lambda: text_of(prompt=long),
        lambda: text_of(prompt=choose.choice("a \u4e16\"") * (size // 6)),
        lambda: text_of(prompt=[choose.randrange(400)] * (size // 5)),
        lambda: text_of(prompt=["a"] * (size // 5)),
        lambda: text_of(stop=[long]),
        lambda: text_of(logit_bias={str(k): 1 for k in range(size // 10)}),
        lambda: chat_of(messages=loops),
        lambda: chat_of(messages=[{"role": "user", "content": long}]),
        lambda: chat_of(messages=[{"role": "user", "content": [
            {"type": "text", "text": "a"}] * (size // 30)}]),
        lambda: chat_of(tools=TOOLS * (size // 150)),
        lambda: chat_of(tools=[{"type": "function", "function": {
            "name": "f", "parameters": {"type": "object", "properties": wide}}}],
            tool_choice=choose.choice(("required", "auto"))),
        lambda: chat_of(chat_template_kwargs={f"v{k}": "a" for k in range(size // 12)}),
        lambda: chat_of(**{"odd" * (size // 3): 1}),
        lambda: schema_of({"type": "object", "properties": wide}),
        lambda: schema_of({"type": "object", "properties": wide, "required": list(wide)}),
        lambda: schema_of({"enum": [f"{k}" for k in range(size // 8)]}),
        lambda: schema_of({"anyOf": [{"type": "string"}] * (size // 20)}),
        lambda: schema_of({"type": "string", "minLength": size % 9000, "maxLength": 9000}),
        lambda: schema_of(deep),
        lambda: schema_of({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [
            {"$ref": "#/$defs/a"}, {"type": "null"}]}}}),
        lambda: response_of(input=long),
        lambda: response_of(input=loops),
        lambda: response_of(instructions=long, store=False),
        lambda: response_of(input=[{"type": "function_call_output", "call_id": "c", "output": [
            {"type": "input_text", "text": "a"}] * (size // 40)}]),
        lambda: response_of(text={"format": {"type": "json_schema", "schema": {
            "type": "object", "properties": wide}}}),
        lambda: embedding_of(long),
        lambda: embedding_of(["a word"] * (size // 10)),
        lambda: embedding_of([[choose.randrange(300)] * 100] * (size // 500)),
        lambda: rank_of(["a word"] * (size // 10)),
        lambda: rank_of([long]),
    ))()


def send(server: Server, path: str, body: bytes, choose: random.Random) -> int:
    """The status of a costly request; 0 if its client left."""
    headers = choose.choice((
        b"", b"Authorization: Bearer \xff\xfe\r\n", b"X-A: " + b"a" * 8000 + b"\r\n",
        b"Accept: */*\r\n" * 60, b"Content-Encoding: gzip\r\n", b"Expect: 100-continue\r\n",
    ))
    head = (b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Connection: close\r\n%bContent-Length: %d\r\n\r\n"
            % (path.encode(), headers, len(body)))
    address = ("127.0.0.1", server.port)
    with socket.create_connection(address, timeout=120) as connection:
        try:
            connection.sendall(head + body)
            if choose.random() < 0.3:
                time.sleep(choose.random())
                return 0
            answer = b""
            while part := connection.recv(65536):
                answer += part
        except ConnectionError:  # the server may refuse a body before it has read it
            return 0
    lines = [line for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    status = int(lines[-1].split()[1])
    assert status < 500, (status, answer[-300:], body[:300])
    return status


def memory_of(server: Server) -> int:
    """Resident megabytes."""
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) // 1024
    raise AssertionError


def seconds_of(server: Server) -> float:
    """Seconds of the processor, of all threads."""
    stat = Path(f"/proc/{server.process.pid}/stat").read_text()
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, order=True)
class Wait:
    """seconds: of the clock.  worked: of the processor, by the server meanwhile."""

    seconds: float
    worked: float

    @property
    def is_too_long(self) -> bool:
        return min(self.seconds, self.worked) > PATIENCE


def waited(server: Server) -> Wait:
    """How long another client waits for an answer."""
    begun, work = time.monotonic(), seconds_of(server)
    assert asked(server, "POST", TEXT, text())[0] == 200
    return Wait(time.monotonic() - begun, seconds_of(server) - work)


def _request(seed: int, number: int) -> tuple[int, random.Random, str, bytes]:
    choose = random.Random(seed * 1_000_003 + number)
    path, body = costly(int(1000 * (LARGEST / 1000) ** choose.random()), choose)
    return number, choose, path, body[:LARGEST]


class Attack:
    """Costly requests, which some clients send at the same time."""

    def __init__(self, server: Server, count: int, seed: int) -> None:
        self.statuses: dict[int, int] = {}
        self.running: dict[int, str] = {}
        self.failures: list[str] = []
        self._server = server
        # All of them first: this process must not be busy while it measures.
        self._left = [_request(seed, number) for number in range(count)]
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._send_all) for _ in range(ATTACKERS)]
        for thread in self._threads:
            thread.start()

    @property
    def goes_on(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def _send_all(self) -> None:
        while True:
            with self._lock:
                if not self._left:
                    return
                number, choose, path, body = self._left.pop()
            self.running[number] = f"{number}: {len(body)} bytes, {body[:120]!r}"
            try:
                status = send(self._server, path, body, choose)
            except (AssertionError, OSError) as failure:
                self.failures.append(f"{self.running[number]}: {failure!r}")
                continue
            finally:
                del self.running[number]
            with self._lock:
                self.statuses[status] = self.statuses.get(status, 0) + 1


def attack_at_cost(server: Server, count: int, seed: int, usual: float) -> tuple[Wait, int]:
    """The longest wait of others, and the megabytes after it.  usual: seconds of a wait before."""
    peak = memory_of(server)
    attack = Attack(server, count, seed)
    waits = []
    while attack.goes_on:
        meanwhile = dict(attack.running)
        waits.append(waited(server))
        peak = max(peak, memory_of(server))
        if waits[-1].seconds > PATIENCE:
            print(f"a request waited for {waits[-1].seconds:.1f} s, in which the server worked for "
                  f"{waits[-1].worked:.1f} s, while others ran:",
                  *(meanwhile | attack.running).values(), sep="\n    ", flush=True)
        time.sleep(0.05)
    server.wait_until_idle()
    time.sleep(SETTLED)
    after = memory_of(server)
    waits.sort()
    middle, longest = waits[len(waits) // 2], waits[-1]
    print(f"{count} costly requests, answers by status: {dict(sorted(attack.statuses.items()))}")
    print(f"others: {len(waits)} requests, median {middle.seconds:.2f} s, longest "
          f"{longest.seconds:.2f} s ({longest.seconds / usual:.0f} times a wait without hostile "
          f"requests, the server worked for {longest.worked:.2f} s; at most "
          f"{max(wait.worked for wait in waits):.2f} s in any)")
    print(f"memory: {peak} MB at most, {after} MB after", flush=True)
    assert not attack.failures, attack.failures
    return max(waits, key=lambda wait: min(wait.seconds, wait.worked)), after


@contextmanager
def both_models(*options: str) -> Iterator[Server]:
    """A server of the language model and the encoder."""
    words = f"{ENCODER}={folder('bert')}"
    with started("--model", words, *options, names=f"tiny, {ENCODER}") as server:
        yield server


def main_costly(count: int, seed: int) -> None:
    with both_models("--timeout", "20") as server:
        alone = sorted(waited(server) for _ in range(20))[10]
        print(f"without hostile requests: median {alone.seconds:.3f} s, memory "
              f"{memory_of(server)} MB", flush=True)
        rounds = [attack_at_cost(server, count, seed, alone.seconds) for _ in range(ROUNDS)]
        server.process.send_signal(signal.SIGINT)
        output, errors = server.process.communicate(timeout=GENEROUS)
        assert (output, errors, server.process.returncode) == ("", "", 0), (output, errors)
    worst = max((wait for wait, _ in rounds), key=lambda wait: min(wait.seconds, wait.worked))
    if worst.is_too_long:
        sys.exit(f"a request waited for {worst.seconds:.1f} s")
    (_, first), *_, (_, last) = rounds
    if last > first + GROWTH:
        sys.exit(f"memory grew from {first} to {last} MB")


def main(count: int, seed: int) -> None:
    with both_models("--max-tokens", "20", "--max-body", "100000", "--timeout", "2") as server:
        statuses = attack(server, count, random.Random(seed))
        odd_connections(server)
        trickle(server)
        print("200 at once:", crowd(server, 200))
        leave_streams(server)
        server.wait_until_idle()
        busy = socket.create_connection(("127.0.0.1", server.port), timeout=GENEROUS)
        busy.sendall(stream_request(20))
        busy.recv(100)
        server.process.send_signal(signal.SIGTERM)
        output, errors = server.process.communicate(timeout=GENEROUS)
        assert (output, errors, server.process.returncode) == ("", "", 0), (output, errors)
    print(f"{count} requests, answers by status: {dict(sorted(statuses.items()))}")


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--costly"]
    run = main_costly if "--costly" in sys.argv else main
    run(int(words[0]), int(words[1]) if len(words) > 1 else 0)
