"""Real programs keep their tokens, games and settings in a folder of the test run."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the folders of whoever runs the tests out of it."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("STATE", "DATA", "CONFIG"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        yield
