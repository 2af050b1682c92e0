"""The client's side of what a server sends by itself: a user who answers, an ear for notifications; and raw clients."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

import anyio
from everything_server import Era, ServerFactory, Settings
from mcp.client import ClientRequestContext
from mcp.client.session import IncomingMessage
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult, ErrorData, InputResponses, TextContent

from harness import registries_with
from harness.clock import GUARD
from harness.plugins import Message, Wire, wire

T = TypeVar("T")

ACCEPT_NOTHING = ElicitResult(action="accept")
DECLINE = ElicitResult(action="decline")
CANCEL = ElicitResult(action="cancel")


def accept(**content: Any) -> ElicitResult:
    """A filled-in form."""
    return ElicitResult(action="accept", content=content)


class User:
    """An elicitation callback that gives its answers one after the other, and remembers what it was asked."""

    def __init__(self, *answers: ElicitResult | ErrorData) -> None:
        self.asked: list[ElicitRequestParams] = []
        self._answers = list(answers)

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        self.asked.append(params)
        return self._answers.pop(0) if self._answers else ErrorData(code=-1, message="asked once too often")


class Ear:
    """A message handler that remembers notifications, and that others can wait for."""

    def __init__(self) -> None:
        self.heard: list[IncomingMessage] = []
        self._news = anyio.Event()

    async def __call__(self, message: IncomingMessage) -> None:
        self.heard.append(message)
        self._news.set()
        self._news = anyio.Event()

    def all(self, kind: type[T]) -> list[T]:
        """The notifications of one kind, in the order of their arrival."""
        return [message for message in self.heard if isinstance(message, kind)]

    async def until(self, condition: Callable[["Ear"], bool]) -> None:
        """Wait until `condition` holds, which is looked at whenever something is heard."""
        with anyio.fail_after(GUARD):
            while not condition(self):
                await self._news.wait()

    async def until_heard(self, kind: type[Any], count: int = 1) -> None:
        """Wait until so many of one kind have been heard."""
        await self.until(lambda ear: len(ear.all(kind)) >= count)


def texts_of(result: CallToolResult) -> list[str]:
    """The texts of a result that has nothing else, and is no error."""
    assert not result.is_error, result
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    assert len(texts) == len(result.content)
    return texts


def text_of(result: CallToolResult) -> str:
    """The text of a result that has one text and nothing else, and is no error."""
    [text] = texts_of(result)
    return text


def problem_in(result: CallToolResult) -> str:
    """The text of a result that is an error."""
    assert result.is_error, result
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


def responses(**answers: Any) -> InputResponses:
    """The answers to the questions of an `InputRequiredResult`, by their keys."""
    return answers


def altered(state: str) -> dict[str, str]:
    """A sealed state as a client could try to change it, by what was done to it."""

    def changed(index: int) -> str:
        other = "A" if state[index] != "A" else "B"
        return state[:index] + other + state[index + 1 :]

    return {
        "start": changed(0),
        "middle": changed(len(state) // 2),
        # The last character of base64 may hold bits that mean nothing; the one before it does not.
        "end": changed(len(state) - 2),
        "cut": state[:-1],
        "appended": f"{state}x",
        "prefixed": f"x{state}",
        "empty": "",
        "garbage": "garbage",
    }


def factory_with(plugins: str, settings: Settings | None = None, *, disable: str = "") -> ServerFactory:
    """Makes servers with installed plugins."""
    return ServerFactory(registries_with(plugins, disable), settings or Settings())


def raw_client(
    plugins: str, era: Era, capabilities: Message | None = None, settings: Settings | None = None
) -> AbstractAsyncContextManager[Wire]:
    """A raw client, which declares exactly `capabilities`, of a server with installed plugins."""
    return wire(factory_with(plugins, settings), era, capabilities)


def requests_in(messages: Sequence[Message]) -> list[Message]:
    """Those of a server's messages that want an answer."""
    return [message for message in messages if "method" in message and "id" in message]
