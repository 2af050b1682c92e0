"""What a client that sends much, or reads nothing, costs a stdio server: something bounded, and nobody an answer."""

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from everything_server import Era
from everything_server.serving import lines, peer, stdio
from everything_server.serving.lines import BACKLOG, LineReader, LineWriter
from everything_server.serving.stdio import serve_lines
from harness.plugins import Wire, wire
from harness.raw_http import GUARD, INITIALIZED, call, initialize
from harness.stage import FORM, Stage

MOST = 5


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound that a test can reach."""
    monkeypatch.setattr(peer, "MAX_IN_FLIGHT", MOST)
    monkeypatch.setattr(stdio, "NEXT_ANSWER", 0.01)  # at the end nobody waits for what is held


async def hold(client: Wire, stage: Stage, name: str) -> int:
    """Start a call that goes on until the stage releases it."""
    request_id = await client.start("tools/call", {"name": "hold", "arguments": {"name": name}})
    await stage.began(name)
    return request_id


@pytest.mark.parametrize("era", Era, ids=str)
async def test_above_the_bound_a_request_is_refused_at_once_and_below_it_served_again(few: None, era: Era) -> None:
    stage = Stage()
    async with wire(stage.factory(), era) as client:
        held = [await hold(client, stage, str(number)) for number in range(MOST)]
        refused = await client.refused("ping" if era is Era.LEGACY else "tools/list")
        assert refused["code"] == -32603
        assert f"{MOST} messages are being served" in refused["message"]
        stage.release("0")
        assert "result" in await client.answer(held[0])
        assert await client.request("tools/list")


async def test_at_the_bound_answers_and_cancellations_still_get_through(few: None) -> None:
    stage = Stage()
    async with wire(stage.factory(), Era.LEGACY, FORM) as client:
        asking = await client.start("tools/call", {"name": "ask"})
        question = await client.receive()
        assert question["method"] == "elicitation/create"
        held = [await hold(client, stage, str(number)) for number in range(MOST - 1)]
        assert (await client.refused("ping"))["code"] == -32603
        await client.send({"id": question["id"], "result": {"action": "accept", "content": {"answer": "yes"}}})
        assert "result" in await client.answer(asking)
        await hold(client, stage, "another")
        assert (await client.refused("ping"))["code"] == -32603
        await client.notify("notifications/cancelled", {"requestId": held[0]})
        await stage.until(lambda: stage.held["0"].is_over)
        assert await client.request("ping") == {}


async def test_notifications_count_and_above_the_bound_are_dropped_with_a_warning(
    few: None, caplog: pytest.LogCaptureFixture
) -> None:
    stage = Stage()
    async with wire(stage.factory(), Era.LEGACY) as client:
        held = [await hold(client, stage, str(number)) for number in range(MOST)]
        await client.notify("notifications/initialized")
        stage.release("0")
        await client.answer(held[0])
        assert await client.request("ping") == {}
    assert "dropped a notifications/initialized" in caplog.text


@asynccontextmanager
async def unread() -> AsyncGenerator[tuple[int, int, int]]:
    """A client that fills a server with requests and reads nothing; leaving it waits until the server has ended.

    Gives the ends of its pipes, and how many bytes were taken from it: as many as ever will be, until it reads.
    """
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    reader, writer = LineReader(server_in), LineWriter(server_out)
    to_send = b"".join(json.dumps(message).encode() + b"\n" for message in (initialize(), INITIALIZED, *CALLS))

    async def serve() -> None:
        await serve_lines(reader, writer, Stage().factory())
        os.close(server_out)

    with anyio.fail_after(GUARD):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(serve)
            os.set_blocking(client_out, False)
            taken = 0
            while not (writer.is_full and reader.is_full):
                await anyio.lowlevel.checkpoint()
                with suppress(BlockingIOError):
                    taken += os.write(client_out, to_send[taken : taken + 65536])
            with suppress(BlockingIOError):  # what the pipe holds
                while taken < len(to_send):
                    taken += os.write(client_out, to_send[taken : taken + 4096])
            yield client_in, client_out, taken
    for descriptor in (server_in, client_in):
        os.close(descriptor)


CALLS = [call("echo", {"message": "x" * 20_000}, number) for number in range(1, 1000)]
"""Far more than a server and its pipes can hold."""


async def read_all(descriptor: int) -> list[dict[str, Any]]:
    """What is written there, up to its end."""
    reader, messages = LineReader(descriptor), list[dict[str, Any]]()
    while (line := await reader.receive()) is not None:
        assert isinstance(line, bytes)
        messages.append(json.loads(line))
    return messages


async def test_a_client_that_does_not_read_is_not_read_and_gets_all_answers_once_it_reads() -> None:
    async with unread() as (client_in, client_out, taken):
        assert taken < 6 * BACKLOG  # what waits to be served, what the answers that wait belong to, and the pipe
        os.close(client_out)  # in the middle of a line, perhaps
        answers = await read_all(client_in)
    served = [answer["id"] for answer in answers if "result" in answer]
    assert len(served) * 20_000 > 2 * BACKLOG
    assert sorted(served) == list(range(len(served)))
    assert len(answers) - len(served) <= 1  # the half line gets an error


async def test_a_client_that_never_reads_and_has_closed_its_output_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "NEXT_ANSWER", 0.01)
    monkeypatch.setattr(stdio, "CLOSING", 0.01)
    monkeypatch.setattr(lines, "HANG_UP_CHECK", 0.01)
    async with unread() as (_, client_out, _taken):
        os.close(client_out)
