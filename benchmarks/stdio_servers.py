"""The servers that are compared over stdio: ours with all its plugins, and two that do nothing but echo."""

import sys
import sysconfig
from pathlib import Path
from typing import Final

OURS: Final = "everything-server"
BARE: Final = "bare MCPServer"

_HERE = Path(__file__).parent

COMMANDS: Final = {
    OURS: [str(Path(sysconfig.get_path("scripts"), "everything-server")), "stdio"],
    BARE: [sys.executable, str(_HERE / "bare_stdio_server.py")],
    "bare lowlevel Server": [sys.executable, str(_HERE / "bare_lowlevel_stdio_server.py")],
}
