"""Ollama's protocol, without its package: what `ollama_client.py` asks only where that is."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.suites.serve.test_clients import long_context
from tests.suites.serve.test_serve import GENEROUS, Server, started
from tests.support.model_folders import folder

BERT = "bert"
CHAT: dict[str, Any] = {"model": "tiny", "messages": [{"role": "user", "content": "Hello " * 20}],
                        "options": {"temperature": 0, "num_predict": 6}}
TEXT: dict[str, Any] = {"prompt": "Once", "raw": True, "stream": False,
                        "options": {"temperature": 0, "num_predict": 6}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    model = long_context(tmp_path_factory.mktemp("model") / "long")
    with started("--model", f"{BERT}={folder('bert')}", model=model,
                 names=f"tiny, {BERT}") as running:
        yield running


def asked(server: Server, path: str, body: Any, headers: dict[str, str] | None = None) -> Any:
    """The status and the lines of an answer."""
    request = urllib.request.Request(
        f"{server.url}/api/{path}", None if body is None else json.dumps(body).encode(),
        headers or {})
    try:
        with urllib.request.urlopen(request, timeout=GENEROUS) as answer:
            return answer.status, [json.loads(line) for line in answer]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, [json.load(error)]


def metric(server: Server, name: str) -> int:
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=GENEROUS) as answer:
        lines = answer.read().decode().splitlines()
    return sum(int(float(line.split()[1])) for line in lines if line.startswith(f"{name}{{"))


def test_streams_count_tokens_that_were_computed_before(server: Server) -> None:
    before = metric(server, "lambent_cached_tokens_total")
    first, second = (asked(server, "chat", CHAT)[1] for _ in range(2))
    assert [line["message"] for line in first] == [line["message"] for line in second]
    assert metric(server, "lambent_cached_tokens_total") >= before + 16


@pytest.mark.parametrize(("path", "body"), [
    ("chat", CHAT | {"stream": False}), ("generate", TEXT), ("show", {}),
    ("embed", {"input": "x"}), ("embeddings", {"prompt": "x"}),
])
def test_a_model_may_be_called_name(server: Server, path: str, body: dict[str, Any]) -> None:
    name = BERT if path.startswith("embed") else "tiny"
    rest = {key: value for key, value in body.items() if key != "model"}
    for given in ({"name": name}, {"name": f"{name}:latest"}, {"model": name, "name": "another"}):
        assert asked(server, path, rest | given)[0] == 200
    status, [answer] = asked(server, path, rest)
    assert (status, answer) == (400, {"error": "model is missing"})
