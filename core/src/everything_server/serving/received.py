"""What a server has received, for whoever wants to watch its clients: a record of each message, before it is served."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from mcp_types import JSONRPCMessage
from starlette.requests import Request

from everything_server.eras import Era
from everything_server.serving.messages import Batch, Unreadable

Transport = Literal["memory", "stdio", "sse", "streamable-http"]


@dataclass(frozen=True, kw_only=True)
class Received:
    """One message from a client; over HTTP also a request that carries none, such as the GET that opens a stream."""

    transport: Transport
    era: Era | None = None
    """The era in which it is served, or refused; None where nothing has decided that yet."""
    message: Mapping[str, Any] | None = None
    """The JSON-RPC message; None for an HTTP request without one, and where `problem` says why there is none."""
    problem: str | None = None
    """What was wrong with something that was not a message."""
    session: str | None = None
    """The id of the legacy session over HTTP that it was sent in; `initialize`, which opens one, has none yet."""
    http_method: str | None = None
    """`POST`, `GET` or `DELETE`; None where there is no HTTP."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """The HTTP headers, their names in lower case."""

    @property
    def method(self) -> str | None:
        """The method of a request or notification; None for an answer to the server, and without a message."""
        return None if self.message is None else self.message.get("method")

    @property
    def params(self) -> Mapping[str, Any]:
        """The params of a request or notification; empty where it has none."""
        return {} if self.message is None else self.message.get("params") or {}

    @property
    def id(self) -> int | str | None:
        """The id of a request, or of the request that it answers."""
        return None if self.message is None else self.message.get("id")

    @property
    def is_request(self) -> bool:
        """Whether it asks for an answer."""
        return self.method is not None and self.id is not None

    def as_json(self) -> dict[str, Any]:
        """The record as a JSON object, without what is not known."""
        known = {
            "transport": self.transport,
            "era": None if self.era is None else str(self.era),
            "method": self.method,
            "session": self.session,
            "httpMethod": self.http_method,
            "headers": dict(self.headers) or None,
            "message": self.message,
            "problem": self.problem,
        }
        return {name: value for name, value in known.items() if value is not None}

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> Self:
        """The record that `as_json` wrote."""
        era = known.get("era")
        return cls(
            transport=known["transport"],
            era=None if era is None else Era(era),
            message=known.get("message"),
            problem=known.get("problem"),
            session=known.get("session"),
            http_method=known.get("httpMethod"),
            headers=known.get("headers", {}),
        )


Observe = Callable[[Received], None]
"""Told of each message before it is served, so that whoever has the answer can rely on the record. Must not raise."""


def observe_http(
    observe: Observe,
    transport: Transport,
    request: Request,
    posted: JSONRPCMessage | Batch | Unreadable | None,
    *,
    era: Era,
    session: str | None,
) -> None:
    """Tell of an HTTP request, once for each message in it."""
    headers = dict(request.headers)
    for message, problem in _contents(posted):
        observe(
            Received(
                transport=transport,
                era=era,
                message=message,
                problem=problem,
                session=session,
                http_method=request.method,
                headers=headers,
            )
        )


def observe_line(
    observe: Observe, read: JSONRPCMessage | Batch | Unreadable, era: Callable[[JSONRPCMessage], Era | None]
) -> None:
    """Tell of a line, once for each message in it; `era` finds out the era of one."""
    elements = read.elements if isinstance(read, Batch) else (read,)
    for element in elements:
        ((message, problem),) = _contents(element)
        known = None if isinstance(element, Unreadable) else era(element)
        observe(Received(transport="stdio", era=known, message=message, problem=problem))


def _contents(read: JSONRPCMessage | Batch | Unreadable | None) -> Iterator[tuple[dict[str, Any] | None, str | None]]:
    match read:
        case None:
            yield None, None
        case Unreadable(error=error):
            yield None, error.message
        case Batch(elements=elements):
            for element in elements:
                yield from _contents(element)
        case message:
            yield message.model_dump(mode="json", by_alias=True, exclude_unset=True), None
