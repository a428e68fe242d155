"""The log: nobody can fill it."""

from collections.abc import MutableMapping
from typing import Any

import pytest
import structlog
from mexican_train.server.logs import BAD_PEER, LINES_MAX, NO_ROOM, _Throttle


def test_a_flood_of_bad_peers_is_counted_and_not_written() -> None:
    """Five lines a minute and code; the rest is counted in the next minute's first line."""
    now = 100.0
    throttle = _Throttle(lambda: now)

    def write(code: str) -> MutableMapping[str, Any] | None:
        try:
            return throttle(None, "info", {"event": BAD_PEER, "code": code})
        except structlog.DropEvent:
            return None

    lines = [write("cut") for _ in range(40)]
    assert [line is not None for line in lines] == [True] * LINES_MAX + [False] * 35
    assert write("slow") is not None
    now += 59
    assert write("cut") is None
    now += 1
    assert write("cut") == {"event": BAD_PEER, "code": "cut", "more": 36}
    now += 60
    assert write("cut") == {"event": BAD_PEER, "code": "cut"}


def test_a_full_disk_is_told_a_few_times_a_minute() -> None:
    """Everybody tries again and again; the log may lie on that very disk."""
    now = 100.0
    throttle = _Throttle(lambda: now)

    def write() -> MutableMapping[str, Any] | None:
        try:
            return throttle(None, "error", {"event": NO_ROOM, "undone": 1})
        except structlog.DropEvent:
            return None

    assert [write() is not None for _ in range(7)] == [True] * LINES_MAX + [False] * 2
    now += 60
    assert write() == {"event": NO_ROOM, "undone": 1, "more": 2}


@pytest.mark.parametrize("event", ["round over", "session failed"])
def test_other_lines_all_get_through(event: str) -> None:
    """Only what every peer can bring about is throttled."""
    throttle = _Throttle(lambda: 0.0)
    for _ in range(20):
        assert throttle(None, "info", {"event": event}) == {"event": event}
