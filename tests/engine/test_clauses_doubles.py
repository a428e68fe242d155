"""The precise points on doubles, one test a sentence (`docs/rules.md`, section 3).

Most positions have 5-5 laid on p0 in the third turn of a double-6 game. Expected values are worked
out by hand.
"""

import pytest
from mexican_train.engine import Game

from tests.engine.tabletop import (
    BLANKS,
    LAY_BLANKS,
    choices,
    hand,
    line,
    marked,
    open_doubles,
    play,
    table,
    walk,
    why_not,
)

NO_DRAW = "doubles.draw_self=no"
QUIET = (NO_DRAW, "doubles.mark_self=no")
MUST_COVER_LAST = "doubles.go_out_uncovered=no"
ALL_DEAD = "doubles.lapse=none"
WHEN_EMPTY = "doubles.lapse=boneyard_empty"


# --- how long a double is open ------------------------------------------------------------


def test_double_is_open_from_the_moment_it_is_laid_until_it_is_covered() -> None:
    """Open while its own layer still owes the extra tile, and closed by the cover."""
    game = table("classic", hands=["6-5 5-5 5-0", "6-3 5-2 4-1"], boneyard="4-0 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert open_doubles(game) == ["5-5 on p0"]
    play(game, "0 5-0>p0")
    assert open_doubles(game) == []


def test_doubler_is_a_later_seat_from_its_next_turn_on() -> None:
    """The duty that comes back binds the doubler by `draw_others` and `mark_others`."""
    game = table(
        "classic",
        *QUIET,
        hands=["6-5 5-5 1-0", "6-3 3-2 4-1"],
        boneyard="4-0 3-0 2-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "1 draw")
    assert (game.turn, marked(game), choices(game)) == (0, {1}, {"draw"})
    play(game, "0 draw")
    assert marked(game) == {0, 1}


def test_lapsed_double_never_binds_again_and_takes_any_tile() -> None:
    """After `boneyard_empty` the 5-5 is an end like any other."""
    game = table("classic", WHEN_EMPTY, hands=["6-5 5-5 1-0", "6-3 5-2 4-1"], boneyard="4-0")
    walk(game, "0 6-5>p0", "1 6-3>p1")
    assert play(game, "0 5-5>p0", "0 draw")[-1] == "5-5 on p0 lapses: boneyard_empty"
    assert choices(game) == {"5-2>p0"}
    play(game, "1 5-2>p0")
    assert (open_doubles(game), line(game, "p0")) == ([], "6-5 5-5 5-2")


def test_doubler_that_can_neither_lay_nor_draw_ends_its_turn_without_a_pass() -> None:
    """With an empty boneyard the turn ends by itself, marked by `mark_self`."""
    for option, says in (("yes", {0}), ("no", set())):
        game = table(
            "classic",
            f"doubles.mark_self={option}",
            hands=["6-5 5-5 1-0", "6-3 5-2 4-1"],
        )
        walk(game, "0 6-5>p0", "1 6-3>p1")
        told = play(game, "0 5-5>p0")
        assert told == [
            "0 lays 5-5 on p0, end 5",
            "5-5 on p0 is open",
            *(["0 is marked"] if says else []),
        ]
        assert (game.turn, marked(game)) == (1, says)


# --- the extra tile anywhere --------------------------------------------------------------


def test_extra_tile_anywhere_leaves_the_double_open_even_when_it_could_be_covered() -> None:
    """The double stays open whenever the tile went elsewhere, not only when it had to."""
    game = table("reference", hands=["6-5 5-5 5-1 6-2", "6-3 5-2 4-1"], boneyard="4-0 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1")
    play(game, "0 5-5>p0", "0 6-2>m0")
    assert (game.turn, open_doubles(game), choices(game)) == (1, ["5-5 on p0"], {"5-2>p0"})


@pytest.mark.parametrize("order", ["as_played", "newest_first", "any"])
def test_extra_tile_may_go_on_any_double_of_this_turn(order: str) -> None:
    """Of two doubles of one turn either may have the extra tile, free of `cover_order`."""
    game = table(
        "official",
        *QUIET,
        f"doubles.cover_order={order}",
        hands=["6-5 5-5 6-1 1-1 5-0 1-0", "6-3 5-2 4-2"],
        boneyard="4-0 3-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 6-1>m0", "1 draw")
    play(game, "0 5-5>p0", "0 1-1>m0")
    assert open_doubles(game) == ["5-5 on p0", "1-1 on m0"]
    assert choices(game) == {"5-0>p0", "1-0>m0"}
    play(game, "0 1-0>m0")
    assert (game.turn, open_doubles(game)) == (1, ["5-5 on p0"])


def test_double_laid_as_an_extra_tile_settles_one_debt_and_owes_its_own() -> None:
    """The chain of doubles ends at the first tile that is none."""
    game = table(
        "official",
        *QUIET,
        hands=["6-5 5-5 6-1 1-1 5-0 1-0", "6-3 5-2 4-2"],
        boneyard="4-0 3-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 6-1>m0", "1 draw")
    play(game, "0 5-5>p0", "0 1-1>m0")
    assert (game.turn, game.round.awaited) == (0, "extra")
    play(game, "0 5-0>p0")
    assert (game.turn, open_doubles(game)) == (1, ["1-1 on m0"])


def test_extra_tile_may_be_no_double_with_one_open() -> None:
    """`per_turn = one_open` with `anywhere`: a double does not serve as the extra tile."""
    game = table(
        "official",
        "doubles.per_turn=one_open",
        hands=["6-5 5-5 6-1 1-1 1-0", "6-3 5-2 4-2"],
        boneyard="4-0 3-0 5-1",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 6-1>m0", "1 draw")
    play(game, "0 5-5>p0")
    assert choices(game) == {"1-0>m0"}
    refused = why_not(game, 0, "1-1>m0")
    assert (refused.code, refused.option) == ("extra_no_double", "doubles.per_turn")


def test_cannot_lay_means_that_no_tile_fits_any_train_it_may_use() -> None:
    """`anywhere`: with a tile for another train there is no draw and no marker.

    The double stays uncovered, and that alone marks nobody.
    """
    game = table("official", hands=["6-5 5-5 6-2 1-0", "6-3 5-2 4-1"], boneyard="4-0 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1")
    play(game, "0 5-5>p0")
    assert choices(game) == {"6-2>m0"}
    play(game, "0 6-2>m0")
    assert (game.turn, open_doubles(game), marked(game)) == (1, ["5-5 on p0"], set())


def test_seat_that_cannot_lay_anywhere_draws_and_is_marked() -> None:
    """`anywhere`: only where nothing fits do `draw_self` and `mark_self` apply."""
    game = table("official", hands=["6-5 5-5 2-0 1-0", "6-3 5-2 4-1"], boneyard="4-0 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert choices(game) == {"draw"}
    play(game, "0 draw")
    assert (game.turn, marked(game)) == (1, {0})


def test_drawn_extra_tile_may_be_laid_anywhere() -> None:
    """`anywhere`: a drawn tile that fits another train is the extra tile."""
    game = table("official", hands=["6-5 5-5 2-0 1-0", "6-3 5-2 4-1"], boneyard="6-4 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "0 draw")
    assert choices(game) == {"6-4>m0"}
    play(game, "0 6-4>m0")
    assert (game.turn, marked(game), open_doubles(game)) == (1, set(), ["5-5 on p0"])


# --- several open doubles -----------------------------------------------------------------


def two_open(*options: str) -> Game:
    """5-5 on p0 and, newer, 1-1 on m0 are open; seat 1 is to act and holds a cover for each."""
    game = table(
        "official",
        *QUIET,
        *options,
        hands=["6-5 5-5 6-1 1-1 6-0 0-0", "6-3 5-2 2-1 4-3"],
        boneyard="4-0 3-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 6-1>m0", "1 4-3>p1")
    play(game, "0 5-5>p0", "0 1-1>m0")
    return game


@pytest.mark.parametrize(
    ("order", "covers"),
    [
        ("as_played", {"5-2>p0"}),
        ("newest_first", {"2-1>m0"}),
        ("any", {"5-2>p0", "2-1>m0"}),
    ],
)
def test_which_of_several_open_doubles_is_covered(order: str, covers: set[str]) -> None:
    """`cover_order` says which: the oldest, the newest, or any."""
    game = two_open(f"doubles.cover_order={order}")
    assert (game.turn, open_doubles(game)) == (1, ["5-5 on p0", "1-1 on m0"])
    assert choices(game) == covers


# --- dead when laid -----------------------------------------------------------------------


def dead_zero(preset: str, *options: str, extra: str = "6-1") -> Game:
    """Seat 0 is to lay 0-0 when every other blank lies; each seat has a tile to spare."""
    game = table(
        preset,
        *options,
        hands=[f"{BLANKS[0]} {extra}", f"{BLANKS[1]} 6-2"],
        boneyard="3-2 4-3",
        first_seat=1,
    )
    walk(game, *LAY_BLANKS)
    return game


def test_dead_double_owes_nothing_on_the_double() -> None:
    """`on_double`: nobody draws or is marked, and the turn goes on as after a covered double."""
    game = dead_zero("classic")
    play(game, "0 0-0>p0")
    assert (game.turn, marked(game), open_doubles(game)) == (1, set(), [])
    assert choices(game) == {"6-2>m0"}


def test_dead_double_still_owes_its_tile_anywhere() -> None:
    """`anywhere`: the extra tile is owed, and nobody is bound afterwards."""
    game = dead_zero("official", extra="6-1 3-1")
    play(game, "0 0-0>p0")
    assert (game.turn, game.round.awaited, choices(game)) == (0, "extra", {"6-1>m0"})
    play(game, "0 6-1>m0")
    assert (game.turn, game.round.awaited, open_doubles(game)) == (1, "play", [])


def test_double_binds_for_ever_without_dead_number() -> None:
    """Without `dead_number` a double that nobody can cover binds until the round ends."""
    game = dead_zero("classic", ALL_DEAD)
    play(game, "0 0-0>p0", "0 draw")
    assert (game.turn, marked(game), open_doubles(game)) == (1, {0}, ["0-0 on p0"])
    assert choices(game) == {"draw"}
    play(game, "1 draw")
    assert (game.turn, choices(game)) == (0, {"pass"})
    play(game, "0 pass")
    assert play(game, "1 pass")[1] == "the round is blocked"


def test_double_laid_with_an_empty_boneyard_owes_nothing_on_the_double() -> None:
    """`boneyard_empty` treats it like a dead one: `on_double` owes nothing."""
    game = table("classic", WHEN_EMPTY, hands=["6-5 5-5 5-0", "6-3 5-2 4-1"])
    walk(game, "0 6-5>p0", "1 6-3>p1")
    assert play(game, "0 5-5>p0") == [
        "0 lays 5-5 on p0, end 5",
        "5-5 on p0 is open",
        "5-5 on p0 lapses: boneyard_empty",
    ]
    assert (game.turn, marked(game)) == (1, set())


def test_double_laid_with_an_empty_boneyard_still_owes_its_tile_anywhere() -> None:
    """`boneyard_empty` with `anywhere`: the extra tile is owed."""
    game = table("reference", hands=["6-5 5-5 5-0", "6-3 5-2 4-1"])
    walk(game, "0 6-5>p0", "1 6-3>p1")
    play(game, "0 5-5>p0")
    assert (game.turn, choices(game)) == (0, {"5-0>p0"})


# --- when boneyard_empty is looked at -----------------------------------------------------


def test_last_tile_drawn_under_a_duty_is_laid_if_it_covers() -> None:
    """`boneyard_empty` is not looked at between the draw and its cover."""
    game = table(
        "classic", WHEN_EMPTY, *QUIET, hands=["6-5 5-5 1-0", "6-3 3-2 4-1"], boneyard="5-0"
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "1 draw")
    assert (game.turn, choices(game)) == (1, {"5-0>p0"})


def test_last_tile_drawn_under_a_duty_that_does_not_cover_marks() -> None:
    """The seat is marked as before, and the next seat is free."""
    game = table(
        "classic", WHEN_EMPTY, *QUIET, hands=["6-5 5-5 1-0", "6-3 3-2 4-1"], boneyard="4-2"
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert play(game, "1 draw") == [
        "1 draws 4-2",
        "1 is marked",
        "5-5 on p0 lapses: boneyard_empty",
    ]
    assert (game.turn, game.round.awaited, choices(game)) == (0, "play", {"pass"})


# --- draw_others, must_cover --------------------------------------------------------------


def test_seat_that_may_not_draw_for_a_cover_passes() -> None:
    """`draw_others = no`: the move is `pass`, marked by `mark_others`."""
    for mark, says in (("yes", {1}), ("no", set())):
        game = table(
            "classic",
            *QUIET,
            "doubles.draw_others=no",
            f"doubles.mark_others={mark}",
            hands=["6-5 5-5 1-0", "6-3 3-2 4-1"],
            boneyard="5-0",
        )
        walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
        assert choices(game) == {"pass"}
        assert why_not(game, 1, "draw").code == "no_draw"
        play(game, "1 pass")
        assert marked(game) == says


@pytest.mark.parametrize("blocked", ["lap_stuck", "first_stuck"])
def test_passes_under_a_duty_block_the_round_with_tiles_in_the_boneyard(blocked: str) -> None:
    """`draw_others = no`: the pass count ends the round under both values of `round.blocked`."""
    game = table(
        "classic",
        *QUIET,
        "doubles.draw_others=no",
        f"round.blocked={blocked}",
        hands=["6-5 5-5 1-0", "6-3 3-2 4-1"],
        boneyard="5-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    play(game, "1 pass", "0 pass", "1 pass")
    assert game.phase == "play"
    assert play(game, "0 pass")[1] == "the round is blocked"
    assert game.round.boneyard_count == 1


def test_double_that_needs_no_cover_is_an_ordinary_tile() -> None:
    """`must_cover = no`: no tile owed, no duty, no draw, and any last tile goes out."""
    game = table(
        "tournament",
        "doubles.must_cover=no",
        hands=["6-5 5-5 1-0", "6-3 5-2 4-1"],
        boneyard="4-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1")
    assert play(game, "0 5-5>p0") == ["0 lays 5-5 on p0, end 5"]
    assert (game.turn, open_doubles(game), choices(game)) == (1, [], {"draw"})
    last = table(
        "tournament",
        "doubles.must_cover=no",
        hands=["6-5 5-5", "6-3 5-2 4-1"],
        boneyard="4-0",
    )
    walk(last, "0 6-5>p0", "1 6-3>p1")
    assert "0 is out" in play(last, "0 5-5>p0")


# --- duty before own_only and own_first ---------------------------------------------------


def test_duty_goes_before_own_only() -> None:
    """In lap 1 with `own_only` a seat covers on another train all the same."""
    game = table(
        "pagat",
        *QUIET,
        "doubles.first_turn_exempt=no",
        hands=["6-5 5-5 1-0", "6-3 5-2 4-1", "6-2 4-3 4-2"],
        boneyard="5-4 4-0",
    )
    play(game, "0 6-5>p0", "0 5-5>p0")
    assert (game.turn, game.round.lap, choices(game)) == (1, 1, {"5-2>p0"})


def test_duty_goes_before_own_first() -> None:
    """With `own_first` a seat that has not begun covers on another train all the same."""
    for own_first in ("any", "opponents"):
        game = table(
            "classic",
            *QUIET,
            f"train.own_first={own_first}",
            hands=["6-5 5-5 1-0", "4-3 5-2 4-1", "6-2 4-0 4-2"],
            boneyard="2-0 3-0",
        )
        walk(game, "0 6-5>p0", "1 draw", "2 6-2>p2", "0 5-5>p0")
        assert (game.turn, line(game, "p1"), choices(game)) == (1, "", {"5-2>p0"})


def test_extra_tile_elsewhere_does_not_go_before_own_only() -> None:
    """In lap 1 with `own_only` the extra tile goes on the own train, or on the double."""
    game = table(
        "pagat",
        "doubles.first_turn_exempt=no",
        hands=["6-5 5-5 6-1", "6-3 5-2 4-1", "6-2 4-3 4-2"],
        boneyard="5-4 4-0",
    )
    play(game, "0 6-5>p0", "0 5-5>p0")
    assert choices(game) == {"draw"}
    assert why_not(game, 0, "6-1>m0").code == "own_only"


def test_extra_tile_elsewhere_does_not_go_before_own_first() -> None:
    """`own_first = opponents`: a seat that has not begun keeps off marked trains with it too.

    Seats 0 and 1 failed and are marked; seat 0 lays 1-1 on the Mexican Train and draws 6-4.
    """
    game = table(
        "official",
        "train.own_first=opponents",
        hands=["4-3 1-1 3-2", "5-3 5-4 5-2", "6-1 6-2 2-2"],
        boneyard="2-0 3-0 6-4 4-0",
    )
    play(game, "0 draw", "1 draw", "2 6-1>m0", "0 1-1>m0", "0 draw")
    assert marked(game) == {0, 1}
    assert choices(game) == {"6-4>p0"}
    refused = why_not(game, 0, "6-4>p1")
    assert (refused.code, refused.option) == ("own_first", "train.own_first")


# --- first_turn_exempt --------------------------------------------------------------------


def test_exempt_double_owes_no_extra_tile() -> None:
    """`first_turn_exempt`: in lap 1 the turn goes on as after any tile, and nobody is bound."""
    game = table("pagat", hands=["6-5 5-5 1-0", "6-3 5-2 4-1", "6-2 4-3 4-2"], boneyard="5-4 4-0")
    play(game, "0 6-5>p0")
    assert play(game, "0 5-5>p0") == ["0 lays 5-5 on p0, end 5", "5-5 on p0 is open"]
    assert (game.turn, choices(game)) == (1, {"6-3>p1"})


@pytest.mark.parametrize("preset", ["pagat", "spruce"])
def test_exempt_doubles_bind_when_the_lap_is_over_in_the_order_laid(preset: str) -> None:
    """Those still uncovered after lap 1 bind, the oldest first."""
    game = table(
        preset,
        hands=["6-5 5-5 1-0 2-0", "6-3 3-3 4-1 2-1", "6-2 4-3 5-4"],
        boneyard="3-1 4-0",
    )
    walk(game, "0 6-5>p0", "0 5-5>p0", "1 6-3>p1", "1 3-3>p1", "2 6-2>p2")
    assert (game.turn, game.round.lap) == (0, 2)
    assert open_doubles(game) == ["5-5 on p0", "3-3 on p1"]
    assert choices(game) == {"draw"}
    play(game, "0 draw")
    assert (game.turn, marked(game), choices(game)) == (1, {0}, {"draw"})


def test_exempt_double_covered_in_lap_one_does_not_bind_afterwards() -> None:
    """A tile on it in the same first turn covers it."""
    game = table(
        "pagat", hands=["6-5 5-5 5-1 1-0", "6-3 5-2 4-1", "6-2 4-3 4-2"], boneyard="5-4 4-0"
    )
    play(game, "0 6-5>p0", "0 5-5>p0")
    assert choices(game) == {"5-1>p0", "done"}
    assert "5-5 on p0 is covered" in play(game, "0 5-1>p0")
    assert open_doubles(game) == []


def test_exempt_double_may_be_the_last_tile() -> None:
    """Under `go_out_uncovered = no` too."""
    game = table(
        "pagat",
        MUST_COVER_LAST,
        hands=["6-5 5-5", "6-3 5-2 4-1", "6-2 4-3 4-2"],
        boneyard="5-4 4-0",
    )
    play(game, "0 6-5>p0")
    assert play(game, "0 5-5>p0")[-1] == "0 is out"


# --- go_out_uncovered = no ----------------------------------------------------------------


def test_empty_hand_draws_whatever_draw_self_says() -> None:
    """`go_out_uncovered = no` with `draw_self = no`: it draws."""
    game = table(
        "classic",
        MUST_COVER_LAST,
        NO_DRAW,
        hands=["6-5 5-5", "6-3 5-2 4-1"],
        boneyard="4-0 3-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert (game.turn, choices(game)) == (0, {"draw"})


@pytest.mark.parametrize(("mark", "says"), [("yes", {0}), ("no", set())])
def test_tile_that_does_not_serve_is_kept_and_marks_by_mark_self(mark: str, says: set[int]) -> None:
    """`go_out_uncovered = no`: the seat plays on with the drawn tile."""
    game = table(
        "classic",
        MUST_COVER_LAST,
        NO_DRAW,
        f"doubles.mark_self={mark}",
        hands=["6-5 5-5", "6-3 5-2 4-1"],
        boneyard="4-0 3-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "0 draw")
    assert (game.turn, hand(game, 0), marked(game)) == (1, {"4-0"}, says)


def test_last_double_that_is_dead_is_out_at_once() -> None:
    """`go_out_uncovered = no`: nothing is drawn for a dead double."""
    game = table(
        "tournament",
        hands=[BLANKS[0], f"{BLANKS[1]} 6-2"],
        boneyard="3-2 4-3",
        first_seat=1,
    )
    walk(game, *LAY_BLANKS)
    assert "0 is out" in play(game, "0 0-0>p0")


def test_last_double_that_lapsed_is_out_at_once() -> None:
    """`go_out_uncovered = no` with `boneyard_empty`: the duty lapses, the seat is out."""
    game = table("tournament", WHEN_EMPTY, hands=["6-5 5-5", "6-3 5-2 4-1"])
    walk(game, "0 6-5>p0", "1 6-3>p1")
    assert play(game, "0 5-5>p0")[2:4] == ["5-5 on p0 lapses: boneyard_empty", "0 is out"]


def test_extra_tile_elsewhere_that_is_no_double_may_be_the_last() -> None:
    """`go_out_uncovered = no` with `anywhere`: out, though the double lies uncovered."""
    game = table("official", MUST_COVER_LAST, hands=["6-5 5-5 6-1", "6-3 5-2 4-1"], boneyard="4-0")
    walk(game, "0 6-5>p0", "1 6-3>p1")
    play(game, "0 5-5>p0")
    assert "0 is out" in play(game, "0 6-1>m0")
    assert open_doubles(game) == ["5-5 on p0"]
