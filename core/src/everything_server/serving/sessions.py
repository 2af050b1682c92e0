"""All legacy sessions of an HTTP endpoint, each from the `initialize` POST until it is deleted, idle, or shut down.

2025-11-25 basic/transports, Session Management.
"""

import logging
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.lowlevel import Server
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, ErrorData, JSONRPCError, JSONRPCRequest, RequestId
from starlette.requests import Request
from starlette.responses import Response

from everything_server.clock import Clock
from everything_server.context import Publish
from everything_server.eras import Era
from everything_server.randomness import Randomness
from everything_server.serving.event_store import EventStore
from everything_server.serving.factory import Factory, ServingContext, make_server
from everything_server.serving.http import accepts, error_response, method_not_allowed, refusal
from everything_server.serving.legacy import Posted, check_version_header
from everything_server.serving.messages import Unreadable
from everything_server.serving.routing import RoutingHeaders
from everything_server.serving.session import Session
from everything_server.serving.session_streams import SESSION_HEADER

logger = logging.getLogger(__name__)


class SessionServing:
    """The legacy leg of the product's HTTP endpoint: all its sessions.

    Args:
        factory: Makes a server for each session.
        publish: Where changes go that are not one session's own.
        clock: Measures idleness.
        eras: What the process serves, named to a client with an unsupported version.
        idle_limit: Seconds after which an unused session ends.
        max_sessions: How many there may be; a further one is refused with 503.
        keep_alive: Seconds of silence after which an open event stream gets a comment; 0 for never.
        randomness: Makes the ids.
        store: Keeps what was sent, for clients that come back.
    """

    def __init__(
        self,
        factory: Factory,
        publish: Publish,
        clock: Clock,
        *,
        eras: Collection[Era],
        idle_limit: float,
        max_sessions: int,
        keep_alive: float,
        randomness: Randomness | None = None,
        store: EventStore | None = None,
    ) -> None:
        self._factory = factory
        self._publish = publish
        self._clock = clock
        self._eras = eras
        self._idle_limit = idle_limit
        self._max_sessions = max_sessions
        self._keep_alive = keep_alive
        self._randomness = randomness or Randomness()
        self._store = store or EventStore()
        self._sessions: dict[str, Session] = {}
        self._tasks: TaskGroup | None = None
        self._closed = False

    def __len__(self) -> int:
        """How many sessions are open."""
        return len(self._sessions)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Serve sessions while entered; leaving ends them all and waits for their cleanup."""
        async with anyio.create_task_group() as reaper:
            reaper.start_soon(self._end_idle_sessions)
            async with anyio.create_task_group() as self._tasks:
                try:
                    yield
                finally:
                    self._tasks = None
                    self.close()
            reaper.cancel_scope.cancel()

    def close(self) -> None:
        """End every session, and open none any more; their streams end, their servers clean up."""
        self._closed = True
        for session in self._sessions.values():
            session.ended.set()

    async def respond(
        self, posted: Posted | None, headers: RoutingHeaders, request: Request, auth_info: object | None
    ) -> Response:
        """The response to a legacy request.

        Args:
            posted: What was posted; None when the request is not a POST.
            headers: The routing headers.
            request: The request.
            auth_info: Handed to the factory of a new session.
        """
        session_id = request.headers.get(SESSION_HEADER)
        if posted is not None:
            return await self._respond_to_post(posted, session_id, headers, request, auth_info)
        if request.method not in ("GET", "DELETE"):
            return method_not_allowed("GET, POST, DELETE")
        if refused := check_version_header(headers, self._eras):
            return refused
        if session_id is None:
            return refusal(400, f"Bad request: a {request.method} needs the Mcp-Session-Id header")
        session = self._find(session_id)
        if session is None:
            return _unknown_session()
        if request.method == "GET":
            return session.get(request)
        session.ended.set()
        del self._sessions[session.id]
        return Response(status_code=200)

    async def _respond_to_post(
        self,
        posted: Posted,
        session_id: str | None,
        headers: RoutingHeaders,
        request: Request,
        auth_info: object | None,
    ) -> Response:
        if not all(accepts(request)):
            return refusal(406, "Not acceptable: Accept must admit both application/json and text/event-stream")
        if isinstance(posted, Unreadable):
            return error_response(400, posted.error, posted.request_id)
        request_id = posted.id if isinstance(posted, JSONRPCRequest) else None
        if refused := check_version_header(headers, self._eras, request_id):
            return refused
        if session_id is None:
            if isinstance(posted, JSONRPCRequest) and posted.method == "initialize":
                return await self._open(posted, request, auth_info)
            problem = "Bad request: without the Mcp-Session-Id header only initialize is served"
            return error_response(400, ErrorData(code=INVALID_REQUEST, message=problem), request_id)
        session = self._find(session_id)
        return _unknown_session(request_id) if session is None else await session.post(posted, request)

    def _find(self, session_id: str) -> Session | None:
        session = self._sessions.get(session_id)
        if session is None or session.ended.is_set():
            return None
        return None if self._end_if_idle(session) else session

    async def _open(self, initialize: JSONRPCRequest, request: Request, auth_info: object | None) -> Response:
        if self._closed or self._tasks is None or len(self._sessions) >= self._max_sessions:
            problem = "This server has as many sessions as it may have; try again later"
            error = ErrorData(code=INTERNAL_ERROR, message=problem)
            return error_response(503, error, initialize.id, {"retry-after": "10"})
        context = ServingContext(era=Era.LEGACY, publish=self._publish, auth_info=auth_info, request=request)
        try:
            server = await make_server(self._factory, context)
        except Exception:
            logger.exception("the server factory raised")
            error = ErrorData(code=INTERNAL_ERROR, message="Internal error: the server could not be made")
            return error_response(500, error, initialize.id)
        session = Session(self._randomness.token(), self._store, self._clock, self._keep_alive)
        self._sessions[session.id] = session
        await self._tasks.start(self._run, session, server)
        answer = await session.initialize(initialize, request)
        if isinstance(answer, JSONRPCError):
            session.ended.set()
            return error_response(400, answer.error, answer.id)
        return await session.answered_with(answer)

    async def _run(self, session: Session, server: Server[Any], *, task_status: TaskStatus[None]) -> None:
        try:
            await session.run(server, task_status=task_status)
        except Exception:
            logger.exception("a session ended with an error")
        finally:
            self._sessions.pop(session.id, None)

    async def _end_idle_sessions(self) -> None:
        while True:
            await self._clock.sleep(min(self._idle_limit / 2, 30))
            for session in list(self._sessions.values()):
                self._end_if_idle(session)

    def _end_if_idle(self, session: Session) -> bool:
        idle = session.idle_for()
        if idle <= self._idle_limit:
            return False
        logger.info("ending a session that was idle for %.0f seconds", idle)
        session.ended.set()
        return True


def _unknown_session(request_id: RequestId | None = None) -> Response:
    """404, which tells a client to initialize anew (2025-11-25 basic/transports, Session Management)."""
    problem = "Not found: there is no such session, or it has ended; start one with initialize"
    return error_response(404, ErrorData(code=INVALID_REQUEST, message=problem), request_id)
