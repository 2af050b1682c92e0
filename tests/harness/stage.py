"""Features whose calls a test directs: it sees them begin and end, and decides when."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import anyio
from everything_server import Context, Era, ResourceSpec, ServerFactory, Settings, ToolSpec
from everything_server.transports.sse import SseApp, SseSettings
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

from harness.asgi import Changes
from harness.plugins import factory_of, plugin
from harness.raw_http import GUARD

FORM = {"elicitation": {"form": {}}}
"""The capabilities of a client that answers `ask`."""

RESOURCE = "stage://one"
OTHER_RESOURCE = "stage://two"


@dataclass
class Held:
    """What became of a call of `hold`."""

    began: anyio.Event = field(default_factory=anyio.Event)
    released: anyio.Event = field(default_factory=anyio.Event)
    was_cancelled: bool = False
    is_over: bool = False


@dataclass
class Memory:
    """What one server instance is to remember."""

    texts: list[str] = field(default_factory=list)


class Stage:
    """The features, and what has become of their calls.

    Args:
        logs: Whether there is one that logs; then the server has something to log itself.
    """

    def __init__(self, *, logs: bool = False) -> None:
        self._logs = logs
        self.held: defaultdict[str, Held] = defaultdict(Held)
        """The calls of `hold`, by name."""
        self.counts: Counter[str] = Counter()
        """How often something happened: "ticks", "reports", "floods", "cleanups"; "timers" that run."""
        self.changes = Changes()

    async def until(self, condition: Any) -> None:
        """Wait until something holds for the stage."""
        with anyio.fail_after(GUARD):
            await self.changes.until(condition)

    async def began(self, name: str) -> None:
        """Wait until a call of `hold` is being served."""
        with anyio.fail_after(GUARD):
            await self.held[name].began.wait()

    def release(self, name: str) -> None:
        """Let a call of `hold` come to its end."""
        self.held[name].released.set()

    def factory(self, settings: Settings | None = None) -> ServerFactory:
        """Makes servers with these features."""
        both = (self.echo, self.hold, self.report, self.ask, self.change, self.update, self.flood, self.step_aside)
        legacy = (self.remember, self.recall, self.tick, self.tidy)
        specs = [
            *(ToolSpec(name=function.__name__, fn=function) for function in both),
            *(ToolSpec(name=function.__name__, fn=function, eras=frozenset({Era.LEGACY})) for function in legacy),
            *([ToolSpec(name="say", fn=self.say, logs=True)] if self._logs else []),
            ResourceSpec(uri=RESOURCE, fn=self.read, name="one"),
            ResourceSpec(uri=OTHER_RESOURCE, fn=self.read, name="two"),
        ]
        return factory_of(plugin("fake.stage", *specs), settings=settings)

    def http(self, settings: Settings | None = None, **options: Any) -> StreamableHttpApp:
        """The application of Streamable HTTP."""
        return StreamableHttpApp(self.factory(settings), HttpSettings(**{"keep_alive": 0, **options}))

    def sse(self, settings: Settings | None = None, **options: Any) -> SseApp:
        """The application of HTTP+SSE."""
        return SseApp(self.factory(settings), SseSettings(**{"keep_alive": 0, **options}))

    async def echo(self, message: str) -> str:
        """Give the message back."""
        return message

    async def hold(self, name: str, ctx: Context, progress: int = 0) -> str:
        """Report progress some times, then wait to be released."""
        held = self.held[name]
        for step in range(progress):
            await ctx.report_progress(step + 1)
        held.began.set()
        try:
            await held.released.wait()
        except BaseException:
            held.was_cancelled = True
            raise
        finally:
            held.is_over = True
            self.changes.happened()
        await ctx.report_progress(progress + 1)
        return name

    async def step_aside(self, name: str, ctx: Context, whole_session: bool = False) -> str:
        """Close the stream of this call, or that of the session, and wait to be released."""
        await (ctx.close_standalone_sse_stream() if whole_session else ctx.close_sse_stream())
        return await self.hold(name, ctx)

    async def report(self, times: int, ctx: Context) -> str:
        """Report progress."""
        for step in range(times):
            self.counts["reports"] += 1
            self.changes.happened()
            await ctx.report_progress(step + 1, times)
        return "reported"

    async def say(self, text: str, ctx: Context) -> str:
        """Log a text on the channel of this call, and once more on that of the connection."""
        await ctx.log("info", text)
        await ctx.server.log("info", f"{text}, to all")
        return "said"

    async def ask(self, ctx: Context) -> str | InputRequiredResult:
        """Ask the client for its name."""
        if answers := ctx.input_responses:
            return f"answered: {answers['name'].model_dump(mode='json', exclude_none=True)}"
        schema: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}}
        question = ElicitRequest(params=ElicitRequestFormParams(message="Who are you?", requested_schema=schema))
        return InputRequiredResult(input_requests={"name": question})

    async def change(self, ctx: Context) -> str:
        """Say that the tools have changed."""
        await ctx.notify_tools_changed()
        return "changed"

    async def update(self, uri: str, ctx: Context) -> str:
        """Say that a resource has changed."""
        await ctx.notify_resource_updated(uri)
        return "updated"

    async def flood(self, times: int, ctx: Context) -> str:
        """Say again and again that the tools have changed."""
        for _ in range(times):
            self.counts["floods"] += 1
            self.changes.happened()
            await ctx.notify_tools_changed()
        return "flooded"

    async def remember(self, text: str, ctx: Context) -> str:
        """Keep a text for the length of the connection."""
        ctx.server.state.get(Memory).texts.append(text)
        return "kept"

    async def recall(self, ctx: Context) -> str:
        """The texts that were kept."""
        return ",".join(ctx.server.state.get(Memory).texts)

    async def tick(self, ctx: Context) -> str:
        """Say that the tools have changed once a second, from now on."""

        async def run() -> None:
            self.counts["timers"] += 1
            try:
                while True:
                    self.counts["ticks"] += 1
                    self.changes.happened()
                    await ctx.notify_tools_changed()
                    await ctx.server.clock.sleep(1)
            finally:
                self.counts["timers"] -= 1
                self.changes.happened()

        ctx.server.start(run)
        return "ticking"

    async def tidy(self, ctx: Context) -> str:
        """Count when the instance is cleaned up."""

        async def clean_up() -> None:
            await anyio.lowlevel.checkpoint()
            self.counts["cleanups"] += 1
            self.changes.happened()

        ctx.server.exit_stack.push_async_callback(clean_up)
        return "registered"

    async def read(self) -> str:
        """A text."""
        return "text"
