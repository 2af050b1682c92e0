"""`completable-prompt`: arguments that can be completed, the second depending on the first."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final

from everything_server import PromptSpec, hookimpl
from pydantic import Field

TEAMS: Final = {
    "Engineering": ("Alice", "Bob", "Charlie"),
    "Sales": ("David", "Eve", "Frank"),
    "Marketing": ("Grace", "Henry", "Iris"),
    "Support": ("John", "Kim", "Lee"),
}


async def completable_prompt(
    department: Annotated[str, Field(description="Which team")],
    name: Annotated[str, Field(description="Who of that team")],
) -> str:
    """A prompt whose arguments can be completed; the names depend on the department."""
    return f"Please promote {name} to the head of the {department} team."


def complete_department(value: str, settled: Mapping[str, str]) -> list[str]:
    """The departments that begin with what was typed."""
    return [department for department in TEAMS if department.startswith(value)]


def complete_name(value: str, settled: Mapping[str, str]) -> list[str]:
    """The names in the department chosen before; none without one."""
    return [name for name in TEAMS.get(settled.get("department", ""), ()) if name.startswith(value)]


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(
        name="completable-prompt",
        title="Team Management",
        fn=completable_prompt,
        completions={"department": complete_department, "name": complete_name},
    )
