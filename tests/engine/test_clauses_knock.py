"""Step 11 and the precise points on knock and foul (`docs/rules.md`, section 3).

One test a sentence; expected values are worked out by hand.
"""

import pytest
from mexican_train.engine import Game

from tests.engine.tabletop import (
    boneyard,
    choices,
    hand,
    knocks,
    marked,
    play,
    table,
    walk,
    why_not,
)

KNOCK = "announce.mode=knock"
TURN_END = "announce.deadline=next_turn_end"
TWO = "announce.penalty_tiles=2"


def one_left(*options: str, boneyard: str = "3-0 3-1 3-2 2-0") -> Game:
    """Three seats; seat 0 has just laid its last tile but one and owes a knock."""
    game = table(
        "classic",
        KNOCK,
        TWO,
        *options,
        hands=["6-5 5-1", "6-4 4-2 2-1", "6-3 4-3 1-0"],
        boneyard=boneyard,
    )
    play(game, "0 6-5>p0")
    return game


# --- the debt -----------------------------------------------------------------------------


def test_seat_left_with_one_tile_owes_a_knock_at_once() -> None:
    """By a play: the debt is there before anybody else moves (step 11)."""
    game = one_left()
    assert knocks(game) == {0: False}
    assert choices(game, 0) == {"knock"}


def test_seat_left_with_one_tile_by_its_own_draw_owes_a_knock() -> None:
    """A hand that grows from none to one, by its own draw, owes it too, in mid-turn."""
    game = table("tournament", KNOCK, hands=["6-5 5-5", "6-4 4-2 2-1"], boneyard="3-0 3-1")
    play(game, "0 6-5>p0", "0 knock", "1 6-4>p1", "0 5-5>p0")
    assert knocks(game) == {}
    play(game, "0 draw")
    assert (hand(game, 0), knocks(game)) == ({"3-0"}, {0: False})


def test_one_tile_reached_in_mid_turn_owes_a_knock_at_once() -> None:
    """With a double still uncovered the seat may knock before its cover."""
    game = table("classic", KNOCK, hands=["6-5 5-5 5-1", "6-4 4-2 2-1"], boneyard="3-0 3-1")
    play(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0")
    assert (game.turn, knocks(game), choices(game)) == (0, {0: False}, {"5-1>p0", "knock"})


def test_knock_may_be_made_at_any_time_from_then_on() -> None:
    """In and out of turn, while the window is open too (step 11)."""
    game = one_left()
    play(game, "1 6-4>p1")
    assert knocks(game) == {0: True}
    assert play(game, "0 knock") == ["0 knocks"]
    assert (knocks(game), game.turn) == ({}, 2)
    assert choices(game, 1) == set()


def test_knock_is_legal_only_while_owed() -> None:
    """Not before, and not twice."""
    game = one_left()
    assert why_not(game, 1, "knock").code == "no_knock"
    play(game, "0 knock")
    assert why_not(game, 0, "knock").code == "no_knock"


@pytest.mark.parametrize("mode", ["off", "notice"])
def test_off_and_notice_know_neither_move(mode: str) -> None:
    """No debt, no knock, no foul."""
    game = table(
        "classic",
        f"announce.mode={mode}",
        hands=["6-5 5-1", "6-4 4-2 2-1"],
        boneyard="3-0",
    )
    play(game, "0 6-5>p0", "1 6-4>p1")
    assert knocks(game) == {}
    assert why_not(game, 0, "knock").code == "no_knock"
    assert why_not(game, 1, "foul:0").code == "no_foul"


def test_notice_tells_everybody_with_the_play() -> None:
    """The server says it by itself; `off` says nothing."""
    for mode, says in (("notice", ["0 has one tile left"]), ("off", [])):
        game = table(
            "classic",
            f"announce.mode={mode}",
            hands=["6-5 5-1", "6-4 4-2 2-1"],
            boneyard="3-0",
        )
        assert play(game, "0 6-5>p0")[1:] == says


# --- what ends the debt -------------------------------------------------------------------


def test_going_on_to_none_in_the_same_turn_ends_the_debt_unpunished() -> None:
    """A double and its cover as the last two tiles (step 11)."""
    game = table("classic", KNOCK, hands=["6-5 5-5 5-1", "6-4 4-2 2-1"], boneyard="3-0 3-1")
    play(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0")
    assert play(game, "0 5-1>p0")[-2] == "0 is out"
    assert knocks(game) == {}


def test_any_other_number_of_tiles_ends_the_debt() -> None:
    """A draw for the double makes it two tiles again."""
    game = table("classic", KNOCK, hands=["6-5 5-5 1-0", "6-4 4-2 2-1"], boneyard="3-0 3-1")
    play(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0")
    assert knocks(game) == {0: False}
    play(game, "0 draw")
    assert (hand(game, 0), knocks(game)) == ({"1-0", "3-0"}, {})


@pytest.mark.parametrize("move", ["tile", "draw", "pass"])
def test_first_move_of_the_next_turn_ends_debt_and_window(move: str) -> None:
    """A tile, a draw or a pass of the offender; keeping the one tile makes no new debt."""
    last = {"tile": "5-1", "draw": "1-0", "pass": "1-0"}[move]
    game = table(
        "classic",
        KNOCK,
        TWO,
        hands=[f"6-5 {last}", "6-4 4-2 2-1"],
        boneyard="" if move == "pass" else "3-0 3-1",
    )
    play(game, "0 6-5>p0", "1 6-4>p1")
    assert knocks(game) == {0: True}
    play(game, "0 5-1>p0" if move == "tile" else f"0 {move}")
    assert knocks(game) == {}
    if move == "pass":
        assert (hand(game, 0), game.turn) == ({"1-0"}, 1)
        assert choices(game, 0) == set()


def test_first_move_ends_a_debt_whose_window_never_opened() -> None:
    """`next_tile`: nobody has laid a tile since; the debt ends all the same."""
    game = table("classic", KNOCK, TWO, hands=["6-5 1-0", "4-3 4-2 2-1"], boneyard="")
    play(game, "0 6-5>p0", "1 pass")
    assert (game.turn, knocks(game)) == (0, {0: False})
    play(game, "0 pass")
    assert knocks(game) == {}


def test_coming_to_hold_one_tile_again_owes_a_new_knock() -> None:
    """After a draw and a tile the hand is at one again (step 11)."""
    game = table("classic", KNOCK, hands=["6-5 1-0", "6-4 4-2 2-1"], boneyard="5-2 3-0")
    play(game, "0 6-5>p0", "0 knock", "1 6-4>p1", "0 draw")
    assert knocks(game) == {}
    play(game, "0 5-2>p0")
    assert knocks(game) == {0: False}


# --- the foul window ----------------------------------------------------------------------


def test_window_opens_when_another_seat_lays_a_tile() -> None:
    """`next_tile`: a draw or a pass before it opens nothing."""
    game = table(
        "classic",
        KNOCK,
        TWO,
        hands=["6-5 5-1", "4-3 4-2 2-1", "6-3 4-1 1-0"],
        boneyard="3-0 3-1 3-2 2-0",
    )
    play(game, "0 6-5>p0", "1 draw")
    assert knocks(game) == {0: False}
    assert why_not(game, 2, "foul:0").code == "no_foul"
    play(game, "2 6-3>p2")
    assert knocks(game) == {0: True}
    assert "foul:0" in choices(game, 1)
    assert "foul:0" in choices(game, 2)


def test_extra_tile_of_the_offender_does_not_open_the_window() -> None:
    """Only another seat's tile does: the own cover does not."""
    game = table(
        "official",
        KNOCK,
        hands=["6-5 5-5 6-1 1-0", "6-4 4-2 2-1"],
        boneyard="3-0 3-1",
    )
    play(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0", "0 6-1>m0")
    assert (game.turn, knocks(game)) == (1, {0: False})


def test_window_opens_when_the_next_seats_turn_ends() -> None:
    """`next_turn_end`: not by the tile itself, but by the end of that turn."""
    game = table(
        "classic",
        KNOCK,
        TWO,
        TURN_END,
        hands=["6-5 5-1", "6-4 4-4 2-1 1-0", "6-3 4-3 2-0"],
        boneyard="3-0 3-1 3-2 2-2",
    )
    play(game, "0 6-5>p0", "1 6-4>p1")
    assert knocks(game) == {0: True}
    # with several tiles in a turn the tile alone is not enough
    slow = table(
        "spruce",
        hands=["6-5 5-1", "6-4 4-4 4-1 1-0", "6-3 4-3 2-0"],
        boneyard="3-0 3-1 3-2 2-2",
    )
    play(slow, "0 6-5>p0", "0 done", "1 6-4>p1")
    assert (slow.turn, knocks(slow)) == (1, {0: False})
    assert why_not(slow, 2, "foul:0").code == "no_foul"
    play(slow, "1 done")
    assert knocks(slow) == {0: True}


def test_window_opens_by_a_turn_without_a_tile_too() -> None:
    """`next_turn_end`: a failed turn is a turn."""
    game = table(
        "classic", KNOCK, TWO, TURN_END, hands=["6-5 5-1", "4-3 4-2 2-1"], boneyard="3-0 3-1"
    )
    play(game, "0 6-5>p0", "1 draw")
    assert (game.turn, knocks(game)) == (0, {0: True})


def test_foul_outside_the_window_is_refused_without_a_penalty() -> None:
    """Too early: nothing is drawn by anybody (step 11)."""
    game = one_left()
    refused = why_not(game, 1, "foul:0")
    assert (refused.code, refused.option, refused.params) == (
        "no_foul",
        "announce.deadline",
        {"seat": 0},
    )
    assert boneyard(game) == "3-0 3-1 3-2 2-0"
    assert game.round.hand_counts == (1, 3, 3)


# --- the penalty --------------------------------------------------------------------------


def test_foul_draws_the_penalty_from_the_boneyard() -> None:
    """The offender gets the tiles; the debt ends (step 11)."""
    game = one_left()
    play(game, "1 6-4>p1")
    assert play(game, "2 foul:0") == ["2 calls 0: 3-0 3-1"]
    assert (hand(game, 0), boneyard(game)) == ({"5-1", "3-0", "3-1"}, "3-2 2-0")
    assert knocks(game) == {}


@pytest.mark.parametrize(("left", "drawn"), [("3-0", "3-0"), ("", "no tile")])
def test_penalty_goes_as_far_as_the_boneyard_does(left: str, drawn: str) -> None:
    """One tile or none left; the window is closed all the same."""
    game = one_left(boneyard=left)
    play(game, "1 6-4>p1")
    assert play(game, "2 foul:0") == [f"2 calls 0: {drawn}"]
    assert knocks(game) == {}
    assert why_not(game, 1, "foul:0").code == "no_foul"
    assert why_not(game, 0, "knock").code == "no_knock"


def test_penalty_opens_no_train_and_is_no_draw_of_the_turn() -> None:
    """The offender is not marked, and may still draw when its turn comes (step 11)."""
    game = table("classic", KNOCK, TWO, hands=["6-5 1-0", "6-4 4-2 2-1"], boneyard="3-0 3-1 5-2")
    play(game, "0 6-5>p0", "1 6-4>p1")
    assert game.turn == 0
    play(game, "1 foul:0")
    assert (marked(game), choices(game)) == (set(), {"draw"})
    play(game, "0 draw")
    assert choices(game) == {"5-2>p0"}


def test_penalty_tile_that_fits_may_be_played() -> None:
    """A seat called before its move has more to choose from."""
    game = table("classic", KNOCK, TWO, hands=["6-5 1-0", "6-4 4-2 2-1"], boneyard="5-3 3-1 5-2")
    play(game, "0 6-5>p0", "1 6-4>p1")
    assert choices(game) == {"draw", "knock"}
    play(game, "1 foul:0")
    assert choices(game) == {"5-3>p0"}


def test_any_other_seat_may_call_in_or_out_of_turn() -> None:
    """Only the offender cannot call itself."""
    game = one_left()
    play(game, "1 6-4>p1")
    assert game.turn == 2
    assert choices(game, 1) == {"foul:0"}
    assert "foul:0" in choices(game, 2)
    assert why_not(game, 0, "foul:0").code == "no_foul"
    play(game, "1 foul:0")
    assert game.turn == 2


def test_first_call_closes_the_window() -> None:
    """A second call for the same debt is refused."""
    game = one_left()
    play(game, "1 6-4>p1", "1 foul:0")
    assert why_not(game, 2, "foul:0").code == "no_foul"


def test_foul_names_its_offender() -> None:
    """With two seats in debt each call is for one of them."""
    game = table(
        "classic",
        KNOCK,
        TWO,
        hands=["6-5 5-1", "6-4 4-1", "6-3 4-3 1-0"],
        boneyard="3-0 3-1 3-2 2-0",
    )
    play(game, "0 6-5>p0", "1 6-4>p1", "2 6-3>p2")
    assert knocks(game) == {0: True, 1: True}
    assert choices(game, 2) == {"foul:0", "foul:1"}
    assert choices(game, 1) == {"knock", "foul:0"}
    assert play(game, "0 foul:1") == ["0 calls 1: 3-0 3-1"]
    assert knocks(game) == {0: True}


def test_penalty_of_no_tile_still_ends_the_debt() -> None:
    """`penalty_tiles = 0`: a call costs nothing and closes the window."""
    game = table("classic", KNOCK, hands=["6-5 5-1", "6-4 4-2 2-1", "6-3 1-0 2-0"], boneyard="3-0")
    play(game, "0 6-5>p0", "1 6-4>p1")
    assert play(game, "2 foul:0") == ["2 calls 0: no tile"]
    assert knocks(game) == {}


def test_knock_and_foul_need_a_round_in_play() -> None:
    """After the round nobody knocks and nobody is called."""
    game = one_left()
    walk(game, "1 6-4>p1", "2 6-3>p2", "0 5-1>p0")
    assert game.phase == "round_over"
    assert why_not(game, 0, "knock").code == "round_over"
    assert why_not(game, 1, "foul:0").code == "round_over"
