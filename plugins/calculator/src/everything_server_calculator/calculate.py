"""`calculate`: one operation on one or two numbers."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import Context, Era, ToolSpec, hookimpl
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from everything_server_calculator.common.histories import HistoryHandle
from everything_server_calculator.common.numbers import DEFAULT_PLACES, Operand, Precision
from everything_server_calculator.common.operations import OperationName, calculated
from everything_server_calculator.common.results import CalculationResult, keep


async def calculate(
    ctx: Context,
    op: Annotated[OperationName, Field(description="What to do")],
    a: Annotated[Operand, Field(description="The first number; the only one of sqrt")],
    b: Annotated[Operand | None, Field(description="The second number; sqrt does without")] = None,
    precision: Precision = DEFAULT_PLACES,
    historyHandle: HistoryHandle = None,
) -> Annotated[CallToolResult, CalculationResult]:
    """Add, subtract, multiply, divide, raise to a power, or take a square root."""
    return keep(ctx, calculated(op, a, b, precision), historyHandle)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="calculate",
        title="Calculate",
        fn=calculate,
        structured=True,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )


@hookimpl
def everything_server_instructions(era: Era) -> str:
    """Say where the history is."""
    return (
        "What calculate works out is kept for the length of this session."
        if era is Era.LEGACY
        else "What calculate works out is kept under the historyHandle in its result; "
        "pass that with the next call to go on with the same history."
    )
