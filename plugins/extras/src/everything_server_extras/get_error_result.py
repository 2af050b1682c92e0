"""`get-error-result`: a tool that fails, and says so in its result."""

from collections.abc import Iterator

from everything_server import ToolError, ToolSpec, hookimpl
from mcp_types import ToolAnnotations


async def get_error_result() -> str:
    """Fail, with a result for the model to read: `isError` is set."""
    raise ToolError("This tool always fails. Nothing is wrong with the request or with the server.")


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-error-result",
        title="Get Error Result Tool",
        fn=get_error_result,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
