"""Recognizes functions that the SDK and pydantic are certain to describe, without asking them.

Asking takes about a millisecond for each function, together a twentieth of start-up. What is certain to succeed can
wait until a client wants it; everything else is done at once, so that what is broken is found while its plugin can
still be left out. When in doubt a function is not plain: that costs its millisecond and nothing else.
"""

import inspect
from collections.abc import Callable
from dataclasses import astuple
from inspect import Parameter
from types import FunctionType, NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

_SCALARS: Final = (str, int, float, bool, NoneType)
_BOUNDS: Final[tuple[Any, ...]] = tuple(map(type, FieldInfo(ge=0, gt=0, le=0, lt=0).metadata))
_UNSAID: Final = FieldInfo().asdict()["attributes"]
_LARGEST: Final = 2**53
"""Every JSON parser keeps integers up to here."""


def plain_parameters(fn: Callable[..., Any], context_parameter: str | None) -> tuple[str, ...] | None:
    """The names of a plain function's parameters, but for the one that takes the context; None if it is not plain.

    It is if each parameter is text, a number, a truth value or None, one of some literal texts, or a list or union of
    such; if nothing but a `Field` describes it and sets its bounds; and if its default is a constant.
    """
    if not isinstance(fn, FunctionType) or hasattr(fn, "__wrapped__"):
        return None
    try:
        parameters = inspect.signature(fn, eval_str=True).parameters
    except Exception:  # annotations are evaluated, which may do anything
        return None
    arguments = [parameter for name, parameter in parameters.items() if name != context_parameter]
    return tuple(argument.name for argument in arguments) if all(map(_is_plain, arguments)) else None


def _is_plain(parameter: Parameter) -> bool:
    return (
        parameter.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        and parameter.name.isascii()
        and not parameter.name.startswith("_")
        and not hasattr(BaseModel, parameter.name)  # the SDK gives it an alias
        and (parameter.default is Parameter.empty or _is_constant(parameter.default))
        and _is_plain_annotation(parameter.annotation)
    )


def _is_plain_annotation(annotation: Any) -> bool:
    if get_origin(annotation) is not Annotated:
        return _is_plain_type(annotation)
    base, *metadata = get_args(annotation)
    return _is_plain_type(base) and all(_is_plain_field(item, base) for item in metadata)


def _is_plain_type(annotation: Any) -> bool:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return all(type(value) is str and value.isascii() for value in arguments)
    if origin is list or origin in (Union, UnionType):
        return all(map(_is_plain_type, arguments)) and (origin is not list or len(arguments) == 1)
    return any(annotation is scalar for scalar in _SCALARS)


def _is_plain_field(metadata: Any, annotation: Any) -> bool:
    """Whether this is a `Field` with a description, and with bounds of its own kind if it is for a number."""
    if type(metadata) is not FieldInfo:
        return False
    attributes = metadata.asdict()["attributes"]
    said = {name for name, value in attributes.items() if value is not _UNSAID[name]}
    return (
        said <= {"description"}
        and _is_constant(metadata.description)
        and all(_is_bound(item, annotation) for item in metadata.metadata)
    )


def _is_bound(metadata: Any, annotation: Any) -> bool:
    if annotation not in (int, float) or type(metadata) not in _BOUNDS:
        return False
    (limit,) = astuple(metadata)
    return type(limit) in (int, annotation) and _is_constant(limit)


def _is_constant(value: Any) -> bool:
    """Whether JSON has it, and every JSON parser reads it: so no lone surrogate, no NaN."""
    if type(value) is str:
        return value.isascii()
    return value is None or type(value) is bool or (type(value) in (int, float) and abs(value) <= _LARGEST)
