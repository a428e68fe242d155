"""A game at home: against bots, or open to others; gone on with where it was left.

Nothing is resumed or given up without being said: on a terminal it is asked, elsewhere told by
`--resume` or `--new`. Without either a game that was left is let alone, and the new one not kept.
"""

import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

import click
import trio
from mexican_train.protocol import AnyServerMessage, JoinTable

from .access import access_to
from .address import DEFAULT_PORT, Address
from .asking import choose, is_at_terminal, when_words
from .command import Failure
from .kept import KeptGame, Note, TakenError, note_holder
from .link import LinkError
from .modes import run_in_mode
from .person import Opening
from .solo import (
    OPEN_TABLE,
    SOLO_TABLE,
    HomeTable,
    Opened,
    OpenServer,
    SoloError,
    join_lines,
    private_server,
    start_open_server,
)
from .stopping import until_stopped
from .texts import system_reason, text
from .tokens import FileTokens, MemoryTokens, TokenStore
from .wish import OpenOptions, Wish

PROGRAM = "mt-client"
BOTS = 3
OPEN_SEATS = 4
END_SECONDS = 15.0
"""Longer than a server takes to stop."""


class Session(Protocol):
    """A person at a server, from coming in to leaving; the exit code. Raises `LinkError`."""

    async def __call__(
        self,
        address: Address,
        name: str,
        opening: Opening,
        tokens: TokenStore,
        wish: Wish,
        *,
        password: str | None = None,
        on_message: Callable[[AnyServerMessage], None] | None = None,
    ) -> int:
        """Play."""


def play_at_home(wish: Wish, session: Session) -> int:
    """A game on a server of one's own; the exit code.

    What that server finds wrong with the options is bad usage here too.
    """
    try:
        if wish.opened is not None:
            return _play_open(wish, wish.opened, session)
        return _play_alone(wish, session)
    except SoloError as error:
        if error.is_usage:
            raise click.UsageError(str(error)) from None
        raise Failure(str(error)) from None
    except LinkError as error:
        raise Failure(error.text) from None


# --- alone --------------------------------------------------------------------------------


def _play_alone(wish: Wish, session: Session) -> int:
    kept = KeptGame.of_user("solo")
    try:
        with kept.claimed() as lock:
            return _play_kept(wish, session, kept, lock)
    except TakenError as taken:
        if wish.resume:
            raise Failure(text("process {pid} is playing that game", pid=taken.pid)) from None
        click.echo(text("Another mt-client is playing your kept game; this one is not kept."))
        return _run(wish, session)


def _play_kept(wish: Wish, session: Session, kept: KeptGame, lock: int | None) -> int:
    left = kept.unfinished()
    if left is None or not left.is_begun:
        _demand_nothing_to_resume(wish)
        return _play_new(wish, session, kept, lock)
    resume = wish.resume if wish.resume is not None else _asked(left)
    if resume is None:
        click.echo(text("{what} is kept; --resume takes it up.", what=_capital(words_of(left))))
        click.echo(text("This one is not kept; --new would give the other one up."))
        return _run(wish, session)
    if not resume:
        return _play_new(wish, session, kept, lock)
    click.echo(text("Going on with {what}.", what=words_of(left)))
    kept.begin(left)
    return _told(kept, _run(replace(wish, name=left.name), session, kept, lock))


def _play_new(wish: Wish, session: Session, kept: KeptGame, lock: int | None) -> int:
    """A new game in the place of what was kept, if anything can be kept."""
    with ExitStack() as stack:
        try:
            stack.enter_context(kept.anew())
        except OSError as error:
            click.echo(text("This game cannot be kept: {reason}.", reason=system_reason(error)))
            return _run(wish, session)
        kept.begin(Note(began=time.time(), name=wish.name))
        code = _run(wish, session, kept, lock)
        return _told(kept, code)


def _run(
    wish: Wish, session: Session, kept: KeptGame | None = None, lock: int | None = None
) -> int:
    return run_in_mode(partial(_alone, wish, session, kept, lock), wish.look)


async def _alone(wish: Wish, session: Session, kept: KeptGame | None, lock: int | None) -> int:
    """The private server and a person at it; `kept` None: in memory."""
    is_new = kept is None or not kept.is_left_unfinished
    bots = BOTS if wish.bots is None else wish.bots
    table = _table(wish, SOLO_TABLE, seats=bots + 1, bots=bots)
    database = None if kept is None else kept.database
    hands = None if kept is None else kept.hands
    opening = Opening(JoinTable(id=0, table=SOLO_TABLE), keeps_seat=False, hands=hands)
    tokens = MemoryTokens() if kept is None else kept.tokens
    async with private_server(table if is_new else None, database=database, lock=lock) as address:
        on_message = None if kept is None else kept.follow
        return await session(address, wish.name, opening, tokens, wish, on_message=on_message)


def _told(kept: KeptGame, code: int) -> int:
    if kept.is_left_unfinished:
        click.echo(text("The game is kept: mt-client --solo offers it the next time."))
    return code


# --- open to others -----------------------------------------------------------------------


def _play_open(wish: Wish, opened: OpenOptions, session: Session) -> int:
    kept = KeptGame.of_user("lan")
    try:
        with kept.claimed() as lock:
            server, note = _open(wish, opened, kept, lock)
    except TakenError:
        server, note = _still_open(wish, kept)
    options = replace(wish.access, password_file=_password_file(wish, note))
    access = access_to(str(server.address), options, program=PROGRAM)
    opening = Opening(JoinTable(id=0, table=OPEN_TABLE))
    play = partial(
        session,
        server.address,
        note.name,
        opening,
        FileTokens.of_user(),
        wish,
        password=access.password,
        on_message=kept.follow,
    )
    try:
        code = run_in_mode(play, wish.look)
    except LinkError:
        _part(kept, server, may_ask=False)
        raise
    is_stopped = code in (128 + signal.SIGTERM, 128 + getattr(signal, "SIGHUP", 0))
    _part(kept, server, may_ask=not is_stopped)
    return code


def _open(
    wish: Wish, opened: OpenOptions, kept: KeptGame, lock: int | None
) -> tuple[OpenServer, Note]:
    """Start a server that others may come to; it, and the note of its game."""
    left = kept.unfinished()
    if left is not None and left.is_begun:
        resume = wish.resume if wish.resume is not None else _asked(left)
        if resume is None:
            what = words_of(left)
            raise click.UsageError(text("{what} is unfinished: --resume or --new?", what=what))
    else:
        _demand_nothing_to_resume(wish)
        resume = False
    with ExitStack() as stack:
        if left is not None and resume:
            click.echo(text("Going on with {what}.", what=words_of(left)))
            note, table, port = left, None, Address.parse(left.address or "").port
        else:
            try:
                stack.enter_context(kept.anew())
            except OSError as error:
                reason = system_reason(error)
                raise Failure(text("no game can be kept here: {reason}", reason=reason)) from None
            note, table = Note(began=time.time(), name=wish.name), _open_table(wish, opened)
            port = opened.port if opened.port is not None else _usual_port()
        plan = Opened(
            port=port,
            name=text("{name}'s game", name=note.name),
            host=opened.host or note.host,
            password_file=_password_file(wish, note),
        )
        server = _started(table, plan, kept, lock)
        note_holder(lock, server.pid)
        note = replace(
            note,
            address=str(server.address),
            pid=server.pid,
            host=plan.host,
            password_file=None if plan.password_file is None else str(plan.password_file),
        )
        kept.begin(note)
    _tell_others(server)
    return server, note


def _password_file(wish: Wish, note: Note) -> Path | None:
    """What was named now, or when the game was opened first."""
    if wish.access.password_file is not None:
        return wish.access.password_file.absolute()
    return Path(note.password_file) if note.password_file is not None else None


def _open_table(wish: Wish, opened: OpenOptions) -> HomeTable:
    bots = wish.bots or 0
    seats = opened.seats or max(OPEN_SEATS, bots + 2)
    return _table(wish, OPEN_TABLE, seats=seats, bots=bots, start="ready")


def _started(table: HomeTable | None, plan: Opened, kept: KeptGame, lock: int | None) -> OpenServer:
    """The server, once it runs; where a signal came before, the program ends."""
    found: list[OpenServer] = []

    async def start() -> int:
        server = await start_open_server(
            table, plan, database=kept.database, log=kept.log, lock=lock
        )
        found.append(server)
        return 0

    code = trio.run(until_stopped, start)
    if not found:
        raise click.exceptions.Exit(code)
    return found[0]


def _still_open(wish: Wish, kept: KeptGame) -> tuple[OpenServer, Note]:
    """The server that was left running, and the note of its game."""
    note = kept.unfinished()
    if note is None or note.address is None or note.pid is None:
        raise Failure(text("another mt-client is just opening a game"))
    if wish.resume is False:
        raise Failure(text("your open game still runs, as process {pid}", pid=note.pid))
    click.echo(text("Your open game still runs."))
    kept.begin(note)
    server = OpenServer(Address.parse(note.address), note.pid, join_lines(kept.log))
    _tell_others(server)
    return server, note


def _tell_others(server: OpenServer) -> None:
    click.echo(text("Your game is open to others, who type:"))
    for line in server.join_lines:
        click.echo(f"  {line}")
    click.echo(text("The table is table-1; bots take what seats are free when you type start."))


def _part(kept: KeptGame, server: OpenServer, *, may_ask: bool) -> None:
    """Ask what becomes of the server; where nobody can be asked it is left."""
    if kept.is_free_after(0):
        return
    ends = False
    if may_ask and is_at_terminal():
        click.echo(text("Your game is open to others still."))
        answers = [text("leave it open; it ends when nobody has been there for ten minutes")]
        answers.append(text("end it; whoever is there is sent away"))
        try:
            ends = choose(answers) == len(answers)
        except click.Abort:
            click.echo()
    if not ends:
        click.echo(text("Your game stays open: {line}", line=f"mt-client {server.address}"))
        click.echo(text("To end it: kill {pid}", pid=server.pid))
        return
    with suppress(ProcessLookupError):
        os.kill(server.pid, signal.SIGTERM)
    if not kept.is_free_after(END_SECONDS):
        raise Failure(text("the server does not end; its process is {pid}", pid=server.pid))
    if kept.is_left_unfinished:
        click.echo(text("The game is kept: mt-client --open-to-lan offers it the next time."))


def _usual_port() -> int:
    """The port that nobody needs to type, if it is free; else 0."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", DEFAULT_PORT))
        except OSError:
            return 0
    return DEFAULT_PORT


# --- both ---------------------------------------------------------------------------------


def words_of(note: Note) -> str:
    """A game that was left, in words that fit into a sentence."""
    return text(
        "the game of {when}, round {round} of {rounds}",
        when=when_words(note.began),
        round=note.round,
        rounds=note.rounds,
    )


def _asked(left: Note) -> bool | None:
    """Whether the person wants to go on with `left`; None where nobody can be asked."""
    if not is_at_terminal():
        return None
    click.echo(text("You left {what}.", what=words_of(left)))
    answer = choose([text("go on with it"), text("begin a new game; the other one is given up")])
    if answer is None:
        raise click.exceptions.Exit(0)
    return answer == 1


def _demand_nothing_to_resume(wish: Wish) -> None:
    if wish.resume:
        raise Failure(text("there is no unfinished game to resume"))


def _table(wish: Wish, name: str, *, seats: int, bots: int, start: str = "full") -> HomeTable:
    return HomeTable(
        name=name,
        seats=seats,
        bots=bots,
        strategy=wish.strategy,
        rules=wish.rules,
        options=wish.options,
        start=start,
    )


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
