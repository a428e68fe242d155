"""Why a seat may not make a move: a code, the option behind it, the values, a sentence.

Asked only after a move was found not to be legal, so it may take its time. Never tells a seat
more than it may know: a tile that it does not hold and one that does not exist answer alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .legal import (
    cover_trains,
    extra_trains,
    go_on_trains,
    is_bound,
    may_start_mexican,
    usable_trains,
)
from .moves import MEXICAN, Deed, Move, train_text
from .round import COVER, EXTRA, GO_ON, PLAY, Round
from .tiles import is_double, tile_ends, tile_text

Value = int | str


@dataclass(frozen=True, slots=True)
class Reason:
    """A refusal: `code` for programs, `option` behind it or None, `text` for people."""

    code: str
    option: str | None
    text: str
    params: dict[str, Value] = field(default_factory=dict)


class IllegalMove(ValueError):
    """A move that may not be made; nothing has changed.

    Attributes:
        reason: why, with a stable code.
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.text)
        self.reason = reason


REASONS = {
    "round_over": "The round is over.",
    "out_of_turn": "It is the turn of seat {turn}.",
    "not_held": "You do not hold {tile}.",
    "no_such_train": "There is no train {train}.",
    "does_not_fit": "{tile} does not fit {train}, which ends in {end}.",
    "not_open": "{train} is closed: its owner's marker does not stand on it.",
    "must_cover": "Cover the double {double} on {cover} first.",
    "extra_on_double": "The tile after a double goes on the double: {double} on {cover}.",
    "extra_no_double": "The tile after a double may not be another double.",
    "drawn_only": "Play the tile you drew, {drawn}.",
    "own_only": "In the first lap you may play on your own train only.",
    "own_first": "Start your own train first.",
    "mexican_start": "You may not start a Mexican Train now.",
    "mexican_max": "There may be no further Mexican Train.",
    "train_used": "You have already played on {train} in this turn.",
    "own_train_only": "In this turn you may go on with your own train only.",
    "other_train_only": "The second tile goes on another train than the first.",
    "must_play": "You can play, so you must.",
    "no_draw": "You may not draw now.",
    "boneyard_empty": "The boneyard is empty.",
    "must_draw": "Draw a tile first.",
    "not_done": "There is no turn of several tiles to end.",
    "no_knock": "You owe no knock.",
    "no_foul": "Seat {seat} cannot be called foul now.",
}
"""Every code, with its sentence."""


def reason_against(state: Round, seat: int, move: Move) -> Reason:
    """Why `seat` may not make `move`, which is not legal now."""
    if state.is_over:
        return _reason("round_over")
    if move.deed is Deed.KNOCK:
        return _reason("no_knock", "announce.mode")
    if move.deed is Deed.FOUL:
        return _reason("no_foul", "announce.deadline", seat=move.seat)
    if seat != state.turn:
        return _reason("out_of_turn", turn=state.turn)
    if move.deed is Deed.PLAY:
        return _against_play(state, move)
    if move.deed is Deed.DRAW:
        return _against_draw(state)
    if move.deed is Deed.PASS:
        must_draw = any(each.deed is Deed.DRAW for each in state.choices)
        return _reason("must_draw") if must_draw else _reason("must_play", "turn.must_play")
    return _reason("not_done", "turn.play_limit")


def _reason(code: str, option: str | None = None, **params: Value) -> Reason:
    return Reason(code, option, REASONS[code].format(**params), params)


def _against_draw(state: Round) -> Reason:
    if state.drawn_count >= len(state.boneyard):
        return _reason("boneyard_empty")
    if state.need is PLAY and not state.drew:
        return _reason("must_play", "turn.must_play")
    return _reason("no_draw", "draw.limit")


def _against_play(state: Round, move: Move) -> Reason:
    tile, train = move.tile, move.train
    if not state.hands[state.turn] >> tile & 1:
        return _reason("not_held", tile=tile_text(tile))
    following = len(state.ends) - 1
    if train > following or state.seats <= train < MEXICAN:
        return _reason("no_such_train", train=train_text(train))
    allowed = _allowed_trains(state)
    if train not in allowed:
        return _against_train(state, train, following)
    end = state.ends[train]
    if end not in tile_ends(tile):
        return _reason("does_not_fit", tile=tile_text(tile), train=train_text(train), end=end)
    if state.need is EXTRA and is_double(tile):
        return _reason("extra_no_double", "doubles.per_turn")
    return _reason("drawn_only", "draw.play_drawn", drawn=tile_text(state.drawn))


def _allowed_trains(state: Round) -> Sequence[int]:
    if state.need is COVER:
        return cover_trains(state)
    if state.need is EXTRA:
        return extra_trains(state)
    return go_on_trains(state) if state.need is GO_ON else usable_trains(state)


def _against_train(state: Round, train: int, following: int) -> Reason:
    rules = state.procedure
    if state.need is COVER or (state.need is GO_ON and is_bound(state)):
        return _double_reason("must_cover", "doubles.must_cover", state, cover_trains(state)[0])
    if state.need is EXTRA and not rules.extra_anywhere:
        return _double_reason("extra_on_double", "doubles.extra_tile", state, state.extra_train)
    if train not in usable_trains(state):
        return _against_unusable(state, train, following)
    if rules.one_per_open_train:
        return _reason("train_used", "turn.play_limit", train=train_text(train))
    if rules.build_own_train:
        return _reason("own_train_only", "first_turn.build_own_train")
    return _reason("other_train_only", "first_turn.starter_extra")


def _double_reason(code: str, option: str, state: Round, train: int) -> Reason:
    return _reason(code, option, double=tile_text(state.lines[train][-1]), cover=train_text(train))


def _against_unusable(state: Round, train: int, following: int) -> Reason:
    rules, seat = state.procedure, state.turn
    if rules.own_only and state.turns < state.seats:
        return _reason("own_only", "first_turn.own_only")
    opened = state.started >> seat & 1
    is_opponents = train < MEXICAN and train != seat
    if not opened and (rules.own_first_any or (rules.own_first_opponents and is_opponents)):
        return _reason("own_first", "train.own_first")
    if train == following and not may_start_mexican(state):
        if following - MEXICAN >= rules.mexican_max:
            return _reason("mexican_max", "mexican_train.max_trains")
        return _reason("mexican_start", "mexican_train.start")
    return _reason("not_open", "marker.on", train=train_text(train))
