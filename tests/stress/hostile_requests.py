"""Random requests that are almost right, sent to `lambent serve`.

    python -m tests.stress.hostile_requests 1000 [SEED]

Each must get one answer in JSON: a completion, or an error that is not the server's fault.  Some
clients close the connection at a random byte.  At the end no request may be left, and the server
must end with status 0 and without a word.
"""

import json
import random
import signal
import socket
import sys
from typing import Any

from tests.suites.llm.test_serve import CHAT, GENEROUS, TEXT, Server, asked, chat, started, text

ODD: list[Any] = [
    None, True, False, -1, 0, 1, 2**31, 2**63, -(2**70), 1e308, 0.5, "", "a", "\0", "\U0001f600",
    "\ud800", "[" * 100, [], [[]], [None], {}, {"a": {}}, [1, "a"], [-1], ["a"] * 40, {"1": 1e9},
    {"type": "json_object"}, {"type": "json_schema", "json_schema": {"schema": {"$ref": "#"}}},
]
FIELDS = (
    "model", "messages", "prompt", "max_tokens", "max_completion_tokens", "temperature", "top_p",
    "top_k", "min_p", "n", "stream", "stream_options", "stop", "seed", "logit_bias", "logprobs",
    "top_logprobs", "response_format", "presence_penalty", "frequency_penalty", "echo", "tools",
    "repetition_penalty", "typical_p", "best_of", "suffix", "user", "odd",
)


def changed(body: dict[str, Any], choose: random.Random) -> dict[str, Any]:
    """A body with some fields of other values."""
    for _ in range(choose.randint(1, 3)):
        name = choose.choice(FIELDS)
        body[name] = choose.choice(ODD)
        if name == "messages" and choose.random() < 0.7:
            body[name] = [{"role": choose.choice(ODD), "content": choose.choice(ODD)}]
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


def main(count: int, seed: int) -> None:
    with started("--max-tokens", "20", "--max-body", "100000", "--timeout", "2") as server:
        statuses = attack(server, count, random.Random(seed))
        server.wait_until_idle()
        server.process.send_signal(signal.SIGTERM)
        output, errors = server.process.communicate(timeout=GENEROUS)
        assert (output, errors, server.process.returncode) == ("", "", 0), (output, errors)
    print(f"{count} requests, answers by status: {dict(sorted(statuses.items()))}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
