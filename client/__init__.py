"""The client's face: the SDK for bots, the link, the stock strategies.

A bot is a class with one method: `class Mine(Bot)` with `choose(self, view, choices)`, played by
`run(Mine(), "host:port")`. Names are loaded when they are first used, so that a program which
only prints its help loads neither trio nor msgspec.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mexican_train.protocol import Choice

    from .address import Address
    from .bots import (
        Strategy,
        StrategyInfo,
        UnknownStrategyError,
        explain,
        strategy,
        strategy_names,
    )
    from .bots.view import SeatView, seat_view
    from .bots.view import SeatView as View
    from .command import ExampleCommand, ExampleGroup, Failure
    from .entries import ENTRY_WORDS
    from .link import (
        EndedError,
        Link,
        LinkError,
        LinkNotice,
        RefusedError,
        UnreachableError,
        UntrustedError,
        hello_for,
        open_link,
    )
    from .model import Model
    from .passwords import PasswordFileError, read_password_file
    from .pins import FilePins
    from .render import events_lines, hand_lines, position_lines
    from .screen import Terminal
    from .sdk import (
        Bot,
        BotError,
        JoinDeclinedError,
        MoveDeclinedError,
        StrategyBot,
        TableGoneError,
        play,
        run,
        seat_bot,
    )
    from .tls import stream_opener
    from .tokens import FileTokens, MemoryTokens, TokenStore

__all__ = [
    "ENTRY_WORDS",
    "Address",
    "Bot",
    "BotError",
    "Choice",
    "EndedError",
    "ExampleCommand",
    "ExampleGroup",
    "Failure",
    "FilePins",
    "FileTokens",
    "JoinDeclinedError",
    "Link",
    "LinkError",
    "LinkNotice",
    "MemoryTokens",
    "Model",
    "MoveDeclinedError",
    "PasswordFileError",
    "RefusedError",
    "SeatView",
    "Strategy",
    "StrategyBot",
    "StrategyInfo",
    "TableGoneError",
    "Terminal",
    "TokenStore",
    "UnknownStrategyError",
    "UnreachableError",
    "UntrustedError",
    "View",
    "events_lines",
    "explain",
    "hand_lines",
    "hello_for",
    "open_link",
    "play",
    "position_lines",
    "read_password_file",
    "run",
    "seat_bot",
    "seat_view",
    "strategy",
    "strategy_names",
    "stream_opener",
]

_HOMES = {
    ".address": ("Address",),
    ".bots": (
        "Strategy",
        "StrategyInfo",
        "UnknownStrategyError",
        "explain",
        "strategy",
        "strategy_names",
    ),
    ".command": ("ExampleCommand", "ExampleGroup", "Failure"),
    ".entries": ("ENTRY_WORDS",),
    ".link": (
        "EndedError",
        "Link",
        "LinkError",
        "LinkNotice",
        "RefusedError",
        "UnreachableError",
        "UntrustedError",
        "hello_for",
        "open_link",
    ),
    ".model": ("Model",),
    ".render": ("events_lines", "hand_lines", "position_lines"),
    ".passwords": ("PasswordFileError", "read_password_file"),
    ".pins": ("FilePins",),
    ".screen": ("Terminal",),
    ".sdk": (
        "Bot",
        "BotError",
        "JoinDeclinedError",
        "MoveDeclinedError",
        "StrategyBot",
        "TableGoneError",
        "play",
        "run",
        "seat_bot",
    ),
    ".tls": ("stream_opener",),
    ".tokens": ("FileTokens", "MemoryTokens", "TokenStore"),
    ".bots.view": ("SeatView", "seat_view"),
    "mexican_train.protocol": ("Choice",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a name of the face from its home. `View` is the short name of `SeatView`."""
    original = "SeatView" if name == "View" else name
    if original not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    loaded = getattr(importlib.import_module(_HOME_OF[original], __name__), original)
    globals()[name] = loaded
    return loaded


def __dir__() -> list[str]:
    return sorted(__all__)
