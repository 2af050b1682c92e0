"""`explain_formula`: says what a formula means, by the client's model, or how it is worked out, by the calculator."""

from collections.abc import Iterator
from typing import Annotated, Final

from everything_server import Context, ToolError, ToolSpec, hookimpl
from mcp_types import InputRequiredResult, ToolAnnotations
from pydantic import Field

from everything_server_calculator.common.answers import ask_model, can_sample
from everything_server_calculator.common.expressions import ExpressionError, evaluated
from everything_server_calculator.common.numbers import text_of

TASK: Final = "You explain formulas: what each part stands for, what the whole says, and one example with numbers."

UNABLE: Final = (
    "This client has no model to ask, and the calculator itself explains formulas of numbers only, "
    "such as 2 * (3 + 4) ^ 2."
)


async def explain_formula(
    ctx: Context,
    formula: Annotated[str, Field(min_length=1, max_length=1000, description="The formula, such as a^2 + b^2 = c^2")],
) -> str | InputRequiredResult:
    """Explain a formula: in words, if the client has a model; else the order in which its numbers are worked out."""
    if can_sample(ctx):
        return ask_model(ctx, TASK, f"Explain this formula: {formula}")
    try:
        evaluation = evaluated(formula)
    except ExpressionError:
        return UNABLE
    except ToolError as error:
        return f"{formula} cannot be worked out: {error}"
    steps = [f"{number}. {step}" for number, step in enumerate(evaluation.steps, 1)]
    return "\n".join((f"{formula} is worked out like this:", *steps, f"So it comes to {text_of(evaluation.value)}."))


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for all clients: what a client lacks it is told in words."""
    yield ToolSpec(
        name="explain_formula",
        title="Explain Formula",
        fn=explain_formula,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=True
        ),
    )
