"""`generate-problems`: has the client's model make up exercises, informed by what was calculated before."""

from collections.abc import Iterator
from typing import Annotated, Final

from everything_server import Context, InvalidArgumentError, PromptSpec, hookimpl
from pydantic import Field

from everything_server_calculator.common.choices import chosen, completing
from everything_server_calculator.common.histories import HistoryHandle, known_history

TOPICS: Final = ("addition", "decimals", "division", "fractions", "multiplication", "powers", "roots", "trigonometry")
"""Topics that are offered; any other will do as well."""

DIFFICULTIES: Final = ("easy", "medium", "hard")
MOST_PROBLEMS: Final = 50
RECENT: Final = 5
"""How many calculations are told of."""


async def generate_problems(
    ctx: Context,
    topic: Annotated[str, Field(max_length=200, description="What the exercises are about")] = "arithmetic",
    difficulty: Annotated[str, Field(description=f"One of {', '.join(DIFFICULTIES)}")] = "medium",
    count: Annotated[str, Field(description=f"How many, 1 to {MOST_PROBLEMS}")] = "5",
    historyHandle: HistoryHandle = None,
) -> str:
    """Ask for exercises on a topic, which take up the recent calculations of this client."""
    number = _number(count)
    level = chosen("difficulty", difficulty, DIFFICULTIES)
    exercises = f"{level} exercise" if number == 1 else f"{level} exercises"
    lines = [f"Please make up {number} {exercises} on {topic}, and give the solutions at the end."]
    recent = [made.outcome.text for made in known_history(ctx, historyHandle).kept][-RECENT:]
    if recent:
        lines.append(f"These were calculated last; take up what they practise: {'; '.join(recent)}.")
    return "\n".join(lines)


def _number(count: str) -> int:
    if not (count.isascii() and count.isdecimal() and 1 <= int(count[:9]) <= MOST_PROBLEMS):
        raise InvalidArgumentError("count", f"must be a number from 1 to {MOST_PROBLEMS}")
    return int(count)


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(
        name="generate-problems",
        title="Generate Problems",
        fn=generate_problems,
        completions={
            "topic": completing(TOPICS),
            "difficulty": completing(DIFFICULTIES),
            "count": completing(("1", "3", "5", "10", "20", "50")),
        },
    )
