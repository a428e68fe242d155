"""Measure the planner: its line from 15 tiles and from any hand, and a whole choice.

CPU time, since the goals are about work and not about who else uses the machine. Each figure is
also given scaled to the machine on which the goals were set (17 µs for a shuffle of 90 ints).
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from mexican_train.client import SeatView, strategy
from mexican_train.client.bots import best_chain
from mexican_train.protocol import Choice, Tile, Train

if TYPE_CHECKING:
    from scripts.bench.shuffle import SHUFFLE_US
else:
    from shuffle import SHUFFLE_US


def whole_set(max_pip: int) -> list[Tile]:
    """All tiles of a set."""
    return [(high, low) for high in range(max_pip + 1) for low in range(high + 1)]


def any_hand(rng: Random) -> tuple[list[Tile], int]:
    """A hand of 1 to 40 tiles of any set, as far as it goes, and an end."""
    tiles = whole_set(rng.choice((6, 9, 12, 12, 15, 18)))
    size = min(rng.randint(1, 40), len(tiles))
    return rng.sample(tiles, size), rng.randint(0, 6)


def fifteen(rng: Random) -> tuple[list[Tile], int]:
    """15 tiles of a double-12 and an end."""
    return rng.sample(whole_set(12), 15), rng.randint(0, 12)


def decision(rng: Random) -> tuple[SeatView, list[Choice]]:
    """Any hand in front of five trains, with all that fits to choose from."""
    hand, end = any_hand(rng)
    names = ("p0", "p1", "p2", "p3", "m0")
    ends = dict(zip(names, (end, *(rng.randint(0, 6) for _ in range(4))), strict=True))
    view = SeatView(
        seat=0,
        hand=hand,
        turn=1,
        deadline_ms=None,
        round=1,
        rounds=13,
        phase="play",
        max_pip=18,
        engine=(12, 12),
        to_act=0,
        awaited="play",
        lap=2,
        names=["Ann", "Bo", "Cy", "Di"],
        hand_counts=[len(hand), 9, 9, 9],
        boneyard=20,
        trains=[
            Train(
                train=name,
                owner=int(name[1]) if name[0] == "p" else None,
                open_end=open_end,
                tiles=[(12, open_end)],
                marked=name in ("p1", "p2"),
            )
            for name, open_end in ends.items()
        ],
        open_doubles=[],
        knocks=[],
        scores=[],
        totals=[0] * 4,
    )
    choices = [
        Choice(do="play", tile=tile, train=name)
        for name, open_end in ends.items()
        for tile in hand
        if open_end in tile
    ]
    return view, choices or [Choice(do="draw")]


def times_us(calls: Sequence[Callable[[], object]]) -> list[float]:
    """Microseconds of CPU for each call."""
    times = []
    for call in calls:
        start = time.process_time_ns()
        call()
        times.append((time.process_time_ns() - start) / 1e3)
    return times


def shuffle_us(rng: Random) -> float:
    """CPU microseconds for one shuffle of 90 ints: the yardstick, by the same clock."""
    tiles = list(range(90))
    start = time.process_time_ns()
    for _ in range(2000):
        rng.shuffle(tiles)
    return (time.process_time_ns() - start) / 2000 / 1e3


def calls_of(what: str, hands: int) -> list[Callable[[], object]]:
    """The work of one row, on the same hands in each run."""
    rng = Random(1)
    choose = strategy("planner").choose
    if what == "choice":
        return [partial(choose, *decision(rng), rng) for _ in range(hands)]
    make = fifteen if what == "15 tiles" else any_hand
    return [partial(best_chain, *make(rng)) for _ in range(hands)]


def main() -> None:
    """Print p50 and p99 over the hands, of each hand's median in several alternations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--hands", type=int, default=2000)
    asked = parser.parse_args()
    goals = {
        "15 tiles": "p99 250 µs",
        "any hand": "p99 1,500 µs",
        "choice": "p99 5,000 µs (quick)",
    }
    calls = {what: calls_of(what, asked.hands) for what in goals}
    runs: dict[str, list[list[float]]] = {what: [] for what in goals}
    shuffles = []
    for _ in range(asked.runs):
        shuffles.append(shuffle_us(Random(1)))
        for what in goals:
            runs[what].append(times_us(calls[what]))
    scale = SHUFFLE_US / statistics.median(shuffles)
    print(f"{'µs':12}{'p50':>10}{'scaled':>10}{'p99':>10}{'scaled':>10}   goal, scaled")
    for what, goal in goals.items():
        times = sorted(map(statistics.median, zip(*runs[what], strict=True)))
        p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
        print(f"{what:12}{p50:10.0f}{p50 * scale:10.0f}{p99:10.0f}{p99 * scale:10.0f}   {goal}")
    print(f"shuffle of 90 ints: {statistics.median(shuffles):.1f} µs")


if __name__ == "__main__":
    main()
