"""Measure the engine: rounds a second, playouts, copies, legal lists.

Double-12, four seats, random legal moves, all options of the preset honoured, a fresh deal for each
round. Each figure is CPU time and stands beside that of a `random.shuffle` of 90 ints in the same
moment; it is also given scaled to the machine on which the goals were set (17 µs a shuffle).
"""

import argparse
import gc
import random
import statistics
import time
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from mexican_train.engine import Deal, Game, Round, RuleSet, preset_names
from mexican_train.engine import play_out as engine_play_out

if TYPE_CHECKING:  # to the type checker by its path, at run time found beside this file
    from scripts.bench.shuffle import SHUFFLE_US, shuffle_us
else:
    from shuffle import SHUFFLE_US, shuffle_us

SEATS = 4
SERVER_COLLECTS = (50_000, 20, 100)
"""The thresholds of the garbage collector that `server/program.py` sets."""


def play_rounds(rules: RuleSet, rounds: int, seeds: "count[int]") -> float:
    """Rounds a second through `legal_moves` and `apply`, deal and events included."""
    chance = random.Random(1).random
    start = time.process_time()
    for _ in range(rounds):
        game = Game.start(rules, SEATS)
        game.begin_round(Deal.from_seed(rules, SEATS, next(seeds).to_bytes(32, "big"), 1))
        turn = game.turn
        while turn is not None:
            moves = game.legal_moves(turn)
            game.apply(turn, moves[int(chance() * len(moves))])
            turn = game.turn
    return rounds / (time.process_time() - start)


def fresh_round(rules: RuleSet, seed: int) -> Round:
    """A round at its first move."""
    game = Game.start(rules, SEATS)
    game.begin_round(Deal.from_seed(rules, SEATS, seed.to_bytes(32, "big"), 1))
    return game.round


def play_out(rules: RuleSet, rounds: int, seeds: "count[int]") -> float:
    """Rounds a second from copies of dealt rounds, played to the end without events."""
    chance = random.Random(1).random
    dealt = [fresh_round(rules, next(seeds)) for _ in range(20)]
    start = time.process_time()
    for index in range(rounds):
        engine_play_out(dealt[index % 20].copy(), chance)
    return rounds / (time.process_time() - start)


def mid_round(rules: RuleSet) -> Game:
    """A game 40 moves into its first round."""
    chance = random.Random(5)
    game = Game.start(rules, SEATS)
    game.begin_round(Deal.from_seed(rules, SEATS, bytes(32), 1))
    for _ in range(40):
        if game.turn is not None:
            game.apply(game.turn, chance.choice(game.legal_moves(game.turn)))
    return game


def call_us(call: Callable[[], object], times: int = 20_000) -> float:
    """Microseconds a call."""
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times * 1e6


def row(what: str, rate: float, shuffle: float, goal: str) -> str:
    """One line of the table: the raw figure, and the scaled one that the goal means."""
    return f"{what:34}{rate:10.0f}{rate * shuffle / SHUFFLE_US:10.0f}   {goal}"


def main() -> None:
    """Print the medians of several alternations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--presets", action="store_true", help="every preset, not classic alone")
    parser.add_argument(
        "--collector", choices=("server", "python"), default="server", help="its thresholds"
    )
    asked = parser.parse_args()
    if asked.collector == "server":
        gc.set_threshold(*SERVER_COLLECTS)
    seeds = count()
    print(f"{'':34}{'raw':>10}{'scaled':>10}   goal")
    for name in preset_names() if asked.presets else ("classic",):
        rules = RuleSet.preset(name)
        figures = [
            (
                play_rounds(rules, asked.rounds, seeds),
                play_out(rules, asked.rounds, seeds),
                shuffle_us(),
            )
            for _ in range(asked.runs)
        ]
        full, bare, shuffle = (statistics.median(column) for column in zip(*figures, strict=True))
        print(row(f"{name}: rounds a second", full, shuffle, "2,500, then 4,500"))
        print(row(f"{name}: playouts a second", bare, shuffle, "6,600"))
    game = mid_round(RuleSet.preset("classic"))
    state, turn = game.round, game.turn or 0
    for what, call, goal in (
        ("Round.copy()", state.copy, "under 3 µs"),
        ("legal list", lambda: game.legal_moves(turn), "under 1.5 µs"),
    ):
        times = statistics.median(call_us(call) for _ in range(asked.runs))
        print(f"{what:34}{times:8.2f}µs{times * SHUFFLE_US / shuffle:8.2f}µs   {goal}")
    print(f"shuffle of 90 ints: {shuffle:.1f} µs")


if __name__ == "__main__":
    main()
