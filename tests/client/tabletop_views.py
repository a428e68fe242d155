"""A game of the engine as each seat sees it, without a server: for tests of strategies."""

from collections.abc import Callable, Sequence
from random import Random

from mexican_train.client import SeatView
from mexican_train.client.bots import Strategy
from mexican_train.engine import Deal, Deed, Game, Move, RuleSet, tile_ends, train_text
from mexican_train.protocol import Awaited, Choice, KnockOwed, OpenDouble, Train

NAMES = ("Ann", "Bo", "Cy", "Di", "Eve", "Finn", "Gro", "Hal", "Ida", "Jon")
AWAITED: dict[str, Awaited] = {
    "play": "play",
    "cover": "cover",
    "extra": "extra",
    "go_on": "go_on",
}
REST = {
    Deed.DRAW: Choice(do="draw"),
    Deed.PASS: Choice(do="pass"),
    Deed.DONE: Choice(do="done"),
    Deed.KNOCK: Choice(do="knock"),
}


def seat_view(game: Game, seat: int) -> SeatView:
    """What `seat` may see of a round in play."""
    state = game.round
    return SeatView(
        seat=seat,
        hand=[tile_ends(tile) for tile in state.hand(seat)],
        turn=0,
        deadline_ms=None,
        round=state.number,
        rounds=game.rounds,
        phase="play",
        max_pip=game.rules.number("set.max_pip"),
        engine=tile_ends(state.engine_tile),
        to_act=game.turn,
        awaited=AWAITED.get(state.awaited, ""),
        lap=state.lap,
        names=list(NAMES[: game.seats]),
        hand_counts=list(state.hand_counts),
        boneyard=state.boneyard_count,
        trains=[
            Train(
                train=train_text(each.train),
                owner=each.owner,
                open_end=each.open_end,
                tiles=list(each.line),
                marked=each.marked,
            )
            for each in state.trains
        ],
        open_doubles=[
            OpenDouble(
                train=train_text(each.train),
                tile=tile_ends(each.tile),
                seat=each.seat,
                binding=each.binding,
            )
            for each in state.open_doubles
        ],
        knocks=[KnockOwed(seat=each.seat, event=1, foul=each.foul) for each in state.knocks],
        scores=[list(row) for row in game.scores],
        totals=list(game.totals),
    )


def choice_of(move: Move) -> Choice:
    """A move of the engine as the wire offers it."""
    if move.deed is Deed.PLAY:
        return Choice(do="play", tile=tile_ends(move.tile), train=train_text(move.train))
    if move.deed is Deed.FOUL:
        return Choice(do="foul", seat=move.seat, event=1)
    return REST[move.deed]


def dealt(rules: RuleSet, seats: int, seed: int) -> Game:
    """A game at the first move of its first round."""
    game = Game.start(rules, seats, first_seat=seed % seats)
    game.begin_round(Deal.from_seed(rules, seats, seed.to_bytes(32, "big"), 1))
    return game


Watcher = Callable[[SeatView, Sequence[Choice]], None]


def play_round(
    game: Game, strategies: Sequence[Strategy], rng: Random, watch: Watcher | None = None
) -> tuple[int, ...]:
    """Play a round by one strategy a seat and return its scores.

    Whatever a strategy answers is applied, and must be among its choices. `watch` is shown every
    decision before it is taken.
    """
    while (seat := game.turn) is not None:
        moves = game.legal_moves(seat)
        move = moves[0]
        if len(moves) > 1 or watch is not None:
            view, choices = seat_view(game, seat), [choice_of(each) for each in moves]
            if watch is not None:
                watch(view, choices)
            move = moves[choices.index(strategies[seat](view, choices, rng))]
        game.apply(seat, move)
    return game.scores[-1]
