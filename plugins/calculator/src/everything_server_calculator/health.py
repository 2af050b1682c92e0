"""`GET /health`: whether the server is well, for whoever watches over it."""

from collections.abc import Iterator

from everything_server import RouteSpec, ServerStatus, hookimpl


async def health(request: object, status: ServerStatus) -> dict[str, str | int | float]:
    """How the server is: nothing about its machine, its environment or its clients."""
    return {
        "status": "ok",
        "activeSessions": status.active_sessions,
        "transport": status.transport,
        "uptime": round(status.uptime, 3),
    }


@hookimpl
def everything_server_routes() -> Iterator[RouteSpec]:
    """Declare the route."""
    yield RouteSpec(path="/health", handler=health)
