"""Random requests that are almost right, sent to `lambent serve`.

    python -m tests.stress.hostile_requests 1000 [SEED]

Each must get one answer in JSON: a completion, or an error that is not the server's fault.  Some
clients close the connection at a random byte.  Then clients send header bytes one by one, speak
HTTP/1.0, send many requests before they read, ask two hundred at once, and leave in the middle of a
stream.  At the end no request may be left, and the server, which a signal ends while it generates,
must end with status 0 and without a word.
"""

import json
import random
import signal
import socket
import sys
import threading
import time
from typing import Any

from tests.suites.llm.test_serve import (
    CHAT,
    GENEROUS,
    TEXT,
    TOOLS,
    Server,
    asked,
    chat,
    raw,
    started,
    stream_request,
    text,
)

ODD: list[Any] = [
    None, True, False, -1, 0, 1, 2**31, 2**63, -(2**70), 1e308, 0.5, "", "a", "\0", "\U0001f600",
    "\ud800", "[" * 100, [], [[]], [None], {}, {"a": {}}, [1, "a"], [-1], ["a"] * 40, {"1": 1e9},
    10**9, "\x1b[2J", TOOLS, [{"type": "function", "function": {"name": "{"}}], "none", "auto",
    [{"function": {"name": "f", "arguments": "["}}], {"type": "json_object"},
    {"type": "json_schema", "json_schema": {"schema": {"$ref": "#"}}},
]
FIELDS = (
    "model", "messages", "prompt", "max_tokens", "max_completion_tokens", "temperature", "top_p",
    "top_k", "min_p", "n", "stream", "stream_options", "stop", "seed", "logit_bias", "logprobs",
    "top_logprobs", "response_format", "presence_penalty", "frequency_penalty", "echo", "tools",
    "repetition_penalty", "typical_p", "best_of", "suffix", "user", "odd",
    "tool_choice", "tool_calls",
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


def attack(server: Server, count: int, choose: random.Random) -> dict[int, int]:
    """How many answers had each status."""
    statuses: dict[int, int] = {}
    for _ in range(count):
        path, body = choose.choice(((CHAT, chat()), (TEXT, text())))
        data = damaged(json.dumps(changed(json.loads(body), choose)).encode(), choose)
        if b'"stream": true' in data or choose.random() < 0.1:
            leave_early(server, path, data, choose)
            continue
        status, answer = asked(server, "POST", path, data)
        assert status == 200 or (400 <= status < 500 and list(answer) == ["error"]), (
            status, answer, data,
        )
        statuses[status] = statuses.get(status, 0) + 1
    return statuses


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

    def ask() -> None:
        statuses.append(asked(server, "POST", TEXT, text(max_tokens=5))[0])

    threads = [threading.Thread(target=ask) for _ in range(size)]
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


def main(count: int, seed: int) -> None:
    with started("--max-tokens", "20", "--max-body", "100000", "--timeout", "2") as server:
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
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
