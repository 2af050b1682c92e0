"""The official Python client with a user behind it: it walks the whole table and reports what it was given."""

import warnings
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, Final

import anyio
from clients import catalogue
from clients.row import Ask, Row
from everything_server import Era
from harness.wire import MODERN_VERSION
from mcp.client import Client, ClientRequestContext
from mcp.client.session import IncomingMessage
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import (
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
)
from pydantic import BaseModel

PATIENCE: Final = 30.0
"""Seconds after which a notification that has not come is given up; the report then lacks it."""

Json = dict[str, Any]


class User:
    """Answers what the client is asked as the rows say, and remembers it."""

    def __init__(self) -> None:
        self.asked: list[Json] = []
        self._answers: list[Ask] = []

    def expect(self, asks: list[Ask]) -> None:
        """What the next questions are answered with."""
        self.asked = []
        self._answers = list(asks)

    async def elicit(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        answer = self._answer("elicitation/create", params)
        return answer if isinstance(answer, ErrorData) else ElicitResult.model_validate(answer)

    async def sample(
        self, context: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult | ErrorData:
        answer = self._answer("sampling/createMessage", params)
        return answer if isinstance(answer, ErrorData) else CreateMessageResult.model_validate(answer)

    async def roots(self, context: ClientRequestContext) -> ListRootsResult | ErrorData:
        answer = self._answer("roots/list", None)
        return answer if isinstance(answer, ErrorData) else ListRootsResult.model_validate(answer)

    def _answer(self, method: str, params: BaseModel | None) -> Json | ErrorData:
        self.asked.append({"method": method, "params": {} if params is None else without_meta(as_json(params))})
        if not self._answers or self._answers[0].method != method:
            return ErrorData(code=-1, message="nobody expected this question")
        answer = self._answers.pop(0).answer
        return ErrorData.model_validate(answer) if "code" in answer else answer


class Ear:
    """Remembers the notifications that have come, by method."""

    def __init__(self) -> None:
        self._heard: defaultdict[str, list[Json]] = defaultdict(list)
        self._news = anyio.Event()

    async def __call__(self, message: IncomingMessage) -> None:
        assert isinstance(message, BaseModel), message
        notification = as_json(message)
        if notification["method"] != "notifications/progress":  # which has a callback of its own
            self._heard[notification["method"]].append(without_meta(notification.get("params", {})))
        self._news.set()
        self._news = anyio.Event()

    async def take(self, wanted: Mapping[str, Any]) -> dict[str, list[Json]]:
        """All that has come since it was last taken, once that is as much as is wanted of each method."""
        with anyio.move_on_after(PATIENCE):
            while any(len(self._heard[method]) < len(some) for method, some in wanted.items()):
                await self._news.wait()
        heard = {method: some for method, some in self._heard.items() if some or method in wanted}
        self._heard.clear()
        return heard


async def walk(transport: Any, mode: Any, rows: list[Row], opening: Mapping[Era, Json]) -> Json:
    """Connect, walk the rows, and report; the last thing is to cancel a call."""
    user, ear = User(), Ear()
    client = Client(
        transport,
        mode=mode,
        message_handler=ear,
        elicitation_callback=user.elicit,
        sampling_callback=user.sample,
        list_roots_callback=user.roots,
    )
    # The first that a legacy client is asked is for its roots, before it has called anything.
    user.expect([Ask(method="roots/list", params={}, answer={"roots": catalogue.ROOTS})])
    async with client, AsyncExitStack() as stack:
        era = Era.MODERN if client.protocol_version == MODERN_VERSION else Era.LEGACY
        report: Json = {
            "protocolVersion": client.protocol_version,
            "serverInfo": as_json(client.server_info),
            "capabilities": as_json(client.server_capabilities),
            "instructions": client.instructions,
            "opening": {"heard": await ear.take(opening[era]["heard"]), "asked": user.asked},
            "tools": as_json(await client.list_tools())["tools"],
            "resources": as_json(await client.list_resources())["resources"],
            "resourceTemplates": as_json(await client.list_resource_templates())["resourceTemplates"],
            "prompts": as_json(await client.list_prompts())["prompts"],
        }
        if era is Era.MODERN:
            report["honored"] = as_json(await listen(client, stack, ear))
        answers: dict[str, Json] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)  # in favour of what the legacy era has not got
            for row in rows:
                answers[row.id] = await _answer(client, row, era, user, ear, answers)
        return {**report, "answers": answers, "cancelled": await _cancel(client)}


async def listen(client: Client, stack: AsyncExitStack, ear: Ear) -> BaseModel:
    """Listen for every kind of change; what comes is heard by the ear as well."""
    subscription = await stack.enter_async_context(
        client.listen(
            tools_list_changed=True,
            prompts_list_changed=True,
            resources_list_changed=True,
            resource_subscriptions=[catalogue.WATCHED],
        )
    )
    await ear.take({"notifications/subscriptions/acknowledged": ()})
    return subscription.honored


async def _answer(client: Client, row: Row, era: Era, user: User, ear: Ear, answers: Mapping[str, Json]) -> Json:
    steps: list[Json] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append({"progress": progress, "total": total, "message": message})

    params = dict(row.params)
    if row.link_of is not None:
        params["uri"] = answers[row.link_of]["result"]["content"][0]["uri"]
    user.expect(row.asked(era))
    meta = row.meta if era is Era.MODERN else None
    answer: Json = {}
    try:
        result = await _CALLS[row.method](client, params, note if row.progress else None, meta)
        answer["result"] = catalogue.plain(as_json(result))
    except MCPError as error:
        answer["error"] = {key: value for key, value in as_json(error.error).items() if key != "message"}
    if steps:
        answer["progress"] = steps
    if user.asked:
        answer["asked"] = user.asked
    if heard := await ear.take(row.hears.get(era, {})):
        answer["heard"] = heard
    return answer


async def _call_tool(client: Client, params: Json, note: Any, meta: Any) -> BaseModel:
    return await client.call_tool(params["name"], params.get("arguments"), progress_callback=note, meta=meta)


async def _read_resource(client: Client, params: Json, note: Any, meta: Any) -> BaseModel:
    return await client.read_resource(params["uri"], cache_mode="bypass")


async def _get_prompt(client: Client, params: Json, note: Any, meta: Any) -> BaseModel:
    return await client.get_prompt(params["name"], params.get("arguments"))


async def _complete(client: Client, params: Json, note: Any, meta: Any) -> BaseModel:
    kind = PromptReference if params["ref"]["type"] == "ref/prompt" else ResourceTemplateReference
    settled = params.get("context", {}).get("arguments")
    return await client.complete(kind.model_validate(params["ref"]), params["argument"], settled)


async def _subscribe(client: Client, params: Json, note: Any, meta: Any) -> BaseModel:
    return await client.subscribe_resource(params["uri"])


async def _unsubscribe(client: Client, params: Json, note: Any, meta: Any) -> BaseModel:
    return await client.unsubscribe_resource(params["uri"])


async def _set_level(client: Client, params: Json, note: Any, meta: Any) -> BaseModel:
    return await client.set_logging_level(params["level"])


async def _ping(client: Client, params: Json, note: Any, meta: Any) -> BaseModel:
    return await client.send_ping()


_CALLS: Final[dict[str, Callable[[Client, Json, Any, Any], Awaitable[BaseModel]]]] = {
    "tools/call": _call_tool,
    "resources/read": _read_resource,
    "prompts/get": _get_prompt,
    "completion/complete": _complete,
    "resources/subscribe": _subscribe,
    "resources/unsubscribe": _unsubscribe,
    "logging/setLevel": _set_level,
    "ping": _ping,
}


async def _cancel(client: Client) -> bool:
    """Cancel a call after its first progress; whether it was given up, and the connection still serves."""
    with anyio.CancelScope() as scope:

        async def enough(progress: float, total: float | None, message: str | None) -> None:
            scope.cancel()

        await _call_tool(client, catalogue.ENDLESS, enough, None)
    echo = as_json(await client.call_tool("echo", {"message": "still here"}))
    return scope.cancelled_caught and echo["content"][0]["text"] == "Echo: still here"


def as_json(model: BaseModel | None) -> Json:
    """A model as it stands on the wire."""
    assert model is not None
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def without_meta(params: Json) -> Json:
    """Params without what travels beside them."""
    return {name: value for name, value in params.items() if name != "_meta"}
