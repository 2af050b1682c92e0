"""A server with the extension and a tool that makes tasks of a third party."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from everything_server import Era, Settings, ToolSpec
from everything_server.discovery import discover
from harness.clock import FakeClock
from harness.plugins import factory_of, plugin, wire
from harness.tasks import WITH_FORMS, Behaviors, ConnectTasks, TaskClient


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def behaviors() -> Behaviors:
    return Behaviors()


@pytest.fixture
def settings(clock: FakeClock) -> Settings:
    return Settings(clock=clock)


@pytest.fixture
def connect_tasks(behaviors: Behaviors, settings: Settings) -> ConnectTasks:
    """Connects a raw client to a server with the extension and a tool that starts the test's own behaviours."""
    extension = [candidate for candidate in discover() if candidate.name == "tasks.extension"]
    factory = factory_of(
        *extension, plugin("fake.start", ToolSpec(name="start", fn=behaviors.start)), settings=settings
    )

    @asynccontextmanager
    async def connect_tasks(
        capabilities: Mapping[str, Any] = WITH_FORMS, era: Era = Era.MODERN
    ) -> AsyncGenerator[TaskClient]:
        async with wire(factory, era, capabilities, client=TaskClient) as client:
            assert isinstance(client, TaskClient)
            yield client

    return connect_tasks
