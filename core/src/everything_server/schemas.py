"""Says what is wrong with a value by its JSON Schema, in words for the one who sent it."""

from collections.abc import Iterator
from typing import Any, Final

from jsonschema_rs import Draft202012Validator, ValidationError, ValidationErrorKind

MASK: Final = "this value"
"""Stands for the value in a message about it: a message must not repeat megabytes, nor what may be secret."""


def problems_in(validator: Draft202012Validator, value: Any, unknown: str) -> list[str]:
    """`place: problem` for everything that is wrong with a value; nothing when it fits.

    Args:
        validator: Made with `mask=MASK`.
        value: What was sent.
        unknown: What a name is not that the schema does not know, such as `argument of this tool`.
    """
    try:
        return [line for violation in validator.iter_errors(value) for line in _lines(violation, unknown)]
    except UnicodeEncodeError:
        return ["arguments: hold a name that is no valid Unicode text (a lone surrogate)"]
    except ValueError:
        return ["arguments: are nested too deep"]


def _lines(violation: ValidationError, unknown: str) -> Iterator[str]:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in violation.instance_path)
    place = "".join(parts).removeprefix(".")
    prefix = f"{place}." if place else ""
    match violation.kind:
        case ValidationErrorKind.Required(property=name):
            yield f"{prefix}{name}: is required"
        case ValidationErrorKind.AdditionalProperties(unexpected=names):
            yield from (f"{prefix}{name[:100]}: is no {unknown}" for name in names)
        case _:
            yield f"{place or 'arguments'}: {violation.message.replace(MASK + ' ', '', 1)}"
