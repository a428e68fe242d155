"""Why a move may not be made: every code in a real position, with its option and its values.

A refused move changes nothing, and tells a seat no more than it may know.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from mexican_train.engine import (
    DRAW,
    OPTIONS,
    REASONS,
    Game,
    IllegalMove,
    Move,
    parse_tile,
)

from tests.engine.tabletop import choices, play, rules, snapshot, table, why_not


def first_turn(preset: str = "classic", *options: str, hand: str = "6-1 4-2 5-0") -> Game:
    """Seat 0 begins and can play its 6-1."""
    return table(preset, *options, hands=[hand, "6-3 5-2 4-1"], boneyard="4-0 3-0")


def in_extra() -> Game:
    """Seat 0 has laid 5-5 on p0 and owes the extra tile; it holds 5-0 and 6-2."""
    game = first_turn(hand="6-5 5-5 5-0 6-2")
    play(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    return game


def under_duty() -> Game:
    """5-5 is open on p0; seat 1 is to act and holds 5-2."""
    game = first_turn("classic", "doubles.draw_self=no", hand="6-5 5-5 1-0")
    play(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    return game


def after_first_tile(*options: str) -> Game:
    """Seat 0 has laid 6-1 on its train and may go on with 6-2, 1-0 or neither."""
    game = first_turn("classic", *options, hand="6-1 6-2 1-0 5-4")
    play(game, "0 6-1>p0")
    return game


def over() -> Game:
    """The round has ended."""
    game = table("classic", hands=["6-1", "5-0"])
    play(game, "0 6-1>p0")
    return game


def no_second_double() -> Game:
    """`anywhere` with `one_open`: seat 0 owes a tile that may not be 1-1."""
    game = table(
        "official",
        "doubles.per_turn=one_open",
        hands=["6-5 5-5 6-1 1-1 1-0", "6-3 5-2 4-2"],
        boneyard="4-0 3-0",
    )
    play(game, "0 6-5>p0", "1 6-3>p1", "0 6-1>m0", "1 draw", "0 5-5>p0")
    return game


def drawn() -> Game:
    """Seat 0 drew 6-0, which fits, though it could have played 6-1."""
    game = table("classic", "turn.must_play=no", hands=["6-1 4-2 5-0", "6-3 5-2"], boneyard="6-0")
    play(game, "0 draw")
    return game


def closed(*options: str) -> Game:
    """Seat 1 is to act; p0 ends in 1, unmarked."""
    game = first_turn("classic", *options)
    play(game, "0 6-1>p0")
    return game


def one_mexican() -> Game:
    """The only Mexican Train has been started; seat 1 holds 6-3."""
    game = first_turn()
    play(game, "0 6-1>m0")
    return game


def no_more_draws() -> Game:
    """Under a duty with `draw_others = no`; the boneyard has tiles."""
    game = first_turn(
        "classic",
        *("doubles.draw_self=no", "doubles.draw_others=no"),
        hand="6-5 5-5 1-0",
    )
    play(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    return game


@dataclass(frozen=True)
class Case:
    """A refused move: its code, the option behind it, and its values."""

    code: str
    make: Callable[[], Game]
    move: str
    option: str | None = None
    params: dict[str, object] = field(default_factory=dict)


def case(
    code: str, make: Callable[[], Game], move: str, option: str | None = None, **params: object
) -> Case:
    """A case; the move names its seat first."""
    return Case(code, make, move, option, params)


CASES = [
    case("round_over", over, "0 draw"),
    case("out_of_turn", first_turn, "1 6-3>p1", turn=0),
    case("not_held", first_turn, "0 6-3>p0", tile="6-3"),
    case("no_such_train", first_turn, "0 6-1>p2", train="p2"),
    case("no_such_train", first_turn, "0 6-1>m1", train="m1"),
    case("does_not_fit", first_turn, "0 4-2>p0", tile="4-2", train="p0", end=6),
    case("does_not_fit", under_duty, "1 4-1>p0", tile="4-1", train="p0", end=5),
    case("not_open", closed, "1 4-1>p0", "marker.on", train="p0"),
    case(
        "not_open",
        lambda: closed("mexican_train.start=after_first_lap"),
        "1 6-3>p0",
        "marker.on",
        train="p0",
    ),
    case("must_cover", under_duty, "1 4-1>m0", "doubles.must_cover", double="5-5", cover="p0"),
    case("extra_on_double", in_extra, "0 6-2>m0", "doubles.extra_tile", double="5-5", cover="p0"),
    case("extra_no_double", no_second_double, "0 1-1>m0", "doubles.per_turn"),
    case("drawn_only", drawn, "0 6-1>p0", "draw.play_drawn", drawn="6-0"),
    case(
        "own_only",
        lambda: first_turn("classic", "first_turn.own_only=yes"),
        "0 6-1>m0",
        "first_turn.own_only",
    ),
    case(
        "own_first",
        lambda: first_turn("classic", "train.own_first=any"),
        "0 6-1>m0",
        "train.own_first",
    ),
    case(
        "mexican_start",
        lambda: first_turn("classic", "mexican_train.start=after_first_lap"),
        "0 6-1>m0",
        "mexican_train.start",
    ),
    case("mexican_max", one_mexican, "1 6-3>m1", "mexican_train.max_trains"),
    case(
        "train_used",
        lambda: after_first_tile("turn.play_limit=one_per_open_train"),
        "0 1-0>p0",
        "turn.play_limit",
        train="p0",
    ),
    case(
        "own_train_only",
        lambda: after_first_tile("first_turn.build_own_train=yes"),
        "0 6-2>m0",
        "first_turn.build_own_train",
    ),
    case(
        "other_train_only",
        lambda: after_first_tile("first_turn.starter_extra=other_train"),
        "0 1-0>p0",
        "first_turn.starter_extra",
    ),
    case("must_play", first_turn, "0 draw", "turn.must_play"),
    case("must_play", first_turn, "0 pass", "turn.must_play"),
    case("no_draw", no_more_draws, "1 draw", "draw.limit"),
    case("boneyard_empty", lambda: table("classic", hands=["5-1", "5-0"]), "0 draw"),
    case("must_draw", lambda: first_turn(hand="4-2 5-0"), "0 pass"),
    case("not_done", first_turn, "0 done", "turn.play_limit"),
    case("no_knock", first_turn, "0 knock", "announce.mode"),
    case("no_foul", first_turn, "0 foul:1", "announce.deadline", seat=1),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code} {case.move}")
def test_reason_has_code_option_and_values(case: Case) -> None:
    """And the sentence of the code with the values in it; nothing has changed."""
    game = case.make()
    before = snapshot(game)
    seat, _, move = case.move.partition(" ")
    reason = why_not(game, int(seat), move)
    assert (reason.code, reason.option, reason.params) == (case.code, case.option, case.params)
    assert reason.text == REASONS[case.code].format(**case.params)
    assert snapshot(game) == before


def test_every_code_is_reached() -> None:
    """No code stands in the table for nothing, and none is missing."""
    assert {case.code for case in CASES} == set(REASONS)


def test_options_behind_a_reason_exist() -> None:
    """A client may look the option up on the rule card."""
    assert {case.option for case in CASES if case.option} <= set(OPTIONS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code} {case.move}")
def test_game_goes_on_after_a_refusal(case: Case) -> None:
    """Every move that was offered before is offered and can be made."""
    game = case.make()
    offered = choices(game)
    seat, _, move = case.move.partition(" ")
    why_not(game, int(seat), move)
    assert choices(game) == offered
    if game.turn is not None:
        game.apply(game.turn, game.legal_moves(game.turn)[0])


def test_sentences_are_sentences() -> None:
    """Each begins with a capital or a value and ends with a full stop."""
    for sentence in REASONS.values():
        assert sentence[0].isupper() or sentence[0] == "{"
        assert sentence.endswith(".")


@pytest.mark.parametrize("tile", ["6-3", "5-3", "4-0", "6-6", "12-7", "18-18"])
def test_tile_that_is_not_held_and_one_that_does_not_exist_answer_alike(tile: str) -> None:
    """Held by another, out of play, in the boneyard, on the table, or of a larger set: one answer.

    And whatever the train: a seat learns nothing of what it does not hold.
    """
    game = first_turn()
    for train in ("p0", "p1", "m0", "m1", "p13"):
        reason = why_not(game, 0, f"{tile}>{train}")
        assert (reason.code, reason.option, reason.params) == ("not_held", None, {"tile": tile})


def test_reason_before_the_first_deal() -> None:
    """No round has been dealt: nothing can be moved."""
    game = Game.start(rules("classic", "deal.hand_size=3"), 2)
    for seat in (0, 1):
        with pytest.raises(IllegalMove) as refused:
            game.apply(seat, DRAW)
        assert refused.value.reason.code == "round_over"


@pytest.mark.parametrize("seat", [-1, 2, 13, 99])
def test_number_that_is_no_seat_may_do_nothing(seat: int) -> None:
    """Refused like a seat whose turn it is not; it cannot call a foul either."""
    game = first_turn()
    assert why_not(game, seat, "6-1>p0").code == "out_of_turn"
    assert game.legal_moves(seat) == ()
    indebted = table("bernie", hands=["6-1 1-0", "6-3 5-2 4-1"], boneyard="4-0")
    play(indebted, "0 6-1>p0", "1 6-3>p1")
    assert choices(indebted, 1) == {"foul:0"}
    assert indebted.legal_moves(seat) == ()
    assert why_not(indebted, seat, "foul:0").code == "no_foul"
    assert why_not(indebted, seat, "knock").code == "no_knock"


def test_legal_move_has_no_reason() -> None:
    """`explain` gives None for what may be done."""
    game = first_turn()
    assert game.explain(0, Move.play(parse_tile("6-1"), 0)) is None


def test_foul_of_a_seat_that_does_not_play_is_refused() -> None:
    """`foul:13` at a table of two."""
    assert why_not(first_turn(), 0, "foul:13").code == "no_foul"


def test_own_knock_is_no_foul() -> None:
    """A seat cannot call itself."""
    game = table("bernie", hands=["6-1 1-0", "6-3 5-2 4-1"], boneyard="4-0")
    play(game, "0 6-1>p0", "1 6-3>p1")
    assert why_not(game, 0, "foul:0").code == "no_foul"
