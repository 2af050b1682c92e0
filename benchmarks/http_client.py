"""A client that costs next to nothing: connections that are kept open, one thread, requests as ready-made bytes."""

import re
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from selectors import EVENT_READ, DefaultSelector

TIMEOUT = 60.0
"""Seconds without an answer after which the server is given up."""

_HEAD_END = b"\r\n\r\n"
_LAST_CHUNK = b"0\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_DATA = re.compile(rb"^data: *(\{.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """What came for a request, as it stands on the wire."""

    head: bytes
    body: bytes

    @property
    def message(self) -> bytes:
        """The JSON-RPC message in a success: the body, or the data of its only event."""
        if b" 200 " not in self.head.partition(b"\r\n")[0]:
            raise RuntimeError(f"not the answer to a call: {self.head!r} {self.body[:500]!r}")
        data = _DATA.findall(self.body.replace(b"\r\n", b"\n"))
        return data[0] if data else self.body

    def header(self, name: str) -> str:
        """The value of a header that must be there."""
        found = re.search(rb"\r\n" + name.encode() + rb": *([^\r\n]*)", self.head, re.IGNORECASE)
        if found is None:
            raise RuntimeError(f"an answer without {name}: {self.head!r}")
        return found[1].decode()


class Connection:
    """A connection to a server on this machine.

    Args:
        port: Where the server listens.
    """

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), TIMEOUT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = b""

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *failure: object) -> None:
        self.socket.close()

    def exchange(self, request: bytes) -> Answer:
        """Send a request and wait for the answer to it."""
        self.socket.sendall(request)
        while (answer := self.receive()) is None:
            pass
        return answer

    def receive(self) -> Answer | None:
        """Read what has come, or wait until something does; gives the answer once it is whole."""
        data = self.socket.recv(1 << 16)
        if not data:
            raise RuntimeError(f"the server has closed the connection after {self._received[:500]!r}")
        self._received += data
        head, end, body = self._received.partition(_HEAD_END)
        if not end or not _is_whole(head, body):
            return None
        self._received = b""
        return Answer(head, body)


def post(port: int, body: bytes, headers: Mapping[str, str]) -> bytes:
    """A POST to the endpoint of the server at a port."""
    lines = {
        "Host": f"127.0.0.1:{port}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


def exchange_all(connections: Sequence[Connection], requests: Iterable[bytes]) -> list[Answer]:
    """Send all requests, each connection the next one as soon as it has its answer; gives the answers as they come."""
    answers: list[Answer] = []
    waiting = iter(requests)
    with DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection.socket, EVENT_READ, connection)
        busy = sum(_send_next(connection, waiting) for connection in connections)
        while busy:
            ready = selector.select(TIMEOUT)
            if not ready:
                raise RuntimeError(f"no answer within {TIMEOUT:g} s")
            for key, _ in ready:
                connection: Connection = key.data
                answer = connection.receive()
                if answer is not None:
                    answers.append(answer)
                    busy -= not _send_next(connection, waiting)
    return answers


def _send_next(connection: Connection, requests: Iterator[bytes]) -> bool:
    request = next(requests, None)
    if request is None:
        return False
    connection.socket.sendall(request)
    return True


def _is_whole(head: bytes, body: bytes) -> bool:
    length = _LENGTH.search(head)
    if length:
        return len(body) >= int(length[1])
    return body == _LAST_CHUNK or body.endswith(b"\r\n" + _LAST_CHUNK)
