"""Every row of `stdio-table.json`, against a server of the SDK's low-level class behind `serve_stdio`."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import harness.stdio_server
import pytest
from everything_server import Era, Factory, ServingContext
from everything_server.serving.lines import LineReader, LineWriter
from everything_server.serving.stdio import serve_lines
from harness.stdio_server import make_server
from harness.wire import GUARD, Message, Stdio
from mcp.server.lowlevel import Server
from wire.stdio_rows import StdioRow, Step, check_step, load_stdio_rows

ROWS = load_stdio_rows()

OVER_STANDARD_STREAMS = ("O9", "O17", "O17a", "P9", "L1", "X1", "X6", "R1", "M1")
"""Rows that are also played against a process of its own: each option, each era, each kind of end."""


async def play(steps: Sequence[Step], factory: Factory, **options: Any) -> list[list[Message]]:
    """Have a conversation with a server in this process; gives what each step got."""
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()

    async def serve() -> None:
        await serve_lines(LineReader(server_in), LineWriter(server_out), factory, **options)
        os.close(server_out)

    got: list[list[Message]] = []
    with anyio.fail_after(GUARD):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(serve)
            reader = LineReader(client_in)
            for step in steps:
                os.write(client_out, b"".join(step.lines))
                got.append([await message_from(reader) for _ in step.expected])
            os.close(client_out)
            # What nobody expected has been written before the server ends.
            while (line := await reader.receive()) is not None:
                got[-1].append(json.loads(line))
    os.close(client_in)
    os.close(server_in)
    return got


async def message_from(reader: LineReader) -> Message:
    line = await reader.receive()
    assert isinstance(line, bytes), "the server has ended"
    return json.loads(line)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
async def test_the_conversation_goes_as_in_its_row(row: StdioRow) -> None:
    eras: list[Era] = []

    def factory(context: ServingContext) -> Server[Any]:
        eras.append(context.era)
        return make_server(context)

    got = await play(row.steps, factory, **row.keywords)
    for step, messages in zip(row.steps, got, strict=True):
        check_step(step.expected, messages)
    assert tuple(eras) == row.factory


async def test_a_factory_that_raises_refuses_the_opening_and_decides_nothing(caplog: pytest.LogCaptureFixture) -> None:
    row = next(row for row in ROWS if row.id == "O8")  # discover, initialize, a list
    handshake, listing = row.steps[1:]
    calls: list[Era] = []

    async def factory(context: ServingContext) -> Server[Any]:
        calls.append(context.era)
        if len(calls) < 3:
            raise LookupError("no server today")
        return make_server(context)

    refused = Step(row.steps[0].lines, ({"id": "d", "is": "error -32603"},))
    refused_handshake = Step(handshake.lines, ({"id": "i", "is": "error -32603"},))
    steps = (refused, refused_handshake, handshake, listing)
    for step, messages in zip(steps, await play(steps, factory), strict=True):
        check_step(step.expected, messages)
        assert "no server today" not in json.dumps(messages)
    assert calls == [Era.MODERN, Era.LEGACY, Era.LEGACY]
    assert "no server today" in caplog.text


@pytest.mark.parametrize("row", [row for row in ROWS if row.id in OVER_STANDARD_STREAMS], ids=lambda row: row.id)
def test_the_conversation_goes_the_same_over_standard_streams(row: StdioRow) -> None:
    server = Stdio([sys.executable, str(Path(harness.stdio_server.__file__)), *row.arguments], Era.MODERN)
    try:
        bounds = [0]
        for step in row.steps:
            server.send_bytes(b"".join(step.lines))
            bounds.append(bounds[-1] + len(step.expected))
            server.wait(lambda messages: len(messages) >= bounds[-1] or None, str(step.expected))
        assert server.end() == 0
    finally:
        server.close()
    bounds[-1] = len(server.inbox)
    for step, start, end in zip(row.steps, bounds, bounds[1:], strict=False):
        check_step(step.expected, server.inbox[start:end])
    assert server.junk == []
    assert [line.removeprefix("factory: ") for line in server.stderr.splitlines()] == [str(era) for era in row.factory]


def test_ids_of_rows_are_unique() -> None:
    ids = [row.id for row in ROWS]
    assert len(set(ids)) == len(ids)
    assert set(OVER_STANDARD_STREAMS) <= set(ids)
