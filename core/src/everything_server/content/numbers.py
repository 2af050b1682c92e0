"""Numbers as JSON has them, and as JavaScript prints them."""

import math
from typing import Annotated

from pydantic import Field, WithJsonSchema

Number = Annotated[int | float, Field(union_mode="smart"), WithJsonSchema({"type": "number"})]
"""A tool argument of JSON type number. A literal without fraction and exponent arrives as an exact `int`."""


def number_text(value: float) -> str:
    """A number as JavaScript's `JSON.stringify` prints it: `3.0` as `3`, `1e21` as `1e+21`; an int exactly.

    ECMAScript, Number::toString, whose digits are the shortest that read back as the same double, as Python's are.

    Raises:
        ValueError: The value is not finite, which JSON cannot say, or an int too long to print.
    """
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.digits times ten to the power of point.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = point - 1
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if power > 0 else '-'}{abs(power)}"
