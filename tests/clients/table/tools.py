"""Rows of the group `tools`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from clients.matching import ANY_TEXT, PNG, AtLeast, Beginning, Gzipped, Including, Matching
from clients.row import (
    CANCEL,
    DECLINE,
    LEGACY,
    MODERN,
    Ask,
    Json,
    Row,
    accept,
    call,
    failing,
    get,
    read,
    refused,
    structured,
    text,
    unknown,
)
from clients.table.resources import blob_resource, text_resource
from everything_server import Era
from mcp_types import LOG_LEVEL_META_KEY, LoggingLevel

ENVIRONMENT: Final = {"EVERYTHING_GREETING": "hello", "PROBE_TOKEN": "canary-7781"}
"""What the server finds in its environment, for `get-env`."""

ROOTS: Final = [{"uri": "file:///somewhere/work", "name": "Work"}, {"uri": "file:///somewhere/else"}]
"""What the client lets servers work on."""

WATCHED: Final = "demo://resource/dynamic/text/1"
"""A resource that a client subscribes to."""

MESSAGE: Final = "notifications/message"
UPDATED: Final = "notifications/resources/updated"
LEVELS: Final[tuple[LoggingLevel, ...]] = get_args(LoggingLevel)

_CHICAGO = [
    {"day": 1, "temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82},
    {"day": 2, "temperature": 37, "conditions": "Light rain / drizzle", "humidity": 80},
]
_HERE = {"location": "Chicago", "days": 2}
_STEPS = Beginning(*({"progress": step, "total": 3, "message": f"Step {step} of 3"} for step in (1, 2, 3)))


def _link(number: int) -> Json:
    kind, mime_type = ("Blob", "application/octet-stream") if number % 2 else ("Text", "text/plain")
    return {
        "type": "resource_link",
        "uri": f"demo://resource/dynamic/{kind.lower()}/{number}",
        "name": f"{kind} Resource {number}",
        "description": ANY_TEXT,
        "mimeType": mime_type,
    }


PLAIN: Final = (
    call("echo", {"message": "héllo ✓ 日本"}, text("Echo: héllo ✓ 日本")),
    refused("echo:missing", {}, "message"),
    call(
        "get-annotated-message",
        {"messageType": "success", "includeImage": True},
        text("Operation completed successfully", annotations={"priority": 0.7, "audience": ["user"]}),
        {
            "type": "image",
            "data": PNG,
            "mimeType": "image/png",
            "annotations": {"priority": 0.5, "audience": ["user"]},
        },
    ),
    refused("get-annotated-message:unknown type", {"messageType": "info"}, "messageType"),
    call(
        "get-env",
        None,
        text(Matching(r'\{.*"EVERYTHING_GREETING": "hello".*\}')),
        text(Matching(r"(?!.*canary-7781).*PROBE_TOKEN.*")),
    ),
    call("get-resource-links", None, text(ANY_TEXT), _link(1), _link(2), _link(3)),
    call("get-resource-links:one", {"count": 1}, text(ANY_TEXT), _link(1)),
    refused("get-resource-links:too many", {"count": 11}, "count"),
    call(
        "get-resource-reference",
        None,
        text(ANY_TEXT),
        {"type": "resource", "resource": text_resource(1)},
        text(Matching(r".*demo://resource/dynamic/text/1.*")),
    ),
    call(
        "get-resource-reference:blob",
        {"resourceType": "Blob", "resourceId": 7},
        text(ANY_TEXT),
        {"type": "resource", "resource": blob_resource(7)},
        text(Matching(r".*demo://resource/dynamic/blob/7.*")),
    ),
    structured(
        "get-structured-content",
        {"location": "New York"},
        {"temperature": 33, "conditions": "Cloudy", "humidity": 82},
    ),
    structured("get-structured-content-list", _HERE, _CHICAGO, wrapped=True, eras=LEGACY),
    structured("get-structured-content-list", _HERE, _CHICAGO, eras=MODERN),
    call("get-sum", {"a": 0.1, "b": 0.2}, text("The sum of 0.1 and 0.2 is 0.30000000000000004.")),
    refused("get-sum:text", {"a": "1", "b": 2}, "a"),
    refused("get-sum:undeclared", {"a": 1, "b": 2, "c": 3}, "c"),
    call(
        "get-tiny-image",
        None,
        text(ANY_TEXT),
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        text(ANY_TEXT),
    ),
    call(
        "trigger-long-running-operation",
        {"duration": 0.03, "steps": 3},
        text("Long running operation completed. Duration: 0.03 seconds, Steps: 3."),
        progress=_STEPS,
    ),
    call(
        "trigger-long-running-operation:without progress",
        {"duration": 0, "steps": 1},
        text("Long running operation completed. Duration: 0 seconds, Steps: 1."),
    ),
    unknown("tools/call", {"name": "no-such-tool", "arguments": {}}),
)
"""Requests and answers, and nothing else."""


def _form(answer: Json, message: Any = ANY_TEXT, eras: frozenset[Era] = LEGACY | MODERN, **fields: Any) -> Ask:
    """A form that has these fields, perhaps among others."""
    schema = Including(type="object", properties=Including(**{name: Including(**it) for name, it in fields.items()}))
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return Ask(method="elicitation/create", params=params, answer=answer, eras=eras)


def _page(url: str, answer: Json, **more: Any) -> Ask:
    """A page to open; only the legacy era tells the client an identifier."""
    params = {"mode": "url", "url": url, "message": more.pop("message", ANY_TEXT)}
    legacy = {**params, "elicitationId": more.pop("identifier", ANY_TEXT)}
    return Ask(method="elicitation/create", params=_EitherEra(legacy, params), answer=answer)


class _EitherEra:
    """Equal to each of two values: what has another shape in each era."""

    def __init__(self, *values: Any) -> None:
        self._values = values

    def __eq__(self, other: object) -> bool:
        return any(other == value for value in self._values)

    def __repr__(self) -> str:
        return " or ".join(map(repr, self._values))

    __hash__ = None  # type: ignore[assignment]


def _profile(identity: str, answer: Json, *lines: str, then: Ask | None = None, **more: Any) -> Row:
    """The form with all kinds of fields; each line is a text of the result."""
    asks = (_form(answer, **_FIELDS), *([then] if then else []))
    raw = text(Matching(r"Raw answer: \{.+\}"))
    return call(f"trigger-elicitation-request{identity}", None, *map(text, lines), raw, asks=asks, **more)


_FIELDS: Final[Mapping[str, Json]] = {
    "name": {"type": "string"},
    "check": {"type": "boolean"},
    "firstLine": {"default": Matching(r"It was a dark.+")},
    "email": {"format": "email"},
    "homepage": {"format": "uri"},
    "birthdate": {"format": "date"},
    "integer": {"type": "integer", "minimum": 1, "maximum": 100, "default": 42},
    "number": {"type": "number", "minimum": 0, "maximum": 1000, "default": 3.14},
    "untitledSingleSelectEnum": {"type": "string", "enum": AtLeast("Monica", "Rachel")},
    "untitledMultipleSelectEnum": {"type": "array", "maxItems": 3, "items": Including(enum=AtLeast("Guitar"))},
    "titledSingleSelectEnum": {"oneOf": AtLeast({"const": "hero-1", "title": "Superman"})},
    "titledMultipleSelectEnum": {"items": {"anyOf": AtLeast({"const": "fish-1", "title": "Tuna"})}},
    "legacyTitledEnum": {"enum": AtLeast("pet-1"), "enumNames": AtLeast("Cats")},
}

_FILLED: Final = accept(
    name="Eve",
    check=True,
    firstLine="Call me Ishmael.",
    email="eve@example.com",
    homepage="https://example.com/",
    birthdate="2001-02-03",
    integer=7,
    number=2.5,
    untitledSingleSelectEnum="Phoebe",
    untitledMultipleSelectEnum=["Drums", "Bass"],
    titledSingleSelectEnum="hero-3",
    titledMultipleSelectEnum=["fish-2", "fish-3"],
    legacyTitledEnum="pet-5",
)
_SHOWN: Final = (
    "The answers:\n- Name: Eve\n- Agreed to terms: true\n- First line: Call me Ishmael.\n- Email: eve@example.com\n"
    "- Homepage: https://example.com/\n- Birthdate: 2001-02-03\n- Favorite Integer: 7\n- Favorite Number: 2.5\n"
    "- Friend: Phoebe\n- Instruments: Drums, Bass\n- Hero: Wonder Woman\n- Fish: Salmon, Trout\n- Pet: Reptiles"
)


def _round(field: str, schema: Json, answer: Json, message: Any = ANY_TEXT) -> Ask:
    return _form(answer, message, **{field: schema})


_HIKE: Final = (
    _round("activity", {"enum": ["hike", "concert"]}, accept(activity="hike")),
    _round("kind", {"enum": ["forest", "mountain", "coast"]}, accept(kind="coast"), Matching(r".*hike.*")),
    _round("people", {"type": "integer"}, accept(people=2), Matching(r".*coast hike.*")),
)

_PAGE = "https://example.com/page"
_GATE = "https://example.com/gate"


def _url(identity: str, outcome: str, answer: Json, **arguments: Any) -> Row:
    identifier = arguments.get("elicitationId")
    shown = Matching(rf"The user {outcome} \(elicitation {identifier or '[0-9a-f-]{36}'}\): {_PAGE}")
    ask = _page(_PAGE, answer, identifier=identifier or ANY_TEXT, message=arguments.get("message", ANY_TEXT))
    return call(f"trigger-url-elicitation{identity}", {"url": _PAGE, **arguments}, text(shown), asks=(ask,))


ASKING: Final = (
    call(
        "get-roots-list",
        None,
        text("The client has 2 roots:\n1. Work: file:///somewhere/work\n2. Unnamed: file:///somewhere/else"),
        asks=(Ask(method="roots/list", params={}, answer={"roots": ROOTS}, eras=MODERN),),
    ),
    call(
        "trigger-sampling-request",
        {"prompt": "Say hi", "maxTokens": 5},
        text(Matching(r'The model small-model answered:\n\{.*"text": "hi".*"stopReason": "endTurn".*\}')),
        asks=(
            Ask(
                method="sampling/createMessage",
                params=Including(
                    messages=[{"role": "user", "content": {"type": "text", "text": "Say hi"}}], maxTokens=5
                ),
                answer={
                    "role": "assistant",
                    "content": {"type": "text", "text": "hi"},
                    "model": "small-model",
                    "stopReason": "endTurn",
                },
            ),
        ),
    ),
    _profile("", _FILLED, "The user filled in the form.", _SHOWN),
    _profile(":declined", DECLINE, "The user declined to fill in the form."),
    _profile(":cancelled", CANCEL, "The user cancelled the form."),
    failing(
        "trigger-elicitation-request:invalid",
        None,
        Matching(r"The form was filled in wrongly:\n- (email: .+\n- name: .+|name: .+\n- email: .+)"),
        asks=(_form(accept(email="nobody"), **_FIELDS),),
        eras=LEGACY,
    ),
    _profile(
        ":invalid and asked again",
        accept(email="nobody"),
        "The user declined to fill in the form.",
        then=_form(DECLINE, **_FIELDS),
        eras=MODERN,
    ),
    call(
        "trigger-multi-step-elicitation",
        None,
        text("The outing is planned: activity: hike, kind: coast, people: 2"),
        asks=_HIKE,
    ),
    call(
        "trigger-multi-step-elicitation:cancelled",
        None,
        text("The user cancelled in round 3 of 3."),
        asks=(*_HIKE[:2], _round("people", {"type": "integer"}, CANCEL)),
    ),
    _url("", "agreed to open", {"action": "accept"}, elicitationId="e-1", message="Look here"),
    _url(":declined", "declined to open", DECLINE),
    _url(":cancelled", "cancelled", CANCEL),
    Row(
        id="call trigger-url-elicitation:refused at first",
        method="tools/call",
        params={"name": "trigger-url-elicitation", "arguments": {"url": _GATE, "errorPath": True}},
        error={
            Era.LEGACY: {
                "code": -32042,
                "data": {
                    "elicitations": [{"mode": "url", "url": _GATE, "message": ANY_TEXT, "elicitationId": ANY_TEXT}]
                },
            }
        },
        eras=LEGACY,
    ),
    call(
        "trigger-url-elicitation:then served",
        {"url": _GATE, "errorPath": True},
        text(Matching(rf"The user agreed to open \(.+\): {_GATE}")),
        asks=(_page(_GATE, {"action": "accept"}),),
        eras=LEGACY,
    ),
)
"""Tools that ask the client."""


def _logged(*levels: LoggingLevel) -> list[Json]:
    return [
        {"level": level, "logger": "trigger-log-messages", "data": f"This is a message of level {level}"}
        for level in levels
    ]


def _log_messages(identity: str, wanted: LoggingLevel) -> Row:
    """One message of each level that is wanted: of the session's level, or of the request's."""
    heard = {MESSAGE: _logged(*LEVELS[LEVELS.index(wanted) :])}
    shown = Matching(r"Sent 8 log messages.+")
    return call(
        f"trigger-log-messages{identity}",
        None,
        text(shown),
        meta={LOG_LEVEL_META_KEY: wanted},
        hears=dict.fromkeys(Era, heard),
    )


def _subscribe(method: Any, what: str) -> Row:
    logged = {"level": "info", "logger": "resources", "data": f"{what} {WATCHED}"}
    return Row(
        id=method,
        method=method,
        params={"uri": WATCHED},
        result={},
        eras=LEGACY,
        hears={Era.LEGACY: {MESSAGE: [logged]}},
    )


def _changed(kind: str, there: Sequence[Row], gone: Row) -> tuple[Row, ...]:
    """An entry that comes, can be used, and goes."""
    hears = dict.fromkeys(Era, {f"notifications/{kind}/list_changed": [{}]})
    arguments = {"list": kind}
    name = f"trigger-list-changed:{kind}"
    return (
        call(name, arguments, text(f"Added an entry to the list of {kind}."), hears=hears),
        *there,
        call(f"{name} again", arguments, text(f"Took the added entry away from the list of {kind}."), hears=hears),
        gone,
    )


_ADDED = "This {} was added by trigger-list-changed."
_ADDED_RESOURCE: Final = "demo://resource/added"

_ZIPPED: Final = "call gzip-file-as-resource"
_SESSION_URI: Final = "demo://resource/session/hello.txt.gz"
_MINTED_URI: Final = Matching(r"demo://resource/minted/[0-9a-f-]{36}/hello\.txt\.gz")
_LISTED_MORE: Final = {Era.LEGACY: {"notifications/resources/list_changed": [{}]}}


def _zipped(uri: Any, template: str, era: Era) -> tuple[Row, ...]:
    """A link to what was made, the thing itself, and what is read at the link."""
    more: Json = {"eras": frozenset({era}), "hears": _LISTED_MORE}
    arguments = {"data": "data:text/plain,hello", "name": "hello.txt.gz"}
    link = {"type": "resource_link", "uri": uri, "name": "hello.txt.gz", "mimeType": "application/gzip"}
    contents = {"uri": uri, "mimeType": "application/gzip", "blob": Gzipped("hello")}
    return (
        call("gzip-file-as-resource", arguments, Including(**link), **more),
        read(contents, template, id=f"read what {_ZIPPED} made", link_of=_ZIPPED, eras=frozenset({era})),
        call(
            "gzip-file-as-resource:itself",
            {**arguments, "outputType": "resource"},
            {"type": "resource", "resource": contents},
            **more,
        ),
    )


TELLING: Final = (
    Row(id="ping", method="ping", params={}, result={}, eras=LEGACY),
    _log_messages(":all", "debug"),
    Row(id="logging/setLevel", method="logging/setLevel", params={"level": "error"}, result={}, eras=LEGACY),
    _log_messages(":severe ones", "error"),
    Row(id="logging/setLevel:debug", method="logging/setLevel", params={"level": "debug"}, result={}, eras=LEGACY),
    call(
        "toggle-simulated-logging",
        None,
        text("Started simulated logging: one message now and another every 5 seconds."),
        eras=LEGACY,
        hears={
            Era.LEGACY: {
                MESSAGE: AtLeast(
                    {
                        "level": "debug",
                        "logger": "toggle-simulated-logging",
                        "data": "A simulated message of level debug",
                    }
                )
            }
        },
    ),
    call(
        "toggle-simulated-logging:again",
        None,
        text("Stopped simulated logging."),
        eras=LEGACY,
        hears={Era.LEGACY: {MESSAGE: AtLeast()}},
    ),
    _subscribe("resources/subscribe", "Subscribed to"),
    call(
        "toggle-subscriber-updates",
        None,
        text("Started simulated resource updates: one round now and another every 5 seconds."),
        eras=LEGACY,
        hears={Era.LEGACY: {UPDATED: AtLeast({"uri": WATCHED})}},
    ),
    call(
        "toggle-subscriber-updates:again",
        None,
        text("Stopped simulated resource updates."),
        eras=LEGACY,
        hears={Era.LEGACY: {UPDATED: AtLeast()}},
    ),
    call(
        "trigger-resource-updates",
        {"uris": ["demo://resource/dynamic/text/2", WATCHED], "count": 2},
        text("Announced 2 resources in 2 rounds."),
        hears=dict.fromkeys(Era, {UPDATED: [{"uri": WATCHED}] * 2}),
    ),
    _subscribe("resources/unsubscribe", "Unsubscribed from"),
    call(
        "trigger-resource-updates:not subscribed",
        {"uris": [WATCHED]},
        text("Announced 1 resources in 1 rounds."),
        eras=LEGACY,
    ),
    *_changed(
        "tools",
        [call("added-tool", None, text(_ADDED.format("tool")), is_listed=False)],
        unknown("tools/call", {"name": "added-tool", "arguments": {}}, id="call added-tool:gone", is_listed=False),
    ),
    *_changed(
        "prompts",
        [get("added-prompt", None, text(_ADDED.format("prompt")), is_listed=False)],
        unknown("prompts/get", {"name": "added-prompt"}, id="get added-prompt:gone", is_listed=False),
    ),
    *_changed(
        "resources",
        [read({"uri": _ADDED_RESOURCE, "mimeType": "text/plain", "text": _ADDED.format("resource")}, is_listed=False)],
        Row(
            id=f"read {_ADDED_RESOURCE}:gone",
            method="resources/read",
            params={"uri": _ADDED_RESOURCE},
            error={
                Era.LEGACY: {"code": -32002, "data": {"uri": _ADDED_RESOURCE}},
                Era.MODERN: {"code": -32602, "data": {"uri": _ADDED_RESOURCE}},
            },
            is_listed=False,
        ),
    ),
    *_zipped(_SESSION_URI, "demo://resource/session/{name}", Era.LEGACY),
    *_zipped(_MINTED_URI, "demo://resource/minted/{id}/{name}", Era.MODERN),
)
"""Tools that notify the client, change what it is offered, or leave something for it to read."""

OPENING: Final = {
    Era.LEGACY: {
        "asked": [{"method": "roots/list", "params": {}}],
        "heard": {
            "notifications/tools/list_changed": [{}],
            MESSAGE: [{"level": "info", "logger": "roots", "data": "Received 2 roots: Work, file:///somewhere/else"}],
        },
    },
    Era.MODERN: {"asked": [], "heard": {}},
}
"""What a client is asked and told before it has called anything, because there are tools that need it."""

ROWS: Final = (*PLAIN, *ASKING, *TELLING)
