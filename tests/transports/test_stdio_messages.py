"""The messages of a real process: valid in their version, without nulls, and as the capabilities promise."""

from collections.abc import Generator
from typing import Any

import jsonschema_rs
import pytest
from everything_server import Era
from harness.wire import META, Message, Stdio, is_notification
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from wire.patterns import DIALECT
from wire.runner import check_messages
from wire.servers import installed, open_server

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}

ARGUMENTS: dict[str, Message] = {
    "echo": {"message": "x"},
    "get-sum": {"a": 1, "b": 2.5},
    "get-annotated-message": {"messageType": "debug", "includeImage": True},
    "get-structured-content": {"location": "Chicago"},
    "get-structured-content-list": {"location": "Chicago"},
    "trigger-long-running-operation": {"duration": 0, "steps": 1},
}
"""Of the tools that do not go without."""

REFUSED = {
    "trigger-protocol-error": -32010,
    "get-roots-list": -32021,
    "trigger-sampling-request": -32021,
    "trigger-url-elicitation": -32021,
}
"""Tools that are refused, and how: on purpose, or (modern) for want of a capability."""

VARIABLES = {"resourceId": "1", "theme": "light", "language": "english", "name": "README.md.gz", "id": "none"}
"""What stands in the templates."""

PROMPT_ARGUMENTS: dict[str, Message] = {
    "args-prompt": {"city": "Paris"},
    "completable-prompt": {"department": "Sales", "name": "Eve"},
    "resource-prompt": {"resourceType": "Blob", "resourceId": "1"},
    "long-completion-prompt": {"item": "item-001"},
}

UNFIT = ("fake-block", "fake-stubborn", "fake-slow-cleanup", "fake-child", "fake-tended-child", "fake-cleanup")
"""Fake tools that are there for the end of a process."""


def all_of(server: Stdio, method: str) -> list[Message]:
    """A whole list, page by page."""
    items: list[Message] = []
    params: Message = {}
    while True:
        result = server.result(method, params)
        items += result[LISTS[method]]
        if "nextCursor" not in result:
            return items
        params = {"cursor": result["nextCursor"]}


def ask_everything(server: Stdio) -> None:
    """Every list, every tool, every resource, every prompt, completions, and mistakes."""
    if server.era is Era.MODERN:
        server.result("server/discover")
    for tool in all_of(server, "tools/list"):
        if tool["name"] not in UNFIT:
            arguments = ARGUMENTS.get(tool["name"], {})
            params = {"name": tool["name"], "arguments": arguments, "_meta": {"progressToken": 1}}
            if code := REFUSED.get(tool["name"]):
                assert server.error("tools/call", params)["code"] == code
            else:
                server.result("tools/call", params)
                server.result("tools/call", {"name": tool["name"], "arguments": {"no-such": 1}})
    uris = [resource["uri"] for resource in all_of(server, "resources/list")]
    uris += [template["uriTemplate"].format_map(VARIABLES) for template in all_of(server, "resources/templates/list")]
    for uri in uris:
        if "/minted/" in uri:
            server.error("resources/read", {"uri": uri})
        else:
            server.result("resources/read", {"uri": uri})
    for prompt in all_of(server, "prompts/list"):
        server.result("prompts/get", {"name": prompt["name"], "arguments": PROMPT_ARGUMENTS.get(prompt["name"], {})})
    reference = {"type": "ref/prompt", "name": "completable-prompt"}
    server.result("completion/complete", {"ref": reference, "argument": {"name": "department", "value": ""}})
    for method in ("tools/call", "prompts/get", "resources/read", "completion/complete", "no/such"):
        server.error(method, {"name": "no-such", "uri": "demo://no-such"})


@pytest.fixture(scope="module", params=list(Era), ids=str)
def whole(request: pytest.FixtureRequest) -> Generator[Stdio]:
    """A server whose lists are on one page."""
    with opened(request.param) as server:
        yield server


@pytest.fixture(scope="module", params=list(Era), ids=str)
def paged(request: pytest.FixtureRequest) -> Generator[Stdio]:
    """A server with three entries on a page."""
    with opened(request.param, "--page-size", "3") as server:
        yield server


def opened(era: Era, *options: str) -> Stdio:
    answers = {"elicitation/create": {"action": "accept", "content": {"name": "Eve", "subject": "tea"}}}
    capabilities = {"elicitation": {}}
    return open_server(*options, era=era, env=installed("days"), capabilities=capabilities, answers=answers)


def test_every_message_is_valid_in_its_version_and_has_no_null(whole: Stdio) -> None:
    start = len(whole.inbox)
    ask_everything(whole)
    check_messages(whole)
    for message in whole.inbox[start:]:
        if "result" in message and whole.methods[message["id"]] in LISTS:
            assert message["result"].get("cacheScope") == ("public" if whole.era is Era.MODERN else None)


def test_messages_of_a_paged_server_are_as_valid(paged: Stdio) -> None:
    start = len(paged.inbox)
    ask_everything(paged)
    check_messages(paged, start)
    scopes = {
        (paged.methods[message["id"]], message["result"].get("cacheScope"), message["result"].get("ttlMs"))
        for message in paged.inbox[start:]
        if "result" in message and paged.methods[message["id"]] in LISTS
    }
    assert len(scopes) == len(LISTS)  # the same on all pages


def test_messages_of_every_legacy_revision_are_valid() -> None:
    with open_server("--disable", "extras") as server:  # some of which are younger than the oldest revisions
        for version in HANDSHAKE_PROTOCOL_VERSIONS:
            start = len(server.inbox)
            server.version = version
            server.start()
            assert server.handshake is not None
            assert server.handshake["protocolVersion"] == version
            ask_everything(server)
            check_messages(server, start)


def test_schemas_of_tools_are_json_schemas_of_objects_and_point_nowhere_else(whole: Stdio) -> None:
    tools = {tool["name"]: tool for tool in all_of(whole, "tools/list")}
    assert {"fake-nothing", "fake-optional", "echo"} <= set(tools)
    for tool in tools.values():
        for schema in (tool["inputSchema"], tool.get("outputSchema", {})):
            jsonschema_rs.meta.validate({"$schema": DIALECT, **schema})
            assert all(reference.startswith("#") for reference in references_in(schema))
        assert tool["inputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        if whole.era is Era.LEGACY and "outputSchema" in tool:
            assert tool["outputSchema"]["type"] == "object"
    assert "required" not in tools["fake-nothing"]["inputSchema"]
    assert "required" not in tools["fake-optional"]["inputSchema"]


def references_in(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [reference for item in schema for reference in references_in(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
    return own + [reference for item in schema.values() for reference in references_in(item)]


def test_pages_together_are_the_whole_list_in_a_stable_order(era: Era) -> None:
    # Servers of its own: what other tests have called may have added to the lists.
    with opened(era) as whole, opened(era, "--page-size", "3") as paged:
        for method, member in LISTS.items():
            assert all_of(paged, method) == all_of(whole, method) == all_of(whole, method)
            assert len(paged.result(method)[member]) <= 3


def test_a_cursor_belongs_to_its_list_and_may_be_used_again(paged: Stdio) -> None:
    cursor = paged.result("tools/list")["nextCursor"]
    assert paged.result("tools/list", {"cursor": cursor}) == paged.result("tools/list", {"cursor": cursor})
    for method in ("prompts/list", "resources/list", "resources/templates/list"):
        assert paged.error(method, {"cursor": cursor})["code"] == -32602
    for altered in (cursor[:-1], cursor + "A", cursor.upper()):
        assert paged.error("tools/list", {"cursor": altered})["code"] == -32602


def test_a_cursor_of_another_page_size_is_refused(whole: Stdio, paged: Stdio) -> None:
    cursor = paged.result("tools/list")["nextCursor"]
    assert whole.error("tools/list", {"cursor": cursor})["code"] == -32602


# Capabilities


SERVED: dict[Era, dict[str, list[tuple[str, Message]]]] = {
    Era.LEGACY: {
        "tools": [("tools/list", {})],
        "prompts": [("prompts/list", {})],
        "resources": [
            ("resources/list", {}),
            ("resources/templates/list", {}),
            ("resources/subscribe", {"uri": "demo://resource/dynamic/text/1"}),
            ("resources/unsubscribe", {"uri": "demo://resource/dynamic/text/1"}),
        ],
        "completions": [
            (
                "completion/complete",
                {
                    "ref": {"type": "ref/prompt", "name": "completable-prompt"},
                    "argument": {"name": "department", "value": ""},
                },
            )
        ],
        "logging": [("logging/setLevel", {"level": "info"})],
    },
}
SERVED[Era.MODERN] = {
    capability: [call for call in calls if "subscribe" not in call[0]]
    for capability, calls in SERVED[Era.LEGACY].items()
    if capability != "logging"  # asked for with each request
}
"""What a capability lets a client call."""


def capabilities_of(server: Stdio) -> Message:
    if server.era is Era.MODERN:
        return server.result("server/discover")["capabilities"]
    assert server.handshake is not None
    return server.handshake["capabilities"]


@pytest.mark.parametrize(
    ("plugins", "advertised"),
    [
        ("tools,resources,prompts", {"tools", "resources", "prompts", "completions"}),
        ("prompts.simple", {"prompts"}),
        ("", set()),
    ],
    ids=["everything", "a-prompt", "nothing"],
)
@pytest.mark.parametrize("era", Era, ids=str)
def test_what_is_advertised_is_served_and_nothing_else(era: Era, plugins: str, advertised: set[str]) -> None:
    with open_server("--plugins", plugins, era=era) as server:
        capabilities = capabilities_of(server)
        assert advertised <= set(capabilities)
        assert set(capabilities) - advertised <= {"logging"}
        for capability, calls in SERVED[era].items():
            for method, params in calls:
                reply = server.request(method, params)
                if capability not in capabilities:
                    assert reply["error"]["code"] == -32601, (method, reply)
                else:
                    assert "result" in reply, (method, reply)
        for capability in ("tools", "prompts", "resources"):
            assert capabilities.get(capability, {}).get("listChanged", True) is True
        check_messages(server)


def test_a_subscription_is_acknowledged_for_what_is_served_and_for_nothing_else() -> None:
    everything = {
        "toolsListChanged": True,
        "promptsListChanged": True,
        "resourcesListChanged": True,
        "resourceSubscriptions": ["demo://resource/dynamic/text/1"],
    }
    with open_server("--plugins", "tools.echo", era=Era.MODERN) as server:
        server.send("subscriptions/listen", {"notifications": everything}, "L")
        acknowledged = server.notification("notifications/subscriptions/acknowledged")
        assert acknowledged["params"]["notifications"] == {"toolsListChanged": True}
        check_messages(server)


def test_a_legacy_client_is_told_of_changes_and_of_the_resources_it_has_subscribed_to() -> None:
    with open_server(env=installed("days")) as server:
        server.result("resources/subscribe", {"uri": "demo://mine"})
        start = len(server.inbox)
        server.call("fake-changes", {"uri": "demo://mine"})
        server.settle()
        assert told(server, start) == [
            ("notifications/tools/list_changed", None),
            ("notifications/prompts/list_changed", None),
            ("notifications/resources/list_changed", None),
            ("notifications/resources/updated", "demo://mine"),
        ]
        server.result("resources/unsubscribe", {"uri": "demo://mine"})
        start = len(server.inbox)
        server.call("fake-changes", {"uri": "demo://mine"})
        server.settle()
        assert "notifications/resources/updated" not in [method for method, _ in told(server, start)]
        check_messages(server)


def test_a_modern_client_is_told_on_each_subscription_what_that_asked_for() -> None:
    with open_server(era=Era.MODERN, env=installed("days")) as server:
        for request_id, wanted in (
            ("A", {"resourceSubscriptions": ["demo://mine"]}),
            (2, {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}),
        ):
            start = len(server.inbox)
            server.send("subscriptions/listen", {"notifications": wanted}, request_id)
            server.notification("notifications/subscriptions/acknowledged", since=start)
        start = len(server.inbox)
        server.call("fake-changes", {"uri": "demo://mine"})
        server.wait(lambda _: len(told(server, start)) >= 4 or None, "four notifications")
        server.settle()
        changes = {
            (notification["params"]["_meta"][f"{META}subscriptionId"], notification["method"])
            for notification in server.inbox[start:]
            if is_notification(notification)
        }
        assert changes == {
            (2, "notifications/tools/list_changed"),
            (2, "notifications/prompts/list_changed"),
            (2, "notifications/resources/list_changed"),
            ("A", "notifications/resources/updated"),
        }
        assert len(told(server, start)) == 4
        check_messages(server)


def told(server: Stdio, start: int) -> list[tuple[str, str | None]]:
    """The notifications since a message, each with the URI it is about."""
    return [
        (message["method"], message.get("params", {}).get("uri"))
        for message in server.inbox[start:]
        if is_notification(message)
    ]
