"""langchain-openai as a client of `lambent serve`; it prints what it gets as JSON."""

import asyncio
import json
import sys
from typing import Any

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAI, OpenAIEmbeddings

from tests.suites.serve.clients.weather import (
    ENCODER,
    ENOUGH,
    HELLO,
    MODEL,
    NEW,
    Weather,
    weather,
)

SHARED: dict[str, Any] = {"base_url": sys.argv[1], "api_key": "none", "max_retries": 0}


def chat_model(max_tokens: int, **more: Any) -> Any:
    return ChatOpenAI(model=MODEL, max_tokens=max_tokens, temperature=0, **SHARED, **more)


def chats() -> dict[str, Any]:
    model = chat_model(NEW)
    whole = model.invoke(HELLO)
    pieces = list(model.stream(HELLO))

    async def later() -> str:
        return "".join([str(piece.content) async for piece in model.astream(HELLO)])

    return {
        "texts": [whole.content, "".join(piece.content for piece in pieces), asyncio.run(later()),
                  *(answer.content for answer in model.batch([HELLO, HELLO]))],
        "finish": whole.response_metadata["finish_reason"],
        "usages": [whole.usage_metadata,
                   *(piece.usage_metadata for piece in pieces if piece.usage_metadata)],
    }


def calls() -> dict[str, Any]:
    caller = tool(weather)
    bound = chat_model(ENOUGH).bind_tools([caller], tool_choice="any")
    answer = bound.invoke(HELLO)
    [call] = answer.tool_calls
    first, *rest = bound.stream(HELLO)
    [streamed] = sum(rest, first).tool_calls
    result = ToolMessage(caller.invoke(call["args"]), tool_call_id=call["id"])
    after = chat_model(NEW).bind_tools([caller]).invoke([HumanMessage(HELLO), answer, result])
    return {"calls": [[made["name"], made["args"]] for made in (call, streamed)],
            "result": result.content, "after": after.response_metadata["finish_reason"]}


def structures() -> list[Any]:
    """By the usual method, by each method, and by a stream."""
    model = chat_model(ENOUGH)
    usual = model.with_structured_output(Weather)
    ways = [usual, *(model.with_structured_output(Weather, method=method)
                     for method in ("json_schema", "function_calling"))]
    found = [way.invoke(HELLO) for way in ways] + [list(usual.stream(HELLO))[-1]]
    return [value.model_dump() for value in found]


def responses() -> dict[str, Any]:
    model = chat_model(NEW, use_responses_api=True)
    long = chat_model(ENOUGH, use_responses_api=True)
    [call] = long.bind_tools([tool(weather)], tool_choice="any").invoke(HELLO).tool_calls
    return {
        "texts": [model.invoke(HELLO).text, "".join(piece.text for piece in model.stream(HELLO))],
        "calls": [[call["name"], call["args"]]],
        "structures": [long.with_structured_output(Weather).invoke(HELLO).model_dump()],
    }


def others() -> dict[str, Any]:
    # It would send numbers of OpenAI's tokens, which mean other words here.
    embeddings = OpenAIEmbeddings(model=ENCODER, check_embedding_ctx_length=False, **SHARED)
    texts = OpenAI(model=MODEL, max_tokens=NEW, temperature=0, **SHARED)
    return {
        "vectors": [*embeddings.embed_documents(["one", HELLO]), embeddings.embed_query(HELLO)],
        "completions": [texts.invoke("Once"), "".join(texts.stream("Once"))],
    }


if __name__ == "__main__":
    print(json.dumps({"chats": chats(), "calls": calls(), "structures": structures(),
                      "responses": responses(), "others": others()}))
