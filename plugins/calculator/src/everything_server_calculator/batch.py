"""`batch_calculate`: many operations in one call."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

from everything_server import Context, InvalidArgumentError, ToolError, ToolSpec, hookimpl
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

from everything_server_calculator.common.histories import HistoryHandle, check_handle, remember
from everything_server_calculator.common.numbers import DEFAULT_PLACES, Operand, Precision
from everything_server_calculator.common.operations import OperationName, Outcome, calculated
from everything_server_calculator.common.results import described, handle_member

MOST_OPERATIONS: Final = 100


class Operation(BaseModel):
    """One operation, with the arguments of `calculate`."""

    model_config = ConfigDict(extra="forbid")

    op: OperationName = Field(description="What to do")
    a: Operand = Field(description="The first number; the only one of sqrt")
    b: Operand | None = Field(default=None, description="The second number; sqrt does without")
    precision: Precision = DEFAULT_PLACES


class Answer(BaseModel):
    """What came of one operation: either the members of a calculation, or an error."""

    expression: str | None = None
    result: float | None = Field(default=None, description="What came of it, in full")
    value: float | None = Field(default=None, description="The result, rounded")
    calculationId: str | None = Field(default=None, description="Its name in the history")
    error: str | None = Field(default=None, description="Why there is no result")


class BatchResult(BaseModel):
    """The structured content."""

    results: list[Answer] = Field(description="An answer for each operation, in their order")
    succeeded: int
    failed: int
    historyHandle: str | None = Field(
        default=None, description="Where there is no session: to be passed back, to go on with the same history"
    )


async def batch_calculate(
    ctx: Context,
    operations: Annotated[
        list[Operation], Field(min_length=1, max_length=MOST_OPERATIONS, description="What to calculate, in order")
    ],
    historyHandle: HistoryHandle = None,
) -> Annotated[CallToolResult, BatchResult]:
    """Carry out a list of operations. Each is answered by itself, so that one that fails does not stop the others."""
    check_handle(ctx, historyHandle)
    attempts = [_attempt(operation) for operation in operations]
    outcomes = [attempt for attempt in attempts if isinstance(attempt, Outcome)]
    made, handle = remember(ctx, outcomes, historyHandle) if outcomes else ([], historyHandle)
    entries = iter(made)
    results: list[dict[str, Any]] = [
        described(next(entries)) if isinstance(attempt, Outcome) else {"error": attempt} for attempt in attempts
    ]
    lines = [attempt.text if isinstance(attempt, Outcome) else f"Error: {attempt}" for attempt in attempts]
    return CallToolResult(
        content=[TextContent(type="text", text="\n".join(f"{n}. {line}" for n, line in enumerate(lines, 1)))],
        structured_content={
            "results": results,
            "succeeded": len(outcomes),
            "failed": len(attempts) - len(outcomes),
            **handle_member(handle),
        },
    )


def _attempt(operation: Operation) -> Outcome | str:
    """What came of an operation, or why nothing did."""
    try:
        return calculated(operation.op, operation.a, operation.b, operation.precision)
    except (ToolError, InvalidArgumentError) as error:
        return str(error)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="batch_calculate",
        title="Batch Calculate",
        fn=batch_calculate,
        structured=True,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )
