"""From the options of `mt-client` to a person at a link: at a server, or at one of their own."""

import sys
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
from .wish import NAME_CHARS_MAX, Wish


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
            work = partial(_session, address, name, opening, tokens, seat_code=wish.seat_code)
            return trio.run(until_stopped, work)
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
        return trio.run(until_stopped, partial(_solo_session, wish))
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
    *,
    seat_code: str | None = None,
) -> int:
    hello = hello_for(name, seat_code=seat_code)
    async with open_link(address, hello, tokens=tokens) as link:
        return await run_plain(link, opening=opening)


async def _solo_session(wish: Wish) -> int:
    opening = Opening(JoinTable(id=0, table=SOLO_TABLE), keeps_seat=False)
    async with private_server(
        bots=wish.bots, strategy=wish.strategy, rules=wish.rules, options=wish.options
    ) as address:
        return await _session(address, wish.name, opening, MemoryTokens())


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
