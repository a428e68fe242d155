"""From the options of `mt-client` to a person at a link: at a server, or at one of their own."""

import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

import click
import trio
from mexican_train.protocol import CreateTable, JoinTable, WatchTable

from .access import Access, access_to
from .address import Address
from .bots import UnknownStrategyError, strategy, strategy_names
from .command import Failure
from .link import (
    LinkError,
    RefusedError,
    StreamOpener,
    UntrustedError,
    hello_for,
    open_link,
)
from .person import Opening
from .plain import run_plain
from .solo import SOLO_TABLE, SoloError, private_server
from .stopping import until_stopped
from .texts import later, text, typed
from .tokens import FileTokens, MemoryTokens, TokenStore
from .wish import NAME_CHARS_MAX, Look, Wish

STDIN, STDOUT = 0, 1
COLUMNS_MIN, ROWS_MIN = 40, 10
"""A smaller terminal gets line mode."""

PROGRAM = "mt-client"


def play_at(wish: Wish) -> int:
    """A person at the server that `wish` names; the exit code.

    On a terminal another name is asked for where the wished one is taken, a password where one is
    wanted, and whether a new certificate is the right one. What goes wrong ends the program with
    one line and exit code 1, bad usage with 2.
    """
    access = access_to(wish.server or "", wish.access, program=PROGRAM)
    name, is_password_typed = wish.name, access.password is None
    while True:
        try:
            return _run(partial(_play_as, name, access, wish), wish)
        except UntrustedError as error:
            if not (error.is_new and sys.stdin.isatty()):
                raise Failure(error.text) from None
            access = _with_certificate(access, error.fingerprint)
        except RefusedError as error:
            if error.code == "name_taken":
                name = _another_name(name)
            elif error.code == "bad_password" and is_password_typed:
                access = _with_password(access)
            else:
                raise Failure(error.text) from None
        except LinkError as error:
            raise Failure(error.text) from None


def play_solo(wish: Wish) -> int:
    """A person on a private server with bots; the exit code.

    What the server finds wrong with the options is bad usage here too.
    """
    try:
        strategy(wish.strategy)
    except UnknownStrategyError as error:
        raise click.BadParameter(_no_strategy(error), param_hint="--strategy") from None
    try:
        return _run(partial(_solo_session, wish), wish)
    except SoloError as error:
        if error.is_usage:
            raise click.UsageError(str(error)) from None
        raise Failure(str(error)) from None
    except LinkError as error:
        raise Failure(error.text) from None


async def _play_as(name: str, access: Access, wish: Wish) -> int:
    return await _session(
        access.address,
        name,
        _opening(wish),
        FileTokens.of_user(),
        wish,
        password=access.password,
        open_stream=access.open_stream,
    )


async def _session(
    address: Address,
    name: str,
    opening: Opening,
    tokens: TokenStore,
    wish: Wish,
    *,
    password: str | None = None,
    open_stream: StreamOpener | None = None,
) -> int:
    hello = hello_for(name, seat_code=wish.seat_code, password=password)
    async with open_link(address, hello, tokens=tokens, open_stream=open_stream) as link:
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


def _no_strategy(error: UnknownStrategyError) -> str:
    parts = {"name": repr(error.name), "names": ", ".join(strategy_names())}
    if error.nearest is None:
        return text("There is no strategy {name}. Known: {names}.", **parts)
    return text(
        "There is no strategy {name}. Did you mean {nearest}? Known: {names}.",
        nearest=repr(error.nearest),
        **parts,
    )


def _with_password(access: Access) -> Access:
    """Ask for the server's password, without showing what is typed."""
    if not sys.stdin.isatty():
        raise Failure(access.wants_password)
    if access.password is not None:
        click.echo(text("That is not the password."))
    asked = text("Password of {address}", address=access.address)
    password: str = click.prompt(asked, hide_input=True)
    return replace(access, password=password)


_NEW_CERTIFICATE = later("""\
Nobody vouches for the certificate of {address};
that is usual for a private server. Its SHA-256 fingerprint is

  {fingerprint}

The host sees the same one where the server was started.
If it is another, somebody stands in between.""")


def _with_certificate(access: Access, fingerprint: str) -> Access:
    """Ask whether a certificate that nobody vouches for is the right one, and keep the answer."""
    click.echo(text(_NEW_CERTIFICATE, address=access.address, fingerprint=fingerprint))
    if not _is_confirmed(text("Is it the same, and shall it be kept")):
        raise Failure(text("nothing was sent to that server"))
    return replace(access, fingerprint=fingerprint)


def _is_confirmed(question: str) -> bool:
    """Ask until the answer is yes or no, in a word or its first letter; an empty one is no."""
    yes, no = ([form for word in typed(each) for form in (word[0], word)] for each in ("yes", "no"))
    while True:
        asked = f"{question} [{yes[0]}/{no[0].upper()}]"
        answer: str = click.prompt(asked, default="", show_default=False).strip().lower()
        if answer in yes:
            return True
        if not answer or answer in no:
            return False
        click.echo(text("Error: invalid input"))


def _another_name(name: str) -> str:
    if not sys.stdin.isatty():
        raise Failure(text("the name {name} is taken there; choose another with --name", name=name))
    click.echo(text("The name {name} is taken there.", name=name))
    while True:
        another: str = click.prompt(text("Another name")).strip()
        if 1 <= len(another) <= NAME_CHARS_MAX:
            return another
        click.echo(text("A name has 1 to {number} characters.", number=NAME_CHARS_MAX))
