"""pydantic-ai as a client of `lambent serve`; it prints what it gets as JSON."""

import asyncio
import json
import sys
from typing import Any, Literal

from pydantic_ai import Agent, NativeOutput, Tool, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

from tests.suites.serve.clients.weather import ENOUGH, HELLO, MODEL, NEW, Weather

PROVIDER = OpenAIProvider(base_url=sys.argv[1], api_key="none")
MOST_TRIES = 20  # of an agent, until its model, which says what it likes, calls the tool


def agent(kind: Any, max_tokens: int, **more: Any) -> Any:
    settings = {"temperature": 0, "max_tokens": max_tokens, **more.pop("settings", {})}
    return Agent(kind(MODEL, provider=PROVIDER), model_settings=settings, retries=0, **more)


def texts(kind: Any) -> list[str]:
    talker = agent(kind, NEW)

    async def streamed() -> str:
        async with talker.run_stream(HELLO) as run:
            return "".join([piece async for piece in run.stream_text(delta=True)])

    whole = talker.run_sync(HELLO)
    assert talker.run_sync("And?", message_history=whole.all_messages()).usage.output_tokens
    return [whole.output, asyncio.run(streamed())]


def structures(kind: Any) -> list[Any]:
    """By a tool, as usual, by a strict one, and by a schema; whole, and in a stream."""
    ways = [agent(kind, ENOUGH, output_type=wanted)
            for wanted in (Weather, ToolOutput(Weather, strict=True), NativeOutput(Weather))]

    async def streamed(way: Any) -> Any:
        async with way.run_stream(HELLO) as run:
            return [value async for value in run.stream_output(debounce_by=None)][-1]

    found = [way.run_sync(HELLO).output for way in ways]
    return [value.model_dump()
            for value in (*found, *(asyncio.run(streamed(way)) for way in ways))]


def calls(kind: Any, wanted: Any) -> dict[str, Any]:
    """The arguments of calls, and the outputs, until the tool was called; then it is gone."""
    cities: list[str] = []

    def weather(city: Literal["Rome", "Oslo"]) -> str:
        """How it is outside."""
        cities.append(city)
        return "rain"

    async def while_needed(context: Any, definition: ToolDefinition) -> ToolDefinition | None:
        return None if cities else definition

    outputs = []
    for seed in range(MOST_TRIES):
        worker = agent(kind, ENOUGH, output_type=wanted,
                       tools=[Tool(weather, prepare=while_needed)],
                       settings={"temperature": 1, "seed": seed})
        outputs.append(worker.run_sync(HELLO).output.model_dump())
        if cities:
            break
    return {"cities": cities, "structures": outputs}


def all_of(kind: Any) -> dict[str, Any]:
    return {"texts": texts(kind), "structures": structures(kind),
            "agents": [calls(kind, Weather), calls(kind, NativeOutput(Weather))]}


if __name__ == "__main__":
    print(json.dumps({"chat": all_of(OpenAIChatModel), "responses": all_of(OpenAIResponsesModel)}))
