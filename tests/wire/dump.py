"""Print the surface of a server as JSON without prose: names, titles, schemas, URIs, MIME types, cache hints.

    PYTHONPATH=tests python -m wire.dump --era modern --stdio "everything-server stdio"

Two servers, or two versions of one, are compared with diff.
"""

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from everything_server import Era
from harness.wire import ALL_CAPABILITIES, META, Client, Message, Stdio
from wire.http_clients import Http, Sse

HINTS: Final = ("resultType", "ttlMs", "cacheScope")

SCHEMA_MEMBERS: Final = (
    *("$schema", "$ref", "type", "format", "title", "enum", "enumNames", "const", "default", "x-mcp-header"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"),
    *("minItems", "maxItems", "pattern"),
)
"""What is kept of a JSON Schema as it is; what holds further schemas is gone through."""

RESOURCE_MEMBERS: Final = ("uri", "uriTemplate", "name", "title", "mimeType", "annotations", "size")

LISTS: Final[Sequence[tuple[str, str, str]]] = (
    ("tools/list", "tools", "name"),
    ("prompts/list", "prompts", "name"),
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
)
"""Each list's method, the member with its entries, and what those are sorted by."""


def dump(client: Client) -> Message:
    """The surface of the server that a client is connected to."""
    client.settle()  # tools that need a client capability appear after the handshake
    surface: Message = {"era": client.era, "opening": opening(client), "lists": {}}
    for method, member, key in LISTS:
        entries, surface["lists"][method] = whole_list(client, method, member)
        surface[member] = [ENTRIES[member](entry) for entry in sorted(entries, key=lambda entry: entry[key])]
    uris = [resource["uri"] for resource in surface["resources"]]
    uris += [
        template["uriTemplate"].replace("{resourceId}", "1")
        for template in surface["resourceTemplates"]
        if template["uriTemplate"].count("{") == template["uriTemplate"].count("{resourceId}")
    ]
    surface["reads"] = {uri: read(client, uri) for uri in uris}
    return surface


def opening(client: Client) -> Message:
    """What the server says of itself."""
    if client.era is Era.LEGACY:
        said = client.handshake or {}
        kept = only(said, ("protocolVersion", "serverInfo", "capabilities"))
    else:
        said = client.request("server/discover").get("result", {})
        kept = only(said, ("supportedVersions", "capabilities", *HINTS))
        kept["serverInfo"] = said.get("_meta", {}).get(f"{META}serverInfo")
    return {**kept, "hasInstructions": bool(said.get("instructions"))}


def whole_list(client: Client, method: str, member: str) -> tuple[list[Message], Message]:
    """The entries of all pages, and what is to be said of the list itself."""
    entries: list[Message] = []
    params: Message | None = None
    pages = 0
    while True:
        reply = client.request(method, params)
        if "error" in reply:
            return [], {"error": reply["error"]["code"]}
        result = reply["result"]
        entries += result[member]
        pages += 1
        if "nextCursor" not in result:
            return entries, {"count": len(entries), "pages": pages, **only(result, HINTS)}
        params = {"cursor": result["nextCursor"]}


def read(client: Client, uri: str) -> Message:
    reply = client.request("resources/read", {"uri": uri})
    if "error" in reply:
        return {"error": reply["error"]["code"]}
    first = reply["result"]["contents"][0]
    kind = "blob" if "blob" in first else "text"
    return {"mimeType": first.get("mimeType"), "kind": kind, **only(reply["result"], HINTS)}


def tool(entry: Message) -> Message:
    known = ("name", "title", "annotations", "execution")
    schemas = {name: schema(entry[name]) for name in ("inputSchema", "outputSchema") if name in entry}
    others = sorted(set(entry) - {*known, "inputSchema", "outputSchema", "description"})
    described = bool(entry.get("description"))
    return {**only(entry, known), **schemas, "hasDescription": described, "otherMembers": others}


def prompt(entry: Message) -> Message:
    arguments = [
        {"name": argument["name"], "required": argument.get("required", False)}
        for argument in entry.get("arguments", ())
    ]
    return {**only(entry, ("name", "title")), "hasDescription": bool(entry.get("description")), "arguments": arguments}


def resource(entry: Message) -> Message:
    return only(entry, RESOURCE_MEMBERS)


def schema(value: Any) -> Any:
    """A JSON Schema without its prose."""
    if not isinstance(value, dict):
        return value
    kept = only(value, SCHEMA_MEMBERS)
    if "required" in value:
        kept["required"] = sorted(value["required"])
    for name in ("properties", "$defs", "definitions"):
        if name in value:
            kept[name] = {key: schema(inner) for key, inner in sorted(value[name].items())}
    for name in ("additionalProperties", "items"):
        if name in value:
            kept[name] = schema(value[name])
    for name in ("anyOf", "oneOf", "allOf"):
        if name in value:
            kept[name] = [schema(inner) for inner in value[name]]
    return kept


ENTRIES: Final[Mapping[str, Callable[[Message], Message]]] = {
    "tools": tool,
    "prompts": prompt,
    "resources": resource,
    "resourceTemplates": resource,
}


def only(value: Message, names: Iterable[str]) -> Message:
    return {name: value[name] for name in names if name in value}


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    era = Era(options.era)
    common = {
        "version": options.version,
        "capabilities": ALL_CAPABILITIES[era] if options.capabilities == "all" else json.loads(options.capabilities),
        "answers": {"roots/list": {"roots": []}},
    }
    client: Client
    if options.stdio:
        client = Stdio(shlex.split(options.stdio), era, **common)
    elif options.url:
        client = Http(options.url, era, **common)
    else:
        client = Sse(options.sse_url, era, **common)
    with client:
        json.dump(dump(client.start()), sys.stdout, indent=1, ensure_ascii=False)
    print()
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    server = parser.add_mutually_exclusive_group(required=True)
    server.add_argument("--stdio", metavar="COMMAND")
    server.add_argument("--url")
    server.add_argument("--sse-url")
    parser.add_argument("--era", choices=list(Era), default=Era.LEGACY)
    parser.add_argument("--capabilities", default="{}", metavar="JSON", help="what the client declares, or `all`")
    parser.add_argument("--version", help="the protocol version to ask for")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
