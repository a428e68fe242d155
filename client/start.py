"""From the options of `mt-client` to a person at a link: at a server, or at one of their own."""

import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial

import click
import trio
from mexican_train.protocol import CreateTable, JoinTable, WatchTable

from .address import Address
from .bots import UnknownStrategyError, strategy
from .command import Failure
from .link import LinkError, RefusedError, hello_for, open_link
from .person import Opening
from .plain import run_plain
from .solo import SOLO_TABLE, SoloError, private_server
from .stopping import until_stopped
from .tokens import FileTokens, MemoryTokens, TokenStore
from .wish import NAME_CHARS_MAX, Look, Wish

STDIN, STDOUT = 0, 1
COLUMNS_MIN, ROWS_MIN = 40, 10
"""A smaller terminal gets line mode."""


def play_at(wish: Wish) -> int:
    """A person at the server that `wish` names; the exit code.

    On a terminal another name is asked for where the wished one is taken. What goes wrong ends
    the program with one line and exit code 1, a bad address with 2.
    """
    try:
        address = Address.parse(wish.server or "")
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="HOST") from None
    name = wish.name
    while True:
        try:
            opening, tokens = _opening(wish), FileTokens.of_user()
            work = partial(_session, address, name, opening, tokens, wish)
            return _run(work, wish)
        except RefusedError as error:
            if error.code != "name_taken":
                raise Failure(error.text) from None
            if not sys.stdin.isatty():
                raise Failure(
                    f"the name {name} is taken there; choose another with --name"
                ) from None
            name = _another_name(name)
        except LinkError as error:
            raise Failure(error.text) from None


def play_solo(wish: Wish) -> int:
    """A person on a private server with bots; the exit code.

    What the server finds wrong with the options is bad usage here too.
    """
    try:
        strategy(wish.strategy)
    except UnknownStrategyError as error:
        raise click.BadParameter(str(error), param_hint="--strategy") from None
    try:
        return _run(partial(_solo_session, wish), wish)
    except SoloError as error:
        if error.is_usage:
            raise click.UsageError(str(error)) from None
        raise Failure(str(error)) from None
    except LinkError as error:
        raise Failure(error.text) from None


async def _session(
    address: Address,
    name: str,
    opening: Opening,
    tokens: TokenStore,
    wish: Wish,
) -> int:
    hello = hello_for(name, seat_code=wish.seat_code)
    async with open_link(address, hello, tokens=tokens) as link:
        if has_screen(wish.look):
            from .screen import run_screen  # noqa: PLC0415 - line mode needs no prompt_toolkit

            return await run_screen(link, opening, wish.look)
        return await run_plain(link, opening=opening)


async def _solo_session(wish: Wish) -> int:
    opening = Opening(JoinTable(id=0, table=SOLO_TABLE), keeps_seat=False)
    async with private_server(
        bots=wish.bots, strategy=wish.strategy, rules=wish.rules, options=wish.options
    ) as address:
        return await _session(address, wish.name, opening, MemoryTokens(), wish)


def _run(work: Callable[[], Awaitable[int]], wish: Wish) -> int:
    """Run `work` in the loop that its mode needs; what it raises comes out bare."""
    if has_screen(wish.look):
        from .guest import run_as_guest  # noqa: PLC0415 - line mode needs no prompt_toolkit

        return run_as_guest(work)
    return trio.run(until_stopped, work)


def has_screen(look: Look) -> bool:
    """Whether the full screen is wanted, and this terminal can show it."""
    if look.plain or os.environ.get("TERM", "dumb") in ("", "dumb"):
        return False
    if not (os.isatty(STDIN) and os.isatty(STDOUT)):
        return False
    size = os.get_terminal_size(STDOUT)
    return size.columns >= COLUMNS_MIN and size.lines >= ROWS_MIN


def _opening(wish: Wish) -> Opening:
    if wish.create is not None:
        options = [*wish.options]
        return Opening(CreateTable(id=0, name=wish.create, rules=wish.rules, options=options))
    if wish.table is not None and wish.watch:
        return Opening(WatchTable(id=0, table=wish.table))
    return Opening(JoinTable(id=0, table=wish.table) if wish.table is not None else None)


def _another_name(name: str) -> str:
    click.echo(f"The name {name} is taken there.")
    while True:
        another: str = click.prompt("Another name").strip()
        if 1 <= len(another) <= NAME_CHARS_MAX:
            return another
        click.echo(f"A name has 1 to {NAME_CHARS_MAX} characters.")
