"""Which client capabilities a feature may count on, and what a client that has them answers."""

from typing import Any, cast

from mcp_types import (
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitationCapability,
    ElicitRequest,
    ElicitRequestURLParams,
    ElicitResult,
    FormElicitationCapability,
    InputRequest,
    InputResponse,
    ListRootsRequest,
    ListRootsResult,
    RootsCapability,
    SamplingCapability,
    SamplingToolsCapability,
    UrlElicitationCapability,
)
from pydantic import BaseModel

ROOTS = ClientCapabilities(roots=RootsCapability())
SAMPLING = ClientCapabilities(sampling=SamplingCapability())
SAMPLING_WITH_TOOLS = ClientCapabilities(sampling=SamplingCapability(tools=SamplingToolsCapability()))
FORM_ELICITATION = ClientCapabilities(elicitation=ElicitationCapability(form=FormElicitationCapability()))
URL_ELICITATION = ClientCapabilities(elicitation=ElicitationCapability(url=UrlElicitationCapability()))


def extension_capability(identifier: str) -> ClientCapabilities:
    """What a client declares that knows a protocol extension (2026-07-28 basic/index, Extensions)."""
    return ClientCapabilities(extensions={identifier: {}})


def all_of(*capabilities: ClientCapabilities) -> ClientCapabilities:
    """What a client has declared that has declared each of these."""
    merged: dict[str, Any] = {}
    for capability in capabilities:
        _merge(merged, capability.model_dump(exclude_none=True))
    return ClientCapabilities.model_validate(merged)


def _merge(into: dict[str, Any], more: dict[str, Any]) -> None:
    for name, value in more.items():
        if isinstance(value, dict):
            _merge(into.setdefault(name, {}), cast("dict[str, Any]", value))
        else:
            into[name] = value


def satisfies(declared: ClientCapabilities | None, required: ClientCapabilities) -> bool:
    """Whether a client that declared `declared` has all that `required` names.

    An empty `elicitation` object means form mode (2025-11-25 client/elicitation, Capabilities).
    """
    if declared is None:
        return not required.model_dump(exclude_none=True)
    have: dict[str, Any] = declared.model_dump(exclude_none=True)
    if declared.elicitation is not None and not have["elicitation"]:
        have["elicitation"] = {"form": {}}
    return _covers(have, required.model_dump(exclude_none=True))


def _covers(have: dict[str, Any], need: dict[str, Any]) -> bool:
    return all(
        name in have and (not isinstance(value, dict) or _covers(have[name], cast("dict[str, Any]", value)))
        for name, value in need.items()
    )


def needed_for(request: BaseModel) -> ClientCapabilities:
    """The capability that lets a client answer one of the requests of an `InputRequiredResult`.

    2026-07-28 basic/patterns/mrtr: a server asks only for what the client declared.
    """
    match request:
        case ElicitRequest(params=ElicitRequestURLParams()):
            return URL_ELICITATION
        case ElicitRequest():
            return FORM_ELICITATION
        case CreateMessageRequest(params=params) if params.tools is not None or params.tool_choice is not None:
            return SAMPLING_WITH_TOOLS
        case CreateMessageRequest():
            return SAMPLING
        case ListRootsRequest():
            return ROOTS
        case _:
            return ClientCapabilities()


def answer_type(request: InputRequest) -> type[InputResponse]:
    """What a client answers one of the requests of an `InputRequiredResult` with."""
    match request:
        case ElicitRequest():
            return ElicitResult
        case CreateMessageRequest(params=params):
            return CreateMessageResultWithTools if params.tools else CreateMessageResult
        case _:
            return ListRootsResult
