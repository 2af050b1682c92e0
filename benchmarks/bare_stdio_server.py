"""The smallest echo server that the SDK's high-level class gives, on the SDK's own stdio transport."""

from mcp.server import MCPServer

server = MCPServer("bare")


@server.tool()
async def echo(message: str) -> str:
    """Echo a message."""
    return f"Echo: {message}"


if __name__ == "__main__":
    server.run("stdio")
