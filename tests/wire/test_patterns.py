"""The patterns of the tables: what they accept, and what they refuse."""

import base64
import gzip
from typing import Any

import pytest
from wire.patterns import OPERATORS, Known, Mismatch, lookup, match, matches, mentions

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n rest").decode()
ZIPPED = base64.b64encode(gzip.compress(b"hello", mtime=0)).decode()
SCHEMA = {
    "$defs": {"City": {"enum": ["Rome"], "type": "string"}},
    "type": "object",
    "title": "prose",
    "properties": {"city": {"$ref": "#/$defs/City", "description": "prose"}, "days": {"type": "array", "items": {}}},
    "required": ["city"],
    "additionalProperties": False,
}
SCHEMA_PATTERN = {
    "type": "object",
    "properties": {"city": {"enum": ["Rome"], "type": "string"}, "days": {"type": "array", "items": {}}},
    "required": ["city"],
}

ACCEPTED: list[tuple[Any, Any]] = [
    (1, 1.0),
    ("a", "a"),
    (None, None),
    ([1, {"a": []}], [1, {"a": []}]),
    ({}, {}),
    ({"$any": True}, None),
    ({"$type": "integer|null"}, 3),
    ({"$type": "number"}, 3),
    ({"$re": "a+"}, "aaa"),
    ({"$contains": ["b", "a"]}, "abc"),
    ({"$not": 1}, True),
    ({"$min": 3}, 3),
    ({"$has": {"a": 1}}, {"a": 1, "b": 2}),
    ({"$lacks": ["a"]}, {"b": 2}),
    ({"$has": {"a": 1}, "$lacks": ["c"]}, {"a": 1, "b": 2}),
    ({"$like": {"a": 1}, "$except": ["b"]}, {"a": 1, "b": 2}),
    ({"$values": [1, 2]}, {"x": 1, "y": 2}),
    ({"$noNull": True}, {"a": [{"b": 0}]}),
    ({"$noNull": ["a"]}, {"a": None}),
    ({"$set": [{"$type": "string"}, 1]}, [1, "a"]),
    ({"$includes": [1]}, [2, 1]),
    ({"$count": {"a": 2}}, ["a", "b", "a"]),
    ({"$oneOf": [1, 2]}, 2),
    ({"$all": [{"$min": 1}, {"$type": "integer"}]}, 2),
    ({"$json": {"a": 1}}, '{"a": 1}'),
    ({"$dump": {"$contains": ["é"]}}, {"a": "é"}),
    ({"$joined": "a\nb"}, ["a", "b"]),
    ({"$b64": "hello"}, "aGVsbG8="),
    ({"$gunzip_b64": "hello"}, ZIPPED),
    ({"$png": True}, PNG),
    ({"$schemaLike": SCHEMA_PATTERN}, SCHEMA),
    ({"$saved": "before"}, ["kept"]),
    ({"$answers": True}, "first and Second"),
]

REFUSED: list[tuple[Any, Any]] = [
    (1, True),
    (1, "1"),
    ("a", "A"),
    (None, 0),
    ([1], [1, 2]),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": 1}, {}),
    ({"$type": "integer"}, True),
    ({"$type": "integer"}, 1.5),
    ({"$re": "a"}, "aa"),
    ({"$contains": ["b", "d"]}, "abc"),
    ({"$not": {"$any": True}}, 1),
    ({"$min": 3}, 2),
    ({"$min": 0}, True),
    ({"$has": {"a": 1}}, {"b": 2}),
    ({"$lacks": ["a"]}, {"a": None}),
    ({"$like": {"a": 1}, "$except": ["b"]}, {"a": 1, "c": 2}),
    ({"$values": [2, 1]}, {"x": 1, "y": 2}),
    ({"$noNull": True}, {"a": [{"b": None}]}),
    ({"$noNull": ["a"]}, {"b": None}),
    ({"$set": [1, 1]}, [1, 2]),
    ({"$includes": [3]}, [2, 1]),
    ({"$count": {"a": 1}}, ["a", "a"]),
    ({"$oneOf": [1, 2]}, 3),
    ({"$all": [{"$min": 1}, {"$type": "string"}]}, 2),
    ({"$json": {"a": 1}}, "no JSON"),
    ({"$dump": {"$contains": ["e"]}}, {"a": "é"}),
    ({"$joined": "a"}, "a"),
    ({"$b64": "hello"}, "no base64!"),
    ({"$gunzip_b64": "hello"}, "aGVsbG8="),
    ({"$png": True}, "aGVsbG8="),
    ({"$schemaLike": SCHEMA_PATTERN}, {**SCHEMA, "required": []}),
    ({"$schemaLike": SCHEMA_PATTERN}, {**SCHEMA, "minProperties": 1}),
    ({"$schemaLike": {**SCHEMA_PATTERN, "additionalProperties": True}}, SCHEMA),
    ({"$schemaLike": SCHEMA_PATTERN}, {**SCHEMA, "$schema": "http://json-schema.org/draft-07/schema#"}),
    ({"$saved": "before"}, ["another"]),
    ({"$saved": "never"}, None),
    ({"$answers": True}, "first alone"),
]


def short(value: Any) -> str:
    return str(value)[:40]


def known() -> Known:
    return Known(saved={"before": ["kept"]}, filled=[["first"], ["2", "Second"]])


@pytest.mark.parametrize(("pattern", "value"), ACCEPTED, ids=short)
def test_a_pattern_accepts(pattern: Any, value: Any) -> None:
    match(pattern, value, known())


@pytest.mark.parametrize(("pattern", "value"), REFUSED, ids=short)
def test_a_pattern_refuses(pattern: Any, value: Any) -> None:
    assert not matches(pattern, value, known())


def test_every_operator_is_tried_both_ways() -> None:
    always = {"$any"}  # refuses nothing
    for cases, but in ((ACCEPTED, set()), (REFUSED, always)):
        tried = {name for pattern, _ in cases if isinstance(pattern, dict) for name in pattern}
        assert set(OPERATORS) - tried == but


def test_an_operator_that_does_not_exist_is_no_pattern() -> None:
    with pytest.raises(KeyError, match=r"\$exists"):
        match({"$exists": True}, 1)


def test_a_mismatch_says_where_what_was_expected_and_what_came() -> None:
    with pytest.raises(Mismatch, match=r"(?s)at result\.items\[1\]\.name.*expected b.*actual   c"):
        match({"items": [{"name": "a"}, {"name": "b"}]}, {"items": [{"name": "a"}, {"name": "c"}]}, at="result")


VALUE = {"items": [{"name": "a", "size": 1}, {"name": "b"}], "by": {"first": 1}}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("items.1.name", "b"),
        ("items.7.name", None),
        ("items[].name", ["a", "b"]),
        ("items[name=b]", {"name": "b"}),
        ("items[name=z].name", None),
        ("items[?size].name", ["a"]),
        ("by.$key", "first"),
        ("nothing[].name", []),
    ],
)
def test_a_path_leads_to(path: str, found: Any) -> None:
    assert lookup(VALUE, path) == found


@pytest.mark.parametrize(
    "pattern",
    [{"ttlMs": 1}, {"$has": {"ttlMs": 1}}, {"$lacks": ["ttlMs"]}, {"$all": [{"$like": {"ttlMs": 1}}]}],
    ids=str,
)
def test_a_member_that_a_pattern_names_is_mentioned(pattern: Any) -> None:
    assert mentions(pattern, "ttlMs")
    assert not mentions(pattern, "cacheScope")
