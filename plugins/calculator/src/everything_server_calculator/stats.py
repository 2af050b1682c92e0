"""`calculator://stats`: how much was calculated."""

import json
from collections.abc import Iterator
from typing import Final

from everything_server import (
    Context,
    Era,
    InvalidArgumentError,
    ResourceNotFoundError,
    ResourceSpec,
    ResourceTemplateSpec,
    hookimpl,
)

from everything_server_calculator.common.histories import MOST_CALCULATIONS, known_history

URI: Final = "calculator://stats"


async def read_stats(ctx: Context) -> str:
    """Statistics of the calculations in this session, as JSON."""
    return _stats(ctx, None)


async def read_stats_by_handle(ctx: Context, historyHandle: str | None = None) -> str:
    """Statistics of the calculations under a historyHandle, as JSON."""
    return _stats(ctx, historyHandle)


def _stats(ctx: Context, handle: str | None) -> str:
    try:
        history = known_history(ctx, handle)
    except InvalidArgumentError as error:
        raise ResourceNotFoundError(ctx.uri) from error
    last = history.kept[-1].as_json() if history.kept else None
    return json.dumps(
        {
            "calculations": history.counts.total(),
            "byOperation": dict(history.counts),
            "kept": len(history.kept),
            "mostKept": MOST_CALCULATIONS,
            "last": last,
        },
        indent=2,
        ensure_ascii=False,
    )


@hookimpl
def everything_server_resources(era: Era) -> Iterator[ResourceSpec | ResourceTemplateSpec]:
    """Declare the resource, and where there are no sessions a template that takes a handle."""
    yield ResourceSpec(
        uri=URI, name="stats", title="Calculator Statistics", fn=read_stats, mime_type="application/json"
    )
    if era is Era.MODERN:
        yield ResourceTemplateSpec(
            uri_template=f"{URI}{{?historyHandle}}",
            name="stats-by-handle",
            title="Calculator Statistics by Handle",
            fn=read_stats_by_handle,
            mime_type="application/json",
        )
