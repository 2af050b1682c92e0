"""`calculator-tutorial`: has the client's model show how this calculator is used."""

from collections.abc import Iterator
from typing import Annotated, Final

from everything_server import PromptSpec, hookimpl
from pydantic import Field

from everything_server_calculator.common.choices import chosen, completing

AREAS: Final = {
    "basics": "the tool calculate: its operations add, subtract, multiply, divide, power and sqrt, its numbers a and "
    "b, and precision",
    "batches": "the tool batch_calculate, which answers each of its operations by itself",
    "expressions": "the tool advanced_calculate: parentheses, the order of operations, functions and constants",
    "history": "the resources calculator://history/all, calculator://history/5 and calculator://stats, and how a "
    "calculationId leads to one calculation",
}
"""What can be taught, and what belongs to it."""

EVERYTHING: Final = "all"


async def calculator_tutorial(
    focusArea: Annotated[str, Field(description=f"What to teach: {', '.join(AREAS)}, or {EVERYTHING}")] = EVERYTHING,
) -> str:
    """Ask for a tutorial on this calculator, or on a part of it."""
    area = chosen("focusArea", focusArea, (*AREAS, EVERYTHING))
    parts = list(AREAS.values()) if area == EVERYTHING else [AREAS[area]]
    lines = ["Please give me a short tutorial on this calculator. Try each example with its tools before you show it."]
    lines.extend(f"- Teach {part}." for part in parts)
    return "\n".join(lines)


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(
        name="calculator-tutorial",
        title="Calculator Tutorial",
        fn=calculator_tutorial,
        completions={"focusArea": completing((*AREAS, EVERYTHING))},
    )
