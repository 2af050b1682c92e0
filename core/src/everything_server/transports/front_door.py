"""What stands in front of every HTTP endpoint: which hosts it answers to, and which web pages may use it.

2025-11-25 basic/transports, Security Warning; 2026-07-28 basic/transports/streamable-http, Security: a page from
anywhere can send requests to a server on its visitor's machine, by that machine's name or (DNS rebinding) its own.
"""

import logging
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from everything_server.serving.http import refusal

logger = logging.getLogger(__name__)

LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_LOOPBACK_ORIGIN: Final = re.compile(r"https?://(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
_PORT: Final = re.compile(r":\d{1,5}$")


@dataclass(frozen=True)
class FrontDoorRules:
    """Who may come in. Loopback names, on any port, always may; absent origins too, which are no web pages."""

    hosts: Collection[str] = field(default_factory=tuple[str, ...])
    """Further host names, in the form of a Host header; without a port for every port."""
    origins: Collection[str] = field(default_factory=tuple[str, ...])
    """Further origins of web pages, such as `https://ui.example`; `*` for any."""

    def admits_host(self, host: str) -> bool:
        """Whether a Host header names this server."""
        host = host.lower()
        name = _PORT.sub("", host)
        return name in LOOPBACK_HOSTS or host in self._hosts or name in self._hosts

    @cached_property
    def _hosts(self) -> frozenset[str]:
        return frozenset(entry.lower() for entry in self.hosts)

    def admits_origin(self, origin: str) -> bool:
        """Whether a web page of this origin may use the server."""
        return "*" in self.origins or origin in self.origins or _LOOPBACK_ORIGIN.fullmatch(origin) is not None


class FrontDoor:
    """ASGI middleware: 421 for a foreign Host, 403 for a foreign Origin, CORS headers for the others."""

    def __init__(self, app: ASGIApp, rules: FrontDoorRules) -> None:
        self._rules = rules
        self._app = CORSMiddleware(
            app,
            allow_origins=list(rules.origins),
            allow_origin_regex=_LOOPBACK_ORIGIN.pattern,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["Mcp-Session-Id", "WWW-Authenticate"],
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or turn it away before anything is done for it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # httptools hands on the blanks around a value that HTTP does not count (RFC 9110, section 5.5).
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        hosts, origins = (
            [value.decode("latin-1") for name, value in headers if name == wanted] for wanted in (b"host", b"origin")
        )
        if len(hosts) != 1 or not self._rules.admits_host(hosts[0]):
            logger.info("refused the host %r", hosts[:2])
            await refusal(421, "Misdirected request: this server does not answer to that Host")(scope, receive, send)
        elif not all(map(self._rules.admits_origin, origins)):
            logger.info("refused the origin %r", origins[:2])
            await refusal(403, "Forbidden: web pages of that Origin may not use this server")(scope, receive, send)
        else:
            await self._app({**scope, "headers": headers}, receive, send)
