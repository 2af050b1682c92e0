"""Hosts on the loopback interface, for what fetches from the network: they count who connects, and answer by script."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import SocketAttribute, SocketStream

from harness.clock import GUARD

Answer = Callable[[SocketStream], Awaitable[None]]
"""Answers one connection whose request has been read."""


@dataclass
class Host:
    """A host that is being served."""

    port: int
    requests: list[bytes] = field(default_factory=list[bytes])
    """The heads of the requests that were made."""
    connections: int = 0

    @property
    def name(self) -> str:
        """As it stands in a URL."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.name}/"

    async def knock(self) -> None:
        """Connect, and wait until that has been counted: whoever connected before has been counted by then as well."""
        counted = self.connections
        with anyio.fail_after(GUARD):
            async with await anyio.connect_tcp("127.0.0.1", self.port) as stream:
                await stream.send(b"KNOCK / HTTP/1.1\r\n\r\n")
                while self.connections == counted:
                    await anyio.wait_all_tasks_blocked()


def respond(status: str = "200 OK", body: bytes = b"", **headers: str) -> Answer:
    """Answers with this, and closes."""
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    if "content_length" not in headers:
        lines.append(f"content-length: {len(body)}")

    async def answer(stream: SocketStream) -> None:
        await stream.send("\r\n".join([*lines, "", ""]).encode() + body)

    return answer


def redirect(location: str, status: str = "302 Found") -> Answer:
    """Answers with a redirect."""
    return respond(status, location=location)


async def never(stream: SocketStream) -> None:
    """Holds the connection, and says nothing."""
    await anyio.sleep_forever()


@asynccontextmanager
async def host(answer: Answer) -> AsyncGenerator[Host]:
    """Serve a host on a free port, which answers all requests in one way."""

    async def serve(stream: SocketStream) -> None:
        async with stream:
            served.connections += 1
            head = b""
            try:
                while b"\r\n\r\n" not in head:
                    head += await stream.receive()
                served.requests.append(head)
                await answer(stream)
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                pass  # whoever asked has gone

    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as tasks,
    ):
        served = Host(listener.extra(SocketAttribute.local_port))
        tasks.start_soon(listener.serve, serve)
        yield served
        tasks.cancel_scope.cancel()
