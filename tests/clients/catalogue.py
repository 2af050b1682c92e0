"""What the official clients list, call and read: one table for all of them, whatever language they are written in.

A client *walks* the catalogue and *reports* what it was given as JSON, in the protocol's names. A report has what the
client learnt on connecting (`era`, `protocolVersion`, `serverInfo`, `capabilities`, `instructions`), what it listed
(`tools`, `resources`, `resourceTemplates`, `prompts`), and under `answers`, by the id of the request, either
`{"result": …}` or `{"error": {"code": …, "data": …}}`, with the `progress` that came before it, if any.
"""

import base64
import binascii
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from everything_server import BOTH_ERAS, Era

GROUPS: Final = "tools,resources,prompts"
"""The plugins that the table covers, but for `LEFT_OUT`."""

LEFT_OUT: Final = (
    "get-roots-list,gzip-file-as-resource,toggle-simulated-logging,toggle-subscriber-updates,"
    "trigger-elicitation-request,trigger-list-changed,trigger-log-messages,trigger-multi-step-elicitation,"
    "trigger-resource-updates,trigger-sampling-request,trigger-url-elicitation"
)
"""Tools that ask the client, notify it or change its lists, so that one table of answers cannot tell what they do; the
tests of each plugin drive them through the official client."""

ENVIRONMENT: Final = {"EVERYTHING_GREETING": "hello", "PROBE_TOKEN": "canary-7781"}
"""What the server finds in its environment, for `get-env`."""

CAPABILITIES: Final = {
    "tools": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "prompts": {"listChanged": True},
    "completions": {},
}
"""What a server with these plugins advertises."""

Method = Literal["tools/call", "resources/read", "prompts/get", "completion/complete"]


class Matching:
    """Equal to every text that a regular expression matches whole."""

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern, re.DOTALL)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self._pattern.fullmatch(other) is not None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._pattern.pattern!r})"

    __hash__ = None  # type: ignore[assignment]


class Base64(Matching):
    """Equal to the base64 of every text that a regular expression matches whole."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return False
        try:
            data = base64.b64decode(other, validate=True)
        except binascii.Error:
            return False
        return self._pattern.fullmatch(data.decode("latin-1")) is not None


class Beginning:
    """Equal to the first entries of a list, to at least one of them.

    The TypeScript clients deliver a notification a moment after it has arrived, but an answer at once, which takes the
    progress callback away: what arrives together with the answer is lost.
    """

    def __init__(self, *entries: object) -> None:
        self._entries = list(entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and len(other) > 0 and other == self._entries[: len(other)]

    def __repr__(self) -> str:
        return f"Beginning{tuple(self._entries)!r}"

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request, and what it must be answered with."""

    id: str
    method: Method
    params: dict[str, Any]
    result: dict[str, Any] | None = None
    """Without `_meta` and what else the eras put around every result."""
    error: dict[Era, dict[str, Any]] | None = None
    """The error that answers it instead, by era, without its message."""
    progress: Beginning | None = None
    """The progress that is reported before the answer; the client asks for it only where this is given."""
    template: str | None = None
    """The template behind the resource that is read."""
    eras: frozenset[Era] = BOTH_ERAS

    def answer(self, era: Era) -> dict[str, Any]:
        """What a report must hold for this request."""
        answer: dict[str, Any] = {"result": self.result} if self.error is None else {"error": self.error[era]}
        if self.progress is not None:
            answer["progress"] = self.progress
        return answer


ANY_TEXT = Matching(r".+")
PNG = Base64(r"\x89PNG\r\n\x1a\n.+IEND.{4}")

INVALID_PARAMS: Final = -32602

UNKNOWN_RESOURCE: Final = "read a resource that is not there"
"""The id of a request whose error not every client hands on as it came."""

TEXT_TEMPLATE: Final = "demo://resource/dynamic/text/{resourceId}"
BLOB_TEMPLATE: Final = "demo://resource/dynamic/blob/{resourceId}"
DOCUMENTS: Final = tuple(
    f"demo://resource/static/document/{name}.md"
    for name in ("architecture", "extension", "features", "how-it-works", "instructions", "startup", "structure")
)


def _text(text: str | Matching, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def _call(identity: str, arguments: dict[str, Any] | None, *content: dict[str, Any], **more: Any) -> Request:
    """A tool call; the id begins with the name of the tool."""
    name = identity.partition(":")[0]
    params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
    result = more.pop("result", {"content": list(content)})
    return Request(id=f"call {identity}", method="tools/call", params=params, result=result, **more)


def _refused(identity: str, arguments: dict[str, Any], argument: str) -> Request:
    """A tool call with a bad argument."""
    text = Matching(rf".*\n- {argument}: .+")
    return _call(identity, arguments, result={"content": [_text(text)], "isError": True})


def _structured(identity: str, arguments: dict[str, Any], value: Any, wrapped: bool = False, **more: Any) -> Request:
    """A tool call with a structured result, whose text is the JSON of the same value."""
    text = json.dumps(value, separators=(",", ":"))
    structured = {"result": value} if wrapped else value
    return _call(identity, arguments, result={"content": [_text(text)], "structuredContent": structured}, **more)


def _text_resource(number: int) -> dict[str, Any]:
    text = Matching(rf"Resource {number}: This is a plaintext resource created at .+")
    return {"uri": f"demo://resource/dynamic/text/{number}", "mimeType": "text/plain", "text": text}


def _blob_resource(number: int) -> dict[str, Any]:
    blob = Base64(rf"Resource {number}: This is a base64 blob created at .+")
    return {"uri": f"demo://resource/dynamic/blob/{number}", "mimeType": "application/octet-stream", "blob": blob}


def _link(number: int) -> dict[str, Any]:
    kind, mime_type = ("Blob", "application/octet-stream") if number % 2 else ("Text", "text/plain")
    return {
        "type": "resource_link",
        "uri": f"demo://resource/dynamic/{kind.lower()}/{number}",
        "name": f"{kind} Resource {number}",
        "description": ANY_TEXT,
        "mimeType": mime_type,
    }


def _read(contents: dict[str, Any], template: str | None = None) -> Request:
    uri: str = contents["uri"]
    params, result = {"uri": uri}, {"contents": [contents]}
    return Request(id=f"read {uri}", method="resources/read", params=params, result=result, template=template)


def _get(identity: str, arguments: dict[str, str] | None, *content: dict[str, Any]) -> Request:
    """A prompt; the id begins with its name."""
    name = identity.partition(":")[0]
    params: dict[str, Any] = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
    messages = [{"role": "user", "content": block} for block in content]
    result = {"description": ANY_TEXT, "messages": messages}
    return Request(id=f"get {identity}", method="prompts/get", params=params, result=result)


def _complete(ref: str, argument: str, value: str, found: Sequence[str], **settled: str) -> Request:
    """A completion, for the prompt of that name or the template of that URI."""
    reference = {"type": "ref/resource", "uri": ref} if "://" in ref else {"type": "ref/prompt", "name": ref}
    params: dict[str, Any] = {"ref": reference, "argument": {"name": argument, "value": value}}
    if settled:
        params["context"] = {"arguments": settled}
    completion = {"values": list(found), "total": len(found), "hasMore": False}
    identity = f"complete {ref} {argument}={value!r} {settled}"
    return Request(id=identity, method="completion/complete", params=params, result={"completion": completion})


def _unknown(method: Method, params: dict[str, Any]) -> Request:
    error = {era: {"code": INVALID_PARAMS} for era in Era}
    return Request(id=f"{method} of what is not there", method=method, params=params, error=error)


_CHICAGO = [
    {"day": 1, "temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82},
    {"day": 2, "temperature": 37, "conditions": "Light rain / drizzle", "humidity": 80},
]
_HERE = {"location": "Chicago", "days": 2}
_NOWHERE = "demo://resource/dynamic/text/0"
_STEPS = Beginning(*({"progress": step, "total": 3, "message": f"Step {step} of 3"} for step in (1, 2, 3)))

REQUESTS: Final = (
    _call("echo", {"message": "héllo ✓ 日本"}, _text("Echo: héllo ✓ 日本")),
    _refused("echo:missing", {}, "message"),
    _call(
        "get-annotated-message",
        {"messageType": "success", "includeImage": True},
        _text("Operation completed successfully", annotations={"priority": 0.7, "audience": ["user"]}),
        {
            "type": "image",
            "data": PNG,
            "mimeType": "image/png",
            "annotations": {"priority": 0.5, "audience": ["user"]},
        },
    ),
    _refused("get-annotated-message:unknown type", {"messageType": "info"}, "messageType"),
    _call(
        "get-env",
        None,
        _text(Matching(r'\{.*"EVERYTHING_GREETING": "hello".*\}')),
        _text(Matching(r"(?!.*canary-7781).*PROBE_TOKEN.*")),
    ),
    _call("get-resource-links", None, _text(ANY_TEXT), _link(1), _link(2), _link(3)),
    _call("get-resource-links:one", {"count": 1}, _text(ANY_TEXT), _link(1)),
    _refused("get-resource-links:too many", {"count": 11}, "count"),
    _call(
        "get-resource-reference",
        None,
        _text(ANY_TEXT),
        {"type": "resource", "resource": _text_resource(1)},
        _text(Matching(r".*demo://resource/dynamic/text/1.*")),
    ),
    _call(
        "get-resource-reference:blob",
        {"resourceType": "Blob", "resourceId": 7},
        _text(ANY_TEXT),
        {"type": "resource", "resource": _blob_resource(7)},
        _text(Matching(r".*demo://resource/dynamic/blob/7.*")),
    ),
    _structured(
        "get-structured-content",
        {"location": "New York"},
        {"temperature": 33, "conditions": "Cloudy", "humidity": 82},
    ),
    _structured("get-structured-content-list", _HERE, _CHICAGO, wrapped=True, eras=frozenset({Era.LEGACY})),
    _structured("get-structured-content-list", _HERE, _CHICAGO, eras=frozenset({Era.MODERN})),
    _call("get-sum", {"a": 0.1, "b": 0.2}, _text("The sum of 0.1 and 0.2 is 0.30000000000000004.")),
    _refused("get-sum:text", {"a": "1", "b": 2}, "a"),
    _refused("get-sum:undeclared", {"a": 1, "b": 2, "c": 3}, "c"),
    _call(
        "get-tiny-image",
        None,
        _text(ANY_TEXT),
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        _text(ANY_TEXT),
    ),
    _call(
        "trigger-long-running-operation",
        {"duration": 0.03, "steps": 3},
        _text("Long running operation completed. Duration: 0.03 seconds, Steps: 3."),
        progress=_STEPS,
    ),
    _call(
        "trigger-long-running-operation:without progress",
        {"duration": 0, "steps": 1},
        _text("Long running operation completed. Duration: 0 seconds, Steps: 1."),
    ),
    _unknown("tools/call", {"name": "no-such-tool", "arguments": {}}),
    *(_read({"uri": uri, "mimeType": "text/markdown", "text": Matching(r"# .+")}) for uri in DOCUMENTS),
    _read(_text_resource(42), TEXT_TEMPLATE),
    _read(_blob_resource(9007199254740993), BLOB_TEMPLATE),
    Request(
        id=UNKNOWN_RESOURCE,
        method="resources/read",
        params={"uri": _NOWHERE},
        error={
            Era.LEGACY: {"code": -32002, "data": {"uri": _NOWHERE}},
            Era.MODERN: {"code": INVALID_PARAMS, "data": {"uri": _NOWHERE}},
        },
    ),
    _get("simple-prompt", None, _text("This is a simple prompt without arguments.")),
    _get("args-prompt", {"city": "Paris"}, _text("What's weather in Paris?")),
    _get("args-prompt:both", {"city": "Austin", "state": "Texas"}, _text("What's weather in Austin, Texas?")),
    _get(
        "completable-prompt",
        {"department": "Engineering", "name": "Alice"},
        _text("Please promote Alice to the head of the Engineering team."),
    ),
    _get(
        "resource-prompt",
        {"resourceType": "Text", "resourceId": "8"},
        _text(Matching(r".*8.*")),
        {"type": "resource", "resource": _text_resource(8)},
    ),
    _unknown("prompts/get", {"name": "no-such-prompt"}),
    _complete("completable-prompt", "department", "", ["Engineering", "Sales", "Marketing", "Support"]),
    _complete("completable-prompt", "name", "E", ["Eve"], department="Sales"),
    _complete("resource-prompt", "resourceType", "T", ["Text"]),
    _complete("resource-prompt", "resourceId", "12", ["12"]),
    _complete("args-prompt", "city", "P", []),
    _complete(TEXT_TEMPLATE, "resourceId", "12", ["12"]),
    _complete(BLOB_TEMPLATE, "resourceId", "abc", []),
    _unknown(
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "no-such-prompt"}, "argument": {"name": "x", "value": ""}},
    ),
)

ENDLESS: Final = {"name": "trigger-long-running-operation", "arguments": {"duration": 300, "steps": 1000}}
"""A call that a client cancels after its first progress: by itself it would outlast every guard."""

WATCHED: Final = "demo://resource/dynamic/text/1"
"""A resource that a client subscribes to."""


def requests(era: Era) -> list[Request]:
    """The requests of an era."""
    return [request for request in REQUESTS if era in request.eras]


def answers(era: Era) -> dict[str, Any]:
    """What the answers in a report must equal."""
    return {request.id: request.answer(era) for request in requests(era)}


def listed(era: Era) -> dict[str, set[str]]:
    """What a client must find in the lists: all that the table asks for successfully, and nothing else."""
    good = [request for request in requests(era) if request.error is None]
    reads = [request for request in good if request.method == "resources/read"]
    return {
        "tools": {request.params["name"] for request in good if request.method == "tools/call"},
        "resources": {request.params["uri"] for request in reads if request.template is None},
        "resourceTemplates": {request.template for request in reads if request.template is not None},
        "prompts": {request.params["name"] for request in good if request.method == "prompts/get"},
    }


def names(report: dict[str, Any]) -> dict[str, set[str]]:
    """What a client found in the lists."""
    keys = {"tools": "name", "resources": "uri", "resourceTemplates": "uriTemplate", "prompts": "name"}
    return {kind: {entry[key] for entry in report[kind]} for kind, key in keys.items()}


def export(era: Era) -> dict[str, Any]:
    """The table as JSON, for a client in another language."""
    return {
        "requests": [
            {
                "id": request.id,
                "method": request.method,
                "params": request.params,
                "wantsProgress": request.progress is not None,
            }
            for request in requests(era)
        ],
        "endless": ENDLESS,
        "watched": WATCHED,
    }


def plain(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what the eras, or the clients' own models, put around every one of them."""
    around = ("_meta", "resultType", "ttlMs", "cacheScope")
    return {
        key: value for key, value in result.items() if key not in around and not (key == "isError" and value is False)
    }
