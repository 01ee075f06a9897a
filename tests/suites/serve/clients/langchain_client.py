"""langchain-openai as a client of `lambent serve`, in its default modes."""

import json
import sys
from typing import Any, Literal

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAI, OpenAIEmbeddings
from pydantic import BaseModel, Field

URL = sys.argv[1]
SHARED: dict[str, Any] = {"base_url": URL, "api_key": "none", "max_retries": 0}


class Weather(BaseModel):
    """How it is outside."""

    city: Literal["Rome", "Oslo"]
    degrees: int = Field(ge=-9, le=30)


@tool
def weather(city: Literal["Rome", "Oslo"]) -> str:
    """How it is outside."""
    return f"rain in {city}"


def chats() -> dict[str, Any]:
    model = ChatOpenAI(model="tiny", max_tokens=8, temperature=0, **SHARED)
    whole = model.invoke("Hello there")
    pieces = list(model.stream("Hello there", stream_usage=True))
    return {
        "text": whole.content, "usage": whole.usage_metadata,
        "finish": whole.response_metadata["finish_reason"],
        "streamed": "".join(str(piece.content) for piece in pieces), "pieces": len(pieces),
        "streamed_usage": [piece.usage_metadata for piece in pieces if piece.usage_metadata],
        "batch": [answer.content for answer in model.batch(["Hello there", "And you?"])],
    }


def calls() -> dict[str, Any]:
    model = ChatOpenAI(model="tiny", max_tokens=80, temperature=0, **SHARED)
    bound = model.bind_tools([weather], tool_choice="any")
    answer = bound.invoke("Hello there")
    [call] = answer.tool_calls
    message = weather.invoke(call)
    streamed = None
    for chunk in bound.stream("Hello there"):
        streamed = chunk if streamed is None else streamed + chunk
    after = model.bind_tools([weather]).bind(max_tokens=4).invoke(
        [HumanMessage("Hello there"), answer, ToolMessage(message.content, tool_call_id=call["id"])])
    return {"call": [call["name"], call["args"]], "result": message.content,
            "streamed": [[part["name"], part["args"]] for part in streamed.tool_calls],
            "after": after.response_metadata["finish_reason"]}


def structures() -> dict[str, Any]:
    model = ChatOpenAI(model="tiny", max_tokens=90, temperature=0, **SHARED)
    found = {}
    for method in ("default", "json_schema", "function_calling"):
        options = {} if method == "default" else {"method": method}
        answer = model.with_structured_output(Weather, **options).invoke("Hello there")
        found[method] = answer.model_dump()
    return found


def responses() -> dict[str, Any]:
    model = ChatOpenAI(model="tiny", max_tokens=60, temperature=0, use_responses_api=True, **SHARED)
    answer = model.invoke("Hello there")
    pieces = list(model.stream("Hello there"))
    [call] = model.bind_tools([weather], tool_choice="any").invoke("Hello there").tool_calls
    return {"text": answer.text, "streamed": "".join(piece.text for piece in pieces),
            "call": call["name"],
            "structure": model.with_structured_output(Weather).invoke("Hello").model_dump()}


def others() -> dict[str, Any]:
    embeddings = OpenAIEmbeddings(model="bert", check_embedding_ctx_length=False, **SHARED)
    texts = OpenAI(model="tiny", max_tokens=8, temperature=0, **SHARED)
    return {
        "documents": embeddings.embed_documents(["one", "hello there", "hello " * 60]),
        "query": embeddings.embed_query("hello there"),
        "completion": texts.invoke("Once"),
    }


def main() -> None:
    for part in (chats, calls, structures, responses, others):
        try:
            print(json.dumps({part.__name__: part()}), flush=True)
        except Exception:
            import traceback; traceback.print_exc()


if __name__ == "__main__":
    main()
