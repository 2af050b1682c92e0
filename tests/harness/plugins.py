"""Plugins that exist only for a test, and a raw client of servers that are made from them, in this process."""

import json
import math
import os
import sys
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib import metadata
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from everything_server import (
    Era,
    ExtensionSpec,
    PluginManager,
    PromptSpec,
    Registries,
    ResourceSpec,
    ResourceTemplateSpec,
    ServerFactory,
    Settings,
    ToolSpec,
    hookimpl,
)
from everything_server.discovery import Candidate, discover
from everything_server.serving.factory import Factory
from everything_server.serving.stdio import serve_lines
from everything_server.specs import Declaration

FAKES = Path(__file__).parents[1] / "data" / "fake-plugins"
"""Import paths with a distribution on each; see the README there."""

LATEST_LEGACY = "2025-11-25"
MODERN = "2026-07-28"

Message = dict[str, Any]


def paths_of(*scenarios: str) -> list[str]:
    """The import paths of fake distributions."""
    paths = [FAKES / scenario for scenario in scenarios]
    assert all(path.is_dir() for path in paths), f"no such fake among {scenarios}"
    return [str(path) for path in paths]


def environment(*scenarios: str, **variables: str) -> dict[str, str]:
    """An environment for another process in which fake distributions are installed and nothing else is configured."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EVERYTHING_SERVER_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(paths_of(*scenarios)), **variables}


def installed(monkeypatch: pytest.MonkeyPatch, *scenarios: str) -> list[Candidate]:
    """Put fake distributions on the import path of this process, and give the plugins in them, not yet imported."""
    for name in [name for name in sys.modules if name.startswith("fake_")]:
        del sys.modules[name]  # each test sees its plugins imported afresh
    paths = paths_of(*scenarios)
    for path in reversed(paths):
        monkeypatch.syspath_prepend(path)
    return discover(distributions=metadata.distributions(path=paths))


class _InMemory:
    """Stands where an entry point does whose module is at hand already."""

    def __init__(self, module: object) -> None:
        self._module = module

    def load(self) -> object:
        return self._module


def plugin(
    name: str,
    *declarations: Declaration,
    instructions: str | None = None,
    distribution: str = "fake-distribution",
    version: str = "1.0",
    module: object = None,
) -> Candidate:
    """An installed plugin with these declarations, or made of `module`."""
    entry_point: Any = _InMemory(module or _declaring(declarations, instructions))
    return Candidate(name=name, distribution=distribution, version=version, entry_point=entry_point)


def module_of(**hooks: Callable[..., Any]) -> ModuleType:
    """A plugin's module with these hooks."""
    module = ModuleType("fake_in_memory")
    for name, hook in hooks.items():
        setattr(module, name, hookimpl(hook))
    return module


def _declaring(declarations: Iterable[Declaration], instructions: str | None) -> ModuleType:
    def of_kind(*kinds: type) -> list[Any]:
        return [declaration for declaration in declarations if isinstance(declaration, kinds)]

    return module_of(
        everything_server_tools=lambda: of_kind(ToolSpec),
        everything_server_resources=lambda: of_kind(ResourceSpec, ResourceTemplateSpec),
        everything_server_prompts=lambda: of_kind(PromptSpec),
        everything_server_extensions=lambda: of_kind(ExtensionSpec),
        everything_server_instructions=lambda: instructions,
    )


def load(
    candidates: Iterable[Candidate], plugins: Iterable[str] | None = None, disable: Iterable[str] = (), **options: Any
) -> PluginManager:
    """A manager that has loaded the wanted ones of these plugins."""
    manager = PluginManager(plugins, disable, candidates=candidates, **options)
    manager.load()
    return manager


def factory_of(*candidates: Candidate, settings: Settings | None = None) -> ServerFactory:
    """Makes servers with exactly these plugins, all of which must be usable."""
    return ServerFactory(Registries(load(candidates, strict=True)), settings or Settings())


class Wire:
    """A client that sends and receives JSON, as it stands on the wire."""

    def __init__(
        self,
        era: Era,
        capabilities: Mapping[str, Any],
        outgoing: ObjectSendStream[bytes],
        incoming: ObjectReceiveStream[bytes],
    ) -> None:
        self.era = era
        self.capabilities = dict(capabilities)
        self.others: list[Message] = []
        """What arrived while an answer was waited for."""
        self.initialize_result: Message = {}
        self._outgoing = outgoing
        self._incoming = incoming
        self._ids = count(1)

    async def send(self, message: Message) -> None:
        """Send one message as it is."""
        await self._outgoing.send(json.dumps({"jsonrpc": "2.0", **message}).encode())

    async def send_text(self, text: str) -> None:
        """Send a line as it is, which need not be a message."""
        await self._outgoing.send(text.encode())

    async def receive(self) -> Message:
        """The next message from the server, whatever it is."""
        message = json.loads(await self._incoming.receive())
        assert message["jsonrpc"] == "2.0"
        return message

    async def start(self, method: str, params: Message | None = None, capabilities: Message | None = None) -> int:
        """Send a request and give its id; in the modern era with the envelope that it needs."""
        request_id = next(self._ids)
        params = dict(params or {})
        if self.era is Era.MODERN:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": (
                    self.capabilities if capabilities is None else capabilities
                ),
                **params.get("_meta", {}),
            }
        message: Message = {"id": request_id, "method": method}
        await self.send({**message, "params": params} if params else message)
        return request_id

    async def answer(self, request_id: int) -> Message:
        """The answer to a request; what else arrives before it is kept in `others`."""
        while True:
            message = await self.receive()
            if message.get("id") == request_id and "method" not in message:
                return message
            self.others.append(message)

    async def request(self, method: str, params: Message | None = None, capabilities: Message | None = None) -> Message:
        """The result of a request, which must have one."""
        answer = await self.answer(await self.start(method, params, capabilities))
        assert "result" in answer, answer
        return answer["result"]

    async def refused(self, method: str, params: Message | None = None, capabilities: Message | None = None) -> Message:
        """The error that a request is answered with."""
        answer = await self.answer(await self.start(method, params, capabilities))
        assert "error" in answer, answer
        return answer["error"]

    async def call(self, tool: str, **arguments: Any) -> Message:
        """The result of a tool."""
        return await self.request("tools/call", {"name": tool, "arguments": arguments})

    async def call_text(self, tool: str, **arguments: Any) -> str:
        """The text of a tool's result, which must be one text and no error."""
        result = await self.call(tool, **arguments)
        assert not result.get("isError"), result
        (content,) = result["content"]
        return content["text"]

    async def initialize(self, *, initialized: bool = True) -> None:
        """The handshake of the legacy era, up to its notification."""
        self.initialize_result = await self.request(
            "initialize",
            {
                "protocolVersion": LATEST_LEGACY,
                "capabilities": self.capabilities,
                "clientInfo": {"name": "wire", "version": "1"},
            },
        )
        if initialized:
            await self.notify("notifications/initialized")

    async def notify(self, method: str, params: Message | None = None) -> None:
        """Send a notification."""
        await self.send({"method": method} if params is None else {"method": method, "params": params})

    async def server_capabilities(self) -> Message:
        """What the server advertises in this era."""
        if self.era is Era.LEGACY:
            return self.initialize_result["capabilities"]
        return (await self.request("server/discover"))["capabilities"]


class _Incoming:
    """Gives a server the lines of a stream, as `LineReader` does those of a descriptor."""

    def __init__(self, lines: ObjectReceiveStream[bytes]) -> None:
        self._lines = lines

    async def receive(self) -> bytes | None:
        try:
            return await self._lines.receive()
        except anyio.EndOfStream:
            return None


class _Outgoing:
    """Takes the lines of a server, as `LineWriter` does."""

    def __init__(self, lines: ObjectSendStream[bytes]) -> None:
        self._lines = lines
        self.broken = anyio.Event()
        self.is_full = False

    async def send(self, line: bytes) -> None:
        await self._lines.send(line)

    async def flush(self, limit: float) -> None:
        pass


@asynccontextmanager
async def wire(
    factory: Factory,
    era: Era,
    capabilities: Mapping[str, Any] | None = None,
    *,
    handshake: bool = True,
    client: type[Wire] = Wire,
) -> AsyncGenerator[Wire]:
    """A raw client of one era, on a connection to a server of `factory`; leaving it ends the client's input.

    Args:
        factory: Makes the server.
        era: The client's era.
        capabilities: What the client declares, in the handshake or on each request.
        handshake: Whether a legacy client has initialized when it is handed over.
        client: What kind of client is handed over.
    """
    to_server, server_in = anyio.create_memory_object_stream[bytes](math.inf)
    server_out, from_server = anyio.create_memory_object_stream[bytes](math.inf)

    async def serve() -> None:
        reader: Any = _Incoming(server_in)
        writer: Any = _Outgoing(server_out)
        await serve_lines(reader, writer, factory)

    try:
        with anyio.fail_after(30):
            async with to_server, server_in, server_out, from_server, anyio.create_task_group() as tasks:
                tasks.start_soon(serve)
                connected = client(era, capabilities or {}, to_server, from_server)
                if era is Era.LEGACY and handshake:
                    await connected.initialize()
                yield connected
                await to_server.aclose()
    except BaseExceptionGroup as group:
        failure: BaseException = group
        while isinstance(failure, BaseExceptionGroup) and len(failure.exceptions) == 1:
            failure = failure.exceptions[0]  # what a test wants to show is an assertion, not the tasks around it
        raise failure from None
