"""`test_input_required_result_list_roots`, for the scenario `input-required-result-basic-list-roots`."""

from collections.abc import Iterator

from everything_server import ROOTS, Context, Era, ToolSpec, answer_of, ask, hookimpl
from mcp_types import InputRequiredResult, ListRootsRequest, ListRootsResult


async def input_required_result_list_roots(ctx: Context) -> str | InputRequiredResult:
    """Ask the client for its roots."""
    answer = answer_of(ctx, "client_roots", ListRootsResult)
    if answer is None:
        return ask("client_roots", ListRootsRequest())
    return "The client's roots: " + (", ".join(str(root.uri) for root in answer.roots) or "none")


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that asks by results."""
    yield ToolSpec(
        name="test_input_required_result_list_roots",
        fn=input_required_result_list_roots,
        requires=ROOTS,
        eras=frozenset({Era.MODERN}),
    )
