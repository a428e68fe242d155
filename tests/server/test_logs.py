"""The log: bad peers cannot fill it."""

from collections.abc import MutableMapping
from typing import Any

import pytest
import structlog
from mexican_train.server.logs import BAD_PEER, BAD_PEER_LINES_MAX, _Throttle


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
    assert [line is not None for line in lines] == [True] * BAD_PEER_LINES_MAX + [False] * 35
    assert write("slow") is not None
    now += 59
    assert write("cut") is None
    now += 1
    assert write("cut") == {"event": BAD_PEER, "code": "cut", "more": 36}
    now += 60
    assert write("cut") == {"event": BAD_PEER, "code": "cut"}


@pytest.mark.parametrize("event", ["round over", "session failed"])
def test_other_lines_all_get_through(event: str) -> None:
    """Only bad peers are throttled."""
    throttle = _Throttle(lambda: 0.0)
    for _ in range(20):
        assert throttle(None, "info", {"event": event}) == {"event": event}
