"""Made-up weather, as structured content that is the same at every call."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field, WithJsonSchema

City = Literal["New York", "Chicago", "Los Angeles"]


WholeNumber = Annotated[int, WithJsonSchema({"type": "number"})]
"""Published as any number, which is what a client should be ready for."""

Temperature = Annotated[WholeNumber, Field(description="In the unit that people there use")]
Conditions = Annotated[str, Field(description="In words")]
Humidity = Annotated[WholeNumber, Field(description="Relative, in per cent")]


class Weather(BaseModel):
    """The weather in one place."""

    temperature: Temperature
    conditions: Conditions
    humidity: Humidity


class DayWeather(BaseModel):
    """The weather in one place on one day."""

    day: Annotated[int, Field(ge=1, description="1 is today")]
    temperature: Temperature
    conditions: Conditions
    humidity: Humidity


WEATHER: Final[dict[City, Weather]] = {
    "New York": Weather(temperature=33, conditions="Cloudy", humidity=82),
    "Chicago": Weather(temperature=36, conditions="Light rain / drizzle", humidity=82),
    "Los Angeles": Weather(temperature=73, conditions="Sunny / Clear", humidity=48),
}


def forecast(city: City, days: int) -> list[DayWeather]:
    """Each day a degree warmer and two points drier than the one before."""
    today = WEATHER[city]
    return [
        DayWeather(
            day=day,
            temperature=today.temperature + day - 1,
            conditions=today.conditions,
            humidity=today.humidity - 2 * (day - 1),
        )
        for day in range(1, days + 1)
    ]
