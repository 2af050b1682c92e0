"""Serving units: a server instance, wired to a client for as long as the conversation lasts."""

from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from mcp.server.connection import Connection, NotifyOnlyOutbound
from mcp.server.lowlevel import Server
from mcp.server.runner import ServerRunner, aclose_shielded, serve_one
from mcp.shared.dispatcher import DispatchContext
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import InboundModernRoute
from mcp.shared.transport_context import TransportContext
from mcp_types import INVALID_PARAMS, INVALID_REQUEST, JSONRPCRequest
from mcp_types.version import LATEST_MODERN_VERSION

from everything_server.eras import Era
from everything_server.serving.peer import Peer, Send
from everything_server.serving.routing import check_envelope, claims_modern, requested_version, unsupported_version

BATCHING_VERSION: Final = "2025-03-26"
"""The one revision that has JSON-RPC batches (2025-03-26 basic/index, Batching)."""

DispatchedIn = DispatchContext[TransportContext]
Params = Mapping[str, Any] | None


class LegacyPeer(Peer):
    """The client of a legacy conversation."""

    connection: Connection

    @property
    def protocol_version(self) -> str | None:
        """What the handshake negotiated; None before."""
        return self.connection.protocol_version if self.connection.initialize_accepted else None


@asynccontextmanager
async def legacy_unit(
    server: Server[Any],
    send: Send,
    *,
    session_id: str | None = None,
    refuse_modern: bool = True,
    handshake_required: bool = True,
    stateless_version: str | None = None,
) -> AsyncGenerator[LegacyPeer]:
    """Serve a handshake conversation; leaving ends it, and with it all that the instance started.

    Args:
        server: A fresh server of the legacy era.
        send: Writes one message to the client.
        session_id: What the handlers may know the conversation by.
        refuse_modern: Answer a request with a modern envelope with -32600 instead of overlooking the envelope.
        handshake_required: Refuse requests, but for pings, that come before `initialize`; otherwise they are served at
            the newest revision, to a client that has declared nothing.
        stateless_version: Serve without a handshake, at this revision; then nothing can be asked of the client.
    """
    async with server.lifespan(server) as state, anyio.create_task_group() as tasks:
        peer = LegacyPeer(send, tasks, can_send_requests=stateless_version is None)
        connection = Connection.for_loop(peer, session_id=session_id, protocol_version_hint=stateless_version)
        peer.connection = connection
        if stateless_version is not None or not handshake_required:
            connection.initialized.set()
        runner = ServerRunner(server, connection, state)

        async def on_request(exchange: DispatchedIn, method: str, params: Params) -> dict[str, Any]:
            if refuse_modern and method != "initialize" and claims_modern(params):
                raise MCPError(
                    INVALID_REQUEST,
                    "This connection was opened without the modern envelope and stays in the legacy era; "
                    "open another one for 2026-07-28",
                )
            try:
                return await runner.on_request(exchange, method, params)
            except MCPError as error:
                if error.code != INVALID_PARAMS or method == "initialize" or connection.initialize_accepted:
                    raise
                # What the SDK calls "Invalid request parameters" (2025-11-25 basic/lifecycle, Initialization).
                raise MCPError(INVALID_PARAMS, f"{method} has to wait: a client must initialize first") from None

        peer.serve(on_request, runner.on_notify)
        try:
            yield peer
        finally:
            peer.close()
            tasks.cancel_scope.cancel()
            await aclose_shielded(connection)


@asynccontextmanager
async def modern_unit(server: Server[Any], send: Send, eras: Collection[Era]) -> AsyncGenerator[Peer]:
    """Serve the self-contained requests of one duplex connection with one server.

    Args:
        server: A fresh server of the modern era.
        send: Writes one message to the client.
        eras: What the process serves, named to a client with an unsupported version.
    """
    async with server.lifespan(server) as state, anyio.create_task_group() as tasks:
        peer = Peer(send, tasks, can_send_requests=False)
        outbound = NotifyOnlyOutbound(peer)

        async def on_request(exchange: DispatchedIn, method: str, params: Params) -> dict[str, Any]:
            request = JSONRPCRequest.model_construct(id=exchange.request_id, method=method, params=params)
            if method == "initialize":
                error = unsupported_version(requested_version(request), eras)
                message = "This connection was opened in the modern era, which has no handshake; open another one"
                raise MCPError(error.code, message, error.data)
            route = check_envelope(request, eras)
            if not isinstance(route, InboundModernRoute):
                raise MCPError.from_error_data(route)
            connection = Connection.from_envelope(
                route.protocol_version, route.client_info, route.client_capabilities, outbound=outbound
            )
            return await serve_one(server, exchange, method, params, connection=connection, lifespan_state=state)

        async def on_notify(exchange: DispatchedIn, method: str, params: Params) -> None:
            connection = Connection.from_envelope(LATEST_MODERN_VERSION, None, None, outbound=outbound)
            try:
                await ServerRunner(server, connection, state).on_notify(exchange, method, params)
            finally:
                await aclose_shielded(connection)

        peer.serve(on_request, on_notify)
        try:
            yield peer
        finally:
            peer.close()
            tasks.cancel_scope.cancel()
