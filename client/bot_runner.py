"""Stock bots for `mt-bot`: seated one after the other, each played to the end of one game."""

from collections.abc import Sequence
from functools import partial

import click
import trio
from mexican_train.protocol import GameOver, RoundOver, TableInfo

from .address import Address
from .bots import StrategyInfo, UnknownStrategyError, strategy
from .clean import clean
from .link import Link, LinkError, LinkNotice
from .sdk import BotError, Player, StrategyBot, numbered, with_free_name
from .stopping import until_stopped
from .words import count as counted

PROGRAM = "mt-bot"


def play_all(
    server: str,
    strategy_name: str,
    *,
    table: str | None = None,
    name: str | None = None,
    count: int = 1,
    seed: int | None = None,
) -> int:
    """Play one game with each of `count` bots; the exit code.

    Each bot that could not is told in a line on standard error. Raises click's `BadParameter`
    for a bad address or strategy.
    """
    try:
        info = strategy(strategy_name)
    except UnknownStrategyError as error:
        raise click.BadParameter(str(error), param_hint="--strategy") from None
    try:
        address = Address.parse(server)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="HOST") from None
    failures: list[str] = []

    async def work() -> int:
        async with trio.open_nursery() as nursery:
            for index in range(count):
                bot = TellingBot(info, None if seed is None else seed + index)
                names = _names(info.name, name, index, count)
                settled = trio.Event()
                nursery.start_soon(
                    partial(_play_one, table=table, settled=settled, failures=failures),
                    bot,
                    address,
                    names,
                )
                await settled.wait()
        return 1 if failures else 0

    exit_code = trio.run(until_stopped, work)
    for failure in failures:
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
            points = counted(event.scores[self._seat], "point")
            self.tell(f"round {event.round}: {points}, {event.totals[self._seat]} in all")

    def tell_end(self, ended: GameOver) -> None:
        """Tell the final place."""
        if self._seat is not None:
            points = counted(ended.totals[self._seat], "point")
            self.tell(f"place {ended.places[self._seat]} of {len(ended.places)}, {points}")


async def _play_one(
    bot: TellingBot,
    address: Address,
    names: Sequence[str],
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
        await with_free_name(address, names, game)
    except (LinkError, BotError) as error:
        failures.append(str(error))
    finally:
        settled.set()


def _names(strategy_name: str, name: str | None, index: int, count: int) -> list[str]:
    """The names that bot number `index` may use, in order."""
    if name is None:
        return numbered(strategy_name)
    return [name if count == 1 else f"{name}-{index + 1}"]
