"""What tests of whole distributions share: an environment that takes a while to make."""

import os

import pytest
from contract.installed import Installed, locked
from contract.published import Published


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The environment; it takes a while, so the processes of a parallel run share one."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    made = Installed(folder / "example-distribution")
    with locked(folder / "example-distribution.lock"):
        if not made.mark.exists():
            made.install()
    return made


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """An environment with our distributions as others have them; the processes of a parallel run share one."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    made = Published(folder / "published")
    with locked(folder / "published.lock"):
        if not made.mark.exists():
            made.make()
    return made
