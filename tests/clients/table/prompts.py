"""Rows of the group `prompts`."""

from typing import Final

from clients.matching import Matching
from clients.row import complete, get, text, unknown
from clients.table.resources import text_resource

ROWS: Final = (
    get("simple-prompt", None, text("This is a simple prompt without arguments.")),
    get("args-prompt", {"city": "Paris"}, text("What's weather in Paris?")),
    get("args-prompt:both", {"city": "Austin", "state": "Texas"}, text("What's weather in Austin, Texas?")),
    get(
        "completable-prompt",
        {"department": "Engineering", "name": "Alice"},
        text("Please promote Alice to the head of the Engineering team."),
    ),
    get(
        "resource-prompt",
        {"resourceType": "Text", "resourceId": "8"},
        text(Matching(r".*8.*")),
        {"type": "resource", "resource": text_resource(8)},
    ),
    unknown("prompts/get", {"name": "no-such-prompt"}),
    complete("completable-prompt", "department", "", ["Engineering", "Sales", "Marketing", "Support"]),
    complete("completable-prompt", "name", "E", ["Eve"], department="Sales"),
    complete("resource-prompt", "resourceType", "T", ["Text"]),
    complete("resource-prompt", "resourceId", "12", ["12"]),
    complete("args-prompt", "city", "P", []),
    unknown(
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "no-such-prompt"}, "argument": {"name": "x", "value": ""}},
    ),
)
