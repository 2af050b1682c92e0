"""`trigger-url-elicitation`: sends the user to a web page, where what they enter does not pass through the client."""

from collections.abc import Iterator
from typing import Annotated, Final
from urllib.parse import urlsplit

from everything_server import (
    URL_ELICITATION,
    Context,
    Era,
    InvalidArgumentError,
    ToolSpec,
    answer_of,
    ask,
    hookimpl,
)
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp_types import ElicitRequest, ElicitRequestURLParams, ElicitResult, InputRequiredResult, ToolAnnotations
from pydantic import Field

MESSAGE: Final = "Please open the link to complete this action."

Url = Annotated[str, Field(json_schema_extra={"format": "uri"}, description="The page to open, http or https")]
Message = Annotated[str, Field(description="Why the user should open it")]
IDENTIFIER: Final = Field(default_factory=str, description="Identifies this elicitation; by default a new one")


class _Refused:
    """The elicitations that this connection was told to complete first."""

    def __init__(self) -> None:
        self.urls: set[str] = set()


async def _legacy(
    ctx: Context,
    url: Url,
    message: Message = MESSAGE,
    elicitationId: str = IDENTIFIER,
    errorPath: Annotated[bool, Field(description="Answer the first call with error -32042 instead")] = False,
) -> str | InputRequiredResult:
    """Ask the user to open a web page. With errorPath the first call is refused until the page was opened."""
    refused = ctx.server.state.get(_Refused).urls
    if errorPath and url not in refused:
        _check(url)
        refused.add(url)
        elicitation = ElicitRequestURLParams(message=message, url=url, elicitation_id=ctx.server.randomness.uuid())
        raise UrlElicitationRequiredError([elicitation], "The page has to be opened first; then call again")
    return _elicit(ctx, url, message, elicitationId)


async def _modern(
    ctx: Context,
    url: Url,
    message: Message = MESSAGE,
    elicitationId: str = IDENTIFIER,
) -> str | InputRequiredResult:
    """Ask the user to open a web page."""
    return _elicit(ctx, url, message, elicitationId)


def _elicit(ctx: Context, url: str, message: str, identifier: str) -> str | InputRequiredResult:
    _check(url)
    # The identifier of a first round is kept in the state, so that the second tells the same one.
    identifier = identifier or ctx.request_state or ctx.server.randomness.uuid()
    answer = answer_of(ctx, "browserFlow", ElicitResult)
    if answer is None:
        params = ElicitRequestURLParams(message=message, url=url, elicitation_id=identifier)
        return ask("browserFlow", ElicitRequest(params=params), identifier)
    outcome = {"accept": "agreed to open", "decline": "declined to open", "cancel": "cancelled"}[answer.action]
    return f"The user {outcome} (elicitation {identifier}): {url}"


def _check(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidArgumentError("url", "must be an absolute http or https URL")


@hookimpl
def everything_server_tools(era: Era) -> Iterator[ToolSpec]:
    """Declare the tool; error -32042 exists in the legacy era only."""
    yield ToolSpec(
        name="trigger-url-elicitation",
        title="Trigger URL Elicitation Tool",
        fn=_legacy if era is Era.LEGACY else _modern,
        requires=URL_ELICITATION,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
        ),
    )
