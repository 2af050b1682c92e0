"""Lets a handler that asks the client by returning `InputRequiredResult` serve legacy clients as well.

A modern client gets the result as it is, fulfils the requests in it and calls again. A legacy client knows requests
from the server instead: here they are sent, and the handler is entered again with the answers.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    InputRequest,
    InputRequiredResult,
    InputResponse,
    InputResponseRequestParams,
    InputResponses,
    ListRootsRequest,
    ListRootsResult,
    RequestId,
)
from pydantic import ValidationError

from everything_server.capabilities import answer_type, needed_for, satisfies
from everything_server.context import ServerContext
from everything_server.eras import Era
from everything_server.errors import MCPError, ToolError, missing_capability

logger = logging.getLogger(__name__)

ANSWER_TIMEOUT: Final = 60.0
"""Seconds that a legacy client has for each question; then the call ends with an `isError` result."""

MAX_ROUNDS: Final = 20
"""How often one call may ask again before it is taken for a handler that never stops."""

ResultT = TypeVar("ResultT")
Params = InputResponseRequestParams


async def with_answers(
    context: ServerRequestContext[ServerContext, Any],
    params: Params,
    handler: Callable[[Params], Awaitable[ResultT | InputRequiredResult]],
) -> ResultT | InputRequiredResult:
    """Run a handler until it has no more questions that this era answers within the call.

    Args:
        context: The request being served.
        params: Its params; the answers and the state of the round before are read from these.
        handler: Serves the request, given the params of the round.

    Returns:
        The handler's result; in the modern era perhaps its `InputRequiredResult`.

    Raises:
        ToolError: A legacy client did not answer, or with an error, or was never able to.
        MCPError: -32021, a modern client did not declare what a question needs.
    """
    legacy = context.lifespan_context.era is Era.LEGACY
    if legacy:  # the members that carry answers mean nothing in this era
        params = params.model_copy(update={"input_responses": None, "request_state": None})
    for _ in range(MAX_ROUNDS):
        result = await handler(params)
        if not isinstance(result, InputRequiredResult):
            return result
        _require_capabilities(context.session, result, legacy)
        if not legacy:
            return result
        answers = await _ask_all(context.session, result, context.request_id)
        params = params.model_copy(update={"input_responses": answers, "request_state": result.request_state})
    raise ToolError(f"This asked for input {MAX_ROUNDS} times without coming to an end")


async def sync_roots(context: ServerContext) -> None:
    """Ask a legacy client for its roots and keep them; what comes of it is logged to the client.

    2025-11-25 client/roots: they may be asked for once the client has initialized, and again when they have changed.
    """
    if context.session is None:
        return
    try:
        answer = await context.session.send_request(ListRootsRequest(), ListRootsResult, ANSWER_TIMEOUT)
    except (MCPError, ValidationError) as error:
        logger.info("no roots were received", exc_info=error)
        await context.log("info", "The client did not give its roots", "roots")
        return
    context.roots = answer.roots
    names = ", ".join(root.name or str(root.uri) for root in answer.roots) or "none"
    await context.log("info", f"Received {len(answer.roots)} roots: {names}", "roots")


def _require_capabilities(session: ServerSession, result: InputRequiredResult, legacy: bool) -> None:
    """2026-07-28 basic/patterns/mrtr, 2025-11-25 client/elicitation: ask only for what was declared."""
    for request in (result.input_requests or {}).values():
        needed = needed_for(request)
        if not satisfies(session.client_capabilities, needed):
            raise ToolError(str(missing_capability(needed))) if legacy else missing_capability(needed)


async def _ask_all(session: ServerSession, result: InputRequiredResult, request_id: RequestId | None) -> InputResponses:
    answers: InputResponses = {}
    for key, request in (result.input_requests or {}).items():
        try:
            answers[key] = await _ask(session, request, request_id)
        except MCPError as error:
            raise ToolError(f"The client did not answer {request.method}: {error.message}") from error
        except ValidationError as error:
            logger.info("an answer to %s was malformed", request.method, exc_info=True)
            raise ToolError(f"The client's answer to {request.method} has the wrong form") from error
    return answers


async def _ask(session: ServerSession, request: InputRequest, request_id: RequestId | None) -> InputResponse:
    # Related to the call, so that over HTTP the question travels on the call's own stream.
    metadata = ServerMessageMetadata(related_request_id=request_id)
    return await session.send_request(request, answer_type(request), ANSWER_TIMEOUT, metadata)
