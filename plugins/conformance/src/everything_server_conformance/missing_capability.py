"""`test_missing_capability`, for the scenario `server-stateless`."""

from collections.abc import Iterator

from everything_server import SAMPLING, Era, ToolSpec, hookimpl


async def missing_capability() -> str:
    """Serve those only who declare sampling."""
    return "The client has declared sampling."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era in which clients declare capabilities with each request."""
    yield ToolSpec(
        name="test_missing_capability", fn=missing_capability, requires=SAMPLING, eras=frozenset({Era.MODERN})
    )
