"""Which era a message belongs to: the one place that decides it, for every transport."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    InboundModernRoute,
    decode_header_value,
    find_duplicated_routing_header,
)
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
    ErrorData,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
    UnsupportedProtocolVersionErrorData,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from everything_server.eras import Era, versions_of
from everything_server.serving.messages import Batch, Unreadable

Params = Mapping[str, Any] | None

FIRST_MODERN_VERSION: Final = MODERN_PROTOCOL_VERSIONS[0]


def claims_modern(params: Params) -> bool:
    """Whether params carry the modern envelope: the version key in `_meta`, and nothing else, is the claim.

    2026-07-28 basic/index, `_meta`: its prefix is reserved, so legacy traffic never has it.
    """
    return PROTOCOL_VERSION_META_KEY in _meta(params)


def era_of_request(request: JSONRPCRequest) -> Era:
    """The era a request speaks on a transport without headers.

    `initialize` selects the handshake whatever its `_meta` says (2026-07-28 basic/versioning).
    """
    return Era.MODERN if request.method != "initialize" and claims_modern(request.params) else Era.LEGACY


def check_envelope(request: JSONRPCRequest, eras: Collection[Era]) -> InboundModernRoute | ErrorData:
    """Read a modern request's envelope, or say what is wrong with it.

    Args:
        request: A request on a transport without headers.
        eras: What this process serves; an unsupported version is answered with all of it.

    Returns:
        The client's version and capabilities; or -32602 for a malformed envelope, -32022 for a version not served.
    """
    return _malformed(request.params) or _unsupported(request.params, eras) or _route(request.params)


def unsupported_version(requested: str, eras: Collection[Era]) -> ErrorData:
    """-32022 with the versions that this process serves, newest first (2026-07-28 basic/versioning)."""
    supported = versions_of(eras)
    return ErrorData(
        code=UNSUPPORTED_PROTOCOL_VERSION,
        message=f"Unsupported protocol version {requested[:50]!r}; this server speaks {', '.join(supported)}",
        data=UnsupportedProtocolVersionErrorData(supported=supported, requested=requested).model_dump(mode="json"),
    )


def requested_version(request: JSONRPCRequest) -> str:
    """The version a legacy request asks for: the handshake's, else the oldest, which named none on its requests."""
    version = (request.params or {}).get("protocolVersion") if request.method == "initialize" else None
    return version if isinstance(version, str) else versions_of({Era.LEGACY})[-1]


@dataclass(frozen=True)
class Legacy:
    """An HTTP request for the legacy serving, which also answers what cannot be read at all."""

    message: JSONRPCMessage | Batch | Unreadable | None
    """What was posted; None when the request is not a POST."""


@dataclass(frozen=True)
class Modern:
    """An HTTP request for the modern serving, with an envelope and headers that agree."""

    message: JSONRPCRequest | JSONRPCNotification
    route: InboundModernRoute | None
    """The envelope of a request; a notification needs none."""


@dataclass(frozen=True)
class Refused:
    """An HTTP request that the modern serving answers itself, always with status 400."""

    error: ErrorData
    request_id: RequestId | None = None


Verdict = Legacy | Modern | Refused


def classify_post(
    message: JSONRPCMessage | Batch | Unreadable, headers: "RoutingHeaders", eras: Collection[Era]
) -> Verdict:
    """Decide who serves a posted message: its body first, the headers second.

    Args:
        message: The body, read.
        headers: The request's headers.
        eras: What this process serves; an unsupported version is answered with all of it.
    """
    match message:
        case Unreadable(error=error, request_id=request_id):
            return Legacy(message) if error.code == PARSE_ERROR else Refused(error, request_id)
        case Batch():
            return _classify_batch(message)
        case JSONRPCRequest():
            return _classify_request(message, headers, eras)
        case JSONRPCNotification():
            return _classify_notification(message, headers, eras)
        case _:
            return Legacy(message)


@dataclass(frozen=True)
class RoutingHeaders:
    """The headers that route a modern request (2026-07-28 basic/transports/streamable-http, Server Validation)."""

    version: str | None
    method: str | None
    name: str | None
    duplicated: str | None
    """The first of them that was sent more than once."""

    @classmethod
    def read(cls, raw: Collection[tuple[str, str]]) -> "RoutingHeaders":
        """Pick them out of header lines with lower-case names."""
        first: dict[str, str] = {}
        for name, value in raw:
            first.setdefault(name, value.strip(" \t"))
        return cls(
            version=first.get(MCP_PROTOCOL_VERSION_HEADER),
            method=first.get(MCP_METHOD_HEADER),
            name=first.get(MCP_NAME_HEADER),
            duplicated=find_duplicated_routing_header(raw),
        )

    @property
    def is_modern(self) -> bool:
        """Whether the version header names a revision that has no handshake; later ones are taken to have none."""
        return self.version is not None and self.version >= FIRST_MODERN_VERSION


def _classify_batch(batch: Batch) -> Verdict:
    for element in batch.elements:
        if isinstance(element, Unreadable):
            return Refused(element.error)
        if isinstance(element, JSONRPCRequest | JSONRPCNotification) and claims_modern(element.params):
            problem = "Invalid request: the modern era has no batches; send each request on its own"
            return Refused(ErrorData(code=INVALID_REQUEST, message=problem))
    return Legacy(batch)


def _classify_request(request: JSONRPCRequest, headers: RoutingHeaders, eras: Collection[Era]) -> Verdict:
    malformed, unsupported = _malformed(request.params), _unsupported(request.params, eras)
    if request.method == "initialize" and (malformed or unsupported):
        # The handshake, with or without a broken claim; but not where the header has chosen the other era.
        if headers.is_modern:
            return Refused(
                _mismatch("initialize belongs to the handshake, which the version header has none"), request.id
            )
        return Legacy(request)
    if not claims_modern(request.params):
        if not headers.is_modern:
            return Legacy(request)
        assert malformed is not None
        return Refused(malformed, request.id)
    error = malformed or _disagreement(request, headers) or unsupported or _missing(request, headers)
    return Refused(error, request.id) if error else Modern(request, _route(request.params))


def _classify_notification(
    notification: JSONRPCNotification, headers: RoutingHeaders, eras: Collection[Era]
) -> Verdict:
    """A notification may lack every header, and the envelope too where the version header speaks for it."""
    if not claims_modern(notification.params):
        if not headers.is_modern:
            return Legacy(notification)
        if headers.method is not None and headers.method != notification.method:
            return Refused(_mismatch("the Mcp-Method header differs from the body's method"))
        if headers.version not in MODERN_PROTOCOL_VERSIONS:
            return Refused(unsupported_version(str(headers.version), eras))
        return Modern(notification, None)
    version = _meta(notification.params)[PROTOCOL_VERSION_META_KEY]
    if not isinstance(version, str):
        return Refused(_invalid(f"_meta.{PROTOCOL_VERSION_META_KEY}: must be a string"))
    if headers.version not in (None, version) or headers.method not in (None, notification.method):
        return Refused(_mismatch("a routing header differs from the body"))
    error = _unsupported(notification.params, eras)
    return Refused(error) if error else Modern(notification, None)


def _malformed(params: Params) -> ErrorData | None:
    """What is wrong with the form of an envelope (2026-07-28 basic/index, Per-request protocol fields)."""
    meta = _meta(params)
    missing = [key for key in (PROTOCOL_VERSION_META_KEY, CLIENT_CAPABILITIES_META_KEY) if key not in meta]
    if missing:
        return _invalid(f"a 2026-07-28 request needs {' and '.join(missing)} in params._meta")
    if not isinstance(meta[PROTOCOL_VERSION_META_KEY], str):
        return _invalid(f"_meta.{PROTOCOL_VERSION_META_KEY}: must be a string")
    if not isinstance(meta[CLIENT_CAPABILITIES_META_KEY], Mapping):
        return _invalid(f"_meta.{CLIENT_CAPABILITIES_META_KEY}: must be an object")
    info = meta.get(CLIENT_INFO_META_KEY)
    if info is not None:
        named = cast("Mapping[str, Any]", info) if isinstance(info, Mapping) else dict[str, Any]()
        if not all(isinstance(named.get(member), str) for member in ("name", "version")):
            return _invalid(f"_meta.{CLIENT_INFO_META_KEY}: must be an object with a name and a version")
    return None


def _unsupported(params: Params, eras: Collection[Era]) -> ErrorData | None:
    version = _meta(params).get(PROTOCOL_VERSION_META_KEY)
    return None if version in MODERN_PROTOCOL_VERSIONS else unsupported_version(str(version), eras)


def _disagreement(request: JSONRPCRequest, headers: RoutingHeaders) -> ErrorData | None:
    """A routing header that is there and says something else than the body."""
    if headers.duplicated is not None:
        return _mismatch(f"the {headers.duplicated} header was sent more than once")
    if headers.version is not None and headers.version != _meta(request.params)[PROTOCOL_VERSION_META_KEY]:
        return _mismatch("the MCP-Protocol-Version header differs from the version in _meta")
    if headers.method is not None and headers.method != request.method:
        return _mismatch("the Mcp-Method header differs from the body's method")
    return None


def _missing(request: JSONRPCRequest, headers: RoutingHeaders) -> ErrorData | None:
    """A routing header that a request must have and has not, or not readable."""
    if headers.version is None:
        return _mismatch("the MCP-Protocol-Version header is missing")
    if headers.method is None:
        return _mismatch("the Mcp-Method header is missing")
    return name_mismatch(request, NAME_BEARING_METHODS.get(request.method), headers.name)


def name_mismatch(request: JSONRPCRequest, member: str | None, header: str | None) -> ErrorData | None:
    """-32020 if `Mcp-Name` does not repeat a member of the params (2026-07-28 streamable-http, Server Validation).

    Args:
        request: A modern request.
        member: Which member it is; None for a method that has no such header.
        header: The header as it was sent; None if it was not.
    """
    value = None if member is None else (request.params or {}).get(member)
    if value is not None and decode_header_value(header and header.strip(" \t")) != value:
        return _mismatch(f"the Mcp-Name header is missing, unreadable, or differs from params.{member}")
    return None


def _route(params: Params) -> InboundModernRoute:
    meta = _meta(params)
    return InboundModernRoute(
        protocol_version=meta[PROTOCOL_VERSION_META_KEY],
        client_info=meta.get(CLIENT_INFO_META_KEY),
        client_capabilities=meta[CLIENT_CAPABILITIES_META_KEY],
    )


def _meta(params: Params) -> Mapping[str, Any]:
    meta = (params or {}).get("_meta")
    return cast("Mapping[str, Any]", meta) if isinstance(meta, Mapping) else {}


def _invalid(problem: str) -> ErrorData:
    return ErrorData(code=INVALID_PARAMS, message=f"Invalid params: {problem}")


def _mismatch(problem: str) -> ErrorData:
    return ErrorData(code=HEADER_MISMATCH, message=f"Header mismatch: {problem}")
