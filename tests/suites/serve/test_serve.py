"""`lambent serve`: OpenAI's own client talks to it, and so do clients that mean no good."""

import asyncio
import contextlib
import importlib.util
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
import pytest
import tokenizers

from lambent.lang import serve
from lambent.lang.cli import main
from tests.support.model_folders import CONTEXT, VOCABULARY, folder, outputs

GENEROUS = 60.0  # seconds for anything that should happen soon
USER = [{"role": "user", "content": "Hello there"}]


@dataclass(frozen=True)
class Server:
    process: "subprocess.Popen[str]"
    url: str

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def client(self) -> openai.OpenAI:
        return openai.OpenAI(base_url=f"{self.url}/v1", api_key="none", max_retries=0)

    def health(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/health", timeout=GENEROUS) as answer:
            return dict(json.load(answer))

    def wait_until_idle(self) -> None:
        deadline = time.monotonic() + GENEROUS
        while self.health()["unfinished"]:
            assert time.monotonic() < deadline
            time.sleep(0.02)


@contextmanager
def started(
    *options: str, model: str | Path = "llama", names: str = "tiny"
) -> Iterator[Server]:
    """A server of a model by its name, or in a folder."""
    path = model if isinstance(model, Path) else folder(model)
    command = [sys.executable, "-m", "lambent.lang", "serve", str(path), "--port", "0",
               "--name", "tiny", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "OMP_NUM_THREADS": "1"})
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(f"serving {names} at http://127.0.0.1:"), process.communicate()
        yield Server(process, line.split(" at ")[1].split()[0].removesuffix("/v1"))
    finally:
        ended = process.poll()
        process.kill()
        said = process.communicate()
        assert ended in (None, 0), said


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with started("--max-batch", "4", "--max-waiting", "4", "--max-body", "20000",
                 "--timeout", "2", "--max-tokens", "100") as running:
        yield running
        running.process.send_signal(signal.SIGINT)
        output, errors = running.process.communicate(timeout=GENEROUS)
        assert (output, errors, running.process.returncode) == ("", "", 0)


def test_the_package_lists_its_modules() -> None:
    listed = [line.split()[0] for line in (serve.__doc__ or "").splitlines() if ".py " in line]
    assert sorted(listed) == sorted(path.name for path in Path(serve.__path__[0]).glob("*.py")
                                    if path.stem != "__init__")


# A client that keeps to the protocol.


def test_models(server: Server) -> None:
    client = server.client()
    assert [model.id for model in client.models.list()] == ["tiny"]
    assert client.models.retrieve("tiny").owned_by == "lambent"
    with pytest.raises(openai.NotFoundError, match="this server has tiny"):
        client.models.retrieve("another")


def test_greedy_tokens_are_those_of_transformers(server: Server) -> None:
    answers = outputs("llama")
    prompt, wanted = answers["ids"][0].tolist(), answers["greedy"][0].tolist()
    prompt_size = len(wanted) - 20
    new = wanted[prompt_size:]
    new = new[: new.index(1) + 1] if 1 in new else new  # the end token
    made = server.client().completions.create(
        model="tiny", prompt=wanted[:prompt_size], max_tokens=20, temperature=0,
    )
    vocabulary = tokenizers.Tokenizer.from_file(str(folder("llama") / "tokenizer.json"))
    assert prompt[:4] == wanted[:4]
    assert made.choices[0].text == vocabulary.decode(new)
    assert made.usage is not None
    assert made.usage.prompt_tokens == prompt_size
    assert made.usage.completion_tokens == len(new)


def test_a_stream_is_the_whole_answer(server: Server) -> None:
    client = server.client()
    options: dict[str, Any] = {"model": "tiny", "messages": USER, "seed": 7, "max_tokens": 30}
    whole = client.chat.completions.create(**options)
    stream = client.chat.completions.create(
        **options, stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    said = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert len([piece for piece in said if piece]) > 3
    assert "".join(said) == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert whole.usage is not None and chunks[-1].usage is not None
    assert counted(chunks[-1].usage) == counted(whole.usage)
    assert chunks[-2].choices[0].finish_reason == whole.choices[0].finish_reason
    assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens


def counted(usage: Any) -> dict[str, Any]:
    """How many tokens were used, whether they were computed before or not."""
    return dict(usage.model_dump(exclude={"prompt_tokens_details"}))


TOOLS: list[Any] = [{"type": "function", "function": {
    "name": "weather", "description": "How it is outside", "parameters": {"type": "object"},
}}]


def strict_tool(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {
        "name": name, "strict": True, "parameters": parameters}}


def format_of(schema: dict[str, Any]) -> dict[str, Any]:
    """The response_format of a schema."""
    return {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}


def test_tool_calls(server: Server) -> None:
    """A grammar makes the model write a call; then the conversation goes on."""
    client = server.client()
    written = {"name": "weather", "arguments": {"c": 1}}
    options: dict[str, Any] = {
        "model": "tiny", "messages": USER, "seed": 7, "max_tokens": 90,
        "tools": [strict_tool("weather", {"enum": [{"c": 1}]})], "tool_choice": "required",
        "response_format": format_of({"enum": [written]}),
    }
    [choice] = client.chat.completions.create(**options).choices
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content is None
    [call] = choice.message.tool_calls or []
    assert call.type == "function"
    assert (call.function.name, json.loads(call.function.arguments)) == ("weather", {"c": 1})
    chunks = [chunk.choices[0] for chunk in client.chat.completions.create(**options, stream=True)]
    assert not any(chunk.delta.content for chunk in chunks)
    [delta] = [chunk.delta.tool_calls for chunk in chunks if chunk.delta.tool_calls]
    assert delta is not None and delta[0].function is not None
    assert (delta[0].index, delta[0].function.name) == (0, "weather")
    assert delta[0].function.arguments == call.function.arguments
    assert chunks[-1].finish_reason == "tool_calls"
    # Without tools, and where none may be called, the same is text.
    no_tools = {"tools": openai.omit, "tool_choice": openai.omit}
    for changed in (no_tools, {"tool_choice": "none"}):
        [plain] = client.chat.completions.create(**options | changed).choices
        assert (plain.finish_reason, plain.message.tool_calls) == ("stop", None)
        assert json.loads(plain.message.content or "") == written
    talk = [*USER, choice.message.model_dump(exclude_none=True) | {"content": None},
            {"role": "tool", "tool_call_id": call.id, "content": "rain"}]
    [reply] = client.chat.completions.create(
        **options | {"messages": talk, "response_format": openai.omit, "max_tokens": 5,
                     "tool_choice": "auto"}).choices
    assert reply.finish_reason == "length"


def test_a_call_instead_of_a_structure(server: Server) -> None:
    """Where an answer follows a schema, the model may call a tool; a bias says what it likes."""
    vocabulary = tokenizers.Tokenizer.from_file(str(folder("llama") / "tokenizer.json"))
    number = {"$ref": "#/$defs/number"}
    wanted = {"type": "object", "properties": {"x": number}, "required": ["x"],
              "additionalProperties": False, "$defs": {"number": {"enum": [1, 22]}}}
    # A property has the name of a keyword, and the parameters have references of their own.
    parameters = {"type": "object", "properties": {"default": number}, "required": ["default"],
                  "additionalProperties": False, "$defs": {"number": {"enum": [3, 44]}}}

    def answer(liked: str, **more: Any) -> Any:
        [token] = vocabulary.encode(liked, add_special_tokens=False).ids
        return server.client().chat.completions.create(
            model="tiny", messages=USER, max_tokens=90, response_format=format_of(wanted),  # type: ignore[arg-type]
            tools=[strict_tool("weather", parameters)], logit_bias={str(token): 100},  # type: ignore[list-item]
            temperature=0, **more).choices[0]

    structure, call = answer("x"), answer("n")
    assert (structure.finish_reason, call.finish_reason) == ("stop", "tool_calls")
    assert json.loads(structure.message.content or "")["x"] in (1, 22)
    assert json.loads(call.message.tool_calls[0].function.arguments)["default"] in (3, 44)
    assert call.message.content is None
    assert answer("x", tool_choice="required").finish_reason == "tool_calls"
    assert answer("n", tool_choice="none").finish_reason == "stop"


@pytest.mark.parametrize(("field", "value", "said"), [
    ("tools", [1], "tools[0] takes an object"),
    ("tools", [{"type": "x"}], 'tools[0].type takes "function"'),
    ("tools", [{"type": "function", "function": {"name": ""}}], "tools[0].function.name is empty"),
    ("tools", [{"type": "function"}], "tools[0].function takes an object"),
    ("tools", [{"type": "function", "function": {"name": "a" * 300}}], "tools[0].function.name"),
    ("tools", TOOLS * 129, "tools takes at most 128 tools, got 129"),
    ("tool_choice", "required", "tool_choice demands a call, but the request has no tools"),
    ("tool_choice", "sometimes", 'tool_choice takes "none", "auto", "required", '),
    ("tool_choice", {"type": "function", "function": {"name": "f"}}, 'tool_choice names "f", '),
    ("messages", [{"role": "assistant", "tool_calls": [1]}], "messages[0].tool_calls[0] takes"),
    ("messages", [{"role": "assistant", "tool_calls": [{"function": {
        "name": "f", "arguments": "[1]"}}]}], "messages[0].tool_calls[0].function.arguments takes"),
])
def test_wrong_tools(server: Server, field: str, value: Any, said: str) -> None:
    status, answer = asked(server, "POST", CHAT, json.dumps(
        {"model": "tiny", "messages": USER, field: value}).encode())
    assert (status, answer["error"]["message"].startswith(said)) == (400, True), answer


def test_choices_and_seeds(server: Server) -> None:
    client = server.client()

    def texts(**options: Any) -> list[str]:
        made = client.completions.create(model="tiny", prompt="Once", max_tokens=12, **options)
        return [choice.text for choice in made.choices]

    three = texts(n=3, seed=5)
    assert len(set(three)) == 3
    assert texts(n=3, seed=5) == three
    assert texts(seed=6) == three[1:2]
    assert texts(seed=5, temperature=0) == texts(seed=9, temperature=0)
    assert texts(seed=5, extra_body={"top_k": 1}) == texts(seed=5, temperature=0)
    two = client.completions.create(model="tiny", prompt=["Once", "Twice"], max_tokens=5, echo=True)
    assert [choice.text[:4] for choice in two.choices] == ["Once", "Twic"]


def test_stop_and_bias(server: Server) -> None:
    client = server.client()
    plain = client.completions.create(model="tiny", prompt="Once", max_tokens=20, temperature=0)
    text = plain.choices[0].text
    middle = len(text) // 2
    stopped = client.completions.create(
        model="tiny", prompt="Once", max_tokens=20, temperature=0, stop=text[middle : middle + 3]
    )
    assert stopped.choices[0].text == text[: text.index(text[middle : middle + 3])]
    assert stopped.choices[0].finish_reason == "stop"
    biased = client.completions.create(model="tiny", prompt="Once", max_tokens=3, temperature=0,
                                       logit_bias={"70": 100}, logprobs=0)
    assert biased.choices[0].logprobs is not None
    assert len(set(biased.choices[0].logprobs.tokens or [])) == 1


def test_log_probabilities(server: Server) -> None:
    client = server.client()
    chat = client.chat.completions.create(
        model="tiny", messages=USER, temperature=0, max_tokens=5, logprobs=True, top_logprobs=3  # type: ignore[arg-type]
    )
    assert chat.choices[0].logprobs is not None
    content = chat.choices[0].logprobs.content or []
    assert len(content) == 5
    for token in content:
        values = [other.logprob for other in token.top_logprobs]
        assert values == sorted(values, reverse=True)
        assert len(values) == 3
        assert token.logprob == pytest.approx(values[0])  # greedy takes the likeliest
        assert bytes(token.bytes or []).decode("utf-8", "replace") == token.token
    text = client.completions.create(
        model="tiny", prompt="Once", temperature=0, max_tokens=4, logprobs=2
    ).choices[0].logprobs
    assert text is not None
    assert text.text_offset is not None
    assert text.tokens is not None
    assert text.text_offset[2] == len(text.tokens[0] + text.tokens[1])
    streamed = client.chat.completions.create(
        model="tiny", messages=USER, temperature=0, max_tokens=5, logprobs=True, stream=True  # type: ignore[arg-type]
    )
    found = [token.token for chunk in streamed if chunk.choices[0].logprobs
             for token in chunk.choices[0].logprobs.content or []]
    assert found == [token.token for token in content]


def test_answers_in_json(server: Server) -> None:
    schema = {"type": "object", "properties": {"size": {"enum": [1, 22]}}, "required": ["size"],
              "additionalProperties": False}
    made = server.client().chat.completions.create(
        model="tiny", messages=USER, max_tokens=60,  # type: ignore[arg-type]
        response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": schema}},
    )
    assert json.loads(made.choices[0].message.content or "")["size"] in (1, 22)
    free = server.client().chat.completions.create(
        model="tiny", messages=USER, max_tokens=20, seed=1,  # type: ignore[arg-type]
        response_format={"type": "json_object"},
    )
    assert (free.choices[0].message.content or "").lstrip()[:1] == "{"


def test_many_clients_share_batches(server: Server) -> None:
    async def ask(client: openai.AsyncOpenAI, seed: int) -> str:
        made = await client.completions.create(model="tiny", prompt="Once", max_tokens=40,
                                               seed=seed, frequency_penalty=0.1)
        return made.choices[0].text

    async def ask_all(at_once: bool) -> list[str]:
        client = openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
        async with client:
            if at_once:
                return list(await asyncio.gather(*(ask(client, seed) for seed in range(6))))
            return [await ask(client, seed) for seed in range(6)]

    alone = asyncio.run(ask_all(at_once=False))
    before = server.health()
    assert asyncio.run(ask_all(at_once=True)) == alone
    after = server.health()
    steps, tokens = (after[name] - before[name] for name in ("steps", "tokens"))
    assert tokens > 1.8 * steps, (steps, tokens)


# Clients that do not.

JSON = {"Content-Type": "application/json"}
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"


def chat(**more: Any) -> bytes:
    return json.dumps({"model": "tiny", "messages": USER, "max_tokens": 2, **more}).encode()


def text(**more: Any) -> bytes:
    return json.dumps({"model": "tiny", "prompt": "a", "max_tokens": 2, **more}).encode()


HOSTILE: dict[str, tuple[str, str, bytes, int, str]] = {
    "not json": ("POST", CHAT, b"{", 400, "the body is not JSON: expecting property name"),
    "nothing": ("POST", CHAT, b"", 400, "the body is not JSON: expecting value"),
    "not utf-8": ("POST", CHAT, b'{"a": "\xff"}', 400, "the body is not UTF-8 text (byte 7)"),
    "a list": ("POST", CHAT, b"[]", 400, "the body is not a JSON object"),
    "deep": ("POST", CHAT, b"[" * 9000 + b"]" * 9000, 400, "nested more than 64 levels deep"),
    "deep objects": ("POST", CHAT, b'{"a":' * 3000 + b"1" + b"}" * 3000, 400, "64 levels deep"),
    "brackets in a string are not depth": (
        "POST", TEXT, text(prompt="[" * 200, max_tokens=None), 400, "context is"),
    "nan": ("POST", CHAT, chat(temperature=float("nan")), 400, "NaN is not a number"),
    "a huge number": (
        "POST", CHAT, b'{"seed": ' + b"9" * 5000 + b"}", 400, "an integer of 5000 digits"),
    "half a character": ("POST", TEXT, text(prompt="\ud800"), 400, "prompt holds U+D800"),
    "too large": ("POST", CHAT, chat(x="y" * 30000), 413, "larger than 20000 bytes"),
    "no model": ("POST", CHAT, b'{"messages": []}', 400, "model is missing"),
    "another model": ("POST", CHAT, chat(model="gpt"), 404, 'the model "gpt" does not exist'),
    "no messages": ("POST", CHAT, chat(messages=[]), 400, "a list of at least one message"),
    "messages of numbers": ("POST", CHAT, chat(messages=[1]), 400, "messages[0] takes an object"),
    "an unknown role": (
        "POST", CHAT, chat(messages=[{"role": "boss", "content": ""}]), 400,
        'messages[0].role takes one of system, developer, user, assistant, tool, function, got '
        '"boss"'),
    "a picture": (
        "POST", CHAT, chat(messages=[{"role": "user", "content": [{"type": "image_url"}]}]), 400,
        "messages[0].content[0] takes a part of type text"),
    "the template refuses": (
        "POST", CHAT, chat(messages=[{"role": "function", "content": "a"}]), 400, "unknown role"),
    "a misspelt field": ("POST", CHAT, chat(temprature=1), 400, "do you mean temperature?"),
    "too hot": ("POST", CHAT, chat(temperature=3), 400, "a number from 0 to 2, got 3"),
    "a text for a number": ("POST", CHAT, chat(top_p="1"), 400, 'from 0 to 1, got "1"'),
    "true for a number": ("POST", CHAT, chat(n=True), 400, "an integer from 1 to 16, got true"),
    "too many": ("POST", CHAT, chat(n=1000), 400, "an integer from 1 to 16, got 1000"),
    "negative tokens": ("POST", CHAT, chat(max_tokens=-2), 400, "an integer from 1 to 100"),
    "no tokens": ("POST", CHAT, chat(max_tokens=0), 400, "an integer from 1 to 100"),
    "a negative top_k": ("POST", CHAT, chat(top_k=-2), 400, "an integer from 1 to"),
    "a long stop": ("POST", CHAT, chat(stop="a" * 1001), 400, "at most 1000 characters"),
    "half a character in a message": (
        "POST", CHAT, chat(messages=[{**USER[0], "name": "\ud800"}]), 400, "messages holds U+D800"),
    "variables of the server": (
        "POST", CHAT, chat(chat_template_kwargs={"messages": []}), 400, "cannot set messages"),
    "embeddings of a language model": (
        "POST", "/v1/embeddings", b'{"model": "tiny", "input": "a"}', 400, "only an encoder has"),
    "above the limit": ("POST", CHAT, chat(max_tokens=101), 400, "from 1 to 100, got 101"),
    "an empty stop": ("POST", CHAT, chat(stop=[""]), 400, "none empty"),
    "a bias out of the vocabulary": (
        "POST", TEXT, text(logit_bias={"99999": 1}), 400,
        f"logit_bias has the token 99999, but the model has {VOCABULARY} tokens"),
    "a token out of the vocabulary": (
        "POST", TEXT, text(prompt=[99999]), 400, "prompt has the token 99999"),
    "no prompt": ("POST", TEXT, text(prompt=None), 400, "prompt takes a string"),
    "a mixed prompt": ("POST", TEXT, text(prompt=["a", 1.5]), 400, "prompt takes a string"),
    "a long prompt": (
        "POST", TEXT, text(prompt="word " * 200), 400, f"the model's context is {CONTEXT} tokens"),
    "a schema that is not one": (
        "POST", CHAT, chat(response_format={"type": "json_schema", "json_schema": {}}), 400,
        "response_format.json_schema.schema takes an object"),
    "an unknown format": (
        "POST", CHAT, chat(response_format={"type": "xml"}), 400, "response_format.type takes"),
    "a suffix": ("POST", TEXT, text(suffix="b"), 400, "suffix is not supported"),
    "a wrong method": ("GET", CHAT, b"", 405, "takes POST, got GET"),
    "another wrong method": ("DELETE", "/v1/models", b"", 405, "takes GET, got DELETE"),
    "an odd method": ("BREW", "/v1/models", b"", 400, "the request is not HTTP"),
    "a wrong path": ("POST", "/v2", b"", 404, "there is nothing at /v2"),
}


def asked(server: Server, method: str, path: str, body: bytes = b"",
          headers: dict[str, str] = JSON) -> tuple[int, dict[str, Any]]:
    wanted = urllib.request.Request(server.url + path, body, dict(headers), method=method)
    try:
        with urllib.request.urlopen(wanted, timeout=GENEROUS) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with closing(error):
            return error.code, json.load(error)


@pytest.mark.parametrize("name", HOSTILE)
def test_one_clear_error(server: Server, name: str) -> None:
    method, path, body, status, said = HOSTILE[name]
    got, answer = asked(server, method, path, body)
    assert (got, sorted(answer)) == (status, ["error"]), answer
    assert sorted(answer["error"]) == ["code", "message", "param", "type"]
    assert said in answer["error"]["message"]
    assert "\n" not in answer["error"]["message"]


def test_headers(server: Server) -> None:
    status, answer = asked(server, "POST", CHAT, chat(), {"Content-Type": "text/plain"})
    assert (status, answer["error"]["code"]) == (415, "unsupported_media_type")
    status, answer = asked(server, "GET", "/v1/models", headers={"Host": "evil.example"})
    assert (status, answer["error"]["code"]) == (403, "forbidden_host")
    assert asked(server, "GET", "/v1/models", headers={"Host": "localhost:1"})[0] == 200


def raw(server: Server, data: bytes) -> bytes:
    """What the server answers to some bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=GENEROUS) as connection:
        connection.sendall(data)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer


def test_broken_http(server: Server) -> None:
    answer = raw(server, b"what is this?\r\n\r\n")
    assert b" 400 " in answer[:20]
    assert json.loads(answer.split(b"\r\n\r\n")[1])["error"]["code"] == "bad_request"
    assert b" 400 " in raw(server, b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n"
                                   b"Content-Length: -5\r\n\r\n")[:20]
    many = b"".join(b"X-%d: y\r\n" % k for k in range(5)) + b"Big: " + b"z" * 100_000 + b"\r\n"
    assert b" 400 " in raw(server, b"GET /health HTTP/1.1\r\n" + many + b"\r\n")[:20]
    assert server.health()["status"] == "ok"


def test_a_body_that_never_comes(server: Server) -> None:
    answer = raw(server, b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n"
                         b"Content-Type: application/json\r\nContent-Length: 50\r\n"
                         b"Connection: close\r\n\r\n{")
    assert b" 408 " in answer[:20]
    assert b"took longer than 2 seconds" in answer


def stream_request(max_tokens: int = 100) -> bytes:
    body = text(max_tokens=max_tokens, stream=True, prompt="a", logit_bias={"1": -100})
    return (b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)) + body


def test_clients_that_go_away(server: Server) -> None:
    """Their requests are cancelled, and those of others go on."""
    before = server.health()["tokens"]
    for _ in range(6):
        with socket.create_connection(("127.0.0.1", server.port), timeout=GENEROUS) as connection:
            connection.sendall(stream_request())
            assert connection.recv(1000).startswith(b"HTTP/1.1 200 OK")
    server.wait_until_idle()
    assert server.health()["tokens"] - before < 6 * 100
    status, answer = asked(server, "POST", TEXT, text())
    assert (status, answer["usage"]["completion_tokens"]) == (200, 2)


def test_too_many_requests(server: Server) -> None:
    connections = []
    try:
        for _ in range(8):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=GENEROUS)
            connections.append(connection)
            connection.sendall(stream_request())
        deadline = time.monotonic() + GENEROUS
        while not server.health()["unfinished"] and time.monotonic() < deadline:
            time.sleep(0.01)
        refused: tuple[int, dict[str, Any]] = (0, {})
        while refused[0] != 429 and time.monotonic() < deadline and server.health()["unfinished"]:
            refused = asked(server, "POST", TEXT, text(n=8))
        assert refused[0] == 429
        assert "try again later" in refused[1]["error"]["message"]
    finally:
        for connection in connections:
            connection.close()
    server.wait_until_idle()
    assert asked(server, "POST", TEXT, text())[0] == 200


# Its own end, and the words of the command.


def test_a_signal_ends_it() -> None:
    with started("--api-key", "secret") as server:
        status, answer = asked(server, "GET", "/v1/models")
        assert (status, answer["error"]["code"]) == (401, "invalid_api_key")
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="secret", max_retries=0)
        stream = client.completions.create(model="tiny", prompt="a", max_tokens=120, stream=True,
                                           logit_bias={"1": -100})
        next(iter(stream))
        server.process.send_signal(signal.SIGTERM)
        output, errors = server.process.communicate(timeout=GENEROUS)
        assert (output, errors, server.process.returncode) == ("", "", 0)


@pytest.mark.parametrize(("words", "status", "said"), [
    ([], 64, "lambent: no folder is given\nhint: usage: lambent serve FOLDER"),
    (["/no/such"], 66, "lambent: cannot open /no/such: No such file or directory\n"),
    ([".", "--port", "99999"], 64, "--port takes an integer from 0 to 65535, got 99999\n"),
    ([".", "--prot", "1"], 64, "lambent: unknown option: --prot\n"),
    ([".", "--port"], 64, "lambent: --port takes a value\n"),
    ([".", "--bits", "7"], 64, "lambent: --bits takes 8 or 4, got 7\n"),
    ([".", "x"], 64, "lambent: unexpected argument: x\n"),
    ([".", "--host", "256.1.1.1"], 64, "lambent: cannot listen at 256.1.1.1"),
])
def test_wrong_words(words: list[str], status: int, said: str) -> None:
    assert run_here(words)[0] == status
    assert said in run_here(words)[1]


def run_here(words: list[str]) -> tuple[int, str]:
    """The status of the command in this process, and what it says."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        status = main(["serve", *words])
    return status, errors.getvalue()


def test_a_port_that_is_taken() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        status, said = run_here([".", "--port", str(taken.getsockname()[1])])
    assert status == 70
    assert "Address already in use\nhint: --port 0 takes a free one\n" in said


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lambent.lang", "serve", str(tmp_path), "--port", "0"],
        capture_output=True, text=True, timeout=GENEROUS,
    )
    assert (done.stdout, done.returncode) == ("", 70)
    assert done.stderr.startswith("lambent: load-llm: ")
    assert "Traceback" not in done.stderr


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is not installed is named with the command that installs it."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec",
                        lambda name, *more: None if name == "aiohttp" else find(name, *more))
    assert run_here(["."]) == (
        70, "lambent: serve needs the Python package aiohttp\nhint: pip install 'lambent[serve]'\n"
    )
