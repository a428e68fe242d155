"""Step 9, step 10 and the precise points on several tiles in a turn (`docs/rules.md`, section 3).

And the options that give a turn more than one tile, or that say when a train may be used: one
test a sentence, expected values worked out by hand.
"""

import pytest
from mexican_train.engine import Game

from tests.engine.tabletop import (
    choices,
    line,
    marked,
    open_doubles,
    play,
    table,
    trains,
    walk,
    why_not,
)

OPEN_TRAINS = ("turn.play_limit=one_per_open_train",)
BUILD = ("first_turn.build_own_train=yes",)
OTHER_TRAIN = "first_turn.starter_extra=other_train"
ANY_TRAIN = "first_turn.starter_extra=any_train"


# --- one_per_open_train (step 9) ----------------------------------------------------------


def test_seat_may_go_on_once_on_each_train_open_to_it() -> None:
    """Own, every Mexican Train and every marked one, each once, or end the turn (step 9)."""
    game = table(
        "classic",
        *OPEN_TRAINS,
        hands=["4-1 4-2 4-3", "6-5 6-4 6-3 5-0 5-1", "2-1 3-1 3-2"],
        boneyard="1-0 2-0",
    )
    play(game, "0 draw")
    assert marked(game) == {0}
    play(game, "1 6-5>p1")
    assert choices(game) == {"6-4>p0", "6-3>p0", "6-4>m0", "6-3>m0", "done"}
    play(game, "1 6-4>m0")
    assert choices(game) == {"6-3>p0", "done"}
    assert why_not(game, 1, "5-0>p1").code == "train_used"
    play(game, "1 6-3>p0")
    assert game.turn == 2


def test_turn_may_be_ended_after_the_first_tile() -> None:
    """With `must_play` only the first tile is owed (step 9, option `turn.must_play`)."""
    game = table("classic", *OPEN_TRAINS, hands=["6-5 6-4 1-0", "6-3 2-0 2-1"], boneyard="3-0")
    assert "done" not in choices(game)
    play(game, "0 6-5>p0", "0 done")
    assert (game.turn, marked(game)) == (1, set())


def test_double_is_covered_on_the_same_train_before_going_on() -> None:
    """Nothing else is offered while the double wants its cover; then the train is used (step 9)."""
    game = table(
        "classic", *OPEN_TRAINS, hands=["6-5 5-5 5-1 6-4 1-0 2-0", "6-3 3-0 2-1"], boneyard="4-0"
    )
    play(game, "0 6-5>p0", "0 done", "1 6-3>p1", "0 5-5>p0")
    assert choices(game) == {"5-1>p0"}
    play(game, "0 5-1>p0")
    assert choices(game) == {"6-4>m0", "done"}
    assert why_not(game, 0, "1-0>p0").code == "train_used"


def test_turn_ends_when_the_double_cannot_be_covered() -> None:
    """No other train is offered after that (step 9)."""
    game = table("bernie", hands=["6-5 5-5 6-4 1-0 2-0", "6-3 3-0 2-1"], boneyard="4-0")
    play(game, "0 6-5>p0", "0 done", "1 6-3>p1", "0 5-5>p0")
    assert (game.turn, open_doubles(game), marked(game)) == (1, ["5-5 on p0"], set())


def test_drawn_tile_is_the_first_tile_and_others_follow() -> None:
    """A drawn tile that opens the own train lets the seat go on elsewhere."""
    game = table("bernie", hands=["6-5 6-1 5-0 4-0", "4-1 3-0 3-2"], boneyard="6-2 6-0")
    play(game, "0 6-5>p0", "0 6-1>m0")
    assert choices(game) == {"draw"}
    play(game, "1 draw", "1 6-2>p1")
    assert choices(game) == {"4-1>m0", "done"}


def test_only_the_first_tile_of_a_turn_is_drawn_for() -> None:
    """After a tile with nothing further the turn ends by itself, without a draw or a marker."""
    game = table("classic", *OPEN_TRAINS, hands=["6-5 4-1 4-2", "6-4 2-0 1-0"], boneyard="6-1")
    play(game, "0 6-5>p0")
    assert (game.turn, marked(game)) == (1, set())


def test_cover_of_another_seats_double_is_the_tile_on_that_train() -> None:
    """The other trains follow, that one is used up."""
    game = table(
        "bernie",
        hands=["6-5 5-5 1-0 2-0", "6-3 5-4 3-2 4-1 4-2"],
        boneyard="4-0 6-0",
    )
    play(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert choices(game) == {"5-4>p0"}
    play(game, "1 5-4>p0")
    assert choices(game) == {"3-2>p1", "done"}
    assert why_not(game, 1, "4-1>p0").code == "not_open"


def test_cover_on_a_marked_train_uses_it_up() -> None:
    """A marked train is open, yet after the cover it has had its tile of the turn."""
    game = table(
        "bernie",
        "doubles.mark_self=yes",
        hands=["6-5 5-5 1-0 2-0", "6-3 5-4 3-2 4-1 4-2"],
        boneyard="4-0 6-0",
    )
    play(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert marked(game) == {0}
    play(game, "1 5-4>p0")
    assert choices(game) == {"3-2>p1", "done"}
    assert why_not(game, 1, "4-1>p0").code == "train_used"


def test_tile_drawn_as_a_cover_is_the_first_tile() -> None:
    """After a drawn cover the seat may go on with its own train."""
    game = table("bernie", hands=["6-5 5-5 1-0 2-0", "6-3 3-2 4-1 4-2"], boneyard="5-4 6-0")
    play(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "1 draw", "1 5-4>p0")
    assert choices(game) == {"3-2>p1", "done"}


def test_further_double_is_covered_before_any_other_train() -> None:
    """A double laid as the second tile of the turn must be covered next too (step 9)."""
    game = table(
        "classic",
        *OPEN_TRAINS,
        hands=["6-5 6-4 4-4 4-1 5-1 6-0", "6-3 3-0 2-1"],
        boneyard="1-0",
    )
    play(game, "0 6-5>p0", "0 6-4>m0", "1 6-3>p1", "0 5-1>p0", "0 4-4>m0")
    assert choices(game) == {"4-1>m0"}
    play(game, "0 4-1>m0")
    assert game.turn == 1


def test_which_trains_are_open_is_judged_afresh_after_each_tile() -> None:
    """Own train first, and then with `own_first = any` the Mexican Train in the same turn."""
    game = table("bernie", hands=["6-5 6-4 1-0 2-1", "6-3 4-2 3-0 4-1"], boneyard="2-0")
    play(game, "0 6-5>p0", "0 6-4>m0")
    assert choices(game) == {"6-3>p1"}
    play(game, "1 6-3>p1")
    assert choices(game) == {"4-2>m0", "4-1>m0", "done"}


def test_further_open_double_is_covered_before_any_other_train() -> None:
    """Two exempt doubles bind after lap 1: the second cover of the turn is for the second."""
    game = table(
        "classic",
        *OPEN_TRAINS,
        "doubles.first_turn_exempt=yes",
        hands=[
            *("6-5 6-4 4-1 3-1 5-3", "4-4 2-1 1-0", "5-1 5-2 2-0"),
            *("6-3 1-1 0-0", "3-3 2-2 3-2"),
        ],
        boneyard="5-0 3-0",
    )
    play(game, "0 6-5>p0", "0 6-4>m0", "1 4-4>m0", "2 draw", "3 6-3>p2", "4 3-3>p2")
    assert (game.round.lap, open_doubles(game)) == (2, ["4-4 on m0", "3-3 on p2"])
    assert choices(game) == {"4-1>m0"}
    play(game, "0 4-1>m0")
    assert choices(game) == {"3-1>p2", "5-3>p2", "done"}
    play(game, "0 3-1>p2")
    assert choices(game) == {"5-3>p0", "done"}


def test_seat_starts_at_most_one_mexican_train_a_turn() -> None:
    """The new train counts as used; a second one waits for the next turn."""
    game = table(
        "bernie",
        hands=["6-5 6-4 6-2 6-1 5-0", "6-3 3-0 2-1 3-2"],
        boneyard="1-0",
    )
    play(game, "0 6-5>p0", "0 done", "1 6-3>p1", "0 6-4>m0")
    assert choices(game) == {"5-0>p0", "done"}
    assert why_not(game, 0, "6-2>m1").code == "mexican_start"
    play(game, "0 done", "1 3-0>p1", "0 6-2>m1")
    assert trains(game) == ["p0", "p1", "m0", "m1"]


def test_one_tile_a_turn_starts_the_next_mexican_train_in_the_next_turn() -> None:
    """`max_trains = 2`: a second train, and no third."""
    game = table(
        "classic",
        "mexican_train.max_trains=2",
        hands=["6-5 6-4 6-2 0-0", "6-3 6-1 6-0 1-1"],
        boneyard="1-0",
    )
    play(game, "0 6-4>m0")
    assert {"6-3>m1", "6-1>m1", "6-0>m1"} <= choices(game)
    play(game, "1 6-1>m1", "0 6-2>p0")
    refused = why_not(game, 1, "6-3>m2")
    assert (refused.code, refused.option) == ("mexican_max", "mexican_train.max_trains")


# --- mexican_train.start ------------------------------------------------------------------


def test_mexican_train_starts_in_any_turn() -> None:
    """`any_turn`: by any seat, from its first turn on."""
    game = table("classic", hands=["6-5 1-0", "6-3 6-2 5-0"], boneyard="2-0")
    play(game, "0 6-5>p0")
    assert "6-3>m0" in choices(game)


def test_mexican_train_starts_after_the_first_lap() -> None:
    """`after_first_lap`: not before every seat has had its first turn."""
    game = table(
        "classic",
        "mexican_train.start=after_first_lap",
        hands=["6-5 6-4 1-0", "6-3 6-2 5-0"],
        boneyard="2-0",
    )
    assert choices(game) == {"6-5>p0", "6-4>p0"}
    refused = why_not(game, 0, "6-4>m0")
    assert (refused.code, refused.option) == ("mexican_start", "mexican_train.start")
    play(game, "0 6-5>p0")
    assert choices(game) == {"6-3>p1", "6-2>p1"}
    play(game, "1 6-3>p1")
    assert choices(game) == {"6-4>m0"}


def test_mexican_train_starts_after_all_trains_whoever_laid_the_tiles() -> None:
    """`after_all_trains`: every personal train has a tile; another seat's tile counts."""
    game = table(
        "classic",
        "mexican_train.start=after_all_trains",
        hands=["4-1 4-2 5-4", "6-5 6-3 6-2", "6-4 6-1 3-0"],
        boneyard="1-0 2-0 3-1",
    )
    play(game, "0 draw", "1 6-5>p1", "2 6-4>p2", "0 draw")
    assert (line(game, "p0"), game.turn) == ("", 1)
    assert choices(game) == {"6-3>p0", "6-2>p0"}
    play(game, "1 6-3>p0")
    assert choices(game) == {"6-1>m0", "3-0>p0"}


def test_first_player_starts_the_mexican_train_in_the_first_lap() -> None:
    """`starter_first_lap`: the first player in lap 1, anybody after lap 1."""
    for starts in (True, False):
        game = table(
            "classic",
            "mexican_train.start=starter_first_lap",
            hands=["6-5 6-4 1-0", "6-3 6-2 5-0"],
            boneyard="2-0",
        )
        assert choices(game) == {"6-5>p0", "6-5>m0", "6-4>p0", "6-4>m0"}
        if starts:
            play(game, "0 6-4>m0")
            assert choices(game) == {"6-3>p1", "6-2>p1"}
        else:
            play(game, "0 6-5>p0")
            assert choices(game) == {"6-3>p1", "6-2>p1"}
            play(game, "1 6-3>p1", "0 6-4>m0")
            assert line(game, "m0") == "6-4"


# --- train.own_first (step 10) ------------------------------------------------------------


def test_first_player_is_free_of_own_first_in_its_first_turn_only() -> None:
    """`starter_first_lap` with `own_first = any`: Mexican Train first, once."""
    game = table("bernie", hands=["6-4 1-0 4-1 2-0", "6-3 4-2 3-0 4-0"], boneyard="5-0 2-1")
    assert choices(game) == {"6-4>p0", "6-4>m0"}
    play(game, "0 6-4>m0", "1 6-3>p1", "1 done")
    assert (line(game, "p0"), choices(game)) == ("", {"draw"})
    assert why_not(game, 0, "4-1>m0").code == "own_first"


def test_train_is_opened_by_a_tile_of_its_owner() -> None:
    """`own_first`: once the owner has played on it, other trains are allowed (step 10)."""
    game = table(
        "classic", "train.own_first=any", hands=["6-4 6-5 5-0", "6-3 6-2 4-0"], boneyard="2-0"
    )
    assert choices(game) == {"6-4>p0", "6-5>p0"}
    play(game, "0 6-4>p0", "1 6-3>p1")
    assert choices(game) == {"6-5>m0"}


@pytest.mark.parametrize("own_first", ["any", "opponents", "no"])
def test_train_is_opened_by_a_tile_of_another_seat(own_first: str) -> None:
    """Marked, and another seat has played on it: its owner may play elsewhere (step 10).

    Seat 0 is marked before its first tile; seat 1 lays 6-1 there. Seat 0 then may lay 5-2 on the
    train of seat 1, which is marked too.
    """
    game = table(
        "classic",
        f"train.own_first={own_first}",
        "mexican_train.start=after_all_trains",
        hands=["4-3 4-2 5-2", "6-5 6-1 4-0"],
        boneyard="2-0 3-0 0-0 3-2",
    )
    play(game, "0 draw", "1 6-5>p1", "0 draw")
    assert choices(game) == {"6-1>p0"}
    play(game, "1 6-1>p0", "0 draw", "1 draw")
    assert marked(game) == {0, 1}
    assert choices(game) == {"5-2>p1"}


def test_train_that_is_marked_but_empty_is_not_opened() -> None:
    """A marker alone opens nothing for its owner (step 10)."""
    game = table(
        "classic",
        "train.own_first=any",
        hands=["4-3 4-2 5-2", "6-5 6-1 4-0"],
        boneyard="2-0 3-0",
    )
    play(game, "0 draw", "1 6-5>p1")
    assert (marked(game), choices(game)) == ({0}, {"draw"})


def test_opened_train_stays_opened() -> None:
    """A later marker changes nothing about it."""
    game = table(
        "classic",
        "train.own_first=any",
        hands=["6-4 3-2 3-1", "6-5 6-1 2-1 0-0"],
        boneyard="2-0 3-0",
    )
    play(game, "0 6-4>p0", "1 6-5>p1", "0 draw", "1 6-1>m0")
    assert (marked(game), choices(game)) == ({0}, {"3-1>m0"})


def test_own_first_opponents_allows_the_mexican_train() -> None:
    """`opponents`: only the trains of others wait for the own first tile."""
    game = table(
        "classic",
        "train.own_first=opponents",
        hands=["4-3 4-2 5-2", "6-5 6-1 4-0", "6-3 6-2 1-0"],
        boneyard="2-0 3-0",
    )
    play(game, "0 draw")
    assert choices(game) == {"6-5>p1", "6-1>p1", "6-5>m0", "6-1>m0"}
    assert why_not(game, 1, "6-5>p0").code == "own_first"
    play(game, "1 6-5>p1")
    assert choices(game) == {"6-3>p2", "6-2>p2", "6-3>m0", "6-2>m0"}


# --- first_turn.own_only ------------------------------------------------------------------


def test_only_the_own_train_may_be_played_in_lap_one() -> None:
    """`own_only`: neither Mexican Train nor marked trains, until the lap is over."""
    game = table(
        "classic",
        "first_turn.own_only=yes",
        hands=["4-3 4-2 5-2", "6-5 6-1 4-0", "6-3 6-2 1-0"],
        boneyard="2-0 3-0",
    )
    play(game, "0 draw")
    assert choices(game) == {"6-5>p1", "6-1>p1"}
    for train in ("p0", "m0"):
        assert why_not(game, 1, f"6-5>{train}").code == "own_only"
    play(game, "1 6-5>p1", "2 6-3>p2")
    assert game.round.lap == 2
    play(game, "0 draw")
    assert choices(game) == {"6-1>p0", "6-1>m0"}


# --- first_turn.build_own_train -----------------------------------------------------------


def builder(*options: str, hand: str, boneyard: str = "4-0 3-0") -> Game:
    """A first turn with `build_own_train`, seat 0 to act."""
    return table("classic", *BUILD, *options, hands=[hand, "6-3 3-2 4-1"], boneyard=boneyard)


def test_first_train_is_built_end_to_end() -> None:
    """As many tiles as fit, single plays on the own train; `done` after the first."""
    game = builder(hand="6-5 5-1 2-1 2-0 5-2")
    assert choices(game) == {"6-5>p0", "6-5>m0"}
    play(game, "0 6-5>p0")
    assert choices(game) == {"5-1>p0", "5-2>p0", "done"}
    play(game, "0 5-1>p0", "0 2-1>p0")
    assert choices(game) == {"2-0>p0", "5-2>p0", "done"}
    play(game, "0 done")
    assert (game.turn, line(game, "p0")) == (1, "6-5 5-1 1-2")


def test_first_train_ends_by_itself_when_nothing_fits() -> None:
    """With no further play the turn ends, without a draw or a marker."""
    game = builder(hand="6-5 5-1 2-0")
    play(game, "0 6-5>p0", "0 5-1>p0")
    assert (game.turn, marked(game)) == (1, set())


def test_first_train_may_begin_with_a_drawn_tile() -> None:
    """After a drawn tile `done` is offered too."""
    game = builder(hand="5-1 5-2 2-0", boneyard="6-5 3-0")
    play(game, "0 draw", "0 6-5>p0")
    assert choices(game) == {"5-1>p0", "5-2>p0", "done"}


def test_first_tile_elsewhere_ends_the_turn() -> None:
    """`build_own_train` without `own_only`: a tile on the Mexican Train is the whole turn."""
    game = builder(hand="6-5 5-1 6-2")
    play(game, "0 6-5>m0")
    assert game.turn == 1


def test_double_that_is_not_exempt_is_covered_before_going_on() -> None:
    """In the train of the first turn a double wants its cover like any other."""
    game = builder(hand="6-5 5-5 5-1 1-0 2-1")
    play(game, "0 6-5>p0", "0 5-5>p0")
    assert choices(game) == {"5-1>p0"}
    play(game, "0 5-1>p0")
    assert choices(game) == {"1-0>p0", "2-1>p0", "done"}


def test_train_is_built_in_the_first_turn_only() -> None:
    """From lap 2 on one tile is the turn."""
    game = builder(hand="6-5 5-1 2-1 2-0")
    play(game, "0 6-5>p0", "0 done", "1 6-3>p1", "1 done", "0 5-1>p0")
    assert game.turn == 1


def test_only_the_own_train_follows_in_a_first_turn() -> None:
    """A second tile elsewhere is refused with its reason."""
    game = builder(hand="6-5 5-1 6-2")
    play(game, "0 6-5>p0")
    refused = why_not(game, 0, "6-2>m0")
    assert (refused.code, refused.option) == ("own_train_only", "first_turn.build_own_train")


# --- first_turn.starter_extra -------------------------------------------------------------


def test_first_player_may_have_a_second_tile() -> None:
    """`any_train`: a second tile anywhere, or `done`; no third."""
    game = table("classic", ANY_TRAIN, hands=["6-5 5-1 6-2 2-0", "6-3 3-2 4-1"], boneyard="4-0")
    play(game, "0 6-5>p0")
    assert choices(game) == {"5-1>p0", "6-2>m0", "done"}
    play(game, "0 5-1>p0")
    assert game.turn == 1
    play(game, "1 6-3>p1")
    assert game.turn == 0


def test_second_tile_goes_on_another_train() -> None:
    """`other_train`: not on the train of the first."""
    game = table("classic", OTHER_TRAIN, hands=["6-5 5-1 6-2 2-0", "6-3 3-2 4-1"], boneyard="4-0")
    play(game, "0 6-5>p0")
    assert choices(game) == {"6-2>m0", "done"}
    refused = why_not(game, 0, "5-1>p0")
    assert (refused.code, refused.option) == ("other_train_only", "first_turn.starter_extra")


def test_second_tile_is_for_the_first_player_in_its_first_turn() -> None:
    """Neither the other seats nor a later turn have it."""
    game = table("classic", ANY_TRAIN, hands=["6-5 5-1 6-2 1-0", "6-3 3-2 4-1"], boneyard="4-0")
    play(game, "0 6-5>p0", "0 done", "1 6-3>p1")
    assert game.turn == 0
    play(game, "0 5-1>p0")
    assert game.turn == 1


def test_extra_tiles_of_doubles_do_not_count_as_the_second_tile() -> None:
    """A double and its cover are one tile of the two."""
    game = table(
        "classic",
        ANY_TRAIN,
        hands=["4-3 5-1 1-0 2-1", "6-3 3-2 4-1"],
        boneyard="6-5 4-0",
    )
    play(game, "0 draw", "0 6-5>p0", "0 5-1>p0")
    assert game.turn == 1
    # with a double: 5-5 as the second tile, its cover besides
    other = table("classic", ANY_TRAIN, hands=["6-5 5-5 5-1 6-2", "6-3 3-2 4-1"], boneyard="4-0")
    play(other, "0 6-5>p0", "0 5-5>p0")
    assert choices(other) == {"5-1>p0"}
    play(other, "0 5-1>p0")
    assert other.turn == 1


def test_second_tile_is_not_owed_or_drawn_for() -> None:
    """With nothing further the first turn ends by itself."""
    game = table("classic", ANY_TRAIN, hands=["6-5 4-1 2-0", "6-3 3-2 4-2"], boneyard="4-0")
    play(game, "0 6-5>p0")
    assert (game.turn, marked(game)) == (1, set())


# --- marker.off ---------------------------------------------------------------------------


@pytest.mark.parametrize(("off", "says"), [("own_play", {0}), ("any_play", set())])
def test_marker_comes_off(off: str, says: set[int]) -> None:
    """`own_play`: by a tile on the own train only; `any_play`: by a tile anywhere."""
    game = table(
        "classic",
        f"marker.off={off}",
        hands=["4-3 4-2 5-1", "6-1 3-0 2-1"],
        boneyard="2-0 3-1",
    )
    walk(game, "0 draw", "1 6-1>m0")
    assert marked(game) == {0}
    play(game, "0 5-1>m0")
    assert marked(game) == says


def test_marker_comes_off_by_a_tile_on_the_own_train() -> None:
    """Under both values."""
    for off in ("own_play", "any_play"):
        game = table(
            "classic",
            f"marker.off={off}",
            hands=["4-3 4-2 5-1", "6-1 3-0 2-1"],
            boneyard="2-0 6-4 3-1",
        )
        play(game, "0 draw", "1 6-1>p1", "0 draw")
        assert play(game, "0 6-4>p0") == ["0 lays 6-4 on p0, end 4", "0 is unmarked"]
