"""`test_trigger_prompt_change`, for the scenario `server-stateless`."""

from collections.abc import Iterator

from everything_server import Context, Era, PromptSpec, ToolError, ToolSpec, hookimpl


async def added_prompt() -> str:
    """A prompt that comes and goes."""
    return "This prompt was added by test_trigger_prompt_change."


ADDED = PromptSpec(name="test_added_prompt", fn=added_prompt)


async def trigger_prompt_change(ctx: Context) -> str:
    """Add a prompt, or take it away again if it is there, and announce the change."""
    if not ctx.server.features.serves("prompts"):
        raise ToolError("No plugin of this server has prompts, so there is no list that could change.")
    if not ctx.server.features.remove(ADDED):
        ctx.server.features.add(ADDED)
    await ctx.notify_prompts_changed()
    return "The list of prompts has changed."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era whose clients listen for changes."""
    yield ToolSpec(name="test_trigger_prompt_change", fn=trigger_prompt_change, eras=frozenset({Era.MODERN}))
