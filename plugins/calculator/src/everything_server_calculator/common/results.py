"""What the tools that calculate answer with."""

from everything_server import Context
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from everything_server_calculator.common.histories import Calculation, remember
from everything_server_calculator.common.numbers import as_json
from everything_server_calculator.common.operations import Outcome


class CalculationResult(BaseModel):
    """The structured content for one calculation."""

    operation: str = Field(description="What was done")
    expression: str = Field(description="What was calculated, as people write it")
    result: float = Field(description="What came of it, in full")
    value: float = Field(description="The result, rounded to `precision` decimal places")
    precision: int = Field(description="Decimal places of `value`")
    calculationId: str = Field(description="Its name in the history: calculator://history/{calculationId}")
    historyHandle: str | None = Field(
        default=None, description="Where there is no session: to be passed back, to go on with the same history"
    )


def keep(ctx: Context, outcome: Outcome, handle: str | None) -> CallToolResult:
    """Put a calculation into the client's history and answer with it.

    Raises:
        InvalidArgumentError: The handle belongs to no history.
    """
    [made], handle = remember(ctx, [outcome], handle)
    return CallToolResult(
        content=[TextContent(type="text", text=outcome.text)],
        structured_content={**described(made), **handle_member(handle)},
    )


def described(made: Calculation) -> dict[str, str | int | float]:
    """A calculation as structured content, without the handle."""
    outcome = made.outcome
    return {
        "operation": outcome.operation,
        "expression": outcome.expression,
        "result": as_json(outcome.result),
        "value": as_json(outcome.value),
        "precision": outcome.precision,
        "calculationId": made.id,
    }


def handle_member(handle: str | None) -> dict[str, str]:
    """The member of structured content that carries a handle, where there is one."""
    return {} if handle is None else {"historyHandle": handle}
