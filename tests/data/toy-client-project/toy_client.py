"""A client that exists to be tested: it finds tools by name, and calls them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client

MODES = {"legacy": "legacy", "modern": "2026-07-28"}


class ToyClient:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def tool_names(self) -> list[str]:
        """The names of all tools, on however many pages."""
        page = await self._client.list_tools()
        names = [tool.name for tool in page.tools]
        while page.next_cursor is not None:
            page = await self._client.list_tools(cursor=page.next_cursor)
            names += [tool.name for tool in page.tools]
        return names

    async def text(self, tool: str, **arguments: Any) -> str | None:
        """What a tool answers; None where there is no such tool, which is found out without calling it."""
        if tool not in await self.tool_names():
            return None
        result = await self._client.call_tool(tool, arguments)
        return "".join(block.text for block in result.content if block.type == "text")


@asynccontextmanager
async def connect(target: Any, era: str) -> AsyncGenerator[ToyClient]:
    """Connect to a URL, to a command that is started, or over a transport of the SDK."""
    if isinstance(target, list):
        target = stdio_client(StdioServerParameters(command=target[0], args=target[1:]))
    elif isinstance(target, str) and target.endswith("/sse"):
        target = sse_client(target)
    async with Client(target, mode=MODES[era]) as client:
        yield ToyClient(client)
