"""What the client of a row answers to the server's questions; CALLS.md explains the notation."""

import copy
from collections.abc import Callable, Mapping
from typing import Any, Literal

from harness.wire import Message
from wire.patterns import Known

Answerer = Callable[[Message], Message]
Choice = Mapping[str, Any]
Which = Literal["first", "last"]


def answerers(answers: Mapping[str, Any] | None, known: Known) -> dict[str, Answerer]:
    """A function for each method of the server that the row has answers for."""
    return {method: _answerer(notation, known) for method, notation in (answers or {}).items()}


def _answerer(notation: Any, known: Known) -> Answerer:
    queue = copy.deepcopy(notation["$seq"]) if "$seq" in notation else [copy.deepcopy(notation)]

    def answer(request: Message) -> Message:
        current = queue.pop(0) if len(queue) > 1 else queue[0]
        return fill(request, current["$fill"], known) if "$fill" in current else current

    return answer


def fill(request: Message, which: Which, known: Known) -> Message:
    """Accept a form with the first, or the last, value that the schema of each field allows."""
    fields = request.get("params", {}).get("requestedSchema", {}).get("properties", {})
    return {"action": "accept", "content": {name: _value(name, field, which, known) for name, field in fields.items()}}


def _value(name: str, field: Mapping[str, Any], which: Which, known: Known) -> Any:
    choices = _choices(field)
    kind = field.get("type")
    if choices:
        return _chosen(choices[0 if which == "first" else -1], known)
    if kind == "array":
        choices = _choices(field.get("items", {}))
        number = max(1, field.get("minItems", 1))
        return [_chosen(choice, known) for choice in (choices[:number] if which == "first" else choices[-number:])]
    if kind == "boolean":
        return which == "first"
    value = _number(field, which) if kind in ("integer", "number") else _text(name, field, which)
    known.filled.append([str(value)])
    return value


def _choices(field: Mapping[str, Any]) -> list[Choice]:
    if titled := field.get("oneOf") or field.get("anyOf"):
        return titled
    values = field.get("enum", [])
    titles = field.get("enumNames") or values
    return [{"const": value, "title": title} for value, title in zip(values, titles, strict=True)]


def _chosen(choice: Choice, known: Known) -> Any:
    value = choice["const"]
    known.filled.append([str(value), choice.get("title", str(value))])
    return value


def _number(field: Mapping[str, Any], which: Which) -> int:
    low = field.get("minimum", field.get("exclusiveMinimum", 0) + 1)
    return int(low if which == "first" else field.get("maximum", low + 7))


def _text(name: str, field: Mapping[str, Any], which: Which) -> str:
    of_format = {
        "email": f"{which}@example.com",
        "uri": f"https://example.com/{which}",
        "date": "2001-02-03" if which == "first" else "2009-08-07",
        "date-time": "2001-02-03T04:05:06Z",
    }
    text = of_format.get(field.get("format", "")) or f"{which}-{name}".ljust(field.get("minLength", 0), "x")
    return text[: field["maxLength"]] if "maxLength" in field else text
