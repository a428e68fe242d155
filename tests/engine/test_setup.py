"""How a round begins: the search for an engine that nobody holds, and who moves first.

The precise points on the deal and row 10 of the awkward positions (`docs/rules.md`). Expected
values are worked out by hand.
"""

import pytest
from mexican_train.engine import Game, parse_tile

from tests.engine.tabletop import boneyard, deal, hand, rules, table, told

HELD = ("bernie", "nm", "pagat", "reference", "spruce")
"""The presets in which the engine is dealt with the rest."""
WIDE = ("game.players=2-14", "deal.hand_size=3")


def begin(
    preset: str, *options: str, hands: list[str], boneyard: str, first_seat: int = 0
) -> tuple[Game, list[str]]:
    """A game in round 1 with the events of its deal, told."""
    game = Game.start(rules(preset, *WIDE, *options), len(hands), first_seat=first_seat)
    return game, told(game.begin_round(deal(hands, boneyard)))


# --- the engine is held -------------------------------------------------------------------


@pytest.mark.parametrize("preset", HELD)
def test_holder_lays_the_engine_and_moves_first(preset: str) -> None:
    """Its hand stays one short; nobody draws."""
    game, said = begin(
        preset, hands=["6-5 6-1 5-0", "5-1 5-2 4-0", "6-6 6-2 4-1"], boneyard="3-0 3-1"
    )
    assert said == [
        "round 1 starts, hands 3,3,3, boneyard 2",
        "engine 6-6 from 2, 2 first",
    ]
    assert (game.turn, hand(game, 2), boneyard(game)) == (2, {"6-2", "4-1"}, "3-0 3-1")


@pytest.mark.parametrize("preset", ["classic", "boxcar", "official", "tournament", "deluxe"])
def test_engine_set_aside_belongs_to_nobody(preset: str) -> None:
    """All hands stay whole, and the first seat moves first in round 1."""
    game, said = begin(
        preset, hands=["6-5 6-1 5-0", "5-1 5-2 4-0"], boneyard="3-0 3-1", first_seat=1
    )
    assert said[-1] == "engine 6-6 set aside, 1 first"
    assert (game.turn, game.round.hand_counts) == (1, (3, 3))


# --- nobody was dealt the engine ----------------------------------------------------------


@pytest.mark.parametrize("preset", HELD)
def test_seats_draw_in_turn_until_the_engine_appears(preset: str) -> None:
    """From the first seat round; drawn tiles are kept, and so are unequal hands (row 10).

    Seat 1 draws 3-0, seat 2 draws 3-1, seat 0 draws the engine and moves first: its hand is as
    long as it was dealt, the others are one longer.
    """
    game, said = begin(
        preset,
        hands=["6-5 6-1 5-0", "5-1 5-2 4-0", "6-3 6-2 4-1"],
        boneyard="3-0 3-1 6-6 3-2",
        first_seat=1,
    )
    assert said == [
        "round 1 starts, hands 3,3,3, boneyard 4",
        "1 draws 3-0 in search",
        "2 draws 3-1 in search",
        "0 draws 6-6 in search",
        "engine 6-6 from 0, 0 first",
    ]
    assert game.round.hand_counts == (3, 4, 4)
    assert (hand(game, 1), hand(game, 2)) == (
        {"5-1", "5-2", "4-0", "3-0"},
        {"6-3", "6-2", "4-1", "3-1"},
    )
    assert (game.turn, boneyard(game)) == (0, "3-2")


@pytest.mark.parametrize("preset", HELD)
def test_search_goes_round_until_the_last_of_three_tiles(preset: str) -> None:
    """Two seats and three tiles left: the first draws twice and finds the engine (row 10)."""
    game, said = begin(preset, hands=["6-5 6-1 5-0", "5-1 5-2 4-0"], boneyard="3-0 3-1 6-6")
    assert said[1:] == [
        "0 draws 3-0 in search",
        "1 draws 3-1 in search",
        "0 draws 6-6 in search",
        "engine 6-6 from 0, 0 first",
    ]
    assert (game.round.hand_counts, boneyard(game)) == ((4, 4), "")


def test_all_draw_completes_the_cycle_in_which_the_engine_appears() -> None:
    """`all_draw`: everybody draws one, again and again; after the finder the others draw too."""
    game, said = begin(
        "reference",
        "engine.search=all_draw",
        hands=["6-5 6-1 5-0", "5-1 5-2 4-0", "6-3 6-2 4-1"],
        boneyard="3-0 3-1 3-2 6-6 3-3 2-0 2-1",
    )
    assert said[1:] == [
        *("0 draws 3-0 in search", "1 draws 3-1 in search", "2 draws 3-2 in search"),
        *("0 draws 6-6 in search", "1 draws 3-3 in search", "2 draws 2-0 in search"),
        "engine 6-6 from 0, 0 first",
    ]
    assert (game.round.hand_counts, boneyard(game)) == ((4, 5, 5), "2-1")


def test_all_draw_ends_where_the_tiles_end() -> None:
    """The last cycle goes as far as tiles go."""
    game, said = begin(
        "reference",
        "engine.search=all_draw",
        hands=["6-5 6-1 5-0", "5-1 5-2 4-0", "6-3 6-2 4-1"],
        boneyard="3-0 6-6",
    )
    assert said[1:] == [
        *("0 draws 3-0 in search", "1 draws 6-6 in search"),
        "engine 6-6 from 1, 1 first",
    ]
    assert game.round.hand_counts == (4, 3, 3)


def test_finder_is_the_holder_but_rotation_may_give_the_first_move_to_another() -> None:
    """`held` with `rotate_left`: who lays the engine need not begin."""
    game, said = begin(
        "reference",
        "round.first_player=rotate_left",
        hands=["6-5 6-1 5-0", "5-1 5-2 4-0"],
        boneyard="3-0 6-6",
    )
    assert said[-1] == "engine 6-6 from 1, 0 first"
    assert game.turn == 0


# --- who draws first, who moves first in later rounds -------------------------------------


def second_round(preset: str, *options: str, first_seat: int = 0) -> list[str]:
    """Seat 1 of three wins round 1 by its only tile; the events of a round 2 without an engine."""
    game = table(preset, *options, hands=["5-0", "6-1", "5-1"], boneyard="", first_seat=first_seat)
    while game.phase == "play":
        seat = game.turn
        assert seat is not None
        game.apply(seat, game.legal_moves(seat)[-1])
    assert game.winners == [1]
    held = game.rules["engine.source"] == "held"
    later = deal(
        ["6-5 6-1 5-0", "5-1 5-2 4-0", "6-3 6-2 4-1"], "3-0 3-1 5-5" if held else "3-0 3-1", "5-5"
    )
    return told(game.begin_round(later))


def test_last_winner_draws_first() -> None:
    """`search_from = last_winner` (bernie): the winner of the round before (seed 002)."""
    assert second_round("bernie", "round.blocked=lap_stuck")[1:] == [
        *("1 draws 3-0 in search", "2 draws 3-1 in search", "0 draws 5-5 in search"),
        "engine 5-5 from 0, 0 first",
    ]


def test_first_seat_draws_first_in_every_round() -> None:
    """`search_from = first_seat`: the table's, whoever won."""
    assert second_round("reference", first_seat=2)[1:] == [
        *("2 draws 3-0 in search", "0 draws 3-1 in search", "1 draws 5-5 in search"),
        "engine 5-5 from 1, 1 first",
    ]


def test_first_seat_draws_first_in_round_one_for_last_winner_too() -> None:
    """`last_winner` in round 1 is the table's first seat, the oldest player of seed 002."""
    _, said = begin(
        "bernie",
        hands=["6-5 6-1 5-0", "5-1 5-2 4-0"],
        boneyard="3-0 3-1 6-6",
        first_seat=1,
    )
    assert said[1] == "1 draws 3-0 in search"


@pytest.mark.parametrize("first_seat", [0, 1, 2])
def test_first_move_rotates_to_the_left(first_seat: int) -> None:
    """`rotate_left`: the first seat in round 1, the next in round 2, wrapping round."""
    assert second_round("classic", first_seat=first_seat)[-1] == (
        f"engine 5-5 set aside, {(first_seat + 1) % 3} first"
    )


# --- what cannot be -----------------------------------------------------------------------


def test_engine_that_was_set_aside_cannot_be_dealt() -> None:
    """ValueError, and no round has begun."""
    for hands, left in ((["6-6 6-1 5-0", "5-1 5-2 4-0"], ""), (["6-1 5-0", "5-1 4-0"], "6-6")):
        game = Game.start(rules("classic", *WIDE), 2)
        with pytest.raises(ValueError, match="6-6 was dealt although it is set aside"):
            game.begin_round(deal(hands, left))
        assert (game.phase, game.round_number) == ("deal", 0)


def test_engine_that_is_held_must_be_dealt() -> None:
    """ValueError, and no round has begun."""
    game = Game.start(rules("reference", *WIDE), 2)
    with pytest.raises(ValueError, match="6-6 was not dealt"):
        game.begin_round(deal(["6-1 5-0", "5-1 4-0"], "3-0"))
    assert game.phase == "deal"


def test_deal_for_another_number_of_seats_is_refused() -> None:
    """ValueError names both numbers."""
    game = Game.start(rules("classic", *WIDE), 3)
    with pytest.raises(ValueError, match="2 hands is not for 3 seats"):
        game.begin_round(deal(["6-1 5-0", "5-1 4-0"], "3-0"))


@pytest.mark.parametrize("first_seat", [-1, 2, 14])
def test_first_seat_is_one_of_the_table(first_seat: int) -> None:
    """ValueError otherwise."""
    with pytest.raises(ValueError, match="first seat"):
        Game.start(rules("classic", *WIDE), 2, first_seat=first_seat)


def test_round_begins_only_between_rounds() -> None:
    """Not while one is in play, and not after the last."""
    game = table("classic", "game.rounds=1", hands=["6-1", "5-0 4-0"], boneyard="3-0")
    with pytest.raises(ValueError, match="phase play"):
        game.begin_round(deal(["6-1", "5-0"]))
    game.apply(0, game.legal_moves(0)[0])
    assert game.phase == "over"
    with pytest.raises(ValueError, match="phase over"):
        game.begin_round(deal(["6-1", "5-0"]))


def test_game_without_a_deal_has_no_round() -> None:
    """Before the first deal there is no round, no turn and no move."""
    game = Game.start(rules("classic", *WIDE), 2)
    assert (game.phase, game.turn, game.round_number) == ("deal", None, 0)
    assert game.legal_moves(0) == ()
    with pytest.raises(ValueError, match="no round"):
        _ = game.round


def test_search_tiles_count_as_the_tiles_of_their_seat() -> None:
    """A tile drawn in the search is played and scored like any other."""
    game, _ = begin("reference", hands=["6-6 5-0", "5-1 4-0"], boneyard="3-0")
    assert parse_tile("6-6") not in game.round.hand(0)
    found, _ = begin("reference", hands=["5-0", "5-1 4-0"], boneyard="6-1 3-0 6-6")
    assert found.turn == 0
    assert [str(move) for move in found.legal_moves(0)] == ["6-1>p0", "6-1>m0"]
