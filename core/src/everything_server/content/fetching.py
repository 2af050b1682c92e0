"""Fetches from the network on behalf of a client, who is not trusted: only what the owner allows, within limits."""

import base64
import binascii
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_to_bytes

import anyio
import httpx2

MOST_REDIRECTS: Final = 5

Write = Callable[[bytes], Awaitable[None]]
"""Takes the next piece of a content."""

_PIECE: Final = 64 * 1024

_TRANSLATED: Final = tuple(
    ipaddress.ip_network(network)
    for network in ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16")
)
"""IPv6 networks whose addresses stand for IPv4 ones, which may be private."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be fetched."""

    hosts: frozenset[str]
    """`host` for any port of a public host; `host:port`, which alone may also name a private one."""
    most_bytes: int
    most_seconds: float
    """For all of it: looking up, connecting, redirects, reading."""


class FetchError(Exception):
    """Something cannot be fetched. The message says why, to go after the name of the argument that named it."""


async def fetch(uri: str, limits: Limits, write: Write) -> None:
    """Hand the content at `uri` to `write`, piece by piece, so that no more of it than that need be held.

    A `data:` URI holds its own content, anything else comes from an allowed host.

    Raises:
        FetchError: It may not be fetched, or cannot be, or not within the limits; some may have been written by then.
    """
    left = limits.most_bytes

    async def write_within_limits(piece: bytes) -> None:
        nonlocal left
        left -= len(piece)
        if left < 0:
            raise FetchError(f"has more than the {limits.most_bytes} bytes that may be fetched")
        await write(piece)

    try:
        with anyio.fail_after(limits.most_seconds):
            if uri[:5].lower() == "data:":
                await write_within_limits(_held(uri))
            else:
                await _download(uri, limits, write_within_limits)
    except TimeoutError:
        raise FetchError(f"could not be fetched within {limits.most_seconds:g} seconds") from None


def _held(uri: str) -> bytes:
    """The content of a `data:` URI (RFC 2397); padding of base64 may be left out, as browsers allow."""
    header, comma, body = uri.partition("#")[0].partition(",")
    if not comma:
        raise FetchError("is a data: URI without a comma before its content")
    content = unquote_to_bytes(body)
    if not header.replace(" ", "").lower().endswith(";base64"):
        return content
    text = b"".join(content.split()).rstrip(b"=")
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        raise FetchError("is a data: URI whose content is not base64") from None


async def _download(uri: str, limits: Limits, write: Write) -> None:
    """Write what is at the end of the redirects, each of which is checked like the first address."""
    url = _parsed(uri)
    try:
        async with httpx2.AsyncClient(trust_env=False, timeout=limits.most_seconds) as client:
            for _ in range(MOST_REDIRECTS + 1):
                async with client.stream(
                    "GET",
                    url.copy_with(host=await _allowed_address(url, limits)),
                    headers={"Host": url.netloc.decode("ascii"), "Accept-Encoding": "identity"},
                    extensions={"sni_hostname": url.raw_host.decode("ascii")},
                ) as response:
                    if not response.has_redirect_location:
                        await _write_body(response, write)
                        return
                    url = _parsed(str(url.join(response.headers["location"])))
    except httpx2.InvalidURL:
        raise FetchError("the host redirected to what is no URL") from None
    except httpx2.HTTPError:
        raise FetchError("the host did not answer, or broke off") from None
    raise FetchError(f"there were more than {MOST_REDIRECTS} redirects")


async def _write_body(response: httpx2.Response, write: Write) -> None:
    if response.status_code != 200:
        raise FetchError(f"the host answered with status {response.status_code}")
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise FetchError("the host answered compressed, although it was asked not to")
    async for piece in response.aiter_raw(_PIECE):
        await write(piece)


def _parsed(uri: str) -> httpx2.URL:
    try:
        url = httpx2.URL(uri)
    except httpx2.InvalidURL:
        raise FetchError("is not a URL") from None
    if url.scheme not in ("http", "https"):
        raise FetchError("must be a data:, http: or https: URL")
    if url.userinfo or not url.host:
        raise FetchError("must be a URL with a host and without credentials")
    return url


async def _allowed_address(url: httpx2.URL, limits: Limits) -> str:
    """The address to connect to: looked up and checked here, so that no second look-up can give another."""
    port = url.port or (443 if url.scheme == "https" else 80)
    host = url.host.lower()
    named_with_port = f"{f'[{host}]' if ':' in host else host}:{port}" in limits.hosts
    if host not in limits.hosts and not named_with_port:
        raise FetchError("is on a host that the owner of this server does not allow; data: URIs can always be used")
    try:
        found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        raise FetchError("the host is not known") from None
    addresses = [str(address[0]) for *_, address in found]
    if not named_with_port and not all(_is_public(address) for address in addresses):
        raise FetchError("the host is on a private network, of which only a host:port can be allowed")
    return addresses[0]


def _is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            ip = ip.ipv4_mapped
        elif ip.is_site_local or any(ip in network for network in _TRANSLATED):
            return False
    return ip.is_global and not ip.is_multicast
