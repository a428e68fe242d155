"""From the options of `mt-client` to a person at a link: at a server, or at one of their own."""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import click
import trio
from mexican_train.protocol import AnyServerMessage, CreateTable, JoinTable, WatchTable

from .access import Access, access_to
from .address import Address
from .bots import UnknownStrategyError, strategy
from .command import Failure
from .home import play_at_home
from .link import (
    LinkError,
    RefusedError,
    StreamOpener,
    UntrustedError,
    hello_for,
    open_link,
)
from .menu import offered
from .plain import Opening, run_plain
from .stopping import until_stopped
from .tokens import FileTokens, TokenStore
from .wish import NAME_CHARS_MAX, Wish

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
            return trio.run(until_stopped, partial(_play_as, name, access, wish))
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


def play_anywhere(wish: Wish) -> int:
    """A person at a terminal who named no server: wherever they choose; the exit code."""
    chosen = offered(wish)
    if chosen is None:
        return 0
    return play_solo(chosen.wish) if chosen.is_home else play_at(chosen.wish)


def play_solo(wish: Wish) -> int:
    """A person on a server of their own; the exit code."""
    try:
        strategy(wish.strategy)
    except UnknownStrategyError as error:
        raise click.BadParameter(str(error), param_hint="--strategy") from None
    return play_at_home(wish, _session)


async def _play_as(name: str, access: Access, wish: Wish) -> int:
    return await _session(
        access.address,
        name,
        _opening(wish),
        FileTokens.of_user(),
        seat_code=wish.seat_code,
        password=access.password,
        open_stream=access.open_stream,
    )


async def _session(
    address: Address,
    name: str,
    opening: Opening,
    tokens: TokenStore,
    *,
    seat_code: str | None = None,
    password: str | None = None,
    open_stream: StreamOpener | None = None,
    on_message: Callable[[AnyServerMessage], None] | None = None,
) -> int:
    hello = hello_for(name, seat_code=seat_code, password=password)
    async with open_link(
        address, hello, tokens=tokens, open_stream=open_stream, on_message=on_message
    ) as link:
        return await run_plain(link, opening=opening)


def _opening(wish: Wish) -> Opening:
    if wish.create is not None:
        options = [*wish.options]
        return Opening(CreateTable(id=0, name=wish.create, rules=wish.rules, options=options))
    if wish.table is not None and wish.watch:
        return Opening(WatchTable(id=0, table=wish.table))
    return Opening(JoinTable(id=0, table=wish.table) if wish.table is not None else None)


def _with_password(access: Access) -> Access:
    """Ask for the server's password, without showing what is typed."""
    if not sys.stdin.isatty():
        raise Failure(f"the server at {access.address} wants a password: --password-file PATH")
    if access.password is not None:
        click.echo("That is not the password.")
    password: str = click.prompt(f"Password of {access.address}", hide_input=True)
    return replace(access, password=password)


def _with_certificate(access: Access, fingerprint: str) -> Access:
    """Ask whether a certificate that nobody vouches for is the right one, and keep the answer."""
    click.echo(
        f"Nobody vouches for the certificate of {access.address};\n"
        "that is usual for a private server. Its SHA-256 fingerprint is\n\n"
        f"  {fingerprint}\n\n"
        "The host sees the same one where the server was started.\n"
        "If it is another, somebody stands in between."
    )
    if not click.confirm("Is it the same, and shall it be kept"):
        raise Failure("nothing was sent to that server")
    return replace(access, fingerprint=fingerprint)


def _another_name(name: str) -> str:
    if not sys.stdin.isatty():
        raise Failure(f"the name {name} is taken there; choose another with --name")
    click.echo(f"The name {name} is taken there.")
    while True:
        another: str = click.prompt("Another name").strip()
        if 1 <= len(another) <= NAME_CHARS_MAX:
            return another
        click.echo(f"A name has 1 to {NAME_CHARS_MAX} characters.")
