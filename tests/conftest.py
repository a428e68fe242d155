"""What every test shares: the long counts behind `--full`, and how hypothesis searches.

A test asks `scale(100, 1000)` for its count, so that one switch decides for all of them.
"""

import gc
import os
from collections.abc import Iterator
from typing import Protocol

import pytest
from hypothesis import HealthCheck, settings


class Scale(Protocol):
    """Chooses a count: the first without `--full`, the second with it."""

    def __call__(self, default: int, full: int) -> int:
        """Return the count for this run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long counts")
    parser.addoption(
        "--update-screens", action="store_true", help="write the pictures of the full screen anew"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Load the profile that fits this run, unless `--hypothesis-profile` named one.

    In CI the examples are the same in every run, so that a change is judged by itself alone. No
    deadlines: the machine may be busy, and no test here is about time.
    """
    os.environ["MT_CLIENT_LANG"] = "en"  # whatever the locale of whoever runs them
    in_ci = bool(os.environ.get("CI"))
    built_in = settings.get_profile("default")
    settings.register_profile(
        "default",
        max_examples=50,
        deadline=None,
        derandomize=in_ci,
        database=None if in_ci else built_in.database,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.register_profile("full", settings.get_profile("default"), max_examples=1000)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("full" if config.getoption("--full") else "default")


@pytest.fixture(scope="session")
def scale(pytestconfig: pytest.Config) -> Scale:
    """Give the function that chooses between the usual and the long count."""
    is_full = bool(pytestconfig.getoption("--full"))
    return lambda default, full: full if is_full else default


@pytest.fixture(scope="session")
def update_screens(pytestconfig: pytest.Config) -> bool:
    """Whether the pictures in `tests/client/screens` are to be written instead of compared."""
    return bool(pytestconfig.getoption("--update-screens"))


@pytest.fixture(scope="module", autouse=True)
def _nothing_left_open() -> Iterator[None]:
    """Collect what a module left behind, so that its ResourceWarnings fail it and no later one."""
    yield
    gc.collect()
