"""`/v1/responses`: OpenAI's own client, conversations that go on, and streams of events."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pydantic
import pytest

from tests.suites.serve.test_serve import (
    CHAT,
    TOOLS,
    USER,
    Server,
    asked,
    chat,
    format_of,
    started,
    strict_tool,
)

RESPONSES = "/v1/responses"
WEATHER: dict[str, Any] = {
    "type": "function", "name": "weather", "strict": True, "parameters": {
        "type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}},
        "required": ["city"], "additionalProperties": False,
    },
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with started("--max-tokens", "100", "--max-responses", "3") as running:
        yield running


def create(server: Server, **more: Any) -> Any:
    return server.client().responses.create(
        **{"model": "tiny", "input": "Hello there", "max_output_tokens": 8, "temperature": 0,
           **more})


def test_it_is_the_answer_of_chat(server: Server) -> None:
    made = create(server, instructions="Be short", metadata={"a": "b"})
    chat = server.client().chat.completions.create(
        model="tiny", max_tokens=8, temperature=0,
        messages=[{"role": "system", "content": "Be short"}, *USER])  # type: ignore[list-item]
    assert made.output_text == chat.choices[0].message.content
    assert (made.object, made.model, made.metadata) == ("response", "tiny", {"a": "b"})
    assert chat.usage is not None and made.usage is not None
    assert made.usage.input_tokens == chat.usage.prompt_tokens
    assert made.usage.output_tokens == chat.usage.completion_tokens == 8
    assert (made.status, made.incomplete_details.reason) == ("incomplete", "max_output_tokens")


def test_forms_of_input(server: Server) -> None:
    """A text, messages, and lists of parts are the same."""
    parts = [{"type": "input_text", "text": "Hello "}, {"type": "input_text", "text": "there"}]
    texts = {create(server, input=given).output_text for given in (
        "Hello there", USER, [{"type": "message", "role": "user", "content": parts}])}
    assert len(texts) == 1


def test_a_conversation_goes_on(server: Server) -> None:
    first = create(server)
    again = create(server, input="And then?", previous_response_id=first.id)
    whole = create(server, input=[
        *USER, {"role": "assistant", "content": first.output_text},
        {"role": "user", "content": "And then?"}])
    assert again.previous_response_id == first.id
    assert again.output_text == whole.output_text
    assert again.usage.input_tokens == whole.usage.input_tokens > first.usage.input_tokens
    assert server.client().responses.retrieve(first.id).output == first.output
    server.client().responses.delete(first.id)
    with pytest.raises(openai.NotFoundError, match="is kept"):
        create(server, previous_response_id=first.id)


def test_few_are_kept(server: Server) -> None:
    """Of each the last three; none if the client says so."""
    made = [create(server) for _ in range(4)]
    hidden = create(server, store=False)
    for response, status in ((made[0], 404), (made[1], 200), (made[3], 200), (hidden, 404)):
        assert asked(server, "GET", f"{RESPONSES}/{response.id}")[0] == status


def test_a_schema(server: Server) -> None:
    class Size(pydantic.BaseModel):
        size: int = pydantic.Field(ge=1, le=3)

    parsed = server.client().responses.parse(
        model="tiny", input="Hello", text_format=Size, max_output_tokens=60, temperature=0)
    assert parsed.output_parsed is not None and parsed.output_parsed.size in (1, 2, 3)
    assert parsed.status == "completed"


def test_calls_of_tools(server: Server) -> None:
    options: dict[str, Any] = {"tools": [WEATHER], "max_output_tokens": 90}
    made = create(server, tool_choice="required", **options)
    [call] = made.output
    assert (call.type, call.name, made.output_text) == ("function_call", "weather", "")
    assert json.loads(call.arguments)["city"] in ("Rome", "Oslo")
    named = create(server, tool_choice={"type": "function", "name": "weather"}, **options)
    assert named.output[0].arguments == call.arguments
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    after = create(server, input=[result], previous_response_id=made.id, tools=[WEATHER])
    sent = create(server, input=[*USER, call.model_dump(exclude_none=True), result],
                  tools=[WEATHER])
    assert after.usage.input_tokens == sent.usage.input_tokens > made.usage.input_tokens


def test_faults_of_schemas_beside_tools(server: Server) -> None:
    """A schema that no grammar supports is named by its own path; such parameters are relaxed."""
    odd = {"type": "object", "properties": {"x": {"pattern": "(a)\\1"}}}
    status, answer = asked(server, "POST", CHAT, chat(
        tools=TOOLS, response_format=format_of(odd)))
    assert (status, "at #/properties/x: " in answer["error"]["message"]) == (400, True), answer
    fine = {"type": "object", "properties": {"x": {"enum": [1]}}, "required": ["x"],
            "additionalProperties": False}
    status, answer = asked(server, "POST", CHAT, chat(
        tools=[strict_tool("f", odd)], response_format=format_of(fine), max_tokens=90))
    assert status == 200, answer


def test_a_stream(server: Server) -> None:
    """Its events are numbered, and their pieces are the whole."""
    with server.client().responses.stream(
        model="tiny", input="Hello there", max_output_tokens=8, temperature=0
    ) as stream:
        events = list(stream)
    final = events[-1].response  # type: ignore[union-attr]
    assert final.output_text == create(server).output_text
    kinds = [event.type for event in events]
    assert kinds[:4] == ["response.created", "response.in_progress", "response.output_item.added",
                         "response.content_part.added"]
    assert kinds[-4:] == ["response.output_text.done", "response.content_part.done",
                          "response.output_item.done", "response.incomplete"]
    said = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert len(said) > 2 and "".join(said) == final.output_text
    assert [event.sequence_number for event in events] == list(range(len(events)))


def test_a_stream_of_a_call(server: Server) -> None:
    events = list(create(server, tools=[WEATHER], tool_choice="required", max_output_tokens=90,
                         stream=True))
    kinds = [event.type for event in events]
    assert kinds[2:] == [
        "response.output_item.added", "response.function_call_arguments.delta",
        "response.function_call_arguments.done", "response.output_item.done",
        "response.completed"]
    assert events[3].delta == events[4].arguments == events[-1].response.output[0].arguments


def test_log_probabilities(server: Server) -> None:
    made = create(server, include=["message.output_text.logprobs"], top_logprobs=2)
    [part] = made.output[0].content
    assert "".join(token.token for token in part.logprobs).replace("<pad>", "") == part.text
    assert all(len(token.top_logprobs) == 2 for token in part.logprobs)


@pytest.mark.parametrize(("field", "value", "said"), [
    ("input", None, "input takes a string or a list of at least one item"),
    ("input", [], "input takes a string or a list of at least one item"),
    ("input", [1], "input[0] takes an object"),
    ("input", [{"type": "x"}], "input[0].type takes message, function_call"),
    ("input", [{"role": "user", "content": 1}], "input[0].content takes a string or a list"),
    ("input", [{"role": "user", "content": [{"type": "input_image"}]}],
     "input[0].content[0] takes a part of type input_text"),
    ("input", [{"type": "function_call", "name": "f"}], "input[0].call_id is missing"),
    ("input", [{"role": "boss", "content": "a"}], "messages[0].role takes one of"),
    ("input", "\ud800", "holds U+D800"),
    ("input", [{"role": "user", "content": "a"}] * 4097, "at most 4096 items"),
    ("previous_response_id", "resp_1", 'no response "resp_1" is kept'),
    ("max_output_tokens", 0, "max_output_tokens takes an integer from 1 to 100"),
    ("background", True, "background is not supported"),
    ("conversation", "c", "conversation is not supported"),
    ("truncation", "auto", "truncation is not supported"),
    ("tools", [{"type": "web_search"}], "tools[0] takes a tool of type function"),
    ("text", {"format": {"type": "xml"}}, "text.format.type takes"),
    ("text", {"format": {"type": "json_schema"}}, "text.format.schema takes an object"),
    ("store", 1.5, "store takes true or false"),
    ("temprature", 1, "do you mean temperature?"),
    ("model", "gpt", 'the model "gpt" does not exist'),
])
def test_wrong_fields(server: Server, field: str, value: Any, said: str) -> None:
    body = {"model": "tiny", "input": "a", field: value}
    status, answer = asked(server, "POST", RESPONSES, json.dumps(body).encode())
    assert status in (400, 404) and said in answer["error"]["message"], answer
