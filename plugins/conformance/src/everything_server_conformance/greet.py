"""`greet`, which several `tasks-*` scenarios call as the tool that never makes a task."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import Era, ToolSpec, hookimpl
from pydantic import Field


async def greet(name: Annotated[str, Field(description="Whom to greet")]) -> str:
    """Greet someone, at once."""
    return f"Hello, {name}!"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that has tasks."""
    yield ToolSpec(name="greet", fn=greet, eras=frozenset({Era.MODERN}))
