import anyio
import pytest
from everything_server.testing import RunningServer, running_server
from toy_client import connect


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def target_of(server: RunningServer) -> object:
    if server.transport == "stdio":
        return server.command
    return server.client_transport() if server.transport == "memory" else server.url


@pytest.mark.everything(transport="every", era="every")
async def test_it_goes_through_all_pages_and_calls_the_tool_once(everything: RunningServer) -> None:
    async with connect(target_of(everything), everything.options.era) as toy:
        assert await toy.text("echo", message="hello") == "Echo: hello"
    pages = everything.received.of("tools/list")
    assert len(pages) >= 4
    assert "cursor" not in pages[0].params
    assert all(page.params["cursor"] for page in pages[1:4])
    (called,) = everything.received.of("tools/call")
    assert called.params["arguments"] == {"message": "hello"}
    assert called.era == everything.options.era
    assert ("initialize" in everything.received.methods) == (everything.options.era == "legacy")
    if everything.transport == "streamable-http":
        assert (called.session is not None) == (everything.options.era == "legacy")
        assert called.headers["content-type"] == "application/json"


@pytest.mark.everything(transport=["memory", "streamable-http"], era="every", disable="echo")
async def test_it_calls_no_tool_that_is_not_there(everything: RunningServer) -> None:
    async with connect(target_of(everything), everything.options.era) as toy:
        assert await toy.text("echo", message="hello") is None
    assert everything.received.of("tools/call") == []


@pytest.mark.everything(transport="streamable-http", era="every", clock="fake")
async def test_it_waits_for_as_long_as_a_tool_takes(everything: RunningServer) -> None:
    answers: list[str | None] = []

    async def call(tasks: object) -> None:
        async with connect(everything.url, everything.options.era) as toy:
            answers.append(await toy.text("trigger-long-running-operation", duration=3600, steps=2))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call, tasks)
        await everything.clock.wake_next()
        assert answers == []
        await everything.clock.wake_next()
    assert answers == ["Long running operation completed. Duration: 3600 seconds, Steps: 2."]


def test_without_the_fixture() -> None:
    async def ask(url: str) -> str | None:
        async with connect(url, "legacy") as toy:
            return await toy.text("get-sum", a=1, b=2)

    with running_server(transport="sse", plugins="tools.get-sum") as server:
        assert "3" in (anyio.run(ask, server.url) or "")
