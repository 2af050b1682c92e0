"""Plain functions: describing them may wait, since it is certain to succeed."""

import functools
import math
from collections.abc import Callable
from inspect import Parameter
from itertools import product
from threading import Barrier, Thread
from typing import Annotated, Any, Literal, NewType, NoReturn

import pytest
from everything_server import Context, Era, PromptSpec, Registries, ToolSpec
from everything_server.functions import Function, is_plain
from everything_server.prompts import compile_prompt
from everything_server.tools import compile_tool
from harness.plugins import load, plugin
from mcp.server.mcpserver.tools import Tool as SDKTool
from pydantic import AfterValidator, BaseModel, Field

NO_DEFAULT = Parameter.empty


class Opaque:
    """Something that JSON has no form for."""


class Model(BaseModel):
    text: str


def taking(annotation: Any, default: Any = NO_DEFAULT, name: str = "value") -> Callable[..., Any]:
    """A function with one parameter."""
    scope: dict[str, Any] = {}
    exec(f"def fn({name}): return ''", scope)
    fn = scope["fn"]
    fn.__annotations__ = {} if annotation is NO_DEFAULT else {name: annotation}
    fn.__defaults__ = None if default is NO_DEFAULT else (default,)
    return fn


PLAIN: dict[str, Callable[..., Any]] = {
    "no parameter": lambda: "",
    "text": taking(str),
    "a bounded number": taking(Annotated[int, Field(description="How many", ge=1, le=5)], 3),
    "a bounded share": taking(Annotated[float, Field(gt=0, lt=0.5)]),
    "a truth value": taking(bool, False),
    "one of some texts": taking(Annotated[Literal["a", "b"], Field(description="Which")], "a"),
    "a list": taking(list[str]),
    "a union": taking(int | str | None, None),
    "an annotation that is a text": taking("str"),
}


@pytest.mark.parametrize("what", PLAIN)
def test_what_plugins_mostly_take_is_plain(what: str) -> None:
    assert is_plain(PLAIN[what])


ANNOTATIONS: tuple[Any, ...] = (
    *(str, int, float, bool, bytes, None, Any, list, dict, object, NoReturn, Opaque, Model, Context, "NoSuchName", 3),
    *(Literal["a"], Literal["\ud800"], Literal[1], Literal[Era.MODERN], NewType("Name", str), NO_DEFAULT),
    *(list[str], list[Opaque], list[list[int]], list[str, int], dict[str, int], tuple[int, ...], set[str]),  # type: ignore[misc]
    *(str | None, str | Opaque, int | list[Opaque], Literal["a"] | Model, Callable[[], str]),
)
METADATA: tuple[Any, ...] = (
    *(Field(), Field(description="What"), Field(description="\ud800"), Field(title="Title"), Field(default=Opaque())),
    *(Field(ge=1), Field(ge=1.5), Field(lt=0, gt=2**70), Field(le=math.nan), Field(ge="a"), Field(multiple_of=2)),  # type: ignore[arg-type]
    *(Field(min_length=1), Field(pattern="("), Field(alias="other"), Field(discriminator="kind"), Field(exclude=True)),
    *(Field(json_schema_extra={"x-mcp-header": "two words"}), Field(json_schema_extra={"a": Opaque()})),  # type: ignore[dict-item]
    *(AfterValidator(str), Opaque(), "text"),
)
DEFAULTS: tuple[Any, ...] = (
    NO_DEFAULT,
    None,
    1,
    2**70,
    math.nan,
    math.inf,
    "a",
    "\ud800",
    Opaque(),
    Era.MODERN,
    Field(default=1),
    [],
)


NAMES = ("_private", "copy", "model_config", "self", "cls", "b\u00e9", "*rest", "**rest")
NO_FUNCTIONS: tuple[Any, ...] = (functools.partial(taking(str), "given"), Opaque, "text", None)


def test_whatever_is_plain_can_be_described(era: Era) -> None:
    annotated = [Annotated[annotation, item] for annotation, item in product(ANNOTATIONS[:8], METADATA)]
    functions = [taking(*pair) for pair in product((*ANNOTATIONS, *annotated), DEFAULTS)]
    functions += [taking(str, name=name) for name in NAMES]
    functions += [*NO_FUNCTIONS, functools.wraps(taking(Opaque))(lambda: "")]
    plain = [fn for fn in functions if is_plain(fn)]
    for fn in plain:
        compile_tool(ToolSpec(name="t", fn=fn), era).complete()
        prompt = compile_prompt(PromptSpec(name="p", fn=fn))
        assert [argument.name for argument in prompt.wire.arguments or ()] == list(Function(fn).parameters)
    assert len(plain) > 50


def test_a_plain_tool_is_described_when_first_asked_for_and_kept(era: Era, monkeypatch: pytest.MonkeyPatch) -> None:
    described: list[str] = []
    from_function = SDKTool.from_function

    def watched(fn: Callable[..., Any], name: str, **options: Any) -> SDKTool:
        described.append(name)
        return from_function(fn, name, **options)

    monkeypatch.setattr(SDKTool, "from_function", watched)
    doubtful, plain = ToolSpec(name="doubtful", fn=taking(Model)), ToolSpec(name="plain", fn=taking(str))
    registry = Registries(load([plugin("some.tools", doubtful, plain)]))(era)
    assert registry.capabilities.tools is not None
    assert described == ["doubtful"]
    assert registry.tools["plain"].wire is registry.tools["plain"].wire
    assert described == ["doubtful", "plain"]


def test_threads_that_first_ask_for_a_tool_at_once_are_told_the_same(era: Era) -> None:
    tool = compile_tool(ToolSpec(name="t", fn=taking(str)), era)
    together, shown = Barrier(4), list[Any]()

    def ask() -> None:
        together.wait()
        shown.append(tool.wire)

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(shown) == 4
    assert all(wire == shown[0] for wire in shown)
