"""Answers `completion/complete` from the functions that prompts and templates declare."""

import inspect
from collections.abc import Mapping
from typing import Final

from mcp_types import CompleteResult, Completion

from everything_server.specs import CompletionFunction

MAX_VALUES: Final = 100
"""The most matches in one answer (2026-07-28 server/utilities/completion, Data Types)."""


async def complete(
    functions: Mapping[str, CompletionFunction], argument: str, value: str, settled: Mapping[str, str]
) -> CompleteResult:
    """The matches for `value`, at most `MAX_VALUES` of them; `total` and `hasMore` tell of the rest.

    An argument without a function, declared or not, has no matches: the specification knows no error for it.

    Args:
        functions: The completion functions of the prompt or template, by argument.
        argument: The name of the argument being typed.
        value: What was typed so far.
        settled: The arguments that have their values already.
    """
    function = functions.get(argument)
    if function is None:
        return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
    found = function(value, settled)
    matches = list(await found if inspect.isawaitable(found) else found)
    return CompleteResult(
        completion=Completion(values=matches[:MAX_VALUES], total=len(matches), has_more=len(matches) > MAX_VALUES)
    )
