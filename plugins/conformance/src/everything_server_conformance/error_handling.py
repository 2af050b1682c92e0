"""`test_error_handling`, for the scenario `tools-call-error`."""

from collections.abc import Iterator
from typing import NoReturn

from everything_server import ToolError, ToolSpec, hookimpl


async def error_handling() -> NoReturn:
    """Fail, with a result for the model to read."""
    raise ToolError("This tool intentionally returns an error for testing")


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_error_handling", fn=error_handling)
