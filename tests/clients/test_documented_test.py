"""The test for Node.js in `docs/testing-your-client.md`, run as it stands there."""

import os
import re
import subprocess
from pathlib import Path

from harness.node import NodeProject
from harness.wire import COMMAND, clean_environment

GUIDE = Path(__file__).parents[2] / "docs" / "testing-your-client.md"


def test_the_test_for_node_passes(typescript: NodeProject, tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```js\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "client.test.mjs").write_text(shown, encoding="utf-8")
    (tmp_path / "node_modules").symlink_to(typescript.folder / "node_modules")
    path = os.pathsep.join([str(Path(COMMAND).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        [typescript.node, "--no-warnings", "--test", "--test-reporter=tap"],
        cwd=tmp_path,
        env=clean_environment(PATH=path, TMPDIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search("^# pass 1$", done.stdout, re.MULTILINE), done.stdout
