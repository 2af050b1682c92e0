"""Rows of the group `resources`."""

from typing import Any, Final

from clients.matching import Base64, Matching
from clients.row import INVALID_PARAMS, Row, complete, read
from everything_server import Era

TEXT_TEMPLATE: Final = "demo://resource/dynamic/text/{resourceId}"
BLOB_TEMPLATE: Final = "demo://resource/dynamic/blob/{resourceId}"
DOCUMENTS: Final = tuple(
    f"demo://resource/static/document/{name}.md"
    for name in ("architecture", "extension", "features", "how-it-works", "instructions", "startup", "structure")
)

UNKNOWN_RESOURCE: Final = "read a resource that is not there"
"""The id of a request whose error not every client hands on as it came."""

_NOWHERE: Final = "demo://resource/dynamic/text/0"


def text_resource(number: int) -> dict[str, Any]:
    """The contents of a dynamic text."""
    text = Matching(rf"Resource {number}: This is a plaintext resource created at .+")
    return {"uri": f"demo://resource/dynamic/text/{number}", "mimeType": "text/plain", "text": text}


def blob_resource(number: int) -> dict[str, Any]:
    """The contents of a dynamic blob."""
    blob = Base64(rf"Resource {number}: This is a base64 blob created at .+")
    return {"uri": f"demo://resource/dynamic/blob/{number}", "mimeType": "application/octet-stream", "blob": blob}


ROWS: Final = (
    *(read({"uri": uri, "mimeType": "text/markdown", "text": Matching(r"# .+")}) for uri in DOCUMENTS),
    read(text_resource(42), TEXT_TEMPLATE),
    read(blob_resource(9007199254740993), BLOB_TEMPLATE),
    Row(
        id=UNKNOWN_RESOURCE,
        method="resources/read",
        params={"uri": _NOWHERE},
        error={
            Era.LEGACY: {"code": -32002, "data": {"uri": _NOWHERE}},
            Era.MODERN: {"code": INVALID_PARAMS, "data": {"uri": _NOWHERE}},
        },
    ),
    complete(TEXT_TEMPLATE, "resourceId", "12", ["12"]),
    complete(BLOB_TEMPLATE, "resourceId", "abc", []),
)
