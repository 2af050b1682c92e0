"""Who imports whom: layers, plugins and their core, and that each module can be imported by itself."""

import ast
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import everything_server
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
CORE = "everything_server"
PACKAGES = {
    package.name: package
    for folder in [ROOT / "core", *sorted(ROOT.glob("plugins/*/"))]
    for package in folder.glob("src/*")
    if (package / "__init__.py").is_file()
}

LAYERS = (
    # From the top. A module imports from lines below its own only. A package marked with a star has one line for all of
    # its modules; among themselves these may import each other, as long as there is no circle.
    {"__main__", "presets"},
    {"cli"},
    {"testing.*"},
    {"http_options"},
    {"options"},
    {"transports.*"},
    {"serving.*"},
    # How a server is made.
    {"server"},
    {"catalogue"},
    {"registry"},
    {"manager"},
    {"tools", "resources", "prompts", "completion", "input_required", "pagination", "asking", "settings"},
    {"functions", "selection", "request_state"},
    # What plugins see, and what they hand out.
    {"content.*"},
    {"context"},
    {"specs", "hookspecs"},
    {"extensions"},
    {"errors"},
    # What knows nothing of this server.
    {"eras", "clock", "randomness", "new_plugin", "capabilities", "discovery", "requirements"},
    {"plain", "schemas", "signals", "standard_streams", "version"},
    # The packages themselves, which load nothing.
    {"", "serving", "transports", "content", "testing"},
)

SDK = {"mcp", "mcp_types"}
FOR_PLUGINS = SDK | {"pydantic", "anyio", *sys.stdlib_module_names}


@dataclass(frozen=True)
class Module:
    name: str
    path: Path

    @property
    def in_package(self) -> str:
        """Its name without that of its package: `serving.stdio`, or nothing for the package itself."""
        return self.name.partition(".")[2]


@dataclass(frozen=True)
class Import:
    line: int
    module: str
    """The module that is named."""
    names: tuple[str, ...]
    """What is taken from it, if anything."""

    def targets(self, known: set[str]) -> set[str]:
        """The modules of ours that this imports; `from package import module` means the module."""
        inner = {f"{self.module}.{name}" for name in self.names} & known
        return inner or {self.module} & known


def modules_of(package: str) -> list[Module]:
    folder = PACKAGES[package]
    found = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        found.append(Module(".".join(parts[:-1] if parts[-1] == "__init__" else parts), path))
    return found


def imports_of(module: Module) -> Iterator[Import]:
    """Every import that is executed, in functions too; what only a type checker sees binds nobody."""

    def walk(node: ast.AST) -> Iterator[Import]:
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=orelse):
                for child in orelse:
                    yield from walk(child)
                return
            case ast.Import(names=names, lineno=line):
                yield from (Import(line, alias.name, ()) for alias in names)
            case ast.ImportFrom(level=0, module=str(name), names=names, lineno=line):
                yield Import(line, name, tuple(alias.name for alias in names))
            case ast.ImportFrom(lineno=line):
                raise AssertionError(f"{module.path}:{line}: relative imports hide what depends on what")
            case _:
                pass
        for child in ast.iter_child_nodes(node):
            yield from walk(child)

    return walk(ast.parse(module.path.read_text()))


MODULES = [module for package in PACKAGES for module in modules_of(package)]
NAMES = {module.name for module in MODULES}
CORE_MODULES = modules_of(CORE)
PLUGIN_MODULES = [module for module in MODULES if not module.name.startswith(CORE + ".") and module.name != CORE]


def library_of(package: str) -> set[str]:
    """The modules that a distribution's own package offers to others: what its `__init__` imports."""
    init = next(module for module in MODULES if module.name == package)
    return {package, *(target for found in imports_of(init) for target in found.targets(NAMES))}


def place_of(module: str) -> tuple[int, str]:
    """Where a module stands in `LAYERS`: the index of its line, and the entry that put it there."""
    for entry in (module, f"{module.rpartition('.')[0]}.*"):
        for index, layer in enumerate(LAYERS):
            if entry in layer:
                return index, entry
    raise AssertionError(f"{module} has no place in the layers")


def is_below(target: str, module: str) -> bool:
    lower, upper = place_of(target), place_of(module)
    return lower[0] > upper[0] or (lower == upper and lower[1].endswith(".*") and target != module)


def inner_imports(module: Module) -> dict[str, int]:
    """What a module of the core imports from the core, and in which line."""
    return {
        target.partition(".")[2]: found.line
        for found in imports_of(module)
        for target in found.targets(NAMES)
        if target.partition(".")[0] == CORE
    }


def by_name(module: Module) -> str:
    return module.name


@pytest.mark.parametrize("module", CORE_MODULES, ids=by_name)
def test_imports_of_the_core_point_downwards_only(module: Module) -> None:
    assert [
        f"line {line}: {target}"
        for target, line in inner_imports(module).items()
        if not is_below(target, module.in_package)
    ] == []


def test_imports_of_the_core_do_not_run_in_circles() -> None:
    graph = {module.in_package: set(inner_imports(module)) for module in CORE_MODULES}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


@pytest.mark.parametrize("module", [module for module in CORE_MODULES if ".serving." in module.name], ids=by_name)
def test_what_serves_knows_nothing_of_what_is_served(module: Module) -> None:
    """The serving entries take any factory; only the one module with ours in it may know how that makes a server."""
    allowed = {"server", "registry"} if module.in_package == "serving.factory" else set[str]()
    making = {"server", "registry", "manager", "specs", "functions", "tools", "resources", "prompts"}
    assert set(inner_imports(module)) & making <= allowed


@pytest.mark.parametrize("module", CORE_MODULES, ids=by_name)
def test_the_core_imports_no_plugin(module: Module) -> None:
    plugins = set(PACKAGES) - {CORE}
    assert [found for found in imports_of(module) if found.module.partition(".")[0] in plugins] == []


@pytest.mark.parametrize("module", PLUGIN_MODULES, ids=by_name)
def test_a_plugin_imports_the_public_core_the_sdk_and_the_standard_library_only(module: Module) -> None:
    """And what the plugins of its distribution share, which is no plugin and imports none."""
    common = f"{module.name.partition('.')[0]}.common"
    strangers: list[str] = []
    own = module.name.partition(".")[0]
    for found in imports_of(module):
        top = found.module.partition(".")[0]
        if found.targets(NAMES) <= library_of(own) and top == own:
            continue  # never a sibling feature, so that each can move into a distribution of its own
        if found.module == CORE:
            allowed = {*everything_server.__all__}
            strangers += [f"line {found.line}: {CORE}.{name}" for name in found.names if name not in allowed]
        elif found.module in PACKAGES and len(library_of(top)) > 1:
            continue  # what another distribution offers; that it is declared is tested below
        elif not (found.module.startswith((f"{CORE}.content.", f"{common}.")) or top in FOR_PLUGINS):
            strangers.append(f"line {found.line}: {found.module}")
    assert strangers == []


@pytest.mark.parametrize("module", PLUGIN_MODULES, ids=by_name)
def test_a_plugin_imports_no_private_name(module: Module) -> None:
    assert [
        found
        for found in imports_of(module)
        if any(part.startswith("_") for part in (*found.module.split("."), *found.names))
    ] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_a_distribution_declares_what_it_imports(package: str) -> None:
    """Directly, or, for a plugin, through the core, whose dependencies are part of what it offers."""
    known = {name.replace("-", "_") for name in declared_by(PACKAGES[package]) | declared_by(PACKAGES[CORE])}
    known |= {package, CORE, "pydantic_core", *sys.stdlib_module_names}  # pydantic pins its core to the one version
    undeclared = [
        f"{module.path.relative_to(ROOT)}:{found.line}: {found.module}"
        for module in modules_of(package)
        for found in imports_of(module)
        if found.module.partition(".")[0] not in known
    ]
    assert undeclared == []


def declared_by(package: Path) -> set[str]:
    project = tomllib.loads((package.parents[1] / "pyproject.toml").read_text())["project"]
    extras = [line for extra in project.get("optional-dependencies", {}).values() for line in extra]
    return {Requirement(line).name for line in [*project["dependencies"], *extras]}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_can_be_imported_alone_and_without_a_warning(package: str) -> None:
    names = [module.name for module in modules_of(package) if not module.name.endswith("__main__")]
    command = [sys.executable, "-W", "error", "-c", IMPORT_EACH_ALONE, *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}
    assert done.stderr == ""


# What others have provided stays loaded, which saves most of the time; of ours nothing does, so that a circle or a
# reliance on an earlier import shows.
IMPORT_EACH_ALONE = """
import importlib, json, sys
failures = {}
for name in sys.argv[1:]:
    for loaded in [loaded for loaded in sys.modules if loaded.startswith("everything_server")]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except BaseException as error:
        failures[name] = f"{type(error).__name__}: {error}"
print(json.dumps(failures))
"""


def test_the_core_runs_as_a_module() -> None:
    command = [sys.executable, "-W", "error", "-m", CORE, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"everything-server, version {everything_server.__version__}\n"


@pytest.mark.parametrize("statement", ["import everything_server", "import everything_server.cli"])
def test_what_needs_little_loads_little(statement: str) -> None:
    """Help, the version and whoever imports a small part must not wait for the SDK."""
    heavy = {"mcp", "mcp_types", "pydantic", "pluggy", "starlette", "uvicorn"}
    code = f"import sys; {statement}; sys.exit(' '.join({heavy!r} & set(sys.modules)) or None)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", everything_server.__all__)
def test_every_public_name_exists_and_is_that_of_its_module(name: str) -> None:
    shown = shown_to_type_checkers()
    assert getattr(everything_server, name) is getattr(import_module(shown[name]), name)


def test_type_checkers_are_shown_exactly_the_public_names() -> None:
    assert sorted(shown_to_type_checkers()) == everything_server.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        everything_server.no_such_name  # noqa: B018


def shown_to_type_checkers() -> dict[str, str]:
    """The names in the `if TYPE_CHECKING:` block of the package, and where each comes from."""
    tree = ast.parse((PACKAGES[CORE] / "__init__.py").read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert len(imports) == len(block.body)
    return {alias.asname or alias.name: node.module or "" for node in imports for alias in node.names}
