"""A table laid out by hand, moves written as text, and what happened told in short sentences.

The tests of the rules read like a game at a table: `table` lays out hands, `play` makes moves,
`choices`, `line`, `hand` and `marked` say what then lies there. Everything goes through the
engine's public face.
"""

from collections.abc import Iterable, Sequence
from copy import copy

import pytest
from mexican_train.engine import (
    DONE,
    Deal,
    DoubleCovered,
    DoubleLapsed,
    DoubleOpened,
    EngineLaid,
    Event,
    FoulCalled,
    Game,
    GameEnded,
    IllegalMove,
    Knocked,
    MarkerRemoved,
    MarkerSet,
    Move,
    OneTileLeft,
    Passed,
    Reason,
    Round,
    RoundBlocked,
    RoundEnded,
    RoundStarted,
    RuleSet,
    SearchDrew,
    TileDrawn,
    TileLaid,
    TurnSkipped,
    WentOut,
    parse_option,
    parse_tile,
    preset_names,
    tile_text,
    train_text,
)

SMALL = "set.max_pip=6"

# Which preset has what, by the table of the rules page, section 4, typed by hand.
ALL = preset_names()
DRAW_SELF = ("classic", "boxcar", "official", "pagat", "tournament", "deluxe", "nm")
"""The doubler draws for the extra tile and is marked if it has none."""
ANYWHERE = ("reference", "official", "pagat")
"""The extra tile may go anywhere."""
ANY_PLAY = ("bernie", "deluxe")
"""A tile anywhere takes the marker off."""
MUST_COVER_LAST = ("tournament", "deluxe")
"""A last double must be covered."""
KNOCKERS = ("bernie", "spruce", "nm")
"""The last tile is knocked for."""
BUILDERS = ("pagat", "spruce")
"""The first lap builds trains, and is finished."""


def but(*presets: str) -> list[str]:
    """Every preset but these."""
    return [preset for preset in ALL if preset not in presets]


# In `walk(game, *LAY_BLANKS)` all blanks but 0-0 come to lie on p0 and p1, seat 1 beginning.
# Seat 0 is then to act and holds 0-0.
BLANKS = {
    0: "6-0 1-0 2-1 2-0 0-0",
    1: "6-3 3-0 5-0 5-4 4-0",
}
LAY_BLANKS = (
    "1 6-3>p1", "0 6-0>p0", "1 3-0>p1", "0 1-0>p0", "1 5-0>p1",
    "0 2-1>p0", "1 5-4>p1", "0 2-0>p0", "1 4-0>p1",
)  # fmt: skip


def rules(preset: str = "classic", *options: str) -> RuleSet:
    """A preset with a double-6 set and some options changed, as `KEY=VALUE`."""
    changed = dict(parse_option(option) for option in (SMALL, *options))
    return RuleSet.preset(preset).with_options(changed)


def deal(hands: Sequence[str], boneyard: str = "", engine: str = "6-6") -> Deal:
    """A deal written as tiles; the tiles in no hand and not in the boneyard are in no play."""
    return Deal.fixed([tiles(hand) for hand in hands], tiles(boneyard), parse_tile(engine))


def tiles(text: str) -> list[int]:
    """The tiles of `6-5 4-4`, in that order."""
    return [parse_tile(each) for each in text.split()]


def table(
    preset: str,
    *options: str,
    hands: Sequence[str],
    boneyard: str = "",
    engine: str = "6-6",
    first_seat: int = 0,
) -> Game:
    """A game in its first round, as dealt.

    The set is a double-6 unless `options` say otherwise, and `game.players` is as wide as it
    may be. Where the engine is dealt (`engine.source` held) and stands in no hand, the first seat
    is given it, so that the first seat begins by every preset.
    """
    chosen = rules(preset, "game.players=2-14", "deal.hand_size=3", *options)
    dealt = list(hands)
    everywhere = f"{' '.join(hands)} {boneyard}".split()
    if chosen["engine.source"] == "held" and engine not in everywhere:
        dealt[first_seat] += f" {engine}"
    game = Game.start(chosen, len(hands), first_seat=first_seat)
    game.begin_round(deal(dealt, boneyard, engine))
    return game


def play(game: Game, *moves: str) -> list[str]:
    """Make moves written `0 6-5>p0`, `1 draw` or `2 skip`; what happened, told."""
    events: list[Event] = []
    for written in moves:
        seat, _, move = written.partition(" ")
        happened = (
            game.skip(int(seat)) if move == "skip" else game.apply(int(seat), Move.parse(move))
        )
        events.extend(happened)
    return told(events)


def walk(game: Game, *moves: str) -> None:
    """Make moves as `play` does, and say `done` for each seat that could go on and does not.

    So the same walk leads through every preset, whatever a turn may hold there.
    """
    for written in moves:
        seat, _, move = written.partition(" ")
        _say_done(game, unless=int(seat))
        if move == "skip":
            game.skip(int(seat))
        else:
            game.apply(int(seat), Move.parse(move))
    _say_done(game)


def _say_done(game: Game, unless: int = -1) -> None:
    seat = game.turn
    if seat is not None and seat != unless and DONE in game.legal_moves(seat):
        game.apply(seat, DONE)


def choices(game: Game, seat: int | None = None) -> set[str]:
    """What `seat` may do now; without one, the seat to act."""
    asked = game.turn if seat is None else seat
    return set() if asked is None else {str(move) for move in game.legal_moves(asked)}


def why_not(game: Game, seat: int, move: str) -> Reason:
    """The reason against a move, as `explain` and `apply` give it alike."""
    explained = game.explain(seat, Move.parse(move))
    with pytest.raises(IllegalMove) as refused:
        game.apply(seat, Move.parse(move))
    assert refused.value.reason == explained
    return refused.value.reason


def hand(game: Game, seat: int) -> set[str]:
    """The tiles of a seat."""
    return {tile_text(each) for each in game.round.hand(seat)}


def boneyard(game: Game) -> str:
    """The tiles left to draw, the next one first."""
    return " ".join(tile_text(each) for each in game.round.boneyard_left)


def marked(game: Game) -> set[int]:
    """The seats whose train is marked."""
    return {train.train for train in game.round.trains if train.marked}


def line(game: Game, train: str) -> str:
    """The tiles of a train from the engine outward, each with its inward end first."""
    for each in game.round.trains:
        if train_text(each.train) == train:
            return " ".join(f"{inward}-{outward}" for inward, outward in each.line)
    raise AssertionError(f"there is no train {train}")


def trains(game: Game) -> list[str]:
    """The names of the trains there are."""
    return [train_text(each.train) for each in game.round.trains]


def open_doubles(game: Game) -> list[str]:
    """The uncovered doubles, the oldest first, as `5-5 on p0`."""
    return [
        f"{tile_text(each.tile)} on {train_text(each.train)}" for each in game.round.open_doubles
    ]


def knocks(game: Game) -> dict[int, bool]:
    """By seat that owes a knock, whether it may be called foul now."""
    return {debt.seat: debt.foul for debt in game.round.knocks}


def twin(game: Game) -> Game:
    """An independent game in the same state: its round is a `Round.copy`."""
    other = copy(game)
    for name, value in vars(game).items():
        if isinstance(value, list):
            setattr(other, name, [list(each) if isinstance(each, list) else each for each in value])
    if game.phase != "deal":
        other._round = game.round.copy()
    return other


def snapshot(game: Game) -> dict[str, object]:
    """Everything that a game keeps, as values that later moves do not change."""
    kept = {name: _frozen(value) for name, value in vars(game).items() if name != "_round"}
    return kept if game.phase == "deal" else kept | snapshot_of_round(game.round)


def snapshot_of_round(state: Round) -> dict[str, object]:
    """Every slot of a round, as a value."""
    return {slot: _frozen(getattr(state, slot)) for slot in Round.__slots__}


def _frozen(value: object) -> object:
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value


def told(events: Iterable[Event]) -> list[str]:
    """What happened, a short sentence an event."""
    return [tell(event) for event in events]


def tell(event: Event) -> str:
    """One event as a short sentence."""
    match event:
        case RoundStarted(number, _, counts, left):
            hands = ",".join(map(str, counts))
            return f"round {number} starts, hands {hands}, boneyard {left}"
        case SearchDrew(seat, tile):
            return f"{seat} draws {tile_text(tile)} in search"
        case EngineLaid(None, tile, first):
            return f"engine {tile_text(tile)} set aside, {first} first"
        case EngineLaid(seat, tile, first):
            return f"engine {tile_text(tile)} from {seat}, {first} first"
        case TileLaid(seat, tile, train, end):
            return f"{seat} lays {tile_text(tile)} on {train_text(train)}, end {end}"
        case TileDrawn(seat, tile):
            return f"{seat} draws {tile_text(tile)}"
        case Passed(seat):
            return f"{seat} passes"
        case TurnSkipped(seat):
            return f"{seat} is skipped"
        case MarkerSet(seat):
            return f"{seat} is marked"
        case MarkerRemoved(seat):
            return f"{seat} is unmarked"
        case DoubleOpened(_, train, tile):
            return f"{tile_text(tile)} on {train_text(train)} is open"
        case DoubleCovered(_, train, tile):
            return f"{tile_text(tile)} on {train_text(train)} is covered"
        case DoubleLapsed(train, tile, reason):
            return f"{tile_text(tile)} on {train_text(train)} lapses: {reason}"
        case _:
            return _tell_the_rest(event)


def _tell_the_rest(event: Event) -> str:
    match event:
        case OneTileLeft(seat):
            return f"{seat} has one tile left"
        case Knocked(seat):
            return f"{seat} knocks"
        case FoulCalled(seat, by, drawn):
            return f"{by} calls {seat}: {_texts(drawn) or 'no tile'}"
        case WentOut(seat):
            return f"{seat} is out"
        case RoundBlocked():
            return "the round is blocked"
        case RoundEnded(number, winner, _, scores):
            return f"round {number} ends, {winner} wins, scores {','.join(map(str, scores))}"
        case GameEnded(totals, places):
            return f"the game ends, totals {','.join(map(str, totals))}, places " + ",".join(
                map(str, places)
            )
    raise AssertionError(f"no sentence for {event}")


def _texts(of: Iterable[int]) -> str:
    return " ".join(tile_text(each) for each in of)
