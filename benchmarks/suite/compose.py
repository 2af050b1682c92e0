"""Composing a server from a compiled registry, as is done for each connection and each modern HTTP request."""

import dataclasses
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import MappingProxyType

from everything_server import Era, PluginManager, Registries, Registry, Settings, ToolSpec, create_server
from everything_server.server import publish_nowhere
from everything_server.tools import compile_tool
from mcp.server import MCPServer
from mcp.server.lowlevel import Server

from benchmarks.bare_lowlevel_stdio_server import call_tool, list_tools
from benchmarks.measurement import Comparison, Effort, Requirement, Sample, in_turn

PEER = "bare lowlevel Server"
FULL = "full registry"


def run(effort: Effort) -> Iterator[Comparison]:
    """The peers are what the SDK offers instead; they have one tool, and MCPServer none, as that would compile it."""
    manager = PluginManager()
    manager.load()
    registries = Registries(manager)
    settings = Settings()
    for era in Era:
        full = registries(era)
        large = with_extra_tools(full, effort.extra_tools)
        crowded = f"with {effort.extra_tools} more tools"
        subjects: dict[str, Callable[[], object]] = {
            FULL: partial(create_server, full, publish_nowhere, settings),
            crowded: partial(create_server, large, publish_nowhere, settings),
            f"{FULL}, no settings given": partial(create_server, full),
            PEER: partial(Server, "bare", on_list_tools=list_tools, on_call_tool=call_tool),
            "bare MCPServer": partial(MCPServer, "bare"),
        }
        turns = {name: partial(_repeat, compose, effort.calls or 500) for name, compose in subjects.items()}
        requirements = [
            Requirement(FULL, 50e-6),
            Requirement(crowded, 50e-6),
            Requirement(crowded, 2, FULL),
        ]
        samples = in_turn(turns, effort.rounds or 21, warms=effort.warms)
        yield Comparison(f"composing a server, {era}, {len(full.tools)} tools", "us", samples, PEER, requirements)


def with_extra_tools(registry: Registry, count: int) -> Registry:
    """A registry that has so many tools more, each compiled for itself as those of plugins are."""
    extra = (compile_tool(ToolSpec(name=f"extra-{number}", fn=add), registry.era) for number in range(count))
    tools = {**registry.tools, **{tool.wire.name: tool for tool in extra}}
    return dataclasses.replace(registry, tools=MappingProxyType(tools))


async def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


def _repeat(compose: Callable[[], object], calls: int) -> Sample:
    """The collector stays on: what it costs to be rid of a server is part of having one."""
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(calls):
        compose()
    return Sample((time.perf_counter() - wall) / calls, (time.process_time() - cpu) / calls)
