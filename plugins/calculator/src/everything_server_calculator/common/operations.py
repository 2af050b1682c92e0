"""The six operations of the calculator."""

import math
from dataclasses import dataclass
from typing import Final, Literal

from everything_server import InvalidArgumentError, ToolError

from everything_server_calculator.common.numbers import finite, operand_text, rounded, text_of

OperationName = Literal["add", "subtract", "multiply", "divide", "power", "sqrt"]

SIGNS: Final[dict[OperationName, str]] = {
    "add": "+",
    "subtract": "-",
    "multiply": "×",
    "divide": "÷",
    "power": "^",
    "sqrt": "√",
}
"""How each is written between, or for the root before, its numbers."""


@dataclass(frozen=True)
class Outcome:
    """A calculation that has been made."""

    operation: str
    """Its name, for the statistics."""
    expression: str
    """What was calculated, as people write it: `7 × 6`."""
    result: float
    """What came of it, in full."""
    precision: int
    """The decimal places that were asked for."""

    @property
    def value(self) -> float:
        """The result, rounded."""
        return rounded(self.result, self.precision)

    @property
    def text(self) -> str:
        """The whole equation: `7 × 6 = 42`."""
        return f"{self.expression} = {text_of(self.value)}"


def calculated(operation: OperationName, a: float, b: float | None, precision: int) -> Outcome:
    """Carry out an operation.

    Args:
        operation: Which one.
        a: The first number; the only one of a root.
        b: The second number.
        precision: Decimal places of the rounded value.

    Raises:
        InvalidArgumentError: `b` is missing.
        ToolError: The operation has no result for these numbers, or one that is too large.
    """
    sign = SIGNS[operation]
    if operation == "sqrt":
        expression = f"{sign}{operand_text(a)}"
        if a < 0:
            raise ToolError(f"{expression} has no real result: the square root of a negative number is not a real one")
        return Outcome(operation, expression, math.sqrt(a), precision)
    if b is None:
        raise InvalidArgumentError("b", f"is required for {operation}; only sqrt does without")
    expression = f"{text_of(a)} {sign} {operand_text(b)}"
    if operation == "power":
        expression = f"{operand_text(a)} {sign} {operand_text(b)}"
        return Outcome(operation, expression, power(a, b, expression), precision)
    match operation:
        case "add":
            result = a + b
        case "subtract":
            result = a - b
        case "multiply":
            result = a * b
        case "divide":
            result = quotient(a, b, expression)
    return Outcome(operation, expression, finite(result, expression), precision)


def quotient(a: float, b: float, expression: str) -> float:
    """`a` divided by `b`.

    Raises:
        ToolError: `b` is zero.
    """
    if b == 0:
        raise ToolError(f"{expression} has no result: division by zero")
    return a / b


def power(a: float, b: float, expression: str) -> float:
    """`a` to the power of `b`, as floats, so that no exponent takes long.

    Raises:
        ToolError: There is no real result, or it is too large.
    """
    try:
        return math.pow(a, b)
    except OverflowError:
        return finite(math.inf, expression)
    except ValueError:
        problem = (
            "zero to a negative power is a division by zero"
            if a == 0
            else "a negative number to a fractional power is not a real one"
        )
        raise ToolError(f"{expression} has no real result: {problem}") from None
