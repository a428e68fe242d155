"""The planner: keep the best line for the own train, and get rid of everything else first.

In this order: the plan's first tile where it closes the own train, or covers a double there; the
heaviest tile outside the plan on another train; the plan's next tile. It knows the table as its
seat sees it and the choices that the server sent, and no rules, so that it fits all of them.
Nothing is left to chance.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random

from mexican_train.protocol import Choice, Deed, Tile

from .chain import STEPS_MAX, TURNS_MAX, best_chain
from .explained import Explained, explained, tile_text, tiles_text
from .strategies import high_low, train_rank
from .view import SeatView

_SHORT_TURNS = 2
"""How far to plan where a turn has a tile for each open train: those rounds are short, and the
rest of a long line would stay in the hand (measured: 3 points a round better than all of it)."""
_OPEN_DOUBLE_PIPS = 12
"""What a double that one cannot cover is taken to cost: about the tile drawn for it."""


def planner(view: SeatView, choices: Sequence[Choice], rng: Random, /) -> Choice:
    """What `explain` chooses; `rng` is not used."""
    del rng
    return explain(view, choices).choice


def explain(view: SeatView, choices: Sequence[Choice]) -> Explained:
    """The planner's choice among `choices`, which must not be empty, and the reason for it.

    The same view and the same choices, in whatever order, give the same answer. The work is
    bounded whatever the hand, so that no time limit matters.
    """
    offered: dict[Deed, Choice] = {choice.do: choice for choice in reversed(choices)}
    if "knock" in offered:
        return explained(view, offered["knock"], "knock")
    fouls = [choice for choice in choices if choice.do == "foul"]
    if fouls:
        foul = min(fouls, key=lambda choice: choice.seat or 0)
        return explained(view, foul, "foul", **_named(view, foul.seat or 0))
    plays = [choice for choice in choices if choice.do == "play"]
    if not plays:
        return _without_play(view, offered)
    return _Decision(view, plays, offered.get("done")).best()


def _without_play(view: SeatView, offered: Mapping[Deed, Choice]) -> Explained:
    if "draw" in offered:
        return explained(view, offered["draw"], "draw" if view.hand else "draw_empty")
    if "pass" in offered:
        return explained(view, offered["pass"], "pass")
    return explained(view, offered["done"], "done")


def _named(view: SeatView, seat: int) -> dict[str, str | int]:
    return {"seat": seat, "name": view.names[seat]}


def _played(choice: Choice) -> Tile:
    """The tile of a play, the higher end first."""
    if choice.tile is None:
        raise ValueError("a play without a tile")
    return high_low(choice.tile)


def _is_double(tile: Tile) -> bool:
    return tile[0] == tile[1]


class _Decision:
    """One choice among plays. `stop` ends the turn instead, where that is offered."""

    def __init__(self, view: SeatView, plays: Sequence[Choice], stop: Choice | None) -> None:
        self.view = view
        self.plays = sorted(plays, key=self._order)
        self.stop = stop
        self.hand = [high_low(tile) for tile in view.hand]
        self.own = f"p{view.seat}"
        self.own_train = next(train for train in view.trains if train.train == self.own)

    def _order(self, choice: Choice) -> tuple[int, int, tuple[int, int]]:
        """Heavy tiles first, the own train first; no two plays are equal."""
        tile = _played(choice)
        return (-sum(tile), -tile[0], train_rank(choice.train or "", self.view.seat))

    # --- what it goes by ------------------------------------------------------------------

    @cached_property
    def turns(self) -> int:
        """How many turns to plan. Only where turns are long do several Mexican Trains start."""
        mexican = sum(train.owner is None for train in self.view.trains)
        return _SHORT_TURNS if mexican > 1 else TURNS_MAX

    @cached_property
    def plan(self) -> list[Tile]:
        """The best line for the own train."""
        line = best_chain(self.hand, self.own_train.open_end, turns=self.turns).tiles
        return [high_low(tile) for tile in line]

    @cached_property
    def next(self) -> Choice | None:
        """The play of the plan's first tile on the own train, if it is offered."""
        for choice in self.plays:
            if choice.train == self.own and _played(choice) in self.plan[:1]:
                return choice
        return None

    @cached_property
    def is_exempt(self) -> bool:
        """Whether a double laid now binds nobody, as far as the table shows it.

        So it is in a first lap with an open double that does not bind, and in one in which whole
        trains are built.
        """
        if self.view.lap > 1:
            return False
        plain = [tile for tile in self.own_train.tiles if not _is_double(tile)]
        return len(plain) > 1 or any(not each.binding for each in self.view.open_doubles)

    def cover(self, double: Tile) -> Tile | None:
        """The tile to cover `double` with: outside the plan if possible, the heaviest."""
        fitting = [tile for tile in self.hand if double[0] in tile and tile != double]
        return max(fitting, key=lambda tile: (tile not in self.plan, sum(tile)), default=None)

    def is_risky(self, tile: Tile) -> bool:
        """Whether it is a double that would stay open, and could still bind."""
        if not _is_double(tile) or self.is_exempt or self.cover(tile) is not None:
            return False
        laid = sum(tile[0] in other for train in self.view.trains for other in train.tiles)
        return laid + (tile[0] in self.view.engine) < self.view.max_pip

    def weight(self, tile: Tile) -> int:
        """Pips that leave the hand with `tile`, the cover of a double included."""
        cover = self.cover(tile) if _is_double(tile) else None
        risk = _OPEN_DOUBLE_PIPS if self.is_risky(tile) else 0
        return sum(tile) + (sum(cover) if cover is not None else 0) - risk

    # --- what it does ---------------------------------------------------------------------

    def best(self) -> Explained:
        """The first of the ways below that there is."""
        if len(self.hand) == 1:
            return explained(self.view, self.plays[0], "last_tile")
        counts = enumerate(self.view.hand_counts)
        near = [seat for seat, count in counts if count == 1 and seat != self.view.seat]
        # In the first lap somebody may be near the end while whole trains are built: the plan
        # then lays most.
        if near and self.view.lap > 1:
            return self.dump(near[0])
        return self.close() or self.shed() or self.go_on() or self.lose_least()

    def dump(self, near: int) -> Explained:
        """Somebody is about to go out: pips count now, the plan no more."""
        heaviest = max(
            self.plays,
            key=lambda choice: (self.weight(_played(choice)), _played(choice) not in self.plan),
        )
        if self.stop is not None and self.is_risky(_played(heaviest)):
            return explained(self.view, self.stop, "done_double")
        return explained(self.view, heaviest, "dump", **_named(self.view, near))

    def close(self) -> Explained | None:
        """The own train is open to others, by a marker or a double: go on there at once."""
        if self.next is None:
            return None
        if self.own_train.marked:
            return self._keeping(self.next, "close")
        if any(double.train == self.own for double in self.view.open_doubles):
            return self._keeping(self.next, "cover_own")
        return None

    def shed(self) -> Explained | None:
        """The heaviest tile outside the plan on another train."""
        spare = [choice for choice in self.plays if self._is_spare(choice)]
        if not spare:
            return None
        choice = max(spare, key=lambda choice: self.weight(_played(choice)))
        tile = _played(choice)
        if any(double.train == choice.train for double in self.view.open_doubles):
            return explained(self.view, choice, "cover")
        cover = self.cover(tile) if _is_double(tile) else None
        if cover is not None:
            return explained(self.view, choice, "shed_double", cover=tile_text(cover))
        if self.plan:
            return explained(self.view, choice, "shed", kept=tiles_text(self.plan))
        return explained(self.view, choice, "shed_any")

    def _is_spare(self, choice: Choice) -> bool:
        """Whether the play leaves the plan as it is, and no double that wants a tile of it."""
        tile = _played(choice)
        if choice.train == self.own or tile in self.plan or self.is_risky(tile):
            return False
        return not _is_double(tile) or self.cover(tile) not in self.plan

    def go_on(self) -> Explained | None:
        """The plan's first tile."""
        if self.next is None:
            return None
        if _is_double(_played(self.next)) and len(self.plan) > 1:
            return explained(self.view, self.next, "plan_double", cover=tile_text(self.plan[1]))
        return self._keeping(self.next, "plan")

    def lose_least(self) -> Explained:
        """The play after which most can still be laid; or the end of the turn, if that is more."""
        steps = max(50, STEPS_MAX // len(self.plays))
        losses = [self._loss(choice, steps) for choice in self.plays]
        least = min(losses)
        choice = self.plays[losses.index(least)]
        is_risky = self.is_risky(_played(choice))
        if self.stop is not None and least > 0:
            return explained(self.view, self.stop, "done_double" if is_risky else "done")
        if len(self.plays) == 1 and self.stop is None:
            return explained(self.view, choice, "only")
        if is_risky:
            return explained(self.view, choice, "double")
        return explained(self.view, choice, "least" if least > 0 else "free")

    def _loss(self, choice: Choice, steps: int) -> int:
        """Pips that have no way out of the hand after `choice`, more than before it."""
        tile, end = _played(choice), self.own_train.open_end
        if choice.train == self.own:
            end = tile[1] if end == tile[0] else tile[0]
        left = [other for other in self.hand if other != tile]
        after = best_chain(left, end, turns=self.turns, steps_max=steps).pips
        risk = _OPEN_DOUBLE_PIPS if self.is_risky(tile) else 0
        return sum(map(sum, self.plan)) - sum(tile) - after + risk

    def _keeping(self, choice: Choice, code: str) -> Explained:
        """The choice by the code, or by that for the plan's last tile."""
        if len(self.plan) == 1:
            return explained(self.view, choice, f"{code}_last")
        return explained(self.view, choice, code, kept=tiles_text(self.plan[1:]))
