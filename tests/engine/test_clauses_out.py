"""The precise points on going out, blocks and winners (`docs/rules.md`, section 3).

Winners, scores and places have a file of their own, `test_scoring`. Expected values are worked out
by hand.
"""

import pytest

from tests.engine.tabletop import (
    boneyard,
    choices,
    hand,
    knocks,
    marked,
    open_doubles,
    play,
    table,
    walk,
)

FINISH = "first_turn.finish_lap=yes"
FIRST_STUCK = "round.blocked=first_stuck"
UNTIL = "draw.limit=until_playable"


# --- finish_lap ---------------------------------------------------------------------------


def test_lap_is_finished_after_somebody_went_out_in_it() -> None:
    """Each remaining seat still has its first turn, then the round ends."""
    game = table("classic", FINISH, hands=["6-5", "6-4 4-1", "6-3 3-2"], boneyard="1-0")
    assert play(game, "0 6-5>p0") == ["0 lays 6-5 on p0, end 5", "0 is out"]
    assert (game.turn, game.phase) == (1, "play")
    play(game, "1 6-4>p1")
    assert game.turn == 2
    assert play(game, "2 6-3>p2") == [
        "2 lays 6-3 on p2, end 3",
        "round 1 ends, 0 wins, scores 0,5,5",
    ]
    assert not game.round.blocked


def test_several_may_go_out_in_the_lap_and_the_first_wins() -> None:
    """Seats that are out score 0 (also the winner's follower)."""
    game = table("classic", FINISH, hands=["6-5", "6-4", "6-3 3-2"], boneyard="1-0")
    said = play(game, "0 6-5>p0", "1 6-4>p1", "2 6-3>p2")
    assert [line for line in said if line.endswith("is out")] == ["0 is out", "1 is out"]
    assert said[-1] == "round 1 ends, 0 wins, scores 0,0,5"


def test_last_seat_of_the_lap_ends_the_round_by_going_out() -> None:
    """Nobody is left to have a first turn."""
    game = table("classic", FINISH, hands=["6-5 5-0", "6-4"], boneyard="1-0")
    assert play(game, "0 6-5>p0", "1 6-4>p1")[-2:] == [
        "1 is out",
        "round 1 ends, 1 wins, scores 5,0",
    ]


def test_going_out_after_the_lap_ends_the_round_at_once() -> None:
    """`finish_lap` is for lap 1 only."""
    game = table("classic", FINISH, hands=["6-5 5-1", "6-4 4-1", "6-3 3-2"], boneyard="1-0")
    walk(game, "0 6-5>p0", "1 6-4>p1", "2 6-3>p2")
    assert play(game, "0 5-1>p0")[-1] == "round 1 ends, 0 wins, scores 0,5,5"


def test_double_of_a_seat_that_is_out_binds_the_rest_of_the_lap() -> None:
    """Without `first_turn_exempt` the last tile of seat 0, a double, still wants its cover."""
    game = table(
        "classic",
        FINISH,
        "first_turn.build_own_train=yes",
        hands=["6-5 5-5", "6-4 5-1", "6-3 3-2"],
        boneyard="1-0",
    )
    assert play(game, "0 6-5>p0", "0 5-5>p0")[-1] == "0 is out"
    assert (game.turn, open_doubles(game), choices(game)) == (1, ["5-5 on p0"], {"5-1>p0"})


def test_seat_that_is_out_owes_no_knock_and_takes_no_turn() -> None:
    """With a knock to be made nobody may call it (points on out, knock)."""
    game = table("spruce", hands=["6-5 5-1", "6-4 4-1", "6-3 3-2 2-0"], boneyard="1-0")
    play(game, "0 6-5>p0")
    assert knocks(game) == {0: False}
    play(game, "0 5-1>p0")
    assert (game.turn, knocks(game)) == (1, {})
    walk(game, "1 6-4>p1")
    assert (game.turn, knocks(game)) == (2, {1: False})
    assert choices(game, 0) == set()


def test_block_ends_the_round_before_the_lap_is_finished() -> None:
    """`finish_lap` with `first_stuck`: a seat without a play ends it; the winner is who was out."""
    game = table("classic", FINISH, FIRST_STUCK, hands=["6-5", "4-1 4-2", "6-3 3-2"])
    assert play(game, "0 6-5>p0") == [
        "0 lays 6-5 on p0, end 5",
        "0 is out",
        "the round is blocked",
        "round 1 ends, 0 wins, scores 0,11,14",
    ]


# --- lap_stuck ----------------------------------------------------------------------------


def test_tile_laid_starts_the_count_again() -> None:
    """Three seats: a tile between the passes, and each must pass once more."""
    game = table("classic", hands=["4-1 4-2", "6-3 5-0 2-1", "5-2 5-4"])
    play(game, "0 pass", "1 6-3>p1", "2 pass", "0 pass")
    assert (game.turn, marked(game)) == (1, {0, 2})
    assert play(game, "1 pass") == ["1 passes", "1 is marked"]
    play(game, "2 pass", "0 pass")
    assert game.phase == "play"
    assert play(game, "1 pass")[1] == "the round is blocked"


def test_tile_drawn_starts_the_count_again() -> None:
    """The last tile of the boneyard, drawn by a marked seat, is a change."""
    game = table("classic", hands=["4-1 4-2", "5-0 2-1"], boneyard="3-0 3-1 3-2")
    play(game, "0 draw", "1 draw", "0 draw")
    assert (marked(game), boneyard(game)) == ({0, 1}, "")
    play(game, "1 pass")
    assert game.phase == "play"
    assert play(game, "0 pass")[1] == "the round is blocked"


def test_tile_drawn_between_two_passes_starts_the_count_again() -> None:
    """Seat 0 is skipped and seat 1 draws, again and again: no block while it draws."""
    game = table("classic", hands=["6-5 1-0", "4-1 4-2"], boneyard="3-0 3-1 3-2")
    play(game, "0 skip", "1 draw", "0 skip", "1 draw", "0 skip", "1 draw", "0 skip")
    assert (game.phase, boneyard(game), marked(game)) == ("play", "", {0, 1})
    assert play(game, "1 pass")[1] == "the round is blocked"


def test_penalty_tile_starts_the_count_again() -> None:
    """A tile drawn for a foul is a tile drawn: two passes before it count no more."""
    for is_called in (True, False):
        game = table(
            "classic",
            *("announce.mode=knock", "announce.deadline=next_turn_end"),
            "announce.penalty_tiles=1",
            *("doubles.draw_self=no", "doubles.mark_self=no"),
            *("doubles.draw_others=no", "doubles.mark_others=no"),
            hands=["6-5 5-5 1-0", "6-4 4-2 2-0", "6-3 3-2 2-1"],
            boneyard="3-0 3-1",
        )
        play(game, "0 6-5>p0", "1 6-4>p1", "2 6-3>p2", "0 5-5>p0", "1 pass", "2 pass")
        if is_called:
            assert play(game, "1 foul:0") == ["1 calls 0: 3-0"]
            assert play(game, "0 pass", "1 pass") == ["0 passes", "1 passes"]
            assert play(game, "2 pass")[1] == "the round is blocked"
        else:
            assert play(game, "0 pass")[1] == "the round is blocked"


def test_turn_with_a_draw_never_counts_as_a_pass() -> None:
    """Who draws and then declines has changed something, marked before or not."""
    game = table(
        "classic",
        "draw.play_drawn=may",
        hands=["3-1 2-1 1-0", "5-4 4-2 2-2"],
        boneyard="3-0 4-0 6-2",
    )
    play(game, "0 draw", "1 draw", "0 draw", "0 pass", "1 pass")
    assert (game.phase, game.turn) == ("play", 0)
    assert choices(game) == {"6-2>p0", "6-2>p1", "6-2>m0"}


def test_newly_set_marker_starts_the_count_again() -> None:
    """A pass that marks is not counted."""
    game = table("classic", hands=["4-1 4-2", "5-0 2-1"])
    assert play(game, "0 pass", "1 pass") == [
        *("0 passes", "0 is marked"),
        *("1 passes", "1 is marked"),
    ]
    assert game.phase == "play"


def test_count_is_of_seats_not_of_laps() -> None:
    """The block may come in the middle of a lap."""
    game = table("classic", hands=["6-1 4-2", "5-0 2-0", "5-4 3-2"])
    play(game, "0 6-1>p0", "1 pass", "2 pass", "0 pass", "1 pass", "2 pass")
    assert game.phase == "play"
    assert play(game, "0 pass")[1] == "the round is blocked"


# --- first_stuck --------------------------------------------------------------------------


def test_first_stuck_waits_while_the_seat_to_act_can_play() -> None:
    """An empty boneyard alone ends nothing."""
    game = table("classic", FIRST_STUCK, hands=["6-1 1-0", "6-5 5-0"])
    play(game, "0 6-1>p0", "1 6-5>p1")
    assert (game.phase, choices(game)) == ("play", {"1-0>p0"})


def test_first_stuck_ends_the_round_under_a_duty() -> None:
    """A duty under `draw_others` wants a draw that cannot be had."""
    game = table(
        "classic",
        FIRST_STUCK,
        "doubles.draw_self=no",
        hands=["6-5 5-5 1-0", "6-4 4-2 2-0"],
    )
    play(game, "0 6-5>p0", "1 6-4>p1")
    said = play(game, "0 5-5>p0")
    assert said[-2:] == ["the round is blocked", "round 1 ends, 0 wins, scores 1,8"]
    assert marked(game) == {0}


def test_first_stuck_ends_the_round_for_an_extra_tile() -> None:
    """An extra tile under `draw_self` wants a draw that cannot be had: no marker."""
    game = table("classic", FIRST_STUCK, hands=["6-5 5-5 1-0", "6-4 4-2 2-0"])
    play(game, "0 6-5>p0", "1 6-4>p1")
    said = play(game, "0 5-5>p0")
    assert said[2:] == ["the round is blocked", "round 1 ends, 0 wins, scores 1,8"]
    assert marked(game) == set()


def test_first_stuck_does_not_end_the_round_where_no_draw_is_permitted() -> None:
    """With `draw_others = no` the move is `pass`, with an empty boneyard too."""
    game = table(
        "classic",
        FIRST_STUCK,
        "doubles.draw_self=no",
        "doubles.draw_others=no",
        hands=["6-5 5-5 1-0", "6-4 4-2 2-0"],
    )
    play(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0")
    assert choices(game) == {"pass"}


def test_first_stuck_ends_the_round_when_a_penalty_has_just_emptied_the_boneyard() -> None:
    """The foul takes the last tile, and the seat to act must draw."""
    game = table(
        "bernie",
        "announce.penalty_tiles=1",
        hands=["6-5 5-1", "6-4 4-2 2-0", "4-0 4-1 3-1"],
        boneyard="3-0",
    )
    play(game, "0 6-5>p0", "1 6-4>p1")
    assert (game.turn, choices(game)) == (2, {"draw", "foul:0"})
    said = play(game, "2 foul:0")
    assert said[:2] == ["2 calls 0: 3-0", "the round is blocked"]
    assert marked(game) == set()


def test_failed_draw_of_the_last_tile_only_ends_the_turn() -> None:
    """`first_stuck` with one draw: the seat is marked, the next one goes on."""
    game = table("classic", FIRST_STUCK, hands=["4-1 4-2", "6-5 5-0"], boneyard="3-0")
    assert play(game, "0 draw") == ["0 draws 3-0", "0 is marked"]
    assert (game.turn, choices(game)) == (1, {"6-5>p1", "6-5>p0", "6-5>m0"})


def test_failed_draw_of_the_last_tile_ends_the_round_when_it_must_draw_on() -> None:
    """`first_stuck` with `until_playable`: the next draw cannot be had."""
    game = table("classic", FIRST_STUCK, UNTIL, hands=["4-1 4-2", "6-5 5-0"], boneyard="3-0")
    assert play(game, "0 draw")[:2] == ["0 draws 3-0", "the round is blocked"]


def test_being_out_goes_before_first_stuck() -> None:
    """`go_out_uncovered = no`, empty boneyard: the last double is out, not stuck."""
    game = table("tournament", FIRST_STUCK, hands=["6-5 5-5", "6-4 4-2"])
    play(game, "0 6-5>p0", "1 6-4>p1")
    said = play(game, "0 5-5>p0")
    assert said[2:] == ["0 is out", "round 1 ends, 0 wins, scores 0,6"]


def test_last_double_is_out_when_a_penalty_takes_the_last_tile() -> None:
    """`go_out_uncovered = no`: the seat was to draw, and nothing is left to be drawn."""
    game = table(
        "tournament",
        *("announce.mode=knock", "announce.penalty_tiles=1"),
        hands=["6-5 5-5", "6-3 4-2"],
        boneyard="4-0",
    )
    play(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert choices(game) == {"draw", "foul:1"}
    assert play(game, "0 foul:1") == [
        "0 calls 1: 4-0",
        "0 is out",
        "round 1 ends, 0 wins, scores 0,10",
    ]


# --- tiles stay where they are ------------------------------------------------------------


def test_hands_are_kept_when_the_round_ends() -> None:
    """What each seat holds can be read after the round."""
    game = table("classic", hands=["6-5", "6-4 4-1"], boneyard="3-0")
    play(game, "0 6-5>p0")
    assert (hand(game, 0), hand(game, 1)) == (set(), {"6-4", "4-1"})
    assert game.round.is_over
    assert (game.round.awaited, game.round.choices) == ("", ())


@pytest.mark.parametrize("blocked", ["lap_stuck", "first_stuck"])
def test_everybody_scores_the_own_hand_after_a_block(blocked: str) -> None:
    """The lowest hand included: no winner scores 0 for being the lowest (step 7)."""
    game = table("classic", f"round.blocked={blocked}", hands=["4-1 4-2", "5-0 2-1"])
    if game.phase == "play":
        play(game, "0 pass", "1 pass", "0 pass", "1 pass")
    assert (game.scores, game.winners) == ([(11, 8)], [1])
