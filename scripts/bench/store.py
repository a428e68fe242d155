"""Measure the durable store: a commit, commits in groups, and knowing all tables again.

The facts are those of real games through the lobby. A bare pwrite and fdatasync of one page stands
beside the single commit, a commit a move beside the groups, each in turn with the other.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from secrets import token_bytes
from typing import Any

import trio
from mexican_train.engine import RuleSet
from mexican_train.protocol import Draw as DrawTile
from mexican_train.protocol import Hello, JoinTable, Play, Update, decode_server
from mexican_train.protocol import Pass as PassTurn
from mexican_train.server import LIMITS, Lobby, LobbySettings, SqliteStore, TablePlan, TableSettings

SEATS = 4
PAGE = 4096
WARM_MOVES = 700
"""At two pages each, past the first checkpoint: from then on the WAL does not grow."""
US = 1e6
MS = 1e3
Facts = list[Any]


class Games:
    """Tables of four in one lobby; gives the facts of each move."""

    def __init__(self, tables: int) -> None:
        table = TableSettings(random_bytes=token_bytes, pace_seconds=0.0)
        self.settings = LobbySettings(table=table, limits=LIMITS, rules={}, strategies=("greedy",))
        self.lobby = Lobby(self.settings)
        self.opening: Facts = []
        self._ids = count(1)
        self._newest: dict[int, Update] = {}
        rules = RuleSet.preset("classic")
        self.players: list[list[int]] = []
        for number in range(tables):
            plan = TablePlan(name=f"table {number}", rules=rules)
            self.opening += self._follow(self.lobby.open_standing(plan, 0.0))
            self.players.append([self._enter(number, seat) for seat in range(SEATS)])

    def _enter(self, table: int, seat: int) -> int:
        hello = Hello(versions=(1, 1), kind="bot", name=f"seat {table} {seat}")
        admission: Any = self.lobby.hello(hello, 0.0)
        player: int = admission.player
        self.opening += self._follow(admission.effects)
        join = JoinTable(id=next(self._ids), table=f"table {table}")
        self.opening += self._follow(self.lobby.handle(player, join, 0.0))
        return player

    def _follow(self, effects: Iterable[Any]) -> Facts:
        """Keep the updates among these effects, and give the facts."""
        facts: Facts = []
        for effect in effects:
            facts += getattr(effect, "facts", ())
            payload = getattr(effect, "payload", None)
            if payload is not None:
                update = decode_server(payload)
                if isinstance(update, Update):
                    self._newest[effect.player] = update
        return facts

    def move(self, table: int) -> Facts:
        """The first choice of whoever is to act; no facts once the game is over."""
        for player in self.players[table]:
            update = self._newest[player]
            if not update.choices:
                continue
            choice, number = update.choices[0], next(self._ids)
            if choice.tile is not None and choice.train is not None:
                tile, train = choice.tile, choice.train
                command: Any = Play(id=number, turn=update.turn, tile=tile, train=train)
            else:
                kind = DrawTile if choice.do == "draw" else PassTurn
                command = kind(id=number, turn=update.turn)
            return self._follow(self.lobby.handle(player, command, 0.0))
        return []

    def moves(self, table: int) -> Iterator[Facts]:
        """The facts of one move after the other, to the end of the game."""
        while facts := self.move(table):
            yield facts


def percentile(values: list[float], share: float) -> float:
    """The value below which this share of all lie."""
    return sorted(values)[int(len(values) * share)]


def sync_seconds(folder: Path, times: int) -> float:
    """The median time of one pwrite and fdatasync of a page, inside a file that is long enough."""
    path = folder / "raw"
    path.write_bytes(bytes(PAGE * times))
    descriptor = os.open(path, os.O_RDWR)
    os.fsync(descriptor)
    spent = []
    for number in range(times):
        start = time.perf_counter()
        os.pwrite(descriptor, b"x" * PAGE, PAGE * number)
        os.fdatasync(descriptor)
        spent.append(time.perf_counter() - start)
    os.close(descriptor)
    return percentile(spent, 0.5)


async def single(folder: Path, moves: list[Facts], opening: Facts) -> float:
    """The median time of a move's commit, with one table, once the WAL is written over."""
    store = SqliteStore(folder / f"{time.time_ns()}.db")
    await store.load()
    await store.save(opening)
    for number in range(WARM_MOVES):
        await store.save(moves[number % len(moves)])
    spent = []
    for facts in moves:
        start = time.perf_counter()
        await store.save(facts)
        spent.append(time.perf_counter() - start)
    await store.aclose()
    return percentile(spent, 0.5)


async def together(
    folder: Path, moves: list[list[Facts]], opening: Facts, *, grouped: bool
) -> tuple[float, float, float]:
    """Moves a second with all tables at once, and the p50 and p99 of a move's wait."""
    store = SqliteStore(folder / f"{time.time_ns()}.db")
    await store.load()
    await store.save(opening)
    waiting: list[tuple[Facts, trio.Event]] = []
    spent: list[float] = []
    came = trio.Event()

    async def play(table: list[Facts]) -> None:
        for facts in table:
            start, stored = time.perf_counter(), trio.Event()
            waiting.append((facts, stored))
            came.set()
            await stored.wait()
            spent.append(time.perf_counter() - start)

    async def write() -> None:
        nonlocal came
        while True:
            await came.wait()
            came = trio.Event()
            while waiting:
                batch = waiting[:] if grouped else waiting[:1]
                del waiting[: len(batch)]
                await store.save([fact for facts, _ in batch for fact in facts])
                for _, stored in batch:
                    stored.set()
                await trio.lowlevel.checkpoint()

    began = time.perf_counter()
    async with trio.open_nursery() as writer:
        writer.start_soon(write)
        async with trio.open_nursery() as players:
            for table in moves:
                players.start_soon(play, table)
        seconds = time.perf_counter() - began
        writer.cancel_scope.cancel()
    await store.aclose()
    return len(spent) / seconds, percentile(spent, 0.5), percentile(spent, 0.99)


async def recovery(folder: Path, tables: int) -> tuple[float, float, int]:
    """Seconds to read whole games of many tables, and to know them again; how many moves."""
    games = Games(tables)
    moves = [facts for table in range(tables) for facts in games.moves(table)]
    path = folder / "recovery.db"
    store = SqliteStore(path)
    await store.load()
    await store.save([*games.opening, *(fact for facts in moves for fact in facts)])
    await store.aclose()
    start = time.perf_counter()
    store = SqliteStore(path)
    facts = await store.load()
    read = time.perf_counter()
    Lobby(games.settings).recover(facts, 0.0, 0.0)
    known = time.perf_counter()
    await store.aclose()
    return read - start, known - read, len(moves)


async def measure(folder: Path, alternations: int, moves: int) -> None:
    """Print the table."""
    one, many = Games(1), Games(16)
    alone = [facts for facts, _ in zip(one.moves(0), range(moves), strict=False)]
    each = [
        [facts for facts, _ in zip(many.moves(table), range(moves), strict=False)]
        for table in range(16)
    ]
    rows = []
    for _ in range(alternations):
        sync, commit = sync_seconds(folder, moves), await single(folder, alone, one.opening)
        group = await together(folder, each, many.opening, grouped=True)
        by_one = await together(folder, each, many.opening, grouped=False)
        rows.append((sync, commit, commit / sync, *group, by_one[0], group[0] / by_one[0]))
    sync, commit, ratio, rate, half, most, slow, gain = map(
        statistics.median, zip(*rows, strict=True)
    )
    print(f"  a page synced, p50                 {sync * US:10.0f} us")
    print(f"  a move's commit, one table, p50    {commit * US:10.0f} us")
    print(f"    against the page                 {ratio:10.2f}      goal: at most 2.5")
    print(
        f"  moves a second, 16 tables, grouped {rate:10.0f}"
        f"      p50 {half * MS:.2f} ms, p99 {most * MS:.2f} ms"
    )
    print(f"    with a commit each               {slow:10.0f}")
    print(f"    ratio                            {gain:10.1f}      goal: 3")
    read, known, played = await recovery(folder, 16)
    print(f"  16 whole games, {played} moves: read in {read:.2f} s, known again in {known:.2f} s")


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alternations", type=int, default=5)
    parser.add_argument("--moves", type=int, default=400, help="a table")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trio.run(measure, Path(folder), chosen.alternations, chosen.moves)


if __name__ == "__main__":
    main()
