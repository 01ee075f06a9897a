"""What the clients ask for: a structure, a tool, and the messages of a user."""

from typing import Any, Literal

from pydantic import BaseModel, Field

MODEL, ENCODER = "tiny", "words"  # the names of the server's models
HELLO = "Hello there"
USER: list[Any] = [{"role": "user", "content": HELLO}]
NEW = 8  # tokens of an answer in text
ENOUGH = 120  # tokens of one that follows a schema


class Weather(BaseModel):
    """How it is outside."""

    city: Literal["Rome", "Oslo"]
    degrees: int = Field(ge=-9, le=30)


def weather(city: Literal["Rome", "Oslo"]) -> str:
    """How it is outside."""
    return f"rain in {city}"
