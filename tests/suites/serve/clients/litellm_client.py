"""litellm as a client of `lambent serve`; it prints what it gets as JSON."""

import asyncio
import json
import os
import sys
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the network for prices

import litellm

from tests.suites.serve.clients.weather import (
    ENCODER,
    ENOUGH,
    HELLO,
    MODEL,
    NEW,
    USER,
    Weather,
)

URL = sys.argv[1]
SHARED: dict[str, Any] = {"api_base": URL, "api_key": "none", "temperature": 0}
TOOLS = [{"type": "function", "function": {
    "name": "weather", "description": "How it is outside", "parameters": {
        "type": "object", "properties": {"city": {"type": "string", "enum": ["Rome", "Oslo"]}},
        "required": ["city"]}}}]


def ask(provider: str = "openai", **more: Any) -> Any:
    return litellm.completion(**{"model": f"{provider}/{MODEL}", "messages": USER,
                                 "max_tokens": NEW, **SHARED, **more})


def chats() -> dict[str, Any]:
    """By each provider that speaks the protocol; whole, in a stream, later, several at once."""
    whole = ask()
    chunks = list(ask(stream=True, stream_options={"include_usage": True}))
    rebuilt = litellm.stream_chunk_builder(chunks, messages=USER)
    later = asyncio.run(litellm.acompletion(f"openai/{MODEL}", USER, max_tokens=NEW, **SHARED))
    answers = [whole, rebuilt, later, ask("hosted_vllm"), ask("litellm_proxy"),
               *litellm.batch_completion(f"openai/{MODEL}", [USER, USER], max_tokens=NEW, **SHARED)]
    return {
        "texts": [answer.choices[0].message.content for answer in answers],
        "finish": whole.choices[0].finish_reason,
        "usages": [{name: answer.usage[f"{name}_tokens"]
                    for name in ("prompt", "completion", "total")} for answer in (whole, rebuilt)],
    }


def calls() -> dict[str, Any]:
    options: dict[str, Any] = {"tools": TOOLS, "tool_choice": "required", "max_tokens": ENOUGH}
    [choice] = ask(**options).choices
    streamed = litellm.stream_chunk_builder(list(ask(**options, stream=True))).choices[0]
    made = [call for part in (choice, streamed) for call in part.message.tool_calls]
    talk = [*USER, choice.message.model_dump(),
            {"role": "tool", "tool_call_id": made[0].id, "name": "weather", "content": "rain"}]
    return {
        "calls": [[call.function.name, json.loads(call.function.arguments)] for call in made],
        "after": ask(tools=TOOLS, messages=talk).choices[0].finish_reason,
    }


def structures() -> list[Any]:
    by_schema = ask(response_format=Weather, max_tokens=ENOUGH)
    return [json.loads(by_schema.choices[0].message.content)]


def others() -> dict[str, Any]:
    text = litellm.text_completion(model=f"text-completion-openai/{MODEL}", prompt="Once",
                                   max_tokens=NEW, **SHARED)
    vectors = litellm.embedding(model=f"openai/{ENCODER}", input=["one", HELLO], api_base=URL,
                                api_key="none")
    response = litellm.responses(model=f"openai/{MODEL}", input=HELLO, max_output_tokens=NEW,
                                 **SHARED)
    ranks = litellm.rerank(model=f"hosted_vllm/{ENCODER}", query=HELLO, documents=["one", HELLO],
                           api_base=URL, api_key="none")
    return {
        "completions": [text.choices[0].text], "vectors": [item["embedding"] for item in
                                                           vectors.data],
        "responses": [response.output[0].content[0].text],
        "ranks": [result["index"] for result in ranks.results],
        "models": litellm.get_valid_models(True, "openai", api_key="none", api_base=URL),
    }


if __name__ == "__main__":
    print(json.dumps({"chats": chats(), "calls": calls(), "structures": structures(),
                      "others": others()}))
