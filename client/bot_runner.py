"""Stock bots for `mt-bot`: seated one after the other, each played to the end of one game.

A bot keeps its resume token in the user's state folder until its game is over, so that one which
was killed takes its seat up again when the same command is typed again.
"""

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import click
import trio
from mexican_train.protocol import GameOver, RoundOver, TableInfo

from .access import Access, access_to
from .address import Address
from .bots import StrategyInfo, UnknownStrategyError, strategy
from .clean import clean
from .link import Link, LinkError, LinkNotice, RefusedError, StreamOpener, hello_for, open_link
from .sdk import (
    BotError,
    JoinDeclinedError,
    Player,
    StrategyBot,
    TableGoneError,
    numbered,
)
from .stopping import until_stopped
from .tokens import FileTokens
from .wish import AccessOptions
from .words import count_points

PROGRAM = "mt-bot"


def play_all(
    server: str,
    strategy_name: str,
    options: AccessOptions,
    *,
    table: str | None = None,
    name: str | None = None,
    count: int = 1,
    seed: int | None = None,
) -> int:
    """Play one game with each of `count` bots; the exit code.

    Each bot that could not is told in a line on standard error. Raises click's `BadParameter`
    for a bad address, password file, fingerprint or strategy.
    """
    try:
        info = strategy(strategy_name)
    except UnknownStrategyError as error:
        raise click.BadParameter(str(error), param_hint="--strategy") from None
    access = access_to(server, options, program=PROGRAM)
    failures: list[str] = []
    tokens = FileTokens.of_user()

    async def work() -> int:
        async with trio.open_nursery() as nursery:
            for index in range(count):
                bot = TellingBot(info, None if seed is None else seed + index)
                names = _names(info.name, name, index, count)
                settled = trio.Event()
                nursery.start_soon(
                    partial(_play_one, table=table, settled=settled, failures=failures),
                    bot,
                    access,
                    names,
                    tokens,
                )
                await settled.wait()
        return 1 if failures else 0

    exit_code = trio.run(until_stopped, work)
    for failure in dict.fromkeys(failures):
        click.echo(f"{PROGRAM}: {failure}", err=True)
    return exit_code


class TellingBot(StrategyBot):
    """A stock bot that prints what happens to it, a line each."""

    def __init__(self, info: StrategyInfo, seed: int | None = None) -> None:
        super().__init__(info, seed)
        self.name = info.name
        self._seat: int | None = None

    def tell(self, text: str) -> None:
        """Print a line with the bot's name in front."""
        click.echo(f"{clean(self.name)}: {text}")

    def on_table(self, table: TableInfo, seat: int | None) -> None:
        """Tell a new seat."""
        if seat is not None and seat != self._seat:
            self.tell(f"seated at {clean(table.name)}, seat {seat}")
        self._seat = seat

    def on_link(self, notice: LinkNotice) -> None:
        """Tell that the connection is lost or back."""
        self.tell(notice.text)

    def on_round_over(self, event: RoundOver) -> None:
        """Tell the scores of a round."""
        if self._seat is not None:
            points = count_points(event.scores[self._seat])
            self.tell(f"round {event.round}: {points}, {event.totals[self._seat]} in all")

    def tell_end(self, ended: GameOver) -> None:
        """Tell the final place."""
        if self._seat is not None:
            points = count_points(ended.totals[self._seat])
            self.tell(f"place {ended.places[self._seat]} of {len(ended.places)}, {points}")


async def _play_one(
    bot: TellingBot,
    access: Access,
    names: Sequence[str],
    tokens: FileTokens,
    *,
    table: str | None,
    settled: trio.Event,
    failures: list[str],
) -> None:
    """One game; `settled` is set once the bot has a seat, or will have none."""

    async def game(link: Link) -> None:
        bot.name = link.welcome.name
        player = Player(bot, link)
        await player.sit_down(table)
        settled.set()
        bot.tell_end(await player.play_game())

    try:
        await play_as_first_free(
            access.address,
            names,
            game,
            tokens,
            password=access.password,
            open_stream=access.open_stream,
        )
    except RefusedError as error:
        is_password_missing = access.password is None and error.code == "bad_password"
        failures.append(access.wants_password if is_password_missing else error.text)
    except (LinkError, BotError) as error:
        failures.append(str(error))
    finally:
        settled.set()


async def play_as_first_free(
    address: Address,
    names: Sequence[str],
    game: Callable[[Link], Awaitable[None]],
    tokens: FileTokens,
    *,
    password: str | None = None,
    open_stream: StreamOpener | None = None,
) -> None:
    """Run `game` on a link under the first of `names` that is free; it has its own token.

    Names with a stored token come first: a seat may wait for them. A name under which another
    `mt-bot` plays from this folder is not free. The token goes when there is no seat to come back
    to: after the game, or without a table. Raises what `open_link` and `game` raise, and
    `BotError` if no name is free.
    """
    reason = "there is no name to try"
    for name in await _known_first(address, names, tokens):
        with tokens.claim(address.place, name) as is_ours:
            if not is_ours:
                reason = f"another mt-bot plays as {name} here; choose another --name"
                continue
            try:
                await _play_as(
                    address, name, game, tokens, password=password, open_stream=open_stream
                )
            except RefusedError as error:
                if error.code != "name_taken":
                    raise
                reason = f"the name {name} is taken there; choose another with --name"
            else:
                return
    raise BotError(reason)


async def _play_as(
    address: Address,
    name: str,
    game: Callable[[Link], Awaitable[None]],
    tokens: FileTokens,
    *,
    password: str | None,
    open_stream: StreamOpener | None,
) -> None:
    hello = hello_for(name, kind="bot", program=PROGRAM, password=password)
    async with open_link(address, hello, tokens=tokens, open_stream=open_stream) as link:
        try:
            await game(link)
        except (JoinDeclinedError, TableGoneError):
            await _forget(link, tokens)
            raise
        await _forget(link, tokens)


async def _forget(link: Link, tokens: FileTokens) -> None:
    with contextlib.suppress(OSError):  # it will be refused, and no harm is done
        await tokens.forget(link.address.place, link.hello.name)


async def _known_first(address: Address, names: Sequence[str], tokens: FileTokens) -> list[str]:
    """`names`, those with a stored token before the others."""
    known = [name for name in names if await tokens.load(address.place, name) is not None]
    return [*known, *(name for name in names if name not in known)]


def _names(strategy_name: str, name: str | None, index: int, count: int) -> list[str]:
    """The names that bot number `index` may use, in order."""
    if name is None:
        return numbered(strategy_name)
    return [name if count == 1 else f"{name}-{index + 1}"]
