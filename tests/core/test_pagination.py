"""Pages of all four lists, and the cursors between them."""

import base64
from functools import cache
from typing import Any

import pytest
from everything_server import (
    SAMPLING,
    Era,
    MCPError,
    PromptSpec,
    ResourceSpec,
    ResourceTemplateSpec,
    ServerFactory,
    Settings,
    ToolSpec,
)
from everything_server.pagination import page
from harness.plugins import Message, Wire, factory_of, plugin, wire

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
all_lists = pytest.mark.parametrize(("method", "member"), LISTS.items(), ids=LISTS)


async def answer() -> str:
    """Answer."""
    return "answer"


async def answer_for(key: str) -> str:
    """Answer for a key."""
    return key


@cache
def factory(size: int | None, entries: int = 5) -> ServerFactory:
    """Makes servers with some entries in each list."""
    declarations = [
        declaration
        for name in map(str, range(entries))
        for declaration in (
            ToolSpec(name=name, fn=answer),
            ResourceSpec(uri=f"x://{name}", name=name, fn=answer),
            ResourceTemplateSpec(uri_template=f"x://{name}/{{key}}", name=name, fn=answer_for),
            PromptSpec(name=name, fn=answer),
        )
    ]
    return factory_of(plugin("some.things", *declarations), settings=Settings(page_size=size))


async def pages(client: Wire, method: str, member: str) -> list[list[str]]:
    """The names on each page, following the cursors."""
    found: list[list[str]] = []
    params: Message = {}
    while True:
        result = await client.request(method, params)
        found.append([entry["name"] for entry in result[member]])
        if "nextCursor" not in result:
            return found
        params = {"cursor": result["nextCursor"]}


@all_lists
@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (None, ["01234"]),
        (1, ["0", "1", "2", "3", "4"]),
        (2, ["01", "23", "4"]),
        (4, ["0123", "4"]),
        (5, ["01234"]),
        (6, ["01234"]),
    ],
)
async def test_the_pages_together_are_the_list(
    era: Era, method: str, member: str, size: int | None, expected: list[str]
) -> None:
    async with wire(factory(size), era) as client:
        assert await pages(client, method, member) == [list(names) for names in expected]


@all_lists
async def test_the_last_page_ends_where_its_last_entry_does(era: Era, method: str, member: str) -> None:
    """Six entries in threes are two pages, not two and an empty one."""
    async with wire(factory(3, entries=6), era) as client:
        assert [len(names) for names in await pages(client, method, member)] == [3, 3]


@all_lists
async def test_a_cursor_can_be_used_again_and_on_another_connection(era: Era, method: str, member: str) -> None:
    """It holds all that it means, so that any process of a deployment can go on from it."""
    async with wire(factory(2), era) as client:
        cursor = (await client.request(method))["nextCursor"]
        first = await client.request(method, {"cursor": cursor})
        assert await client.request(method, {"cursor": cursor}) == first
    async with wire(factory(2), era) as client:
        assert await client.request(method, {"cursor": cursor}) == first


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


async def assert_refused(client: Wire, method: str, cursor: object) -> None:
    error = await client.refused(method, {"cursor": cursor})
    assert error["code"] == -32602, cursor
    assert "cursor" in error["message"]


@all_lists
async def test_a_cursor_that_was_not_issued_is_refused(era: Era, method: str, member: str) -> None:
    async with wire(factory(2), era) as client:
        cursor = (await client.request(method))["nextCursor"]
        for stranger in (
            "",
            " ",
            "0",
            "2",
            "next",
            "not base64 ✓",
            "=" * 9,
            "A" * 100_000,
            cursor + "=",
            cursor + "A",
            cursor[:-1],
            " " + cursor,
            cursor.swapcase(),
            encoded("2"),
            encoded("tools"),
            encoded("tools:-2"),
            encoded("tools:٢"),
            encoded("tools:2.0"),
            encoded("tools:" + "9" * 5000),
        ):
            await assert_refused(client, method, stranger)
        # And none of that has done any harm.
        assert len(await pages(client, method, member)) == 3


@all_lists
async def test_an_altered_cursor_is_refused(era: Era, method: str, member: str) -> None:
    async with wire(factory(2), era) as client:
        cursor = (await client.request(method))["nextCursor"]
        issued = {cursor, (await client.request(method, {"cursor": cursor}))["nextCursor"]}
        for place in range(len(cursor)):
            for letter in "AQz9":
                altered = cursor[:place] + letter + cursor[place + 1 :]
                if altered not in issued:
                    await assert_refused(client, method, altered)


@all_lists
async def test_the_cursor_of_another_list_is_refused(era: Era, method: str, member: str) -> None:
    async with wire(factory(2), era) as client:
        for other in LISTS:
            if other != method:
                cursor = (await client.request(other))["nextCursor"]
                await assert_refused(client, method, cursor)


@all_lists
async def test_a_cursor_of_another_page_size_is_refused_where_its_page_cannot_begin(
    era: Era, method: str, member: str
) -> None:
    async with wire(factory(3), era) as client:
        cursor = (await client.request(method))["nextCursor"]
    for size in (2, 4, None):
        async with wire(factory(size), era) as client:
            await assert_refused(client, method, cursor)


@all_lists
async def test_a_cursor_past_the_end_of_the_list_is_refused(era: Era, method: str, member: str) -> None:
    async with wire(factory(2, entries=9), era) as client:
        cursor = (await client.request(method))["nextCursor"]
        for _ in range(3):
            last = cursor
            cursor = (await client.request(method, {"cursor": cursor})).get("nextCursor", cursor)
    async with wire(factory(2, entries=4), era) as client:
        await assert_refused(client, method, last)


@all_lists
@pytest.mark.parametrize("cursor", [5, 2.0, True, ["x"], {"at": 2}], ids=repr)
async def test_a_cursor_that_is_no_text_is_refused(era: Era, method: str, member: str, cursor: object) -> None:
    async with wire(factory(2), era) as client:
        await assert_refused(client, method, cursor)


def test_no_entry_is_lost_or_repeated_between_pages() -> None:
    items = list(range(100))
    cursor = None
    seen: list[int] = []
    while True:
        shown, cursor = page(items, "tools", cursor, 7)
        seen += shown
        if cursor is None:
            break
    assert seen == items


@pytest.mark.parametrize("size", [1, 7, None])
def test_an_empty_list_is_one_empty_page(size: int | None) -> None:
    assert page([], "tools", None, size) == ([], None)
    with pytest.raises(MCPError):
        page([], "tools", encoded("tools:1"), size)


async def test_pages_of_a_legacy_client_are_of_the_tools_that_it_is_shown() -> None:
    declarations = [
        ToolSpec(name=str(number), fn=answer, requires=SAMPLING if number % 2 else None) for number in range(6)
    ]
    made = factory_of(plugin("some.tools", *declarations), settings=Settings(page_size=2))
    without: dict[str, Any] = {}
    async with wire(made, Era.LEGACY, without) as client:
        assert await pages(client, "tools/list", "tools") == [["0", "2"], ["4"]]
    async with wire(made, Era.LEGACY, {"sampling": {}}) as client:
        assert (await client.receive())["method"] == "notifications/tools/list_changed"
        assert await pages(client, "tools/list", "tools") == [["0", "1"], ["2", "3"], ["4", "5"]]
