"""A plugin whose tools start what has to be stopped: timers, questions, threads, children, cleanup that takes time."""

import subprocess
import sys
import time
from collections.abc import Iterator

import anyio
from everything_server import Context, Era, ToolSpec, hookimpl
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

NEVER = 3600
"""Seconds; nobody waits for their end."""


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


async def fake_timer(ctx: Context) -> str:
    """Tick on stderr as long as the connection lasts."""

    async def tick() -> None:
        while True:
            say("tick")
            await ctx.server.clock.sleep(0.01)

    ctx.server.start(tick)
    return "ticking"


async def fake_question(ctx: Context) -> str | InputRequiredResult:
    """Ask the client for its name."""
    if answers := ctx.input_responses:
        return f"answered: {answers}"
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    question = ElicitRequest(params=ElicitRequestFormParams(message="Who are you?", requested_schema=schema))
    return InputRequiredResult(input_requests={"name": question})


async def fake_cleanup(ctx: Context, path: str) -> str:
    """Write a file when the connection ends; that takes a moment, as cleanup does that has to wait for something."""

    async def write() -> None:
        await anyio.sleep(0.05)
        await anyio.Path(path).write_text("cleaned up")

    ctx.server.exit_stack.push_async_callback(write)
    return "registered"


def fake_block() -> str:
    """Run in a thread that nothing can stop."""
    say("blocking")
    time.sleep(NEVER)
    return "never"


async def fake_stubborn() -> str:
    """Refuse to be cancelled."""
    with anyio.CancelScope(shield=True):
        say("stubborn")
        await anyio.sleep(NEVER)
    return "never"


async def fake_slow_cleanup(ctx: Context) -> str:
    """Register a cleanup that never ends."""

    async def wait() -> None:
        say("cleaning up")
        await anyio.sleep(NEVER)

    ctx.server.exit_stack.push_async_callback(wait)
    return "registered"


def fake_child() -> str:
    """Start a process that lives on, with the standard streams of the server; gives its id."""
    child = subprocess.Popen(["sleep", str(NEVER)])
    return str(child.pid)


def fake_tended_child(ctx: Context) -> str:
    """Start a process that ends with the connection; gives its id."""
    child = subprocess.Popen(["sleep", str(NEVER)])

    def end() -> None:
        child.terminate()
        child.wait()

    ctx.server.exit_stack.callback(end)
    return str(child.pid)


async def fake_changes(ctx: Context, uri: str) -> str:
    """Say that everything has changed, and two resources."""
    await ctx.notify_tools_changed()
    await ctx.notify_prompts_changed()
    await ctx.notify_resources_changed()
    await ctx.notify_resource_updated(uri)
    await ctx.notify_resource_updated("demo://nobody-asked")
    return "said"


async def fake_nothing() -> None:
    """Take nothing, give nothing."""


async def fake_optional(name: str | None = None, tags: list[str] | None = None) -> str:
    """Take nothing that is needed."""
    return f"{name} {tags}"


async def fake_failure() -> str:
    """Fail as no tool should."""
    raise LookupError("the text of an unexpected exception")


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    yield ToolSpec(name="fake-timer", fn=fake_timer, eras=frozenset({Era.LEGACY}))
    for function in (
        fake_question,
        fake_cleanup,
        fake_block,
        fake_stubborn,
        fake_slow_cleanup,
        fake_child,
        fake_tended_child,
        fake_changes,
        fake_nothing,
        fake_optional,
        fake_failure,
    ):
        yield ToolSpec(name=function.__name__.replace("_", "-"), fn=function)
