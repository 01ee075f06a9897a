"""litellm as a client of `lambent serve`, in its default modes."""

import asyncio
import json
import os
import sys
from typing import Any, Literal

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the network for prices

import litellm
from pydantic import BaseModel, Field

URL = sys.argv[1]
SHARED: dict[str, Any] = {"api_base": URL, "api_key": "none", "num_retries": 0}
USER = [{"role": "user", "content": "Hello there"}]
TOOL = {"type": "function", "function": {
    "name": "weather", "description": "How it is outside", "parameters": {
        "type": "object", "properties": {"city": {"type": "string", "enum": ["Rome", "Oslo"]}},
        "required": ["city"], "additionalProperties": False}}}


class Weather(BaseModel):
    """How it is outside."""

    city: Literal["Rome", "Oslo"]
    degrees: int = Field(ge=-9, le=30)


def ask(**more: Any) -> Any:
    return litellm.completion(**{"model": "openai/tiny", "messages": USER, "temperature": 0,
                                 "max_tokens": 8, **SHARED, **more})


def chats() -> dict[str, Any]:
    whole = ask()
    chunks = list(ask(stream=True, stream_options={"include_usage": True}))
    async def later() -> Any:
        return await litellm.acompletion(model="openai/tiny", messages=USER, temperature=0, max_tokens=8, **SHARED)
    return {
        "text": whole.choices[0].message.content, "finish": whole.choices[0].finish_reason,
        "usage": whole.usage.model_dump(exclude_none=True),
        "streamed": "".join(chunk.choices[0].delta.content or "" for chunk in chunks
                            if chunk.choices),
        "rebuilt": litellm.stream_chunk_builder(chunks, messages=USER).choices[0].message.content,
        "async": asyncio.run(later()).choices[0].message.content,
        "proxy": litellm.completion(model="litellm_proxy/tiny", messages=USER, temperature=0, max_tokens=8, **SHARED).choices[0].message.content,
        "vllm": litellm.completion(model="hosted_vllm/tiny", messages=USER, temperature=0, max_tokens=8, **SHARED).choices[0].message.content,
        "batch": [a.choices[0].message.content for a in litellm.batch_completion(model="openai/tiny", messages=[USER, USER], temperature=0, max_tokens=8, **SHARED)],
    }


def calls() -> dict[str, Any]:
    options = {"tools": [TOOL], "tool_choice": "required", "max_tokens": 80}
    [choice] = ask(**options).choices
    [call] = choice.message.tool_calls
    chunks = list(ask(**options, stream=True))
    [streamed] = litellm.stream_chunk_builder(chunks).choices[0].message.tool_calls
    talk = [*USER, choice.message.model_dump(),
            {"role": "tool", "tool_call_id": call.id, "name": "weather", "content": "rain"}]
    return {
        "call": [call.function.name, call.function.arguments], "finish": choice.finish_reason,
        "streamed": [streamed.function.name, streamed.function.arguments],
        "after": ask(tools=[TOOL], messages=talk).choices[0].finish_reason,
    }


def structures() -> dict[str, Any]:
    return {"pydantic": ask(response_format=Weather, max_tokens=90).choices[0].message.content,
            "object": ask(response_format={"type": "json_object"}).choices[0].finish_reason}


def others() -> dict[str, Any]:
    texts = litellm.text_completion(model="text-completion-openai/tiny", prompt="Once", max_tokens=8,
                                    temperature=0, **SHARED)
    vectors = litellm.embedding(model="openai/bert", input=["one", "hello there"], **SHARED)
    response = litellm.responses(model="openai/tiny", input="Hello there", max_output_tokens=8,
                                 temperature=0, **SHARED)
    ranks = litellm.rerank(model="hosted_vllm/bert", query="hello", documents=["one", "hello there"], api_base=URL, api_key="none")
    ranks2 = litellm.rerank(model="jina_ai/bert", query="hello", documents=["one", "hello there"], api_base=URL+"/rerank", api_key="none")
    return {"completion": texts.choices[0].text,
            "vectors": [vector["embedding"] for vector in vectors.data],
            "response": response.output[0].content[0].text, "ranks": ranks.results, "ranks2": ranks2.results,
            "models": litellm.get_valid_models(check_provider_endpoint=True, custom_llm_provider="openai", api_key="none", api_base=URL)}


def main() -> None:
    for part in (chats, calls, structures, others):
        try:
            print(json.dumps({part.__name__: part()}), flush=True)
        except Exception:
            import traceback; traceback.print_exc()


if __name__ == "__main__":
    main()
