"""Numbers as JSON has them, and as JavaScript prints them."""

import math
from typing import Annotated, Any

from pydantic import ValidatorFunctionWrapHandler, WrapValidator


def _keep_integer(value: Any, convert: ValidatorFunctionWrapHandler) -> Any:
    return value if isinstance(value, int) and not isinstance(value, bool) else convert(value)


keep_integer = WrapValidator(_keep_integer)
"""Put last on a `float`: a JSON literal without fraction and exponent then arrives as an exact `int`.

The bounds of such a value are those of the published schema, which has been checked before.
"""

Number = Annotated[float, keep_integer]
"""A tool argument of JSON type number without bounds."""


def number_text(value: int | float) -> str:
    """A number as JavaScript's `JSON.stringify` prints it: `3.0` as `3`, `1e21` as `1e+21`; an int exactly.

    ECMAScript, Number::toString, whose digits are the shortest that read back as the same double, as Python's are.

    Raises:
        ValueError: The value is not finite, which JSON cannot say, or an int too long to print.
    """
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    if value == 0.0:
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
