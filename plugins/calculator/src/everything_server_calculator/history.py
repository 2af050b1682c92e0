"""`calculator://history/…`: what was calculated before: the newest of it, or one calculation."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from everything_server import (
    Context,
    Era,
    InvalidArgumentError,
    ResourceNotFoundError,
    ResourceSpec,
    ResourceTemplateSpec,
    hookimpl,
)

from everything_server_calculator.common.histories import MOST_CALCULATIONS, History, known_history

URI: Final = "calculator://history/"
MIME_TYPE: Final = "application/json"
HANDLE: Final = "{?historyHandle}"

RECENT: Final = "The newest calculations, as many as `limit` says, or `all` that are kept; as JSON, the newest first"
ONE: Final = "One calculation, by the calculationId of its result; as JSON"

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")


async def read_all(ctx: Context) -> str:
    """The calculations that are kept, as JSON, the newest first."""
    return _read(ctx, "all", None)


async def read_recent(ctx: Context, limit: str) -> str:
    """The newest of this session."""
    return _read(ctx, limit, None)


async def read_recent_by_handle(ctx: Context, limit: str, historyHandle: str | None = None) -> str:
    """The newest under a handle."""
    return _read(ctx, limit, historyHandle)


async def read_one(ctx: Context, calculationId: str) -> str:
    """One of this session."""
    return _read(ctx, calculationId, None)


async def read_one_by_handle(ctx: Context, calculationId: str, historyHandle: str | None = None) -> str:
    """One under a handle."""
    return _read(ctx, calculationId, historyHandle)


def _read(ctx: Context, which: str, handle: str | None) -> str:
    """Whatever a URI names. Each template fits the URIs of the other too, so it must not matter which is asked."""
    try:
        history = known_history(ctx, handle)
    except InvalidArgumentError as error:
        raise ResourceNotFoundError(ctx.uri) from error
    if which == "all" or _NUMBER.fullmatch(which):
        limit = MOST_CALCULATIONS if which == "all" else int(which)
        return json.dumps(_newest(history, limit), indent=2, ensure_ascii=False)
    made = history.find(which)
    if made is None:
        raise ResourceNotFoundError(ctx.uri)
    return json.dumps(made.as_json(), indent=2, ensure_ascii=False)


def _newest(history: History, limit: int) -> dict[str, Any]:
    newest = [made.as_json() for made in reversed(history.kept)][:limit]
    return {"total": history.counts.total(), "shown": len(newest), "calculations": newest}


def complete_limit(value: str, settled: Mapping[str, str]) -> list[str]:
    """Limits that begin with what was typed."""
    return [limit for limit in ("all", "1", "5", "10", "20", "50", "100") if limit.startswith(value)]


@hookimpl
def everything_server_resources(era: Era) -> Iterator[ResourceSpec | ResourceTemplateSpec]:
    """Declare the whole history and the templates for parts of it, which take a handle where there are no sessions."""
    by_handle = era is Era.MODERN
    handle = HANDLE if by_handle else ""
    yield ResourceSpec(uri=f"{URI}all", name="history", title="Calculation History", fn=read_all, mime_type=MIME_TYPE)
    yield ResourceTemplateSpec(
        uri_template=f"{URI}{{limit}}{handle}",
        name="recent-calculations",
        title="Recent Calculations",
        description=RECENT,
        fn=read_recent_by_handle if by_handle else read_recent,
        mime_type=MIME_TYPE,
        completions={"limit": complete_limit},
    )
    yield ResourceTemplateSpec(
        uri_template=f"{URI}{{calculationId}}{handle}",
        name="calculation",
        title="Calculation",
        description=ONE,
        fn=read_one_by_handle if by_handle else read_one,
        mime_type=MIME_TYPE,
    )
