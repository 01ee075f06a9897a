"""What OpenAI's clients and the programs on top of them ask `lambent serve` for."""

import base64
import json
import math
import struct
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import openai
import pytest
import torch

from tests.suites.serve.test_serve import (
    CHAT,
    GENEROUS,
    JSON,
    TEXT,
    TOOLS,
    USER,
    Server,
    asked,
    raw,
    started,
)
from tests.support.model_folders import CONTEXT, folder, reference

ORIGIN = "https://chat.example"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with started("--max-tokens", "100", "--cors", f"http://a.example {ORIGIN}") as running:
        yield running


def post(server: Server, path: str, **body: Any) -> dict[str, Any]:
    status, answer = asked(server, "POST", path, json.dumps({"model": "tiny", **body}).encode())
    assert status == 200, answer
    return answer


# Tools that must be called.

MOVE: dict[str, Any] = {"type": "function", "function": {"name": "move", "parameters": {
    "type": "object", "$defs": {"Side": {"enum": ["left", "right"]}},
    "properties": {"side": {"$ref": "#/$defs/Side"}, "fast": {"type": "boolean"}},
    "required": ["side", "fast"], "additionalProperties": False,
}}}


def called(choice: Any) -> tuple[str, Any]:
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", None)
    [call] = choice.message.tool_calls
    return call.function.name, json.loads(call.function.arguments)


@pytest.mark.parametrize("wanted", ["required", {"type": "function", "function": {"name": "move"}}])
def test_a_call_is_demanded(server: Server, wanted: Any) -> None:
    """The arguments follow the parameters, references included."""
    tools = [MOVE] if wanted == "required" else [*TOOLS, MOVE]
    options: dict[str, Any] = {"model": "tiny", "messages": USER, "tools": tools, "max_tokens": 90,
                               "tool_choice": wanted}
    for seed in range(3):
        [choice] = server.client().chat.completions.create(**options, seed=seed).choices
        name, arguments = called(choice)
        assert name == "move"
        assert arguments["side"] in ("left", "right") and arguments["fast"] in (True, False)
    stream = server.client().chat.completions.create(**options, seed=0, stream=True)
    chunks = [chunk.choices[0] for chunk in stream]
    [deltas] = [chunk.delta.tool_calls for chunk in chunks if chunk.delta.tool_calls]
    assert deltas is not None and deltas[0].function is not None
    assert deltas[0].function.name == "move"
    assert chunks[-1].finish_reason == "tool_calls"


def test_one_of_several_tools_is_called(server: Server) -> None:
    other = {"type": "function", "function": {"name": "stay"}}
    allowed = {"type": "allowed_tools", "allowed_tools": {
        "mode": "required", "tools": [{"type": "function", "function": {"name": "stay"}}]}}
    for wanted, names in (("required", {"move", "stay"}), (allowed, {"stay"})):
        found = set()
        for seed in range(6):
            answer = post(server, CHAT, messages=USER, tools=[MOVE, other], tool_choice=wanted,
                          max_tokens=90, seed=seed)
            [call] = answer["choices"][0]["message"]["tool_calls"]
            found.add(call["function"]["name"])
            assert call["function"]["name"] != "stay" or call["function"]["arguments"] == "{}"
        assert found <= names


def test_parameters_without_a_grammar(server: Server) -> None:
    """They are a hint, unless the tool is strict."""
    function = {"name": "f", "parameters": {"type": "object", "contains": {"const": 1}}}
    tools = [{"type": "function", "function": function}]
    answer = post(server, CHAT, messages=USER, tools=tools, tool_choice="required", max_tokens=100)
    assert answer["choices"][0]["finish_reason"] == "tool_calls"
    function["strict"] = True
    status, fault = asked(server, "POST", CHAT, json.dumps(
        {"model": "tiny", "messages": USER, "tools": tools, "tool_choice": "required"}).encode())
    assert (status, "contains" in fault["error"]["message"]) == (400, True), fault


def test_a_demanded_call_and_a_format(server: Server) -> None:
    """The call wins: instructor sends both."""
    [choice] = server.client().chat.completions.create(
        model="tiny", messages=USER, tools=[MOVE], tool_choice="required", max_tokens=90,  # type: ignore[arg-type]
        response_format={"type": "json_object"}).choices
    assert called(choice)[0] == "move"


# Nulls, and numbers that mean no limit.


def test_nulls_are_absent(server: Server) -> None:
    """Clients send messages back with null in all fields that were not used."""
    [choice] = server.client().chat.completions.create(
        model="tiny", messages=USER, max_tokens=3, seed=1  # type: ignore[arg-type]
    ).choices
    sent = choice.message.model_dump()
    assert sent["tool_calls"] is None
    plain = {"role": "assistant", "content": sent["content"]}
    options: dict[str, Any] = {"seed": 2, "max_tokens": 5, "temperature": None, "stop": None,
                               "tools": None, "tool_choice": None, "response_format": None}
    answers = [post(server, CHAT, messages=[*USER, message, *USER], **options)
               for message in (sent, plain, {**plain, "tool_calls": []})]
    assert len({answer["choices"][0]["message"]["content"] for answer in answers}) == 1
    assert len({answer["usage"]["prompt_tokens"] for answer in answers}) == 1
    post(server, CHAT, messages=[*USER, {"role": "assistant", "content": None}, *USER],
         max_tokens=1)
    for message in ({"role": "user", "content": None}, {"role": "assistant"}):
        status, fault = asked(server, "POST", CHAT,
                              json.dumps({"model": "tiny", "messages": [message]}).encode())
        assert (status, fault["error"]["param"]) == (400, "messages[0].content")


def test_unused_fields_are_null(server: Server) -> None:
    """OpenAI's client sends what its caller set to None, also fields that are unknown here."""
    client = server.client()
    [choice] = client.chat.completions.create(
        model="tiny", messages=USER, max_tokens=2, prediction=None, audio=None,  # type: ignore[arg-type]
        function_call=None, functions=None,  # type: ignore[arg-type]
    ).choices
    assert choice.finish_reason == "length"


def test_paths_of_others(server: Server) -> None:
    """Clients fall back, or show what there is."""
    with pytest.raises(openai.NotFoundError, match=r"/v1/images/generations; this server answers "
                                                   r"/v1/chat/completions"):
        server.client().images.generate(prompt="Hello")


def test_no_limits(server: Server) -> None:
    def text(**options: Any) -> Any:
        return post(server, TEXT, prompt="Once", seed=3, **options)["choices"][0]["text"]

    assert text(top_k=0) == text(top_k=-1) == text(top_p=1.0) == text()
    assert text(top_k=1) != text()
    long = post(server, TEXT, prompt="Once", max_tokens=-1, logit_bias={"1": -100})
    assert long["usage"]["completion_tokens"] == 100
    long = post(server, CHAT, messages=USER, max_tokens=-1, logit_bias={"1": -100})
    assert 16 < long["usage"]["completion_tokens"] <= 100


def test_variables_of_the_template(server: Server) -> None:
    """The template of these folders adds the beginning of an answer only if it is asked to."""
    sizes = [post(server, CHAT, messages=USER, max_tokens=1, chat_template_kwargs=variables)
             ["usage"]["prompt_tokens"] for variables in (
                 {}, None, {"enable_thinking": False}, {"add_generation_prompt": False})]
    assert sizes[0] == sizes[1] == sizes[2] > sizes[3]


# Log-probabilities.


def test_scores_of_a_prompt(server: Server) -> None:
    """What lm-evaluation-harness asks for: each token of the prompt, as transformers scores it."""
    ids = [5, 70, 71, 5, 90, 33, 5, 70]
    prompts = [ids, ids[::-1]]
    made = post(server, TEXT, prompt=prompts, max_tokens=1, temperature=0, logprobs=1, echo=True,
                seed=1234)
    model = reference("llama")
    for choice, prompt in zip(made["choices"], prompts, strict=True):
        found = choice["logprobs"]
        with torch.no_grad():
            logits = model(torch.tensor([prompt])).logits[0]
        logs = torch.log_softmax(logits, -1)
        wanted = [logs[k, token].item() for k, token in enumerate(prompt[1:])]
        assert found["token_logprobs"][0] is None and found["top_logprobs"][0] is None
        assert found["token_logprobs"][1:-1] == pytest.approx(wanted, abs=1e-4)
        assert len(found["tokens"]) == len(prompt) + 1
        greedy = [value == max(top.values()) for value, top in
                  zip(found["token_logprobs"][1:], found["top_logprobs"][1:], strict=True)]
        likeliest = logs.argmax(-1).tolist()
        assert greedy == [*(a == b for a, b in zip(prompt[1:], likeliest, strict=False)), True]


@pytest.mark.parametrize("size", [CONTEXT - 1, 3])
def test_a_prompt_is_only_scored(server: Server, size: int) -> None:
    """Also a long one, which the engine computes in parts."""
    ids = [5 + k % 300 for k in range(size)]
    made = post(server, TEXT, prompt=ids, max_tokens=0, echo=True, logprobs=0)
    [choice] = made["choices"]
    assert made["usage"]["completion_tokens"] == 0
    assert len(choice["logprobs"]["tokens"]) == size
    logs = torch.log_softmax(reference("llama")(torch.tensor([ids])).logits[0], -1)
    assert choice["logprobs"]["token_logprobs"][-1] == pytest.approx(
        logs[-2, ids[-1]].item(), abs=1e-4)


def test_a_scored_stream(server: Server) -> None:
    options: dict[str, Any] = {"model": "tiny", "prompt": "Once upon", "max_tokens": 4, "seed": 1,
                               "logprobs": 2, "echo": True}
    whole = server.client().completions.create(**options).choices[0]
    chunks = [chunk.choices[0] for chunk in
              server.client().completions.create(**options, stream=True)]
    assert "".join(chunk.text for chunk in chunks) == whole.text
    assert whole.text.startswith("Once upon")
    for name in ("tokens", "token_logprobs", "text_offset", "top_logprobs"):
        parts = [getattr(chunk.logprobs, name) for chunk in chunks if chunk.logprobs]
        assert list(chain(*parts)) == getattr(whole.logprobs, name)


def test_offsets_are_places_in_the_text(server: Server) -> None:
    """Characters of several tokens count once, and special tokens are not in the text."""
    prompt = "né 世界 a"
    [choice] = post(server, TEXT, prompt=prompt, max_tokens=3, echo=True, logprobs=3,
                    temperature=0)["choices"]
    found = choice["logprobs"]
    places, text = found["text_offset"], choice["text"]
    assert places == sorted(places) and places[-1] <= len(text)
    for name, start, end in zip(found["tokens"], places, [*places[1:], len(text)], strict=True):
        if not name.startswith(("bytes:", "<")):
            assert text[start:end] == name
    assert any(name.startswith("bytes:\\x") for name in found["tokens"])


def test_likeliest_tokens_of_one_name(server: Server) -> None:
    """Parts of characters have names of their own, so that none hides a likelier one."""
    [choice] = post(server, TEXT, prompt="a", max_tokens=3, logprobs=20)["choices"]
    for token, value, top in zip(*(choice["logprobs"][name] for name in (
            "tokens", "token_logprobs", "top_logprobs")), strict=True):
        assert len(top) in (20, 21)
        assert top[token] == value
        assert math.fsum(math.exp(value) for value in top.values()) <= 1.0001


# Pages of other sites.


def headers_of(server: Server, request: bytes) -> list[bytes]:
    return raw(server, request).split(b"\r\n\r\n")[0].split(b"\r\n")


@pytest.mark.parametrize(("origin", "allowed"), [(ORIGIN, True), ("https://evil.example", False)])
def test_origins(server: Server, origin: str, allowed: bool) -> None:
    shown = f"Access-Control-Allow-Origin: {origin}".encode()
    begin = f" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: {origin}\r\n".encode()
    asked = b"Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization"
    before = headers_of(server, b"OPTIONS /v1/chat/completions" + begin + asked + b"\r\n\r\n")
    assert (b" 204 " in before[0], shown in before) == (allowed, allowed)
    for path, status in ((b"/v1/models", b" 200 "), (b"/nothing", b" 404 ")):
        found = headers_of(server, b"GET " + path + begin + b"\r\n")
        assert (status in found[0], shown in found) == (True, allowed)


# Embeddings.


@pytest.fixture(scope="module")
def encoder() -> Iterator[Server]:
    with started("--max-body", "300000", model="bert") as running:
        yield running


def vector_of(text_ids: list[int]) -> list[float]:
    """The mean of the states, of length 1."""
    states = reference("bert")(torch.tensor([text_ids])).last_hidden_state[0]
    mean = states.mean(0)
    return (mean / mean.norm()).tolist()


def test_embeddings(encoder: Server) -> None:
    import tokenizers

    vocabulary = tokenizers.Tokenizer.from_file(str(folder("bert") / "tokenizer.json"))
    texts = ["Hello there", "another text", "one"] * 4
    made = encoder.client().embeddings.create(model="tiny", input=texts)  # as base64
    wanted = [vector_of(vocabulary.encode(text).ids) for text in texts]
    for found, vector in zip(made.data, wanted, strict=True):
        assert found.embedding == pytest.approx(vector, abs=1e-5)
    assert made.usage.prompt_tokens == sum(len(vocabulary.encode(text).ids) for text in texts)
    plain = post(encoder, "/v1/embeddings", input="Hello there", encoding_format="float")
    assert plain["data"][0]["embedding"] == pytest.approx(wanted[0], abs=1e-5)
    coded = post(encoder, "/v1/embeddings", input="Hello there", encoding_format="base64",
                 dimensions=len(wanted[0]))["data"][0]["embedding"]
    numbers = struct.unpack(f"<{len(wanted[0])}f", base64.b64decode(coded))
    assert list(numbers) == pytest.approx(wanted[0], abs=1e-5)


@pytest.mark.parametrize(("body", "said"), [
    ({"input": []}, "input takes a string"),
    ({"input": "a", "dimensions": 49}, "dimensions is 49, but the model's vectors have 48"),
    ({"input": "a", "encoding_format": "hex"}, "encoding_format takes float or base64"),
    ({"input": ["a"] * 2049}, "input takes at most 2048 texts"),
    ({"input": "word " * 50_000}, "tokens, but the prompt has more than "),
    ({"input": ""}, "the input has no tokens"),
    ({"input": [10**6]}, "input has the token 1000000"),
])
def test_wrong_embeddings(encoder: Server, body: dict[str, Any], said: str) -> None:
    status, fault = asked(encoder, "POST", "/v1/embeddings",
                          json.dumps({"model": "tiny", **body}).encode())
    assert (status, said in fault["error"]["message"]) == (400, True), fault


def test_an_encoder_generates_nothing(encoder: Server) -> None:
    for path, more in ((CHAT, {"messages": USER}), (TEXT, {"prompt": "a"})):
        status, fault = asked(encoder, "POST", path, json.dumps({"model": "tiny", **more}).encode())
        assert (status, "is an encoder" in fault["error"]["message"]) == (400, True)


# What is asked for before a key is checked.


def test_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the header is, the answer is 401, and nothing is reported."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with started("--api-key", "sk-öé") as server:
        def status(header: bytes) -> bytes:
            begin = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            return raw(server, begin + b"Authorization: " + header + b"\r\n\r\n")[:13]

        for header in (b"\xff", b"Bearer \xff\xfe", b"Bearer sk-", b"Bearer " + b"a" * 5000):
            assert status(header) == b"HTTP/1.1 401 "
        assert status(b"Bearer " + "sk-öé".encode()) == b"HTTP/1.1 200 "
    assert list(tmp_path.glob("lambent-*")) == []


def test_a_client_with_a_wrong_key() -> None:
    with started("--api-key", "secret") as server:
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="wrong", max_retries=0,
                               timeout=GENEROUS)
        with pytest.raises(openai.AuthenticationError):
            client.models.list()
        assert asked(server, "GET", "/v1/models", headers={**JSON, "Authorization": "Bearer secret"}
                     )[0] == 200
