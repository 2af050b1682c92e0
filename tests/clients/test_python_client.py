"""The official Python client: it lists and calls everything, from a server in a process of its own."""

import tempfile
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from clients import catalogue
from clients.servers import VERSIONS, Kind, Walk, walks
from everything_server import Era
from mcp.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import PromptReference, ResourceTemplateReference
from pydantic import BaseModel

GUARD = 120.0
"""Seconds after which the client is given up."""


KINDS = {
    "auto": Kind("auto", Era.MODERN, adapts=True),
    "legacy": Kind("legacy", Era.LEGACY),
}


@pytest.fixture(scope="module", params=walks(KINDS))
def walk(request: pytest.FixtureRequest) -> Walk:
    return request.param


@pytest.fixture(scope="module")
def report(walk: Walk, server_over: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """What the client has to say once it has walked the catalogue."""
    server = server_over(walk.transport)
    with tempfile.TemporaryFile("w+") as complaints:
        report = anyio.run(_connect_and_walk, walk, TRANSPORTS[walk.transport](server, complaints))
        complaints.seek(0)
        assert complaints.read() == ""  # a server that has nothing to complain of is quiet
    return report


def _stdio(server: dict[str, Any], complaints: Any) -> Any:
    parameters = StdioServerParameters(command=server["command"], args=server["args"], env=server["env"])
    return stdio_client(parameters, errlog=complaints)


def _streamable_http(server: dict[str, Any], complaints: Any) -> Any:
    return server["url"]


def _sse(server: dict[str, Any], complaints: Any) -> Any:
    return sse_client(server["url"])


TRANSPORTS: dict[str, Callable[[dict[str, Any], Any], Any]] = {
    "stdio": _stdio,
    "streamable-http": _streamable_http,
    "sse": _sse,
}


async def _connect_and_walk(walk: Walk, transport: Any) -> dict[str, Any]:
    with anyio.fail_after(GUARD):
        async with Client(transport, mode=walk.kind.mode) as client:
            return await _walk(client, walk.era)


async def _walk(client: Client, era: Era) -> dict[str, Any]:
    server_info = client.server_info
    assert server_info is not None
    subscribed = await _subscribe(client)
    return {
        "protocolVersion": client.protocol_version,
        "serverInfo": _json(server_info),
        "capabilities": _json(client.server_capabilities),
        "instructions": client.instructions,
        "tools": _json(await client.list_tools())["tools"],
        "resources": _json(await client.list_resources())["resources"],
        "resourceTemplates": _json(await client.list_resource_templates())["resourceTemplates"],
        "prompts": _json(await client.list_prompts())["prompts"],
        "answers": {request.id: await _answer(client, request) for request in catalogue.requests(era)},
        "cancelled": await _cancel(client),
        "subscribed": subscribed,
    }


async def _answer(client: Client, request: catalogue.Request) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append({"progress": progress, "total": total, "message": message})

    call = _CALLS[request.method]
    answer: dict[str, Any] = {}
    try:
        answer["result"] = catalogue.plain(
            _json(await call(client, request.params, note if request.progress else None))
        )
    except MCPError as error:
        answer["error"] = {key: value for key, value in _json(error.error).items() if key != "message"}
    if steps:
        answer["progress"] = steps
    return answer


async def _call_tool(client: Client, params: dict[str, Any], note: Any) -> BaseModel:
    return await client.call_tool(params["name"], params.get("arguments"), progress_callback=note)


async def _read_resource(client: Client, params: dict[str, Any], note: Any) -> BaseModel:
    return await client.read_resource(params["uri"])


async def _get_prompt(client: Client, params: dict[str, Any], note: Any) -> BaseModel:
    return await client.get_prompt(params["name"], params.get("arguments"))


async def _complete(client: Client, params: dict[str, Any], note: Any) -> BaseModel:
    kind = PromptReference if params["ref"]["type"] == "ref/prompt" else ResourceTemplateReference
    settled = params.get("context", {}).get("arguments")
    return await client.complete(kind.model_validate(params["ref"]), params["argument"], settled)


_CALLS: dict[str, Callable[[Client, dict[str, Any], Any], Awaitable[BaseModel]]] = {
    "tools/call": _call_tool,
    "resources/read": _read_resource,
    "prompts/get": _get_prompt,
    "completion/complete": _complete,
}


async def _cancel(client: Client) -> bool:
    """Cancel a call after its first progress; whether it was given up, and the connection still serves."""
    with anyio.CancelScope() as scope:

        async def enough(progress: float, total: float | None, message: str | None) -> None:
            scope.cancel()

        await _call_tool(client, catalogue.ENDLESS, enough)
    echo = _json(await client.call_tool("echo", {"message": "still here"}))
    return scope.cancelled_caught and echo["content"][0]["text"] == "Echo: still here"


async def _subscribe(client: Client) -> bool:
    """Subscribe and stop again, in the way of the era."""
    if client.protocol_version == "2026-07-28":
        async with client.listen(tools_list_changed=True, resource_subscriptions=[catalogue.WATCHED]) as subscription:
            honored = _json(subscription.honored)
        return honored == {"toolsListChanged": True, "resourceSubscriptions": [catalogue.WATCHED]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)  # in favour of what this era has not got
        await client.send_ping()
        await client.subscribe_resource(catalogue.WATCHED)
        await client.unsubscribe_resource(catalogue.WATCHED)
    return True


def _json(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def test_the_client_gets_the_era_that_it_asks_for(report: dict[str, Any], walk: Walk) -> None:
    assert report["protocolVersion"] == VERSIONS[walk.era]
    assert report["serverInfo"]["name"] == "mcp-servers/everything"
    assert report["serverInfo"]["title"] == "Everything Reference Server"
    assert report["instructions"]
    assert report["capabilities"] == catalogue.CAPABILITIES


def test_the_client_lists_everything(report: dict[str, Any], walk: Walk) -> None:
    assert catalogue.names(report) == catalogue.listed(walk.era)


def test_the_client_calls_everything(report: dict[str, Any], walk: Walk) -> None:
    assert report["answers"] == catalogue.answers(walk.era)


def test_the_client_is_told_of_every_step(report: dict[str, Any]) -> None:
    steps = [step["progress"] for step in report["answers"]["call trigger-long-running-operation"]["progress"]]
    assert steps == [1, 2, 3]


def test_the_client_cancels_a_call_and_goes_on(report: dict[str, Any]) -> None:
    assert report["cancelled"]


def test_the_client_subscribes(report: dict[str, Any]) -> None:
    assert report["subscribed"]
