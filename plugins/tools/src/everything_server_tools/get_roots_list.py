"""`get-roots-list`: what the client lets servers work on; kept in the legacy era, asked for in the modern one."""

from collections.abc import Iterator, Sequence

from everything_server import ROOTS, Context, Era, ToolSpec, answer_of, ask, hookimpl
from mcp_types import InputRequiredResult, ListRootsRequest, ListRootsResult, Root, ToolAnnotations


async def get_roots_list(ctx: Context) -> str | InputRequiredResult:
    """List the roots that the client has given: the places it lets servers work on."""
    if ctx.era is Era.LEGACY:
        if ctx.server.roots is None:
            return "The client has not given its roots yet."
        return _described(ctx.server.roots)
    answer = answer_of(ctx, "roots", ListRootsResult)
    return ask("roots", ListRootsRequest()) if answer is None else _described(answer.roots)


def _described(roots: Sequence[Root]) -> str:
    if not roots:
        return "The client has no roots."
    lines = (f"{number}. {root.name or 'Unnamed'}: {root.uri}" for number, root in enumerate(roots, 1))
    return f"The client has {len(roots)} roots:\n" + "\n".join(lines)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-roots-list",
        title="Get Roots List Tool",
        fn=get_roots_list,
        requires=ROOTS,
        logs=True,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
