"""Every row of the tables, over real connections; README.md has the rules that they follow."""

from collections.abc import Callable

import pytest
from handler.expectation import Seen, check, spelled_out
from handler.play import Mount, Player, answer_to
from handler.rows import MOUNTS, POSTURES, TABLE, Row, load
from harness.raw_http import SESSION, exchange
from harness.wire import Message

ROWS = load(TABLE)
MOUNT_ROWS = load(MOUNTS)

REFUSALS = {-32600, -32602, -32020, -32022}
"""Codes that a request is refused with before a server is made for it, if the status is 400."""


@pytest.mark.parametrize("posture", POSTURES)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_handler_answers_as_in_the_row(row: Row, posture: str, mounts: Callable[[str], Mount]) -> None:
    mount, expected = mounts(posture), row.expected(posture)
    with mount.exchange(row.request) as exchanged:
        seen = answer_to(exchanged, expected)
    check(expected, seen)
    assert SESSION not in seen.headers  # neither leg of the handler has sessions
    check_factory(expected, posture, mount.control("state")["eras"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_is_legacy_request_says_who_answers_a_request(row: Row, mounts: Callable[[str], Mount]) -> None:
    verdicts = {spelled_out(row.expected(posture)).get("legacy") for posture in POSTURES} - {None}
    (verdict,) = verdicts
    assert mounts("stateless").is_legacy(row.request) is verdict


@pytest.mark.parametrize("row", [row for row in ROWS if not row.depends_on_posture], ids=lambda row: row.id)
def test_the_product_answers_as_in_the_row(row: Row, product: str) -> None:
    with exchange(product, row.request) as exchanged:
        seen = answer_to(exchanged, row.expected("sessions"))
    check(row.expected("sessions"), seen)
    assert SESSION not in seen.headers


@pytest.mark.parametrize("row", MOUNT_ROWS, ids=lambda row: row.id)
def test_a_handler_with_options_goes_through_the_steps_of_the_row(row: Row, mounts: Callable[[str], Mount]) -> None:
    mount = mounts(row.mount)
    Player(mount).play(row)
    if "legacy" in spelled_out(row.expect) and row.request.method == "POST":
        assert mount.is_legacy(row.request) is spelled_out(row.expect)["legacy"]


def test_ids_of_rows_are_unique() -> None:
    ids = [row.id for row in ROWS + MOUNT_ROWS]
    assert len(set(ids)) == len(ids)


def test_every_row_says_what_it_rests_on() -> None:
    grounds = ("specification: ", "SDK documentation: ", "SDK behaviour: ", "RFC 9110, ", "either: ")
    assert [row.id for row in ROWS + MOUNT_ROWS if not row.source.startswith(grounds)] == []


def check_factory(expected: Message, posture: str, eras: list[str]) -> None:
    """The factory is called once for each request that is served, and for none that is refused before."""
    expected = spelled_out(expected)
    if "factory" in expected:
        assert eras == expected["factory"]
    elif expected.get("status") in (405, 413, 415):
        assert eras == []
    elif expected["legacy"]:
        assert eras == (["legacy"] if posture == "stateless" else [])
    elif expected.get("status") == 202:
        assert eras in ([], ["modern"])  # there is nothing that a server would do with a modern notification
    elif expected.get("status") == 400 and _codes(expected) <= REFUSALS:
        assert eras == []
    else:
        assert eras == ["modern"]


def _codes(expected: Message) -> set[int]:
    error = expected["error"]
    return set(error["$oneOf"]) if isinstance(error, dict) else {error}


@pytest.mark.parametrize(
    ("expected", "problem"),
    [
        ({"status": 201}, "status"),
        ({"type": "stream"}, "type"),
        ({"error": -1}, "error"),
        ({"id": "1"}, "id"),
        ({"id": True}, "id"),
        ({"frames": ["error"]}, "frames"),
        ({"end": "open"}, "end"),
        ({"empty": True}, "empty"),
        ({"comments": 1}, "comments"),
        ({"message": {"result": {"n": "$absent"}}}, "/result/n"),
        ({"message": {"result": {"n": "$string"}}}, "/result/n"),
        ({"message": {"result": {"list": {"1": "b"}}}}, "/result/list/1"),
        ({"message": {"result": {"list": {"$includes": "b"}}}}, "/result/list"),
        ({"message": {"result": {"n": {"$oneOf": [1, "$object"]}}}}, "/result/n"),
        ({"headers": {"allow": "$present"}}, "header allow"),
        ({"as": "legacy result"}, "type"),
    ],
)
def test_an_answer_that_is_not_the_expected_one_is_noticed(expected: Message, problem: str) -> None:
    seen = Seen(messages=[{"jsonrpc": "2.0", "id": 1, "result": {"n": 2, "list": ["a"]}}])
    check({"status": 200, "id": 1, "error": None, "message": {"result": {"n": 2, "list": {"0": "$string"}}}}, seen)
    with pytest.raises(AssertionError, match=problem):
        check(expected, seen)
