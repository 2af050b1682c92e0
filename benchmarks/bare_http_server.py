"""The smallest echo server that the SDK's high-level class gives, on its own Streamable HTTP application.

It takes the port to listen on. What serves the application is set up as for ours: the same loop, the same parser, no
access log.
"""

import sys

import uvicorn
from mcp.server import MCPServer

server = MCPServer("bare", log_level="WARNING")


@server.tool()
async def echo(message: str) -> str:
    """Echo a message."""
    return f"Echo: {message}"


if __name__ == "__main__":
    uvicorn.run(
        server.streamable_http_app(),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
    )
