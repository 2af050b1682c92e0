"""Matches JSON values against the patterns of the tables; CALLS.md lists the operators.

A pattern is plain JSON, which stands for itself (an object for one with exactly these members), or an object whose
members all begin with `$`: operators, all of which must hold.
"""

import base64
import binascii
import gzip
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Json = Any
Operator = Callable[[Any, Json, "Place"], None]


class Mismatch(AssertionError):
    """A value is not what was expected."""

    def __init__(self, at: str, expected: Json, actual: Json) -> None:
        super().__init__(f"at {at or 'the top'}\n  expected {_shorten(expected)}\n  actual   {_shorten(actual)}")


@dataclass
class Known:
    """What the steps of a row have left behind for its patterns."""

    saved: dict[str, Json] = field(default_factory=dict)
    """For `$saved`, by name."""
    filled: list[list[str]] = field(default_factory=list)
    """For `$answers`: what was filled into forms; for each field the texts that may stand for its value."""


@dataclass(frozen=True)
class Place:
    """Where in a value a pattern is being matched."""

    path: str
    known: Known
    siblings: Mapping[str, Any] = field(default_factory=dict)
    """The other operators of the same pattern, some of which are options."""

    def inside(self, suffix: str) -> "Place":
        return Place(self.path + suffix, self.known)

    def need(self, condition: object, expected: Json, actual: Json) -> None:
        if not condition:
            raise Mismatch(self.path, expected, actual)


def match(pattern: Json, value: Json, known: Known | None = None, at: str = "") -> None:
    """Check a value.

    Raises:
        Mismatch: It does not fit the pattern.
    """
    _match(pattern, value, Place(at, known or Known()))


def matches(pattern: Json, value: Json, known: Known | None = None) -> bool:
    """Whether a value fits a pattern."""
    try:
        match(pattern, value, known)
    except Mismatch:
        return False
    return True


def lookup(value: Json, path: str) -> Json:
    """What is at a path; None where there is nothing, a list where the path has `[]` or `[?k]`.

    `a.b`, `a.0`, `a[].b` all, `a[k=v].b` the first with that member, `a[?k].b` all with a member k, `a.$key` the first
    key of an object.
    """
    found, several = [value], False
    for part in re.findall(r"(?:[^.\[]|\[[^\]]*\])+", path):
        name, selector = re.fullmatch(r"([^\[]*)(?:\[(.*)\])?", part).groups()
        found = [item for container in found for item in _member(container, name)]
        if selector is None:
            continue
        items = [item for container in found if isinstance(container, list) for item in container]
        if selector == "":
            found, several = items, True
        elif selector.startswith("?"):
            found, several = [item for item in items if selector[1:] in item], True
        else:
            key, _, wanted = selector.partition("=")
            found = [item for item in items if str(item.get(key)) == wanted][:1]
    if several:
        return found
    return found[0] if found else None


def mentions(pattern: Json, member: str) -> bool:
    """Whether the pattern of an object says anything about one of its members."""
    if not isinstance(pattern, dict):
        return False
    inner = [pattern[name] for name in ("$has", "$like") if name in pattern] + list(pattern.get("$all", ()))
    return member in pattern or member in pattern.get("$lacks", ()) or any(mentions(item, member) for item in inner)


def type_of(value: Json) -> str:
    """The type's name in JSON Schema."""
    if value is None:
        return "null"
    names = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"))
    return next((name for kind, name in names if isinstance(value, kind)), "object")


def has_null(value: Json) -> bool:
    """Whether there is a null anywhere inside."""
    if isinstance(value, dict):
        return any(map(has_null, value.values()))
    if isinstance(value, list):
        return any(map(has_null, value))
    return value is None


def _match(pattern: Json, value: Json, place: Place) -> None:
    if isinstance(pattern, dict) and pattern and all(name.startswith("$") for name in pattern):
        for name, argument in pattern.items():
            if name not in _OPTIONS:
                OPERATORS[name](argument, value, Place(place.path, place.known, pattern))
    elif isinstance(pattern, dict):
        place.need(isinstance(value, dict), pattern, value)
        missing, unexpected = sorted(set(pattern) - set(value)), sorted(set(value) - set(pattern))
        at = place.inside(f" (members missing {missing}, unexpected {unexpected})")
        at.need(not missing and not unexpected, pattern, value)
        for name, inner in pattern.items():
            _match(inner, value[name], place.inside(f".{name}"))
    elif isinstance(pattern, list):
        place.need(isinstance(value, list) and len(pattern) == len(value), pattern, value)
        for index, (inner, item) in enumerate(zip(pattern, value, strict=True)):
            _match(inner, item, place.inside(f"[{index}]"))
    elif type_of(pattern) in ("integer", "number"):
        place.need(type_of(value) in ("integer", "number") and pattern == value, pattern, value)
    else:
        place.need(type_of(pattern) == type_of(value) and pattern == value, pattern, value)


def _member(container: Json, name: str) -> list[Json]:
    if name == "$key":
        return [next(iter(container))] if isinstance(container, dict) and container else []
    if isinstance(container, dict):
        return [container[name]] if name in container else []
    if isinstance(container, list) and name.isdigit() and int(name) < len(container):
        return [container[int(name)]]
    return []


def _shorten(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 1000 else f"{text[:1000]} …"


_OPTIONS: Final = ("$except",)
"""Members beside an operator that are options of it."""


def _any(argument: Json, value: Json, place: Place) -> None:
    pass


def _type(types: str, value: Json, place: Place) -> None:
    allowed = types.split("|")
    actual = type_of(value)
    place.need(actual in allowed or (actual == "integer" and "number" in allowed), types, value)


def _re(expression: str, value: Json, place: Place) -> None:
    place.need(isinstance(value, str) and re.fullmatch(expression, value), {"$re": expression}, value)


def _contains(texts: Sequence[str], value: Json, place: Place) -> None:
    place.need(isinstance(value, str) and all(text in value for text in texts), {"$contains": texts}, value)


def _not(pattern: Json, value: Json, place: Place) -> None:
    place.need(not matches(pattern, value, place.known), {"$not": pattern}, value)


def _min(limit: float, value: Json, place: Place) -> None:
    place.need(type_of(value) in ("integer", "number") and value >= limit, {"$min": limit}, value)


def _has(members: Mapping[str, Json], value: Json, place: Place) -> None:
    place.need(isinstance(value, dict), {"$has": members}, value)
    for name, pattern in members.items():
        place.inside(f" (no member {name!r})").need(name in value, pattern, value)
        _match(pattern, value[name], place.inside(f".{name}"))


def _lacks(members: Sequence[str], value: Json, place: Place) -> None:
    place.need(isinstance(value, dict) and not set(members) & set(value), {"$lacks": members}, value)


def _like(pattern: Json, value: Json, place: Place) -> None:
    place.need(isinstance(value, dict), pattern, value)
    dropped = place.siblings.get("$except", ())
    _match(pattern, {name: item for name, item in value.items() if name not in dropped}, place.inside(""))


def _values(pattern: Json, value: Json, place: Place) -> None:
    place.need(isinstance(value, dict), pattern, value)
    _match(pattern, list(value.values()), place.inside(".*"))


def _no_null(exceptions: Json, value: Json, place: Place) -> None:
    if isinstance(exceptions, list) and isinstance(value, dict):
        value = {name: item for name, item in value.items() if name not in exceptions}
    place.need(not has_null(value), "no null anywhere", value)


def _set(patterns: Sequence[Json], value: Json, place: Place) -> None:
    place.need(isinstance(value, list) and len(value) == len(patterns), {"$set": patterns}, value)
    left = list(value)
    for pattern in patterns:
        fitting = next((index for index, item in enumerate(left) if matches(pattern, item, place.known)), None)
        place.need(fitting is not None, {"$set": patterns}, value)
        del left[fitting]


def _includes(items: Sequence[Json], value: Json, place: Place) -> None:
    place.need(isinstance(value, list) and all(item in value for item in items), {"$includes": items}, value)


def _count(counts: Mapping[str, int], value: Json, place: Place) -> None:
    fits = isinstance(value, list) and all(value.count(item) == number for item, number in counts.items())
    place.need(fits, {"$count": counts}, value)


def _one_of(patterns: Sequence[Json], value: Json, place: Place) -> None:
    place.need(any(matches(pattern, value, place.known) for pattern in patterns), {"$oneOf": patterns}, value)


def _all(patterns: Sequence[Json], value: Json, place: Place) -> None:
    for pattern in patterns:
        _match(pattern, value, place.inside(""))


def _saved(name: str, value: Json, place: Place) -> None:
    place.need(name in place.known.saved, {"$saved": name}, value)
    _match(place.known.saved[name], value, place.inside(""))


def _answers(argument: Json, value: Json, place: Place) -> None:
    place.need(isinstance(value, str) and place.known.filled, "a text with all answers", value)
    for texts in place.known.filled:
        place.need(any(text in value for text in texts), f"a text with the answer {' or '.join(texts)}", value)


def _json(pattern: Json, value: Json, place: Place) -> None:
    try:
        parsed = json.loads(value)
    except (TypeError, ValueError):
        raise Mismatch(place.path, "JSON text", value) from None
    _match(pattern, parsed, place.inside(" (as JSON)"))


def _dump(pattern: Json, value: Json, place: Place) -> None:
    _match(pattern, json.dumps(value, ensure_ascii=False), place.inside(" (as text)"))


def _joined(pattern: Json, value: Json, place: Place) -> None:
    place.need(isinstance(value, list), "a list", value)
    _match(pattern, "\n".join(map(str, value)), place.inside(" (joined)"))


def _base64(pattern: Json, value: Json, place: Place) -> None:
    _match(pattern, _decode(value, place).decode("utf-8", "replace"), place.inside(" (decoded)"))


def _gunzip_base64(pattern: Json, value: Json, place: Place) -> None:
    try:
        data = gzip.decompress(_decode(value, place))
    except (OSError, EOFError):
        raise Mismatch(place.path, "gzip in base64", value) from None
    _match(pattern, data.decode("utf-8", "replace"), place.inside(" (unzipped)"))


def _png(argument: Json, value: Json, place: Place) -> None:
    place.need(_decode(value, place).startswith(b"\x89PNG\r\n\x1a\n"), "a PNG image in base64", value)


def _decode(value: Json, place: Place) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, binascii.Error):
        raise Mismatch(place.path, "base64", value) from None


PROSE: Final = {"$schema", "title", "description", "examples", "$defs", "$comment"}
"""Members of a JSON Schema that do not change what it accepts."""

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def _schema_like(pattern: Json, value: Json, place: Place) -> None:
    _match_schema(pattern, value, value, place.inside(""))


def _match_schema(pattern: Json, schema: Json, root: Json, place: Place) -> None:
    """A JSON Schema accepts what the pattern says; an unmentioned `additionalProperties` does not count."""
    place.need(isinstance(schema, dict), pattern, schema)
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        schema = {**target, **{name: item for name, item in schema.items() if name != "$ref"}}
    dialect = schema.get("$schema", DIALECT)
    place.inside(".$schema").need(dialect.rstrip("#") == DIALECT, "absent or 2020-12", dialect)
    if all(name.startswith("$") for name in pattern):
        _match(pattern, schema, place)
        return
    actual = {name: item for name, item in schema.items() if name not in PROSE}
    if "additionalProperties" not in pattern:
        actual.pop("additionalProperties", None)
    if pattern.get("type") == "object":
        actual.setdefault("properties", {})
        actual["required"] = sorted(actual.get("required", []))
    missing, unexpected = sorted(set(pattern) - set(actual)), sorted(set(actual) - set(pattern))
    at = place.inside(f" (missing {missing}, unexpected {unexpected})")
    at.need(not missing and not unexpected, pattern, schema)
    for name, inner in pattern.items():
        if name == "properties":
            place.inside(".properties").need(set(inner) == set(actual[name]), sorted(inner), sorted(actual[name]))
            for member in inner:
                _match_schema(inner[member], actual[name][member], root, place.inside(f".{member}"))
        elif name == "items":
            _match_schema(inner, actual[name], root, place.inside("[]"))
        else:
            _match(inner, actual[name], place.inside(f".{name}"))


OPERATORS: Final[Mapping[str, Operator]] = {
    "$any": _any,
    "$type": _type,
    "$re": _re,
    "$contains": _contains,
    "$not": _not,
    "$min": _min,
    "$has": _has,
    "$lacks": _lacks,
    "$like": _like,
    "$values": _values,
    "$noNull": _no_null,
    "$set": _set,
    "$includes": _includes,
    "$count": _count,
    "$oneOf": _one_of,
    "$all": _all,
    "$saved": _saved,
    "$answers": _answers,
    "$json": _json,
    "$dump": _dump,
    "$joined": _joined,
    "$b64": _base64,
    "$gunzip_b64": _gunzip_base64,
    "$png": _png,
    "$schemaLike": _schema_like,
}
