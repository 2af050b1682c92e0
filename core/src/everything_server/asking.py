"""For features that ask the client: questions, and answers that have been checked.

A function is written once for both eras. It looks whether its answer is there, and if not returns the question:

    answer = form_answer(ctx, "profile", FORM)
    if answer is None:
        return ask("profile", FORM.request())

A modern client calls again with the answer; for a legacy client the core asks within the call.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from jsonschema_rs import Draft202012Validator
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
)

from everything_server.context import Context
from everything_server.eras import Era
from everything_server.errors import ToolError
from everything_server.schemas import MASK, problems_in

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True)
class Form:
    """A form for the user, and what a filled-in one must look like."""

    message: str
    schema: Mapping[str, Any]
    """A flat object schema, as elicitation allows it (2026-07-28 client/elicitation, Requested Schema)."""

    def request(self) -> ElicitRequest:
        """The request that shows it."""
        return ElicitRequest(params=ElicitRequestFormParams(message=self.message, requested_schema=dict(self.schema)))

    def problems(self, content: object) -> list[str]:
        """What is wrong with a filled-in form, a line for each field concerned."""
        if not isinstance(content, dict):
            return ["content: is missing"]
        validator = Draft202012Validator(dict(self.schema), mask=MASK, validate_formats=True)
        return problems_in(validator, content, "field of this form")


def ask(key: str, request: InputRequest, state: str | None = None) -> InputRequiredResult:
    """The result that asks the client something.

    Args:
        key: Under which the answer will come.
        request: The question.
        state: What the function wants to be given back as `ctx.request_state`; sealed on its way.
    """
    return InputRequiredResult(input_requests={key: request}, request_state=state)


def answer_of(ctx: Context, key: str, kind: type[AnswerT]) -> AnswerT | None:
    """The client's answer under a key; None when there is none, or it answers something else."""
    answer = (ctx.input_responses or {}).get(key)
    return answer if isinstance(answer, kind) else None


def form_answer(ctx: Context, key: str, form: Form) -> ElicitResult | None:
    """The user's answer to a form, which fits it if it was accepted; None when it has to be asked (again).

    Raises:
        ToolError: A legacy client accepted with something that does not fit.
    """
    answer = answer_of(ctx, key, ElicitResult)
    if answer is None or answer.action != "accept":
        return answer
    problems = form.problems(answer.content)
    if not problems:
        return answer
    if ctx.era is Era.MODERN:
        return None
    raise ToolError("The form was filled in wrongly:" + "".join(f"\n- {problem}" for problem in problems))
