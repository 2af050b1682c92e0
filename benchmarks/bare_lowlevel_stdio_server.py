"""The smallest echo server that the SDK's low-level class gives, on the SDK's own stdio transport.

It checks no arguments and derives no schema, so it shows what the protocol alone costs.
"""

from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent, Tool

SCHEMA = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}


async def list_tools(ctx: ServerRequestContext[Any, Any], params: PaginatedRequestParams | None) -> ListToolsResult:
    """The one tool."""
    return ListToolsResult(tools=[Tool(name="echo", description="Echo a message.", input_schema=SCHEMA)])


async def call_tool(ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> CallToolResult:
    """Echo, whatever the name."""
    text = f"Echo: {(params.arguments or {})['message']}"
    return CallToolResult(content=[TextContent(type="text", text=text)])


async def serve() -> None:
    """Serve until input ends."""
    server = Server[dict[str, Any]]("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(serve)
