"""From the options of `mt-client` to a person at a link: at a server, or at one of their own."""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import click
from mexican_train.protocol import AnyServerMessage, CreateTable, JoinTable, WatchTable

from .access import Access, access_to
from .address import Address
from .bots import UnknownStrategyError, strategy, strategy_names
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
from .modes import play, run_in_mode
from .person import Opening
from .texts import later, text, typed
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
            return run_in_mode(partial(_play_as, name, access, wish), wish.look)
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
        raise click.BadParameter(_no_strategy(error), param_hint="--strategy") from None
    return play_at_home(wish, _session)


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
    on_message: Callable[[AnyServerMessage], None] | None = None,
) -> int:
    hello = hello_for(name, seat_code=wish.seat_code, password=password)
    async with open_link(
        address, hello, tokens=tokens, open_stream=open_stream, on_message=on_message
    ) as link:
        return await play(link, opening, wish.look)


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
