"""The log: lines for people by default, JSON on request, on standard error.

No word of a peer's gets in: numbers, codes and lengths only, no bytes either, since a bad frame may
hold a password or token. An error is told by its type and the places in the source, never by its
message, which may quote anything.
"""

import logging
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any, Final, Literal

import structlog

PLACES_MAX: Final = 8
BAD_PEER: Final = "bad peer"
NO_ROOM: Final = "no room to store anything"
LINES_MAX: Final = 5
"""A minute: lines about one code of bad peers, and about there being no room."""
MINUTE: Final = 60.0

Log = structlog.typing.FilteringBoundLogger


def make_log(form: Literal["text", "json"] = "text", level: str = "info") -> Log:
    """A logger of its own, bound to nothing global."""
    stamp = structlog.processors.TimeStamper(
        fmt="iso" if form == "json" else "%H:%M:%S", utc=form == "json"
    )
    last: Any = structlog.processors.JSONRenderer() if form == "json" else _as_text
    log: Log = structlog.wrap_logger(
        _StandardError(),
        processors=[_Throttle(), structlog.processors.add_log_level, stamp, last],
        wrapper_class=structlog.make_filtering_bound_logger(_level(level)),
    )
    return log


class _Throttle:
    """Lets a few lines through a minute about what every peer can bring about; then only counts.

    Whoever sends one bad frame after another must not fill the host's disk, nor may all who try
    again while it is full. What was counted stands as `more` in the next line of that kind.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[object, float] = {}
        self._lines: Counter[object] = Counter()

    def __call__(
        self, _log: object, _method: str, line: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        event = line.get("event")
        if event not in {BAD_PEER, NO_ROOM}:
            return line
        kind, now = (event, line.get("code")), self._clock()
        if now >= self._since.get(kind, -MINUTE) + MINUTE:
            more = self._lines.pop(kind, 0) - LINES_MAX
            self._since[kind] = now
            if more > 0:
                line["more"] = more
        self._lines[kind] += 1
        if self._lines[kind] > LINES_MAX:
            raise structlog.DropEvent
        return line


class _StandardError:
    """Writes lines. A log that nobody reads any more is no reason to stop serving."""

    def msg(self, line: str) -> None:
        """Write one line."""
        try:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()
        except (OSError, ValueError):
            return

    debug = info = warning = error = critical = msg


def _level(name: str) -> int:
    return logging.getLevelNamesMapping()[name.upper()]


def _as_text(_log: object, _method: str, line: MutableMapping[str, Any]) -> str:
    """`12:30:01 round over  table=table-1 round=3`, with the level where it is no plain news."""
    stamp, level, event = line.pop("timestamp"), line.pop("level"), line.pop("event")
    loud = "" if level == "info" else f"{level.upper()}: "
    values = " ".join(f"{key}={_value(value)}" for key, value in line.items())
    return f"{stamp} {loud}{event}" + (f"  {values}" if values else "")


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(str(each) for each in value)
    return str(value)


def told(error: BaseException) -> Mapping[str, object]:
    """An error for the log: its type, and where it was raised, innermost last."""
    if isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        return told(error.exceptions[0])
    frames = traceback.extract_tb(error.__traceback__)[-PLACES_MAX:]
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]
    return {"error": type(error).__name__, "places": places}
