"""A small server behind `serve_stdio`, made of nothing but the SDK's low-level class: the entry takes any factory.

The rows of `wire/stdio-table.json` are played against it. Each call of its factory is told on stderr, `factory: ERA`.
"""

import argparse
import sys
from functools import partial
from typing import Any

import anyio
from everything_server import ServingContext, serve_stdio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListPromptsResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

RequestContext = ServerRequestContext[Any, Any]

SCHEMAS: dict[str, dict[str, Any]] = {
    "echo": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
    "changed": {"type": "object"},
    "slow": {"type": "object", "properties": {"ms": {"type": "number"}}},
    "progress": {"type": "object"},
}


def make_server(context: ServingContext) -> Server[Any]:
    """The factory."""
    print(f"factory: {context.era}", file=sys.stderr, flush=True)

    async def list_tools(ctx: RequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[Tool(name=name, input_schema=schema) for name, schema in SCHEMAS.items()])

    async def list_prompts(ctx: RequestContext, params: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult(prompts=[])

    async def call_tool(ctx: RequestContext, params: CallToolRequestParams) -> CallToolResult:
        arguments = params.arguments or {}
        match params.name:
            case "echo":
                return text(arguments["message"])
            case "changed":
                await context.publish(ToolsListChanged())
                return text("published")
            case "slow":
                await anyio.sleep(arguments.get("ms", 0) / 1000)
                return text("done")
            case "progress":
                await ctx.session.report_progress(1, 1)
                return text("reported")
            case _:
                raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name}")

    return Server("table", on_list_tools=list_tools, on_list_prompts=list_prompts, on_call_tool=call_tool)


def text(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--legacy", choices=("serve", "reject"), default="serve")
    parser.add_argument("--malformed", choices=("answer", "drop"), default="answer")
    parser.add_argument("--max-subscriptions", type=int, default=1024)
    options = parser.parse_args()
    anyio.run(
        partial(
            serve_stdio,
            make_server,
            legacy=options.legacy,
            malformed=options.malformed,
            max_subscriptions=options.max_subscriptions,
        )
    )


if __name__ == "__main__":
    main()
