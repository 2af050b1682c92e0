"""`get-env`: the server's environment, without its secrets."""

import json
import os
from collections.abc import Iterator
from typing import Final

from everything_server import ToolSpec, hookimpl
from mcp_types import ContentBlock, TextContent, ToolAnnotations

_SHOWN: Final = frozenset({"PATH", "HOME", "LANG", "TZ", "USER", "SHELL", "PWD"})
_SHOWN_PREFIX: Final = "EVERYTHING_"
_SECRET_WORDS: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""Words in the name of a variable of ours whose value is not shown all the same."""


async def get_env() -> list[ContentBlock]:
    """Get environment variables of the server process, to help find out how it was started.

    Values are shown only for EVERYTHING_* and a few harmless variables; whoever is connected can read those. Of all
    others only the names are listed.
    """
    environment = {_as_text(name): _as_text(value) for name, value in os.environ.items()}
    shown = {name: value for name, value in sorted(environment.items()) if _is_shown(name)}
    hidden = sorted(set(environment) - set(shown))
    return [
        TextContent(type="text", text=json.dumps(shown, indent=2)),
        TextContent(type="text", text=f"Also set, with values that are not shown: {', '.join(hidden) or 'none'}"),
    ]


def _as_text(value: str) -> str:
    """Bytes that are no text in the environment's encoding come as lone surrogates, which clients cannot read."""
    return value.encode(errors="backslashreplace").decode()


def _is_shown(name: str) -> bool:
    if name in _SHOWN:
        return True
    return name.startswith(_SHOWN_PREFIX) and not any(word in name.upper() for word in _SECRET_WORDS)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-env",
        title="Print Environment Tool",
        fn=get_env,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
