"""pydantic-ai as a client of `lambent serve`."""

import asyncio
import json
import sys
from typing import Any, Literal

from pydantic import BaseModel, Field
from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

URL = sys.argv[1]
class Weather(BaseModel):
    """How it is outside."""

    city: Literal["Rome", "Oslo"]
    degrees: int = Field(ge=-9, le=30)

P = OpenAIProvider(base_url=URL, api_key="none")
S = {"temperature": 0, "max_tokens": 90}

def run(kind):
    model = kind("tiny", provider=P)
    found = {}
    def attempt(name, f):
        try: found[name] = f()
        except Exception as e:
            found[name] = repr(e)[-1000:]
    agent = Agent(model, instructions="Be short", model_settings=S)
    attempt("text", lambda: agent.run_sync("Hello there").output)
    async def stream():
        async with agent.run_stream("Hello there") as r:
            out = [x async for x in r.stream_text(delta=True)]
            return "".join(out), r.usage.output_tokens if not callable(r.usage) else r.usage().output_tokens
    attempt("stream", lambda: asyncio.run(stream()))
    for name, out in (("tool", Weather), ("native", NativeOutput(Weather)), ("prompted", PromptedOutput(Weather)), ("tooloutput", ToolOutput(Weather, strict=True)), ("int", int), ("union", [Weather, bool])):
        attempt(name, lambda: str(Agent(model, output_type=out, model_settings=S, retries=0).run_sync("Hello there").output))
    async def sstream(out):
        async with Agent(model, output_type=out, model_settings=S).run_stream("Hello there") as r:
            return str([x async for x in r.stream_output(debounce_by=None)][-1])
    attempt("stream tool", lambda: asyncio.run(sstream(Weather)))
    attempt("stream native", lambda: asyncio.run(sstream(NativeOutput(Weather))))
    seen = []
    def weather(city: Literal["Rome", "Oslo"]) -> str:
        """How it is outside."""
        seen.append(city)
        return "rain"
    for seed in range(4):
        a = Agent(model, output_type=Weather, tools=[weather], model_settings={"temperature": 1, "max_tokens": 90, "seed": seed})
        def f():
            r = a.run_sync("Hello there"); return str(r.output), len(r.all_messages()), list(seen)
        attempt(f"agent{seed}", f)
    h = agent.run_sync("Hello there").all_messages()
    attempt("history", lambda: agent.run_sync("And?", message_history=h).output)
    return found

def main() -> None:
    for k in (OpenAIChatModel, OpenAIResponsesModel):
        print(json.dumps({k.__name__: run(k)},indent=1), flush=True)


if __name__ == "__main__":
    main()
