"""`advanced_calculate`: a whole expression, with parentheses, functions and constants."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import Context, InvalidArgumentError, ToolSpec, hookimpl
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from everything_server_calculator.common.expressions import MOST_CHARACTERS, ExpressionError, evaluated
from everything_server_calculator.common.histories import HistoryHandle
from everything_server_calculator.common.numbers import DEFAULT_PLACES, Precision
from everything_server_calculator.common.operations import Outcome
from everything_server_calculator.common.results import CalculationResult, keep


async def advanced_calculate(
    ctx: Context,
    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_CHARACTERS,
            description="Numbers, + - * / ^ and parentheses, sqrt sin cos tan ln log, pi and e. "
            "Angles are in radians, log has the base ten",
        ),
    ],
    precision: Precision = DEFAULT_PLACES,
    historyHandle: HistoryHandle = None,
) -> Annotated[CallToolResult, CalculationResult]:
    """Evaluate an expression such as `2 * (3 + 4) ^ 2` or `sqrt(2) * sin(pi / 4)`."""
    try:
        evaluation = evaluated(expression)
    except ExpressionError as error:
        raise InvalidArgumentError("expression", str(error)) from error
    outcome = Outcome("expression", " ".join(expression.split()), evaluation.value, precision)
    return keep(ctx, outcome, historyHandle)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="advanced_calculate",
        title="Advanced Calculate",
        fn=advanced_calculate,
        structured=True,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )
