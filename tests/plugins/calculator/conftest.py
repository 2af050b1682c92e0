"""What the tests of the calculator's plugins share."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp.client import Client, ClientRequestContext
from mcp_types import (
    CreateMessageRequestParams,
    CreateMessageResult,
    GetPromptResult,
    TextContent,
    TextResourceContents,
)


class Model:
    """A sampling callback that gives one answer and remembers what it was asked."""

    def __init__(self, answer: str = "forty-two") -> None:
        self.asked: list[CreateMessageRequestParams] = []
        self._answer = answer

    async def __call__(self, context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        self.asked.append(params)
        return CreateMessageResult(role="assistant", model="m", content=TextContent(type="text", text=self._answer))

    @property
    def question(self) -> str:
        """What it was asked, which must have been one thing."""
        [asked] = self.asked
        [message] = asked.messages
        assert isinstance(message.content, TextContent)
        return message.content.text


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def read_json() -> Callable[[Client, str], Awaitable[Any]]:
    """Reads a resource that is one JSON text."""

    async def read_json(client: Client, uri: str) -> Any:
        [contents] = (await client.read_resource(uri)).contents
        assert isinstance(contents, TextResourceContents)
        assert (contents.uri, contents.mime_type) == (uri, "application/json")
        return json.loads(contents.text)

    return read_json


@pytest.fixture
def words() -> Callable[[GetPromptResult], str]:
    """The text of a prompt, which must be one message of the user."""

    def words(result: GetPromptResult) -> str:
        [message] = result.messages
        assert message.role == "user"
        assert isinstance(message.content, TextContent)
        return message.content.text

    return words
