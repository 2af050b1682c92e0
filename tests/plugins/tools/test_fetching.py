"""`everything_server.content.fetching`, which `tools.gzip-file-as-resource` fetches with: names, pieces, limits."""

import socket
from typing import Any

import anyio
import httpx2
import pytest
from anyio.abc import SocketStream
from everything_server.content.fetching import FetchError, Limits, fetch
from harness.clock import GUARD
from harness.loopback import host, redirect, respond

PRIVATE = "the host is on a private network, of which only a host:port can be allowed"


def limits(*hosts: str, most_bytes: int = 1_000_000) -> Limits:
    return Limits(hosts=frozenset(hosts), most_bytes=most_bytes, most_seconds=GUARD)


class Taken:
    """Takes pieces, and remembers them."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    async def __call__(self, piece: bytes) -> None:
        self.pieces.append(piece)


class Names:
    """Stands for the system's look-up of names, and counts what is looked up."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **addresses: list[str]) -> None:
        self.asked: list[str] = []
        self._addresses = addresses
        monkeypatch.setattr(anyio, "getaddrinfo", self._look_up)

    async def _look_up(self, name: str, port: int, **options: Any) -> list[Any]:
        self.asked.append(name)
        addresses = self._addresses.get(name.replace(".", "_"))
        if addresses is None:
            raise socket.gaierror(socket.EAI_NONAME, "canary-7781")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]


class NoClient:
    """Stands for the HTTP client where none must be used."""

    def __init__(self, **options: Any) -> None:
        pass

    async def __aenter__(self) -> "NoClient":
        return self

    async def __aexit__(self, *failure: object) -> None:
        pass

    def stream(self, method: str, url: object, **options: Any) -> Any:
        raise AssertionError(f"connected to {url}")


async def _why(uri: str, limits: Limits) -> str:
    with pytest.raises(FetchError) as refusal:
        await fetch(uri, limits, Taken())
    return str(refusal.value)


async def test_a_body_comes_in_pieces_and_never_more_than_the_limit() -> None:
    async def endless(stream: SocketStream) -> None:
        await stream.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            await stream.send(b"x" * 10_000)

    taken = Taken()
    async with host(endless) as at:
        with pytest.raises(FetchError, match="has more than the 500000 bytes that may be fetched"):
            await fetch(at.url, limits(at.name, most_bytes=500_000), taken)
    assert len(taken.pieces) > 1
    assert sum(map(len, taken.pieces)) <= 500_000
    assert max(map(len, taken.pieces)) <= 64 * 1024


async def test_a_body_of_just_the_limit_is_taken() -> None:
    taken = Taken()
    async with host(respond(body=b"x" * 1000)) as at:
        await fetch(at.url, limits(at.name, most_bytes=1000), taken)
        assert await _why(at.url, limits(at.name, most_bytes=999)) == "has more than the 999 bytes that may be fetched"
    assert b"".join(taken.pieces) == b"x" * 1000


async def test_a_name_is_looked_up_once_and_that_address_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    names, taken = Names(monkeypatch, files_test=["127.0.0.1"]), Taken()
    async with host(respond(body=b"x")) as at:
        await fetch(f"http://files.test:{at.port}/y", limits(f"files.test:{at.port}"), taken)
    assert names.asked == ["files.test"]
    assert taken.pieces == [b"x"]
    assert f"host: files.test:{at.port}".encode() in at.requests[0].lower()


async def test_each_redirect_is_looked_up_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    names = Names(monkeypatch, one_test=["127.0.0.1"], two_test=["127.0.0.1"])
    async with host(respond(body=b"secret")) as there, host(redirect(f"http://two.test:{there.port}/")) as at:
        allowed = limits(f"one.test:{at.port}", "two.test")
        assert await _why(f"http://one.test:{at.port}/", allowed) == PRIVATE
        await there.knock()
        assert there.connections == 1  # the one that has just knocked
    assert names.asked == ["one.test", "two.test"]


async def test_an_unknown_name_is_told_without_the_systems_words(monkeypatch: pytest.MonkeyPatch) -> None:
    Names(monkeypatch)
    assert await _why("http://nowhere.test/", limits("nowhere.test")) == "the host is not known"


async def test_a_name_that_is_not_allowed_is_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    names = Names(monkeypatch, files_test=["127.0.0.1"])
    monkeypatch.setattr(httpx2, "AsyncClient", NoClient)
    for uri in ("http://files.test/", "http://files.test:8080/", "http://sub.allowed.test/", "http://allowed.test.x/"):
        assert "does not allow" in await _why(uri, limits("allowed.test", "files.test:80801"))
    assert names.asked == []


@pytest.mark.parametrize(
    "addresses",
    [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1%eth0",
        "fd00::1",
        "ff02::1",
        "2001:db8::1",
        "::ffff:127.0.0.1",
        "::ffff:a00:1",
        "8.8.8.8 127.0.0.1",
        "2606:4700::1 ::1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::7f00:1",
        "2002:7f00:1::",
        "::7f00:1",
        "fec0::1",
    ],
)
async def test_a_name_with_any_private_address_is_not_connected_to(
    monkeypatch: pytest.MonkeyPatch, addresses: str
) -> None:
    Names(monkeypatch, files_test=addresses.split())
    monkeypatch.setattr(httpx2, "AsyncClient", NoClient)
    assert await _why("https://files.test/", limits("files.test")) == PRIVATE


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1", "::ffff:8.8.8.8"])
async def test_a_name_with_public_addresses_is_connected_to(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    Names(monkeypatch, files_test=[address])
    monkeypatch.setattr(httpx2, "AsyncClient", NoClient)  # this test stays on this machine
    with pytest.raises(AssertionError, match="connected to https://"):
        await fetch("https://files.test/", limits("files.test"), Taken())


@pytest.mark.parametrize(
    ("uri", "allowed"),
    [
        ("http://files.test/", "files.test:80"),
        ("https://files.test/", "files.test:443"),
        ("https://files.test:443/", "files.test:443"),
        ("http://FILES.test:80/", "files.test:80"),
        ("http://[::1]:8080/", "[::1]:8080"),
    ],
)
async def test_an_entry_with_a_port_allows_that_port(monkeypatch: pytest.MonkeyPatch, uri: str, allowed: str) -> None:
    Names(monkeypatch, files_test=["127.0.0.1"], **{"::1": ["::1"]})
    monkeypatch.setattr(httpx2, "AsyncClient", NoClient)
    with pytest.raises(AssertionError, match="connected to http"):
        await fetch(uri, limits(allowed), Taken())


@pytest.mark.parametrize(
    ("uri", "allowed"),
    [
        ("https://files.test/", "files.test:80"),
        ("http://files.test/", "files.test:443"),
        ("http://files.test:8080/", "files.test:80"),
        ("http://files.test./", "files.test:80"),
        ("http://sub.files.test/", "files.test:80"),
    ],
)
async def test_an_entry_with_a_port_allows_no_other(monkeypatch: pytest.MonkeyPatch, uri: str, allowed: str) -> None:
    names = Names(monkeypatch, files_test=["127.0.0.1"])
    assert "does not allow" in await _why(uri, limits(allowed))
    assert names.asked == []
