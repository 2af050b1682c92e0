"""`solve_math_problem`: a problem in words, solved by the client's model, or by its user and the calculator."""

from collections.abc import Iterator
from typing import Annotated, Final

from everything_server import FORM_ELICITATION, Context, Form, ToolError, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult, ToolAnnotations
from pydantic import Field

from everything_server_calculator.common.answers import ask_model, can_sample
from everything_server_calculator.common.expressions import MOST_CHARACTERS, ExpressionError, evaluated
from everything_server_calculator.common.numbers import text_of

TASK: Final = "You solve problems of mathematics. Show the steps, and end with the answer on a line of its own."

UNABLE: Final = (
    "This client can ask neither a model nor its user, so nobody is here who could read the problem. "
    "Write it as an expression and call advanced_calculate."
)


async def solve_math_problem(
    ctx: Context,
    problem: Annotated[str, Field(min_length=1, max_length=4000, description="The problem, in words or as numbers")],
) -> str | InputRequiredResult:
    """Solve a problem of mathematics.

    What is a plain expression is worked out by the calculator itself. Anything else goes to the client's model; where
    there is none, the user is asked for the expression that has to be worked out.
    """
    try:
        evaluation = evaluated(problem)
    except ExpressionError:
        pass  # words, then
    else:
        return "\n".join((*evaluation.steps, f"Answer: {text_of(evaluation.value)}"))
    if can_sample(ctx):
        return ask_model(ctx, TASK, problem)
    if ctx.client_can(FORM_ELICITATION):
        return _ask_user(ctx, problem)
    return UNABLE


def _ask_user(ctx: Context, problem: str) -> str | InputRequiredResult:
    form = Form(
        f"Which expression has to be worked out to solve this?\n\n{problem}",
        {
            "type": "object",
            "properties": {
                "expression": {
                    "type": "string",
                    "title": "Expression",
                    "description": "Such as 3 * (4 + 5)",
                    "minLength": 1,
                    "maxLength": MOST_CHARACTERS,
                }
            },
            "required": ["expression"],
        },
    )
    answer = form_answer(ctx, "expression", form)
    if answer is None:
        return ask("expression", form.request())
    if answer.action != "accept":
        raise ToolError("The user gave no expression, so the problem is not solved")
    expression = str((answer.content or {})["expression"])
    return f"{expression} = {text_of(evaluated(expression).value)}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for all clients: what a client lacks it is told in words."""
    yield ToolSpec(
        name="solve_math_problem",
        title="Solve Math Problem",
        fn=solve_math_problem,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=True
        ),
    )
