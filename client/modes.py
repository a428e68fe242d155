"""The full screen or line mode, as is wished for and as the terminal can show it."""

import os
from collections.abc import Awaitable, Callable

import trio

from .link import Link
from .person import Opening
from .plain import run_plain
from .stopping import until_stopped
from .wish import Look

STDIN, STDOUT = 0, 1
COLUMNS_MIN, ROWS_MIN = 40, 10
"""A smaller terminal gets line mode."""


def run_in_mode(work: Callable[[], Awaitable[int]], look: Look) -> int:
    """Run `work`, which may `play`, in the loop that its mode needs.

    What it raises comes out bare.
    """
    if has_screen(look):
        from .guest import run_as_guest  # noqa: PLC0415 - line mode needs no prompt_toolkit

        return run_as_guest(work)
    return trio.run(until_stopped, work)


async def play(link: Link, opening: Opening, look: Look) -> int:
    """A person at a link, until they stop; the exit code. Raises `LinkError` when it ends."""
    if has_screen(look):
        from .screen import run_screen  # noqa: PLC0415 - line mode needs no prompt_toolkit

        return await run_screen(link, opening, look)
    return await run_plain(link, opening=opening)


def has_screen(look: Look) -> bool:
    """Whether the full screen is wanted, and this terminal can show it."""
    if look.plain or os.environ.get("TERM", "dumb") in ("", "dumb"):
        return False
    if not (os.isatty(STDIN) and os.isatty(STDOUT)):
        return False
    size = os.get_terminal_size(STDOUT)
    return size.columns >= COLUMNS_MIN and size.lines >= ROWS_MIN
