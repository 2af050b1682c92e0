"""The rows of the table: each is one request, what happens until it is answered, and the answer.

`table/` has the rows, one module for each group of plugins; `catalogue` puts them together.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from clients.matching import Beginning, Matching
from everything_server import BOTH_ERAS, Era

Method = Literal[
    "tools/call",
    "resources/read",
    "prompts/get",
    "completion/complete",
    "resources/subscribe",
    "resources/unsubscribe",
    "logging/setLevel",
    "ping",
]

Json = dict[str, Any]

INVALID_PARAMS: Final = -32602

LEGACY: Final = frozenset({Era.LEGACY})
MODERN: Final = frozenset({Era.MODERN})


@dataclass(frozen=True, kw_only=True)
class Ask:
    """Something that the server asks while it serves a request."""

    method: str
    params: Any
    """What it must equal, without `_meta`."""
    answer: Json
    """What the client answers: a result, or an error, which has a `code`."""
    eras: frozenset[Era] = BOTH_ERAS


@dataclass(frozen=True, kw_only=True)
class Row:
    """One request, and what must come of it."""

    id: str
    method: Method
    params: Json
    result: Json | None = None
    """Without `_meta` and what else the eras put around every result."""
    error: Mapping[Era, Json] | None = None
    """The error that answers it instead, by era, without its message."""
    progress: Beginning | None = None
    """The progress that is reported before the answer; the client asks for it only where this is given."""
    asks: tuple[Ask, ...] = ()
    """What the client is asked before the answer, in this order."""
    hears: Mapping[Era, Mapping[str, Any]] = field(default_factory=dict)
    """The notifications that come of it, by era and method: a list of their params, without `_meta`; nothing else
    may come."""
    meta: Json | None = None
    """What a modern request has in its `_meta` beside the envelope."""
    link_of: str | None = None
    """The id of an earlier row: the URI in its answer is the one that is read."""
    template: str | None = None
    """The template behind the resource that is read."""
    eras: frozenset[Era] = BOTH_ERAS
    transports: frozenset[str] | None = None
    """Where it applies, if not everywhere."""
    is_listed: bool = True
    """Whether what it names is in the lists from the start."""

    @property
    def is_plain(self) -> bool:
        """Whether it is a request and an answer and nothing else, which every client in any language can make."""
        special = self.asks or self.hears or self.meta or self.link_of or self.transports or not self.is_listed
        return not special and self.method in ("tools/call", "resources/read", "prompts/get", "completion/complete")

    def applies(self, era: Era, transport: str) -> bool:
        """Whether a client of this era sends it over this transport."""
        return era in self.eras and (self.transports is None or transport in self.transports)

    def asked(self, era: Era) -> list[Ask]:
        """What the client is asked in an era."""
        return [ask for ask in self.asks if era in ask.eras]

    def answer(self, era: Era) -> Json:
        """What a report must hold for this request."""
        answer: Json = {"result": self.result} if self.error is None else {"error": self.error[era]}
        if self.progress is not None:
            answer["progress"] = self.progress
        if asked := self.asked(era):
            answer["asked"] = [{"method": ask.method, "params": ask.params} for ask in asked]
        if heard := self.hears.get(era):
            answer["heard"] = dict(heard)
        return answer


def text(text: str | Matching, **more: Any) -> Json:
    """A text in the content of a result."""
    return {"type": "text", "text": text, **more}


def call(identity: str, arguments: Json | None, *content: Json, **more: Any) -> Row:
    """A tool call; the id begins with the name of the tool."""
    name = identity.partition(":")[0]
    params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
    result = more.pop("result", {"content": list(content)})
    return Row(id=f"call {identity}", method="tools/call", params=params, result=result, **more)


def failing(identity: str, arguments: Json | None, problem: str | Matching, **more: Any) -> Row:
    """A tool call whose result is an error."""
    return call(identity, arguments, result={"content": [text(problem)], "isError": True}, **more)


def refused(identity: str, arguments: Json, argument: str) -> Row:
    """A tool call with a bad argument."""
    return failing(identity, arguments, Matching(rf".*\n- {argument}: .+"))


def structured(identity: str, arguments: Json, value: Any, wrapped: bool = False, **more: Any) -> Row:
    """A tool call with a structured result, whose text is the JSON of the same value."""
    content = [text(json.dumps(value, separators=(",", ":")))]
    structured = {"result": value} if wrapped else value
    return call(identity, arguments, result={"content": content, "structuredContent": structured}, **more)


def read(contents: Json, template: str | None = None, **more: Any) -> Row:
    """A resource, by its contents."""
    uri: str = contents["uri"]
    result = {"contents": [contents]}
    return Row(
        id=more.pop("id", f"read {uri}"),
        method="resources/read",
        params={"uri": uri},
        result=result,
        template=template,
        **more,
    )


def get(identity: str, arguments: dict[str, str] | None, *content: Json, **more: Any) -> Row:
    """A prompt; the id begins with its name."""
    name = identity.partition(":")[0]
    params: Json = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
    messages = [{"role": "user", "content": block} for block in content]
    result = {"description": Matching(r".+"), "messages": messages}
    return Row(id=f"get {identity}", method="prompts/get", params=params, result=result, **more)


def complete(
    ref: str, argument: str, value: str, found: Sequence[str], total: int | None = None, **settled: str
) -> Row:
    """A completion, for the prompt of that name or the template of that URI; `total` if not all of them are given."""
    reference = {"type": "ref/resource", "uri": ref} if "://" in ref else {"type": "ref/prompt", "name": ref}
    params: Json = {"ref": reference, "argument": {"name": argument, "value": value}}
    if settled:
        params["context"] = {"arguments": settled}
    completion = {"values": list(found), "total": total or len(found), "hasMore": total is not None}
    identity = f"complete {ref} {argument}={value!r} {settled}"
    return Row(id=identity, method="completion/complete", params=params, result={"completion": completion})


def unknown(method: Method, params: Json, **more: Any) -> Row:
    """A request for what is not there."""
    identity = more.pop("id", f"{method} of what is not there")
    return Row(id=identity, method=method, params=params, error={era: {"code": INVALID_PARAMS} for era in Era}, **more)


def accept(**content: Any) -> Json:
    """A filled-in form."""
    return {"action": "accept", "content": content}


DECLINE: Final[Json] = {"action": "decline"}
CANCEL: Final[Json] = {"action": "cancel"}
