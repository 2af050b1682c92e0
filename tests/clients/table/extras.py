"""Rows of the group `extras`."""

from typing import Any, Final

from clients.matching import PNG, Base64, Including, Matching
from clients.row import CANCEL, DECLINE, MODERN, Ask, Row, accept, call, complete, failing, get, read, text
from everything_server import Era

GREETING: Final = "demo://resource/elicited/greeting/{language}"
ICON: Final = "demo://resource/icon/theme/{theme}"
WAV: Final = Base64(r"RIFF.{4}WAVEfmt .+data.+")
ITEMS: Final = [f"item-{number:03}" for number in range(1, 251)]


def _asked(field: str, answer: dict[str, Any]) -> tuple[Ask]:
    """A form with one field."""
    schema = Including(type="object", properties=Including(**{field: Including(type="string")}), required=[field])
    params = {"mode": "form", "message": Matching(r".+\?"), "requestedSchema": schema}
    return (Ask(method="elicitation/create", params=params, answer=answer),)


def _greeting(language: str, text: str, answer: dict[str, Any]) -> Row:
    uri = GREETING.replace("{language}", language)
    return read({"uri": uri, "mimeType": "text/plain", "text": text}, GREETING, asks=_asked("name", answer))


def _annotated(name: str, text: str) -> Row:
    return read({"uri": f"demo://resource/annotated/{name}", "mimeType": "text/plain", "text": text})


def _protocol_error(kind: str, code: int) -> Row:
    error = {"code": code, "data": {"tool": "trigger-protocol-error", "kind": kind}}
    name = "trigger-protocol-error"
    return Row(
        id=f"call {name}:{kind}",
        method="tools/call",
        params={"name": name, "arguments": {"kind": kind}},
        error=dict.fromkeys(Era, error),
    )


_MIRRORED: Final = {"region": "Großenkneten", "count": 7, "urgent": True}

ROWS: Final = (
    _annotated("for-user", "for-user: for user, priority 1, last modified 2026-07-28T12:00:00Z"),
    _annotated("for-assistant", "for-assistant: for assistant, priority 0.5, last modified 2025-11-25T08:30:00Z"),
    _annotated("for-both", "for-both: for user and assistant, priority 0, last modified 2024-11-05T00:00:00Z"),
    get(
        "elicitation-prompt",
        None,
        text("Please explain in one sentence: tea"),
        asks=_asked("subject", accept(subject="tea")),
    ),
    get("elicitation-prompt:declined", None, text(Matching(r".*declined.*")), asks=_asked("subject", DECLINE)),
    get("elicitation-prompt:cancelled", None, text(Matching(r".*cancelled.*")), asks=_asked("subject", CANCEL)),
    _greeting("french", "Bonjour, Eve!", accept(name="Eve")),
    _greeting("german", "Hallo! (The user declined to give a name.)", DECLINE),
    _greeting("spanish", "Hola! (The user cancelled the question for a name.)", CANCEL),
    complete(GREETING, "language", "", ["english", "french", "german", "spanish"]),
    complete(GREETING, "language", "g", ["german"]),
    call(
        "get-audio",
        None,
        text("Here is a short sound:"),
        {"type": "audio", "data": WAV, "mimeType": "audio/wav"},
        text("It is a tone of 400 Hz that lasts a tenth of a second."),
    ),
    failing("get-error-result", None, Matching(r"This tool always fails\..+")),
    call("get-large-result", {"size": 20}, text("000000000000000 0000")),
    call("get-large-result:large", {"size": 1 << 19}, text(Matching(r"(\d{15} ){32768}"))),
    call(
        "get-mirrored-headers:on stdio",
        _MIRRORED,
        text("This transport has no headers."),
        eras=MODERN,
        transports=frozenset({"stdio"}),
    ),
    call(
        "get-mirrored-headers",
        _MIRRORED,
        text("Mcp-Param-Region: =?base64?R3Jvw59lbmtuZXRlbg==?=\nMcp-Param-Count: 7\nMcp-Param-Urgent: true"),
        eras=MODERN,
        transports=frozenset({"streamable-http"}),
    ),
    call(
        "get-icons",
        None,
        text("This tool has icons, and so has this resource:"),
        Including(
            type="resource_link", uri="demo://resource/icon/image", mimeType="image/png", icons=[Including()] * 3
        ),
    ),
    read({"uri": "demo://resource/icon/image", "mimeType": "image/png", "blob": PNG}),
    *(
        read(
            {"uri": ICON.replace("{theme}", theme), "mimeType": "image/svg+xml", "text": Matching(r"<svg .+</svg>")},
            ICON,
        )
        for theme in ("light", "dark")
    ),
    get("icons-prompt", None, text("Which icon of this prompt do you see?")),
    get("long-completion-prompt", {"item": "item-250"}, text("Please tell me about item-250.")),
    complete("long-completion-prompt", "item", "", ITEMS[:100], total=250),
    complete("long-completion-prompt", "item", "item-1", ITEMS[99:199]),
    complete("long-completion-prompt", "item", "item-0", ITEMS[:99]),
    *(
        read(
            {
                "uri": f"demo://resource/numbered/{number:02}",
                "mimeType": "text/plain",
                "text": f"This is resource {number} of 25.",
            }
        )
        for number in range(1, 26)
    ),
    _protocol_error("server-defined", -32010),
    _protocol_error("invalid-params", -32602),
    _protocol_error("internal-error", -32603),
)
