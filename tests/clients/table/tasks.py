"""Rows of the group `tasks`, for a client that does not know the extension: it gets results."""

from typing import Any, Final

from clients.matching import Beginning, Including, Matching
from clients.row import CANCEL, DECLINE, LEGACY, MODERN, Ask, Json, accept, call, failing, text

_STAGES: Final = ("Gathering sources", "Analyzing content", "Synthesizing findings", "Generating report")


def _clarification(answer: Json, **more: Any) -> Ask:
    choices = [Including(const=value) for value in ("programming", "snake", "comedy")]
    schema = Including(type="object", properties={"interpretation": Including(type="string", oneOf=choices)})
    params = {"mode": "form", "message": Matching(r".*python.*"), "requestedSchema": schema}
    return Ask(method="elicitation/create", params=params, answer=answer, **more)


def _ambiguous(identity: str, answer: Json, report: str, **more: Any) -> Any:
    arguments = {"topic": "python", "ambiguous": True}
    asks = (_clarification(answer), *more.pop("then", ()))
    return call(f"simulate-research-query{identity}", arguments, text(Matching(report)), asks=asks, **more)


ROWS: Final = (
    call(
        "simulate-research-query",
        {"topic": "cats"},
        text(Matching(r"(?s).*cats.*")),
        progress=Beginning(
            *({"progress": done, "total": 4, "message": stage} for done, stage in enumerate(_STAGES, 1))
        ),
    ),
    _ambiguous(":ambiguous", accept(interpretation="snake"), r"(?s).*python.*snake.*"),
    _ambiguous(":declined", DECLINE, r"(?s).*python.*declined.*"),
    _ambiguous(":cancelled", CANCEL, r"(?s).*python.*cancelled.*"),
    failing(
        "simulate-research-query:invalid",
        {"topic": "python", "ambiguous": True},
        Matching(r"The form was filled in wrongly:\n- interpretation: .+"),
        asks=(_clarification(accept(interpretation="cat")),),
        eras=LEGACY,
    ),
    _ambiguous(
        ":invalid and asked again",
        accept(interpretation="cat"),
        r"(?s).*python.*comedy.*",
        then=(_clarification(accept(interpretation="comedy")),),
        eras=MODERN,
    ),
)
