"""Turns declared resources and templates into what the lists show and `resources/read` gives."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from mcp.server.caching import CacheHint, apply_cache_hint
from mcp.server.mcpserver.resources.templates import DEFAULT_RESOURCE_SECURITY
from mcp.shared.uri_template import UriTemplate
from mcp_types import (
    BlobResourceContents,
    InputRequiredResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)
from pydantic import ValidationError

from everything_server.context import Context
from everything_server.errors import ResourceNotFoundError
from everything_server.functions import Function, description_of
from everything_server.specs import ResourceSpec, ResourceTemplateSpec


@dataclass(frozen=True, slots=True)
class CompiledResource:
    """A resource of one era."""

    spec: ResourceSpec
    wire: Resource
    """As `resources/list` shows it."""
    _function: Function

    async def read(self, context: Context) -> ReadResourceResult | InputRequiredResult:
        """The contents.

        Raises:
            ResourceNotFoundError: It is gone.
        """
        return _result(await self._function.call({}, context), self.spec.uri, self.spec.mime_type, self.spec.cache)


@dataclass(frozen=True, slots=True)
class CompiledTemplate:
    """A resource template of one era."""

    spec: ResourceTemplateSpec
    wire: ResourceTemplate
    """As `resources/templates/list` shows it."""
    _function: Function
    _template: UriTemplate

    def match(self, uri: str) -> Mapping[str, str | list[str]] | None:
        """The variables of a URI that this template stands for, percent-decoded; None when it does not.

        A value that would leave its place in a path (`..`, an absolute path) matches nothing.
        """
        variables = self._template.match(uri)
        if variables is None or DEFAULT_RESOURCE_SECURITY.validate(variables) is not None:
            return None
        return variables

    async def read(
        self, uri: str, variables: Mapping[str, str | list[str]], context: Context
    ) -> ReadResourceResult | InputRequiredResult:
        """The contents of one of the family.

        Raises:
            ResourceNotFoundError: The variables name nothing.
        """
        try:
            arguments = self._function.parse(variables)
        except ValidationError as error:
            raise ResourceNotFoundError(uri) from error
        return _result(await self._function.call(arguments, context), uri, self.spec.mime_type, self.spec.cache)


def compile_resource(spec: ResourceSpec) -> CompiledResource:
    """Check a resource's function and build its entry.

    Raises:
        Exception: The function's signature cannot be described, or takes arguments.
    """
    function = Function(spec.fn)
    if function.parameters:
        raise TypeError(f"the function of resource {spec.uri} takes arguments; only a template's can")
    return CompiledResource(
        spec=spec,
        wire=Resource(
            uri=spec.uri,
            name=spec.name,
            title=spec.title,
            description=description_of(spec.fn, spec.description),
            mime_type=spec.mime_type,
            size=spec.size,
            annotations=spec.annotations,
            icons=list(spec.icons) or None,
            _meta=dict(spec.meta) if spec.meta is not None else None,
        ),
        _function=function,
    )


def compile_template(spec: ResourceTemplateSpec) -> CompiledTemplate:
    """Parse a template and check that its variables are its function's parameters.

    Raises:
        Exception: The template is malformed, or does not fit the function or the completions.
    """
    function = Function(spec.fn)
    template = UriTemplate.parse(spec.uri_template)
    variables = set(template.variable_names)
    if variables != set(function.parameters) or not set(spec.completions) <= variables:
        raise TypeError(f"template {spec.uri_template} does not fit its function's parameters or its completions")
    return CompiledTemplate(
        spec=spec,
        wire=ResourceTemplate(
            uri_template=spec.uri_template,
            name=spec.name,
            title=spec.title,
            description=description_of(spec.fn, spec.description),
            mime_type=spec.mime_type,
            annotations=spec.annotations,
            icons=list(spec.icons) or None,
            _meta=dict(spec.meta) if spec.meta is not None else None,
        ),
        _function=function,
        _template=template,
    )


def _result(
    content: Any, uri: str, mime_type: str, cache: CacheHint | None
) -> ReadResourceResult | InputRequiredResult:
    match content:
        case InputRequiredResult():
            return content
        case ReadResourceResult():
            result = content
        case str():
            result = ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=mime_type, text=content)])
        case bytes():
            blob = base64.b64encode(content).decode()
            result = ReadResourceResult(contents=[BlobResourceContents(uri=uri, mime_type=mime_type, blob=blob)])
        case _:
            contents = cast("Sequence[TextResourceContents | BlobResourceContents]", content)
            result = ReadResourceResult(contents=list(contents))
    return apply_cache_hint(result, cache or CacheHint())
