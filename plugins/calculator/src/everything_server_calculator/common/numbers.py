"""Numbers of the calculator: double precision floats, rounded and written for people."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Annotated, Final

from everything_server import ToolError
from everything_server.content.numbers import number_text
from pydantic import Field

MOST_PLACES: Final = 15
"""Decimal places that a double can fill."""

DEFAULT_PLACES: Final = 2

Operand = Annotated[float, Field(allow_inf_nan=False)]
"""A number to calculate with."""

Precision = Annotated[int, Field(ge=0, le=MOST_PLACES, description="Decimal places of `value`, and of the text")]

_ENOUGH_DIGITS: Final = Context(prec=400)
"""For the largest double, which has 309 digits, with all places behind the point."""

_EXACT_INTEGERS: Final = 2.0**53


def rounded(value: float, places: int) -> float:
    """A number rounded to decimal places, halves away from zero, as it reads: 2.675 to two places is 2.68."""
    text = repr(value)  # the shortest decimal of this double, which is what people see and mean
    result = float(Decimal(text).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _ENOUGH_DIGITS))
    return result + 0.0  # no -0


def as_json(value: float) -> int | float:
    """The number for structured content: without `.0` where it is a whole one that a double holds exactly."""
    return int(value) if value.is_integer() and abs(value) <= _EXACT_INTEGERS else value


def text_of(value: float) -> str:
    """The number for people; a negative one needs parentheses behind an operator, which `operand_text` gives it."""
    return number_text(value + 0.0)


def operand_text(value: float) -> str:
    """The number as part of an expression."""
    return f"({text_of(value)})" if value < 0 else text_of(value)


def finite(value: float, what: str) -> float:
    """The number, if it is one.

    Raises:
        ToolError: It is infinite, or none at all.
    """
    if math.isfinite(value):
        return value
    raise ToolError(f"{what} is too large: the calculator's numbers end at about 1.8e308")
