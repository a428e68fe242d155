"""The stock strategies that need no rules: they pick from the list that the server sent.

A strategy is a pure function of what its seat sees, the choices, and a random source that it is
given; it keeps nothing between two calls, so that bots cannot share state by accident.
"""

from collections.abc import Sequence
from random import Random
from typing import Protocol

from mexican_train.protocol import Choice, Tile

from .view import SeatView


class Strategy(Protocol):
    """A pure choice."""

    def __call__(self, view: SeatView, choices: Sequence[Choice], rng: Random, /) -> Choice:
        """One of `choices`, which is never empty. All randomness comes from `rng`."""
        ...


def random_choice(view: SeatView, choices: Sequence[Choice], rng: Random, /) -> Choice:
    """Any choice, each as likely as the others."""
    del view
    return rng.choice(choices)


def greedy(view: SeatView, choices: Sequence[Choice], rng: Random, /) -> Choice:
    """The heaviest tile that can be laid; without one, to draw, then to end the turn.

    Nothing is left to chance: of tiles with equal pips the one with the higher high end goes
    first, and of several trains for it the first of: the own train, the Mexican Trains by
    number, the trains of others by seat.
    """
    del rng
    return min(choices, key=lambda choice: _greedy_rank(view.seat, choice))


_REST = {"draw": 1, "done": 2, "pass": 3, "knock": 4, "foul": 5}


def _greedy_rank(seat: int, choice: Choice) -> tuple[int, int, int, tuple[int, int]]:
    """Lower is better; two different choices never rank the same."""
    if choice.tile is None or choice.train is None:
        return (_REST.get(choice.do, 9), 0, 0, (0, choice.seat or 0))
    return (0, -sum(choice.tile), -max(choice.tile), train_rank(choice.train, seat))


def train_rank(train: str, seat: int | None) -> tuple[int, int]:
    """Where `train` stands for `seat`: the own one, then Mexican Trains, then those of others."""
    number = int(train[1:])
    if train.startswith("m"):
        return (1, number)
    return (0, number) if number == seat else (2, number)


def high_low(tile: Tile) -> Tile:
    """The tile with its higher end first, as it is written."""
    return (max(tile), min(tile))
