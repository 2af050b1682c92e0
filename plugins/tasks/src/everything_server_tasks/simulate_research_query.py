"""`simulate-research-query`: work in four stages, which may have a question; a task for clients that know tasks."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Final

from everything_server import (
    FORM_ELICITATION,
    Context,
    Form,
    ToolSpec,
    ask,
    form_answer,
    hookimpl,
    satisfies,
)
from mcp_types import CallToolResult, ElicitResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import Field

from everything_server_tasks.service import create_task, supports_tasks
from everything_server_tasks.states import Answers, Completed, InputRequired, TaskState, Working
from everything_server_tasks.wire import CreateTaskResult

STAGES: Final = ("Gathering sources", "Analyzing content", "Synthesizing findings", "Generating report")
STAGE_SECONDS: Final = 0.5

KEY: Final = "clarification"
ASKED: Final = "asked"
"""The state of a call that has asked; sealed, it is bound to the topic."""

KNOWN_READINGS: Final = {
    "python": {
        "programming": "The programming language",
        "snake": "The snake",
        "comedy": "The comedy troupe",
    },
}
GENERAL_READINGS: Final = {
    "technical": "The technical side",
    "historical": "The history",
    "current": "What is current",
}


async def simulate_research_query(
    ctx: Context,
    topic: Annotated[str, Field(description="What to look into")],
    ambiguous: Annotated[bool, Field(description="Whether the topic is to need a clarification")] = False,
) -> str | InputRequiredResult | CreateTaskResult:
    """Simulate research that takes a while: as a task where the client knows tasks, else with progress."""
    asks = ambiguous and satisfies(ctx.client_capabilities, FORM_ELICITATION)
    if supports_tasks(ctx):
        return await create_task(ctx, Research(topic, asks))
    answer: ElicitResult | None = None
    if asks:
        form = _form(topic)
        if ctx.request_state is not None:  # without it nothing was asked in this call, whatever was answered
            answer = form_answer(ctx, KEY, form)
        if answer is None:
            return ask(KEY, form.request(), ASKED)
    for number, stage in enumerate(STAGES, 1):
        await ctx.server.clock.sleep(STAGE_SECONDS)
        await ctx.report_progress(number, len(STAGES), stage)
    return _report(topic, answer)


@dataclass(frozen=True)
class Research:
    """The research as a task; its question comes after the first stage and holds up the others."""

    topic: str
    asks: bool

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        """The stage that is being worked on, the open question, or the report."""
        answer: ElicitResult | None = None
        waited = 0.0
        if self.asks and elapsed >= STAGE_SECONDS:
            form = _form(self.topic)
            asked_at = STAGE_SECONDS
            for number in count(1):  # an answer that does not fit is asked for again, which needs a key of its own
                key = KEY if number == 1 else f"{KEY}-{number}"
                given = answers.get(key)
                if given is None:
                    message = "Which reading of the topic is meant?"
                    return InputRequired(since=asked_at, requests={key: form.request()}, message=message)
                assert isinstance(given.response, ElicitResult)
                answer, asked_at = given.response, given.at
                if answer.action != "accept" or not form.problems(answer.content):
                    break
            waited = asked_at - STAGE_SECONDS
        return _stage(elapsed - waited, waited) or Completed(
            since=waited + len(STAGES) * STAGE_SECONDS,
            result=CallToolResult(content=[TextContent(type="text", text=_report(self.topic, answer))]),
            message="The report is ready",
        )


def _stage(worked: float, waited: float) -> Working | None:
    """The stage that is being worked on after so many seconds of work; None when all are done."""
    number = int(worked / STAGE_SECONDS)
    if number >= len(STAGES):
        return None
    begun = number * STAGE_SECONDS
    # The stage that the question came after has begun when the answer came.
    return Working(since=waited + begun, until=waited + begun + STAGE_SECONDS, message=f"{STAGES[number]}…")


def _form(topic: str) -> Form:
    readings = KNOWN_READINGS.get(topic.strip().lower(), GENERAL_READINGS)
    interpretation = {
        "type": "string",
        "title": "Interpretation",
        "description": "Which reading of the topic is meant",
        "oneOf": [{"const": value, "title": title} for value, title in readings.items()],
    }
    return Form(
        message=f'"{topic}" can be read in several ways. Which one is meant?',
        schema={"type": "object", "properties": {"interpretation": interpretation}, "required": ["interpretation"]},
    )


def _report(topic: str, answer: ElicitResult | None) -> str:
    match answer:
        case None:
            reading = ""
        case ElicitResult(action="accept", content=content):
            reading = f"Read as: {(content or {}).get('interpretation')}\n"
        case ElicitResult(action="decline"):
            reading = "The clarification was declined, so all readings were looked into.\n"
        case _:
            reading = "The clarification was cancelled, so all readings were looked into.\n"
    stages = "\n".join(f"{number}. {stage}" for number, stage in enumerate(STAGES, 1))
    return f"# Research report: {topic}\n{reading}\nNothing was really looked up. The stages were:\n{stages}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="simulate-research-query",
        title="Simulate Research Query",
        fn=simulate_research_query,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )


@hookimpl
def everything_server_instructions() -> str:
    """Say what the tool is for."""
    return (
        "simulate-research-query takes a few seconds; a client that declares the tasks extension gets a task for it, "
        "others its result, with progress."
    )
