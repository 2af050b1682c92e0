"""`explain-calculation`: has the client's model explain a calculation."""

from collections.abc import Iterator
from typing import Annotated, Final

from everything_server import PromptSpec, ToolError, hookimpl
from pydantic import Field

from everything_server_calculator.common.choices import chosen, completing
from everything_server_calculator.common.expressions import Evaluation, evaluated
from everything_server_calculator.common.numbers import text_of

LEVELS: Final = {
    "elementary": "a child who has just learned the four operations",
    "intermediate": "a pupil who knows powers, roots and the order of operations",
    "advanced": "a student of mathematics",
}

YES_OR_NO: Final = ("true", "false")


async def explain_calculation(
    expression: Annotated[str, Field(max_length=1000, description="What was calculated, such as 2 * (3 + 4)")],
    level: Annotated[str, Field(description=f"For whom: {', '.join(LEVELS)}")] = "intermediate",
    includeSteps: Annotated[str, Field(description="Whether to show each step: true or false")] = "true",
) -> str:
    """Ask for an explanation of a calculation, with its result and its steps as the calculator has found them."""
    reader = LEVELS[chosen("level", level, LEVELS)]
    with_steps = chosen("includeSteps", includeSteps, YES_OR_NO) == "true"
    lines = [f"Please explain this calculation to {reader}: {expression}"]
    lines.append("Show each step and say why it comes next." if with_steps else "Leave out the single steps.")
    evaluation = _evaluation(expression)
    if evaluation is not None:
        lines.append(f"It comes to {text_of(evaluation.value)}.")
        if with_steps and evaluation.steps:
            lines.append("The steps are: " + "; ".join(evaluation.steps) + ".")
    return "\n".join(lines)


def _evaluation(expression: str) -> Evaluation | None:
    """What the expression comes to; None for one that only the model can make sense of."""
    try:
        return evaluated(expression)
    except ToolError:
        return None


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(
        name="explain-calculation",
        title="Explain Calculation",
        fn=explain_calculation,
        completions={"level": completing(tuple(LEVELS)), "includeSteps": completing(YES_OR_NO)},
    )
