"""`tools.gzip-file-as-resource`."""

import base64
import gzip
import logging
import re
from typing import Any

import anyio
import pytest
from anyio.abc import SocketStream
from everything_server import Era, Settings
from everything_server.content import kept_resources
from harness import Connect, connector
from harness.client_side import Ear, raw_client
from harness.clock import GUARD, FakeClock
from harness.loopback import Host, host, never, redirect, respond
from harness.plugins import Message
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged
from mcp_types import (
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ResourceLink,
    ResourceListChangedNotification,
    TextContent,
)

TOOL = "gzip-file-as-resource"
PLUGIN = "tools.gzip-file-as-resource"
WITH_RESOURCES = f"{PLUGIN},resources.documents"
"""In the legacy era resources are served only beside a plugin that declares some."""

SIZE = "GZIP_MAX_FETCH_SIZE"
TIME = "GZIP_MAX_FETCH_TIME_MILLIS"
DOMAINS = "GZIP_ALLOWED_DOMAINS"

UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
NOT_FOUND = {Era.LEGACY: -32002, Era.MODERN: -32602}
MINTED = "demo://resource/minted/{id}/{name}"
TEMPLATES = {Era.LEGACY: "demo://resource/session/{name}", Era.MODERN: MINTED}


@pytest.fixture(autouse=True)
def owner(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The owner of the server, who has set nothing."""
    for variable in (SIZE, TIME, DOMAINS):
        monkeypatch.delenv(variable, raising=False)
    return monkeypatch


def _link(result: CallToolResult) -> ResourceLink:
    assert not result.is_error, result
    [block] = result.content
    assert isinstance(block, ResourceLink)
    return block


def _blob(result: CallToolResult) -> BlobResourceContents:
    assert not result.is_error, result
    [block] = result.content
    assert isinstance(block, EmbeddedResource)
    assert isinstance(block.resource, BlobResourceContents)
    assert block.resource.mime_type == "application/gzip"
    return block.resource


def _unzipped(blob: str) -> bytes:
    return gzip.decompress(base64.b64decode(blob))


def _why(result: CallToolResult) -> str:
    """What is said to be wrong with `data`."""
    assert result.is_error, result
    [block] = result.content
    assert isinstance(block, TextContent)
    heading, problem = block.text.split("\n- ")
    assert heading == f"Invalid arguments for tool {TOOL}:"
    assert problem.startswith("data: ")
    return problem.removeprefix("data: ")


def _expected_uri(era: Era, encoded: str) -> re.Pattern[str]:
    place = "session" if era is Era.LEGACY else f"minted/{UUID}"
    return re.compile(f"demo://resource/{place}/{re.escape(encoded)}")


async def _read(client: Client, uri: str) -> bytes:
    [contents] = (await client.read_resource(uri)).contents
    assert isinstance(contents, BlobResourceContents)
    assert (contents.uri, contents.mime_type) == (uri, "application/gzip")
    return _unzipped(contents.blob)


async def _zip(client: Client, data: str = "data:,x", **arguments: str) -> CallToolResult:
    return await client.call_tool(TOOL, {"data": data, **arguments})


# data: URIs


@pytest.mark.parametrize(
    ("uri", "content"),
    [
        ("data:text/plain,hello%20world", b"hello world"),
        ("data:text/plain;base64,aGVsbG8=", b"hello"),
        ("data:text/plain;base64,aGk", b"hi"),
        ("data:text/plain;base64,aGk=", b"hi"),
        ("data:;base64,aGk%3D", b"hi"),
        ("data:;base64,%61%47%6b", b"hi"),
        ("data:;base64,a G\tk%0A", b"hi"),
        ("data:;charset=utf-8;base64,w6k=", "é".encode()),
        ("data:;BASE64,aGk=", b"hi"),
        ("data:; base64,aGk=", b"hi"),
        ("data:;base64,", b""),
        ("data:,", b""),
        ("data:,a,b", b"a,b"),
        ("data:,%00%ff", b"\x00\xff"),
        ("data:,x#fragment", b"x"),
        ("data:,base64,aGk=", b"base64,aGk="),
        ("DATA:,x", b"x"),
        ("DaTa:text/plain;base64,aGk", b"hi"),
    ],
)
async def test_a_data_uri_is_compressed(connect: Connect, uri: str, content: bytes) -> None:
    async with connect(PLUGIN) as client:
        blob = _blob(await _zip(client, uri, outputType="resource"))
    assert _unzipped(blob.blob) == content


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("data:foo", "is a data: URI without a comma before its content"),
        ("data:", "is a data: URI without a comma before its content"),
        ("data:;base64,!!!!", "is a data: URI whose content is not base64"),
        ("data:;base64,A", "is a data: URI whose content is not base64"),
        ("data:;base64,aGk=aGk=", "is a data: URI whose content is not base64"),
        ("data:;base64,é", "is a data: URI whose content is not base64"),
    ],
)
async def test_a_broken_data_uri_is_refused(connect: Connect, uri: str, why: str) -> None:
    async with connect(PLUGIN) as client:
        assert _why(await _zip(client, uri)) == why


@pytest.mark.parametrize(
    "uri",
    [
        "not a url",
        "",
        "x",
        "\x00",
        "http://",
        "http:///x",
        "http://[::1",
        "https://:443/",
        "//example.com/",
        "about:blank",
    ],
)
async def test_what_is_no_url_is_refused(connect: Connect, uri: str) -> None:
    async with connect(PLUGIN) as client:
        assert _why(await _zip(client, uri))


async def test_the_default_needs_no_network(connect: Connect) -> None:
    async with connect(WITH_RESOURCES) as client:
        link = _link(await client.call_tool(TOOL))
        assert link.name == "README.md.gz"
        assert (await _read(client, link.uri)).startswith(b"# everything-server")


@pytest.mark.parametrize("uri", ["data:,{}", "data:;base64,{}"], ids=["text", "base64"])
async def test_the_limit_of_size_holds_for_data_uris(connect: Connect, owner: pytest.MonkeyPatch, uri: str) -> None:
    owner.setenv(SIZE, "100")

    def of_size(size: int) -> str:
        content = b"x" * size
        return uri.format((base64.b64encode(content) if "base64" in uri else content).decode())

    async with connect(PLUGIN) as client:
        assert len(_unzipped(_blob(await _zip(client, of_size(100), outputType="resource")).blob)) == 100
        assert _why(await _zip(client, of_size(101))) == "has more than the 100 bytes that may be fetched"


@pytest.mark.parametrize(
    "nonsense", ["", "abc", "nan", "NaN", "inf", "-inf", "Infinity", "0", "-1", "0.5", "1e999", "10 MB"]
)
async def test_a_limit_that_is_none_does_not_lift_it(
    connect: Connect, owner: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, nonsense: str
) -> None:
    most = 10 * 1024 * 1024
    owner.setenv(SIZE, nonsense)
    owner.setenv(TIME, nonsense)
    async with connect(PLUGIN) as client:
        with caplog.at_level(logging.WARNING):
            why = _why(await _zip(client, f"data:,{'x' * (most + 1)}"))
    assert why == f"has more than the {most} bytes that may be fetched"
    warnings = [record.getMessage() for record in caplog.records]
    assert [variable for variable in (SIZE, TIME) if any(variable in warning for warning in warnings)] == [SIZE, TIME]


# What it leaves behind


async def test_a_link_leads_to_the_resource(connect: Connect, era: Era) -> None:
    async with connect(WITH_RESOURCES) as client:
        link = _link(await _zip(client, "data:,hello", name="b.gz"))
        assert _expected_uri(era, "b.gz").fullmatch(link.uri)
        assert (link.name, link.mime_type) == ("b.gz", "application/gzip")
        [contents] = (await client.read_resource(link.uri)).contents
        assert isinstance(contents, BlobResourceContents)
        assert len(base64.b64decode(contents.blob)) == link.size
        assert await _read(client, link.uri) == b"hello"


async def test_an_embedded_resource_can_be_read_again(connect: Connect, era: Era) -> None:
    async with connect(WITH_RESOURCES) as client:
        blob = _blob(await _zip(client, "data:,hello", name="e.gz", outputType="resource"))
        assert _expected_uri(era, "e.gz").fullmatch(blob.uri)
        assert await _read(client, blob.uri) == b"hello"


@pytest.mark.parametrize(
    ("name", "encoded"),
    [
        ("a b.gz", "a%20b.gz"),
        ("a%2Fb?c#d.gz", "a%252Fb%3Fc%23d.gz"),
        ("é✓.gz", "%C3%A9%E2%9C%93.gz"),
        ("{name}", "%7Bname%7D"),
        ("a/b.gz", "a%2Fb.gz"),
        ("a" * 255, "a" * 255),
    ],
    ids=["space", "reserved", "other letters", "braces", "slash", "long"],
)
async def test_a_name_is_encoded_in_the_uri_and_leads_back(connect: Connect, era: Era, name: str, encoded: str) -> None:
    async with connect(WITH_RESOURCES) as client:
        link = _link(await _zip(client, name=name))
        assert link.name == name
        assert _expected_uri(era, encoded).fullmatch(link.uri)
        assert await _read(client, link.uri) == b"x"


@pytest.mark.parametrize("name", ["", "a" * 256, "..", "../x", "/etc/passwd", "x\x00", "C:x"])
async def test_a_name_that_is_a_path_is_refused(connect: Connect, refused: Any, name: str) -> None:
    async with connect(WITH_RESOURCES) as client:
        assert refused(await _zip(client, name=name)) == ["name"]


async def test_legacy_it_is_listed_and_announced() -> None:
    ear = Ear()
    async with connector(Era.LEGACY)(WITH_RESOURCES, message_handler=ear) as client:
        link = _link(await _zip(client, name="s.gz"))
        await ear.until_heard(ResourceListChangedNotification)
        [listed] = [entry for entry in (await client.list_resources()).resources if entry.uri == link.uri]
    assert (listed.name, listed.mime_type, listed.size) == ("s.gz", "application/gzip", link.size)
    assert len(ear.heard) == 1


async def test_legacy_the_same_name_replaces_it_and_other_names_do_not() -> None:
    async with connector(Era.LEGACY)(WITH_RESOURCES) as client:
        first = _link(await _zip(client, "data:,first", name="s.gz"))
        other = _link(await _zip(client, "data:,other", name="o.gz"))
        second = _link(await _zip(client, "data:,second and longer", name="s.gz"))
        assert first.uri == second.uri
        assert await _read(client, first.uri) == b"second and longer"
        assert await _read(client, other.uri) == b"other"
        sizes = {entry.uri: entry.size for entry in (await client.list_resources()).resources if "session" in entry.uri}
    assert sizes == {first.uri: second.size, other.uri: other.size}


async def test_legacy_it_is_private_to_its_session() -> None:
    connect, settings, ear = connector(Era.LEGACY), Settings(), Ear()
    async with (
        connect(WITH_RESOURCES, settings=settings) as client,
        connect(WITH_RESOURCES, settings=settings, message_handler=ear) as other,
    ):
        link = _link(await _zip(client, "data:,mine", name="s.gz"))
        with pytest.raises(MCPError) as refusal:
            await other.read_resource(link.uri)
        assert refusal.value.code == -32002
        assert link.uri not in [entry.uri for entry in (await other.list_resources()).resources]
        assert ear.heard == []
        await _zip(other, "data:,theirs", name="s.gz")
        assert await _read(client, link.uri) == b"mine"


async def test_legacy_the_oldest_makes_room() -> None:
    most = kept_resources.MOST_RESOURCES
    async with connector(Era.LEGACY)(WITH_RESOURCES) as client:
        links = [_link(await _zip(client, f"data:,{number}", name=f"{number}.gz")) for number in range(most)]
        await _zip(client, "data:,again", name="0.gz")  # now the youngest
        await _zip(client, name="one too many")
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(links[1].uri)
        assert refusal.value.code == -32002
        assert await _read(client, links[0].uri) == b"again"
        assert await _read(client, links[2].uri) == b"2"
        listed = [entry.uri for entry in (await client.list_resources()).resources if "session" in entry.uri]
    assert len(listed) == most
    assert links[1].uri not in listed


async def test_modern_it_is_neither_listed_nor_announced() -> None:
    async with (
        connector(Era.MODERN)(f"{WITH_RESOURCES},prompts.simple,tools.trigger-list-changed") as client,
        client.listen(resources_list_changed=True, prompts_list_changed=True) as listening,
    ):
        before = (await client.list_resources(cache_mode="bypass")).resources
        await _zip(client)
        assert (await client.list_resources(cache_mode="bypass")).resources == before
        await client.call_tool("trigger-list-changed", {"list": "prompts"})
        with anyio.fail_after(GUARD):
            assert isinstance(await anext(aiter(listening)), PromptsListChanged)  # and nothing before it


async def test_modern_each_has_a_uri_of_its_own() -> None:
    async with connector(Era.MODERN)(PLUGIN) as client:
        first = _link(await _zip(client, "data:,first", name="s.gz"))
        second = _link(await _zip(client, "data:,second", name="s.gz"))
        assert first.uri != second.uri
        assert [await _read(client, link.uri) for link in (first, second)] == [b"first", b"second"]


async def test_modern_another_connection_of_the_process_can_read_it() -> None:
    connect, settings = connector(Era.MODERN), Settings()
    async with connect(PLUGIN, settings=settings) as client:
        link = _link(await _zip(client, "data:,kept"))
    async with connect(PLUGIN, settings=settings) as other:
        assert await _read(other, link.uri) == b"kept"
    async with connect(PLUGIN, settings=Settings()) as elsewhere:
        with pytest.raises(MCPError) as refusal:
            await elsewhere.read_resource(link.uri)
    assert refusal.value.code == -32602


async def test_modern_it_is_kept_for_ten_minutes() -> None:
    clock = FakeClock()
    async with connector(Era.MODERN)(PLUGIN, settings=Settings(clock=clock), cache=None) as client:
        first = _link(await _zip(client, "data:,first"))
        clock.advance(300)
        second = _link(await _zip(client, "data:,second"))
        clock.advance(299)
        assert await _read(client, first.uri) == b"first"  # which does not make it last longer
        clock.advance(1)
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(first.uri)
        assert refusal.value.code == -32602
        assert refusal.value.data == {"uri": first.uri}
        assert await _read(client, second.uri) == b"second"
        clock.advance(300)
        with pytest.raises(MCPError):
            await client.read_resource(second.uri)


async def test_modern_the_oldest_makes_room() -> None:
    async with connector(Era.MODERN)(PLUGIN, cache=None) as client:
        links = [_link(await _zip(client)) for _ in range(kept_resources.MOST_RESOURCES + 1)]
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(links[0].uri)
        assert refusal.value.code == -32602
        assert await _read(client, links[1].uri) == b"x"
        assert await _read(client, links[-1].uri) == b"x"


async def test_the_oldest_make_room_for_many_bytes(connect: Connect, era: Era, owner: pytest.MonkeyPatch) -> None:
    owner.setattr(kept_resources, "MOST_BYTES", 100)
    async with connect(WITH_RESOURCES, cache=None) as client:
        first, second = [_link(await _zip(client, f"data:,{name}", name=name)) for name in ("1234", "5678")]
        assert await _read(client, first.uri) == b"1234"
        third = _link(await _zip(client, f"data:;base64,{base64.b64encode(bytes(range(60))).decode()}", name="third"))
        assert third.size is not None
        assert second.size is not None
        assert 100 - second.size < third.size <= 100
        for gone in (first, second):
            with pytest.raises(MCPError) as refusal:
                await client.read_resource(gone.uri)
            assert refusal.value.code == NOT_FOUND[era]
        assert await _read(client, third.uri) == bytes(range(60))


async def test_what_is_larger_than_all_that_may_be_kept_is_refused_and_displaces_nothing(
    connect: Connect, owner: pytest.MonkeyPatch
) -> None:
    owner.setattr(kept_resources, "MOST_BYTES", 30)
    async with connect(WITH_RESOURCES, cache=None) as client:
        small = _link(await _zip(client, name="s.gz"))
        result = await _zip(client, f"data:;base64,{base64.b64encode(bytes(range(40))).decode()}", name="s.gz")
        assert result.is_error
        assert await _read(client, small.uri) == b"x"


@pytest.mark.parametrize(
    "uri",
    [
        "demo://resource/minted/00000000-0000-4000-8000-000000000000/s.gz",
        "demo://resource/minted//s.gz",
        "demo://resource/session/s.gz",
    ],
)
async def test_what_was_never_made_is_not_found(connect: Connect, era: Era, uri: str) -> None:
    async with connect(WITH_RESOURCES) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(uri)
    assert refusal.value.code == NOT_FOUND[era]
    assert refusal.value.data == {"uri": uri}


async def test_modern_the_identifier_alone_is_not_enough() -> None:
    async with connector(Era.MODERN)(PLUGIN) as client:
        link = _link(await _zip(client, name="s.gz"))
        for other in (f"{link.uri}x", link.uri.replace("s.gz", "t.gz"), link.uri.removesuffix("s.gz")):
            with pytest.raises(MCPError) as refusal:
                await client.read_resource(other)
            assert refusal.value.code == -32602


# The network


def _local(at: Host) -> list[str]:
    port = at.port
    return [
        f"http://127.0.0.1:{port}/",
        f"HTTP://127.0.0.1:{port}/",
        f"https://127.0.0.1:{port}/",
        f"http://localhost:{port}/",
        f"http://localhost.:{port}/",
        f"http://[::1]:{port}/",
        f"http://[::ffff:127.0.0.1]:{port}/",
        f"http://[::ffff:7f00:1]:{port}/",
        f"http://0.0.0.0:{port}/",
        f"http://[::]:{port}/",
        f"http://127.1:{port}/",
        f"http://127.0.0.2:{port}/",
        f"http://2130706433:{port}/",
        f"http://0x7f.1:{port}/",
        f"http://0177.0.0.1:{port}/",
        f"http://①②⑦.⓪.⓪.①:{port}/",
        f"http://user:pw@127.0.0.1:{port}/",
        f"http://example.com@127.0.0.1:{port}/",
        f"http://127.0.0.1:{port}\\@example.com/",
        f"ftp://127.0.0.1:{port}/",
        f"gopher://127.0.0.1:{port}/",
        f"ws://127.0.0.1:{port}/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "file:///etc/hostname",
        "FILE:///etc/hostname",
    ]


async def test_by_default_nothing_is_fetched(connect: Connect) -> None:
    async with host(respond(body=b"secret")) as at, connect(PLUGIN) as client:
        for uri in _local(at):
            result = await _zip(client, uri)
            assert _why(result), uri
            assert "127.0.0.1" not in _why(result)
        await at.knock()
        assert at.connections == 1  # the one that has just knocked


async def test_the_name_alone_of_a_private_host_does_not_allow_it(connect: Connect, owner: pytest.MonkeyPatch) -> None:
    names = (
        "127.0.0.1,localhost,localhost.,::1,[::1],::ffff:127.0.0.1,::ffff:7f00:1,0.0.0.0,::,127.1,127.0.0.2,2130706433,"
        "0x7f.1,0177.0.0.1,169.254.169.254,10.0.0.1,fe80::1,fd00::1,*,example.com"
    )
    owner.setenv(DOMAINS, names)
    async with host(respond(body=b"secret")) as at, connect(PLUGIN) as client:
        why = {uri: _why(await _zip(client, uri)) for uri in _local(at)}
        await at.knock()
        assert at.connections == 1  # the one that has just knocked
    private = "the host is on a private network, of which only a host:port can be allowed"
    assert {why[uri] for uri in (f"http://{at.name}/", f"https://{at.name}/", "http://10.0.0.1/")} == {private}


async def test_an_allowed_host_and_port_is_fetched_from(connect: Connect, owner: pytest.MonkeyPatch) -> None:
    async with host(respond(body=b"hello from the network")) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, f"example.com, {at.name.upper()} ,")
        blob = _blob(await _zip(client, f"{at.url}path?q=1#fragment", outputType="resource"))
        assert _unzipped(blob.blob) == b"hello from the network"
    [head] = at.requests
    request, *headers = head.decode().lower().split("\r\n")
    assert request == "get /path?q=1 http/1.1"
    assert f"host: {at.name}" in headers
    assert "accept-encoding: identity" in headers
    assert not [header for header in headers if header.startswith(("cookie", "authorization"))]


@pytest.mark.parametrize("url", ["http://user:pw@{}/", "http://user@{}/", "http://:pw@{}/"])
async def test_credentials_are_refused_for_an_allowed_host_as_well(
    connect: Connect, owner: pytest.MonkeyPatch, url: str
) -> None:
    async with host(respond()) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, at.name)
        why = _why(await _zip(client, url.format(at.name)))
        await at.knock()
        assert at.connections == 1
    assert why == "must be a URL with a host and without credentials"


async def test_the_proxy_of_the_environment_is_not_used(connect: Connect, owner: pytest.MonkeyPatch) -> None:
    async with host(respond(body=b"direct")) as at, host(respond(body=b"proxied")) as proxy, connect(PLUGIN) as client:
        for variable in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            owner.setenv(variable, proxy.url)
        owner.setenv(DOMAINS, at.name)
        assert _unzipped(_blob(await _zip(client, at.url, outputType="resource")).blob) == b"direct"


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
async def test_a_redirect_to_an_allowed_place_is_followed(
    connect: Connect, owner: pytest.MonkeyPatch, status: str
) -> None:
    async with host(respond(body=b"there")) as there, host(redirect(f"{there.url}x", status)) as at:
        owner.setenv(DOMAINS, f"{at.name},{there.name}")
        async with connect(PLUGIN) as client:
            assert _unzipped(_blob(await _zip(client, at.url, outputType="resource")).blob) == b"there"
    assert there.requests[0].startswith(b"GET /x ")
    assert f"host: {there.name}".encode() in there.requests[0].lower()


async def test_a_redirect_to_a_place_that_is_not_allowed_is_refused(
    connect: Connect, owner: pytest.MonkeyPatch
) -> None:
    async with host(respond(body=b"secret")) as there, host(redirect(there.url)) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, f"{at.name},127.0.0.1")
        why = _why(await _zip(client, at.url))
        await there.knock()
        assert (at.connections, there.connections) == (1, 1)  # the latter is the one that has just knocked
    assert "private network" in why


@pytest.mark.parametrize(
    "location",
    ["file:///etc/hostname", "data:,x", "ftp://{}/", "http://user:pw@{}/", "//10.0.0.1/", "http://example.com/"],
)
async def test_a_redirect_is_checked_like_the_first_address(
    connect: Connect, owner: pytest.MonkeyPatch, location: str
) -> None:
    async def answer(stream: SocketStream) -> None:
        await redirect(location.format(at.name))(stream)

    async with host(answer) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, at.name)
        assert _why(await _zip(client, at.url))
        assert at.connections == 1


async def test_a_redirect_to_what_is_no_url_is_refused(connect: Connect, owner: pytest.MonkeyPatch) -> None:
    async with host(redirect("http://[::1")) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, at.name)
        assert _why(await _zip(client, at.url))


async def test_redirects_come_to_an_end(connect: Connect, owner: pytest.MonkeyPatch) -> None:
    async with host(redirect("/again")) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, at.name)
        assert _why(await _zip(client, at.url)) == "there were more than 5 redirects"
    assert len(at.requests) == 6


async def test_an_endless_body_is_cut_at_the_limit(connect: Connect, owner: pytest.MonkeyPatch) -> None:
    sent = 0

    async def endless(stream: SocketStream) -> None:
        nonlocal sent
        await stream.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            await stream.send(b"x" * 1000)
            sent += 1000

    async with host(endless) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, at.name)
        owner.setenv(SIZE, "50000")
        with anyio.fail_after(GUARD):
            assert _why(await _zip(client, at.url)) == "has more than the 50000 bytes that may be fetched"
    assert sent < 50_000_000  # what the system buffers for a connection, and not what the host would send


async def test_a_body_that_says_it_is_larger_is_cut_at_the_limit(connect: Connect, owner: pytest.MonkeyPatch) -> None:
    async with host(respond(body=b"x" * 200_000, content_length="3221225472")) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, at.name)
        owner.setenv(SIZE, "100")
        assert _why(await _zip(client, at.url)) == "has more than the 100 bytes that may be fetched"


async def test_a_body_within_the_limit_is_taken_whole(connect: Connect, owner: pytest.MonkeyPatch) -> None:
    body = bytes(range(250)) * 400
    async with host(respond(body=body)) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, at.name)
        owner.setenv(SIZE, "100000")
        assert _unzipped(_blob(await _zip(client, at.url, outputType="resource")).blob) == body


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "deflate", "br", "identity, gzip"])
async def test_a_body_that_is_compressed_is_refused(connect: Connect, owner: pytest.MonkeyPatch, encoding: str) -> None:
    bomb = gzip.compress(b"\x00" * 1_000_000)
    async with host(respond(body=bomb, content_encoding=encoding)) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, at.name)
        why = _why(await _zip(client, at.url))
    assert why == "the host answered compressed, although it was asked not to"


async def _half(stream: SocketStream) -> None:
    await stream.send(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx")
    await anyio.sleep_forever()


async def _drip(stream: SocketStream) -> None:
    await stream.send(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        await stream.send(b"x")
        await anyio.sleep(0.02)  # a host that is slow, but never silent for long


@pytest.mark.parametrize("answer", [never, _half, _drip], ids=["never", "half", "drip"])
async def test_a_host_that_takes_too_long_is_given_up(connect: Connect, owner: pytest.MonkeyPatch, answer: Any) -> None:
    async with host(answer) as at, connect(f"{PLUGIN},tools.echo") as client:
        owner.setenv(DOMAINS, at.name)
        owner.setenv(TIME, "300")
        with anyio.fail_after(GUARD):
            assert _why(await _zip(client, at.url)) == "could not be fetched within 0.3 seconds"
            assert not (await client.call_tool("echo", {"message": "x"})).is_error


async def test_a_slow_host_holds_up_nobody_and_a_cancelled_call_lets_go_of_it(
    connect: Connect, owner: pytest.MonkeyPatch
) -> None:
    reached, left = anyio.Event(), anyio.Event()

    async def wait(stream: SocketStream) -> None:
        reached.set()
        try:
            await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            left.set()

    async with host(wait) as at, connect(f"{PLUGIN},tools.echo") as client:
        owner.setenv(DOMAINS, at.name)
        with anyio.fail_after(GUARD):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_zip, client, at.url)
                await reached.wait()
                assert not (await client.call_tool("echo", {"message": "x"})).is_error
                tasks.cancel_scope.cancel()
            await left.wait()


async def _garbage(stream: SocketStream) -> None:
    await stream.send(b"SSH-2.0-canary\r\n\r\n")


async def _cut(stream: SocketStream) -> None:
    await stream.send(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx")


async def _silent(stream: SocketStream) -> None:
    pass


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (respond("404 Not Found", b"canary"), "the host answered with status 404"),
        (respond("500 canary"), "the host answered with status 500"),
        (respond("204 No Content"), "the host answered with status 204"),
        (respond("304 Not Modified"), "the host answered with status 304"),
        (respond("302 Found"), "the host answered with status 302"),
        (_garbage, "the host did not answer, or broke off"),
        (_cut, "the host did not answer, or broke off"),
        (_silent, "the host did not answer, or broke off"),
    ],
    ids=["404", "500", "204", "304", "302 without location", "garbage", "cut", "silent"],
)
async def test_a_host_that_does_not_give_it_makes_an_error(
    connect: Connect, owner: pytest.MonkeyPatch, answer: Any, why: str
) -> None:
    async with host(answer) as at, connect(PLUGIN) as client:
        owner.setenv(DOMAINS, at.name)
        assert _why(await _zip(client, at.url)) == why


async def test_a_port_where_nobody_listens_makes_an_error(connect: Connect, owner: pytest.MonkeyPatch) -> None:
    async with host(never) as at:
        pass  # whose port is free now
    owner.setenv(DOMAINS, at.name)
    async with connect(PLUGIN) as client:
        assert _why(await _zip(client, at.url)) == "the host did not answer, or broke off"


async def test_a_failed_fetch_leaves_nothing_behind(owner: pytest.MonkeyPatch) -> None:
    async with host(respond(body=b"x" * 101)) as at, raw_client(WITH_RESOURCES, Era.LEGACY) as client:
        owner.setenv(DOMAINS, at.name)
        owner.setenv(SIZE, "100")
        assert (await client.call(TOOL, data=at.url))["isError"] is True
        listed = (await client.request("resources/list"))["resources"]
    assert client.others == []
    assert not [entry for entry in listed if "session" in entry["uri"]]


# The tool


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"data": 5}, ["data"]),
        ({"data": None}, ["data"]),
        ({"name": 5}, ["name"]),
        ({"data": "data:,x", "outputType": "zip"}, ["outputType"]),
        ({"data": "data:,x", "outputType": "Resource"}, ["outputType"]),
        ({"data": "data:,x", "level": 9}, ["level"]),
        ({"data": "nope"}, ["data"]),
    ],
    ids=str,
)
async def test_bad_arguments_are_refused(connect: Connect, refused: Any, arguments: Message, names: list[str]) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, arguments)) == names


async def test_alone_its_links_can_be_read(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        link = _link(await _zip(client))
        assert await _read(client, link.uri) == b"x"


async def test_legacy_alone_it_announces_nothing_that_is_not_advertised() -> None:
    ear = Ear()
    async with connector(Era.LEGACY)(PLUGIN, message_handler=ear) as client:
        await _zip(client)
        await client.list_tools(cache_mode="bypass")
        assert client.server_capabilities.resources is not None or ear.heard == []


async def test_alone_it_is_all_there_is(era: Era, offer_of: Any) -> None:
    offer = await offer_of(PLUGIN)
    assert set(offer.pop("capabilities")) <= {"tools", "resources"}
    assert offer == {"tools": [TOOL], "templates": [TEMPLATES[era]]}


async def test_disabled_it_leaves_no_trace(era: Era, lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"tools": [TOOL], "templates": [TEMPLATES[era]]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
