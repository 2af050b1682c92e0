"""Turns a declared prompt into what `prompts/list` shows and `prompts/get` renders."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from mcp.server.mcpserver.prompts import Prompt as SDKPrompt
from mcp_types import GetPromptResult, InputRequiredResult, Prompt, PromptArgument, PromptMessage
from pydantic import ValidationError

from everything_server.context import Context
from everything_server.errors import InvalidArgumentError, ToolError, invalid_params
from everything_server.functions import Function, description_of, explain
from everything_server.specs import PromptSpec


@dataclass(frozen=True)
class CompiledPrompt:
    """A prompt of one era."""

    spec: PromptSpec
    _function: Function
    _entry: Prompt
    """As `prompts/list` shows it, but without the arguments."""
    _sdk_prompt: SDKPrompt

    @cached_property
    def wire(self) -> Prompt:
        """As `prompts/list` shows it."""
        schema = self._function.metadata.arg_model.model_json_schema()
        required = schema.get("required", ())
        arguments = [
            PromptArgument(name=name, description=described.get("description"), required=name in required or None)
            for name, described in schema.get("properties", {}).items()
        ]
        return self._entry.model_copy(update={"arguments": arguments or None})

    async def render(self, arguments: Mapping[str, str], context: Context) -> GetPromptResult | InputRequiredResult:
        """The messages of the prompt.

        Raises:
            MCPError: -32602, naming each argument that is missing, undeclared, or has a value the prompt cannot use
                (2026-07-28 server/prompts, Error Handling).
        """
        declared = {argument.name: bool(argument.required) for argument in self.wire.arguments or ()}
        problems = [f"{name}: is required" for name, required in declared.items() if required and name not in arguments]
        problems += [f"{name[:100]}: is no argument of this prompt" for name in arguments if name not in declared]
        if problems:
            raise self._refusal(problems)
        try:
            rendered = await self._sdk_prompt.render(self._function.parse(arguments), context)
        except ValidationError as error:
            raise self._refusal(explain(error)) from None
        except ValueError as error:  # the SDK's wrapper around whatever the function raised
            if isinstance(error.__cause__, InvalidArgumentError):
                raise self._refusal([str(error.__cause__)]) from None
            if isinstance(error.__cause__, ToolError):
                raise invalid_params(str(error.__cause__)) from None
            raise
        if isinstance(rendered, InputRequiredResult):
            return rendered
        messages = [PromptMessage(role=message.role, content=message.content) for message in rendered]
        return GetPromptResult(description=self.wire.description, messages=messages)

    def _refusal(self, problems: list[str]) -> Exception:
        return invalid_params(f"Invalid arguments for prompt {self.wire.name}: {'; '.join(problems)}")


def compile_prompt(spec: PromptSpec) -> CompiledPrompt:
    """Check a prompt's function and build its entry, but for the arguments if these can wait.

    Raises:
        Exception: The function's signature cannot be described, or a completion is for no argument of it.
    """
    function = Function(spec.fn)
    if strays := set(spec.completions) - set(function.parameters):
        raise TypeError(f"prompt {spec.name!r} completes {', '.join(sorted(strays))}, which it does not take")
    prompt = CompiledPrompt(
        spec=spec,
        _function=function,
        _entry=Prompt(
            name=spec.name,
            title=spec.title,
            description=description_of(spec.fn, spec.description),
            icons=list(spec.icons) or None,
            _meta=dict(spec.meta) if spec.meta is not None else None,
        ),
        _sdk_prompt=SDKPrompt(
            name=spec.name,
            title=None,
            description=None,
            arguments=None,
            fn=spec.fn,
            context_kwarg=function.context_parameter,
        ),
    )
    if function.plain_parameters is None:
        _ = prompt.wire
    return prompt
