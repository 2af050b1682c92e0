"""A file that tells another program where this server listens."""

import json
import os
from pathlib import Path


class ReadyFile:
    """JSON with `url` and `pid`, which appears once connections are accepted.

    What an earlier server has left there goes away at once: whoever waits for the file must not get its address.

    Args:
        path: The file.

    Raises:
        OSError: It could not be written there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._draft = path.with_name(f"{path.name}.{os.getpid()}.new")
        path.unlink(missing_ok=True)
        self._draft.touch()
        self._draft.unlink()

    def write(self, url: str) -> None:
        """Say where the server listens, in one step: a file that is there is complete."""
        self._draft.write_text(json.dumps({"url": url, "pid": os.getpid()}) + "\n", encoding="utf-8")
        self._draft.replace(self._path)
