"""Numbers as JavaScript prints them."""

import math
import random
import struct

import pytest
from everything_server.content.numbers import Number, number_text
from pydantic import TypeAdapter, ValidationError

PRINTED = {
    # Whole numbers have no point, up to 21 digits.
    0.0: "0",
    1.0: "1",
    3.0: "3",
    -7.0: "-7",
    100.0: "100",
    123456789012345680000.0: "123456789012345680000",
    1e20: "100000000000000000000",
    999999999999999900000.0: "999999999999999900000",
    # From 1e21 on they have an exponent, with its sign.
    1e21: "1e+21",
    1.5e21: "1.5e+21",
    -1e21: "-1e+21",
    1e300: "1e+300",
    1.7976931348623157e308: "1.7976931348623157e+308",
    # Fractions are as short as they can be.
    0.1: "0.1",
    0.5: "0.5",
    -0.25: "-0.25",
    1.5: "1.5",
    100.25: "100.25",
    0.30000000000000004: "0.30000000000000004",
    3.141592653589793: "3.141592653589793",
    123456.789: "123456.789",
    2251799813685249.5: "2251799813685249.5",
    # Small ones have up to six zeros in front, and then an exponent.
    0.01: "0.01",
    0.0001: "0.0001",
    0.00001: "0.00001",
    0.000001: "0.000001",
    0.00000123: "0.00000123",
    0.0000012345678901234567: "0.0000012345678901234567",
    1e-7: "1e-7",
    1.23e-7: "1.23e-7",
    -1e-7: "-1e-7",
    1e-10: "1e-10",
    2.2250738585072014e-308: "2.2250738585072014e-308",
    5e-324: "5e-324",
}


@pytest.mark.parametrize(("value", "text"), PRINTED.items(), ids=PRINTED.values())
def test_a_double_is_printed_as_javascript_does(value: float, text: str) -> None:
    assert number_text(value) == text


def test_minus_zero_is_zero() -> None:
    assert number_text(-0.0) == "0"


@pytest.mark.parametrize("value", [0, -5, 10**21, 2**53 + 1, -(10**30), 123456789012345678901234567890])
def test_an_integer_is_printed_exactly_however_long(value: int) -> None:
    assert number_text(value) == f"{value:d}"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_cannot_be_printed(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        number_text(value)


def test_every_double_reads_back_as_itself() -> None:
    source = random.Random(20260728)
    doubles = [struct.unpack("<d", source.randbytes(8))[0] for _ in range(2000)]
    doubles += [source.randrange(1, 10**17) / 10 ** source.randrange(30) for _ in range(2000)]
    for value in doubles:
        if math.isfinite(value):
            text = number_text(value)
            assert float(text) == value, text
            assert text == text.lower().strip("+")
            assert not text.endswith(".")


@pytest.mark.parametrize("literal", ["3", "-0", "12345678901234567890123", "9007199254740993"])
def test_a_literal_without_fraction_and_exponent_arrives_as_an_exact_integer(literal: str) -> None:
    value = TypeAdapter(Number).validate_json(literal)
    assert isinstance(value, int)
    assert value == int(literal)


@pytest.mark.parametrize("literal", ["3.0", "1e2", "-0.0", "0.5"])
def test_any_other_literal_arrives_as_a_double(literal: str) -> None:
    value = TypeAdapter(Number).validate_json(literal)
    assert isinstance(value, float)
    assert value == float(literal)


@pytest.mark.parametrize("value", [None, "three", [1], {}], ids=repr)
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Number).validate_python(value)
