"""What others have: our distributions in an environment of their own, used by projects that are not ours."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from contract.published import ROOT, Published
from everything_server import Era
from everything_server.new_plugin import NewPluginError, write_plugin
from everything_server.testing import Received, RunningServer, ServerOptions

TOY = ROOT / "tests" / "data" / "toy-client-project"
GUIDE = ROOT / "docs" / "testing-your-client.md"

RUN = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


def test_a_project_tests_its_client_over_every_transport_and_in_both_eras(published: Published, tmp_path: Path) -> None:
    project = shutil.copytree(TOY, tmp_path / "toy-client-project")
    published.install(project)
    report = published.run(published.python, *RUN, cwd=project)
    assert re.search(r"^14 passed in", report, re.M), report


def test_the_tests_in_the_guide_pass(published: Published, tmp_path: Path) -> None:
    shown = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(shown) == 3
    for number, block in enumerate(shown):
        (tmp_path / f"test_shown_{number}.py").write_text(block)
    report = published.run(published.python, *RUN, "-W", "error", cwd=tmp_path)
    assert re.search(r"^10 passed in", report, re.M), report


def test_the_guide_explains_every_option_and_every_member() -> None:
    guide = GUIDE.read_text()
    rows = [cell for row in re.findall(r"^\|([^|]+)\|", guide, re.M) for cell in re.findall(r"\.?(\w+)", row)]
    public = {
        *(field.name for field in fields(ServerOptions)),
        *(name for name in (*vars(RunningServer), *vars(Received)) if not name.startswith("_")),
    }
    assert public - {"as_json", "from_json"} - set(rows) == set()


def test_a_new_plugin_is_installed_listed_and_passes_its_own_test(published: Published, tmp_path: Path) -> None:
    told = published.run("everything-server", "new-plugin", "toy-weather", cwd=tmp_path)
    assert told.splitlines()[:3] == [
        "everything-server-toy-weather/pyproject.toml",
        "everything-server-toy-weather/everything_server_toy_weather.py",
        "everything-server-toy-weather/test_toy_weather.py",
    ]
    project = tmp_path / "everything-server-toy-weather"
    published.install(project)
    rows = json.loads(published.run("everything-server", "plugins", "--json", cwd=tmp_path))
    (row,) = [row for row in rows if row["distribution"] == "everything-server-toy-weather"]
    assert row["name"] == "toy-weather.greet"
    assert row["status"] == "active"
    assert row["eras"] == [str(era) for era in Era]
    report = published.run(published.python, *RUN, cwd=project)
    assert re.search(r"^11 passed in", report, re.M), report


def test_what_new_plugin_writes_is_in_the_style_of_this_repository(tmp_path: Path) -> None:
    written = [str(path) for path in write_plugin("x", tmp_path) if path.suffix == ".py"]
    ruff, configuration = Path(sys.executable).with_name("ruff"), ("--config", ROOT / "pyproject.toml")
    for command in (("check", "--ignore", "D1"), ("format", "--check")):
        done = subprocess.run([ruff, *command, *configuration, *written], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_new_plugin_never_overwrites_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "everything-server-mine"
    folder.mkdir()
    mine = folder / "test_mine.py"
    mine.write_text("mine")
    with pytest.raises(NewPluginError, match=r"test_mine\.py is there already; nothing was written"):
        write_plugin("mine", tmp_path)
    assert [path.name for path in folder.iterdir()] == ["test_mine.py"]
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("name", ["", "Weather", "two words", "-x", "x-", "a--b", "1st", "../x", "x_y", "x" * 41])
def test_new_plugin_refuses_what_is_no_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(NewPluginError, match="is not a name for a plugin"):
        write_plugin(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_new_plugin_refuses_the_name_of_an_installed_distribution(tmp_path: Path) -> None:
    with pytest.raises(NewPluginError, match="everything-server-tools is the name of an installed distribution"):
        write_plugin("tools", tmp_path)


def test_new_plugin_says_where_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NewPluginError, match="cannot write .*file"):
        write_plugin("mine", tmp_path / "file")
