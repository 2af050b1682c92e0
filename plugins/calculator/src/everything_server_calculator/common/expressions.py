"""Reads and evaluates expressions: a small parser of our own, so that nothing is ever run as Python.

    expression := product (("+" | "-") product)*
    product    := signed (("*" | "/") signed)*
    signed     := ("+" | "-")* power
    power      := atom ("^" signed)?
    atom       := NUMBER | CONSTANT | FUNCTION "(" expression ")" | "√" atom | "(" expression ")"

So `^` binds closest and to the right, and `-2^2` is -4, as in mathematics.
"""

import math
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from everything_server import ToolError

from everything_server_calculator.common.numbers import finite, operand_text, text_of
from everything_server_calculator.common.operations import power, quotient

MOST_CHARACTERS: Final = 1000
"""The longest expression that is read."""

MOST_NESTED: Final = 50
"""How deep parentheses, powers and functions may be nested."""

CONSTANTS: Final = {"pi": math.pi, "e": math.e}

FUNCTIONS: Final[dict[str, Callable[[float], float]]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "ln": math.log,
    "log": math.log10,
}
"""Angles are in radians; `log` has the base ten."""

DOMAINS: Final = {"sqrt": "no negative number", "ln": "a positive number", "log": "a positive number"}
"""What a function is defined for, where that is not every number."""

_TOKEN: Final = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([a-zA-Z]+)|(\S))", re.ASCII)
_SPELLINGS: Final = {"×": "*", "·": "*", "÷": "/", "−": "-", "π": "pi"}
_ROOT: Final = "√"
_END: Final = ""


class ExpressionError(ToolError):
    """The text is no expression; the message says where it stops being one."""


@dataclass(frozen=True)
class Evaluation:
    """What an expression comes to."""

    value: float
    steps: tuple[str, ...]
    """Each operation in the order in which it was carried out: `2 * 3 = 6`."""


def evaluated(text: str) -> Evaluation:
    """Read an expression and carry out what it says.

    Raises:
        ExpressionError: It cannot be read.
        ToolError: It has no result, or one that is too large.
    """
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"The expression has {len(text)} characters; at most {MOST_CHARACTERS} are read")
    return _Reader(text).evaluation()


@dataclass(frozen=True)
class _Token:
    text: str
    """Nothing at the end."""
    number: float | None
    position: int
    """That of its first character, counted from one."""


def _tokens(text: str) -> Iterator[_Token]:
    for found in _TOKEN.finditer(text.rstrip()):
        number, name, sign = found.groups()
        position = found.start(found.lastindex or 0) + 1
        value = None if number is None else float(number)
        yield _Token(number or name or _SPELLINGS.get(sign, sign), value, position)
    yield _Token(_END, None, len(text) + 1)


class _Reader:
    """Reads one expression from left to right, calculating as it goes."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next = next(self._tokens)
        self._depth = 0
        self._steps: list[str] = []

    def evaluation(self) -> Evaluation:
        value = self._expression()
        if self._next.text != _END:
            raise self._problem("an operator or the end")
        return Evaluation(value, tuple(self._steps))

    def _expression(self) -> float:
        value = self._product()
        while self._next.text in ("+", "-"):
            sign = self._take()
            other = self._product()
            value = self._step(sign, value, other, value + other if sign == "+" else value - other)
        return value

    def _product(self) -> float:
        value = self._signed()
        while self._next.text in ("*", "/"):
            sign = self._take()
            other = self._signed()
            written = f"{text_of(value)} {sign} {operand_text(other)}"
            result = value * other if sign == "*" else quotient(value, other, written)
            value = self._step(sign, value, other, result)
        return value

    def _signed(self) -> float:
        negative = False
        while self._next.text in ("+", "-"):
            negative ^= self._take() == "-"
        value = self._power()
        return -value if negative else value

    def _power(self) -> float:
        base = self._atom()
        if self._next.text != "^":
            return base
        self._take()
        with self._nested():
            exponent = self._signed()
        written = f"{operand_text(base)} ^ {operand_text(exponent)}"
        return self._step("^", base, exponent, power(base, exponent, written))

    def _atom(self) -> float:
        token = self._next
        if token.number is not None:
            self._take()
            return finite(token.number, f"The number at character {token.position}")
        if token.text in CONSTANTS:
            return CONSTANTS[self._take()]
        if token.text in FUNCTIONS:
            name = self._take()
            if self._next.text != "(":
                raise self._problem(f"the parenthesis of {name}")
            return self._call(name)
        if token.text == _ROOT:
            self._take()
            with self._nested():
                return self._call("sqrt")
        if token.text == "(":
            return self._in_parentheses()
        if token.text.isalpha():
            known = ", ".join((*FUNCTIONS, *CONSTANTS))
            raise ExpressionError(f"At character {token.position}: {token.text[:30]!r} is not one of {known}")
        raise self._problem("a number, a name or a parenthesis")

    def _call(self, name: str) -> float:
        argument = self._atom()
        written = f"{name}({text_of(argument)})"
        try:
            result = FUNCTIONS[name](argument)
        except ValueError:
            raise ToolError(f"{written} has no real result: {name} is defined for {DOMAINS[name]}") from None
        self._steps.append(f"{written} = {text_of(result)}")
        return result

    def _in_parentheses(self) -> float:
        self._take()
        with self._nested():
            value = self._expression()
        if self._next.text != ")":
            raise self._problem("a closing parenthesis")
        self._take()
        return value

    def _step(self, sign: str, a: float, b: float, result: float) -> float:
        left = operand_text(a) if sign == "^" else text_of(a)
        written = f"{left} {sign} {operand_text(b)}"
        self._steps.append(f"{written} = {text_of(finite(result, written))}")
        return result

    def _take(self) -> str:
        taken = self._next.text
        self._next = next(self._tokens)
        return taken

    @contextmanager
    def _nested(self) -> Generator[None]:
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise ExpressionError(f"At character {self._next.position}: nested more than {MOST_NESTED} deep")
        yield
        self._depth -= 1

    def _problem(self, expected: str) -> ExpressionError:
        token = self._next
        found = "it ends" if token.text == _END else f"there is {token.text[:30]!r}"
        return ExpressionError(f"At character {token.position}: {found} where {expected} should be")
