"""Row 12 of the awkward positions: what only seed 002 has (`docs/rules.md`, section 5).

One tile on each open train, the own train first, and as many Mexican Trains as there are tiles to
start them. Expected values are worked out by hand.
"""

from tests.engine.tabletop import choices, line, marked, play, table, trains, walk, why_not


def test_starter_with_one_engine_number_chooses_own_or_mexican() -> None:
    """The first player need not begin with its own train."""
    for train in ("p0", "m0"):
        game = table("bernie", hands=["6-5 1-0 2-0", "6-3 4-2 4-1"], boneyard="4-0")
        assert choices(game) == {"6-5>p0", "6-5>m0"}
        play(game, f"0 6-5>{train}")
        assert (game.turn, line(game, train)) == (1, "6-5")


def test_both_tiles_of_the_starter_on_the_own_train_are_refused() -> None:
    """Own train and one other, two tiles at most (seed 002, point 3)."""
    game = table("bernie", hands=["6-5 5-1 6-2 2-1", "6-3 4-2 4-1"], boneyard="4-0")
    play(game, "0 6-5>p0")
    assert choices(game) == {"6-2>m0", "done"}
    refused = why_not(game, 0, "5-1>p0")
    assert (refused.code, refused.option) == ("train_used", "turn.play_limit")
    play(game, "0 6-2>m0")
    assert game.turn == 1


def test_starter_that_began_the_mexican_train_may_go_on_with_its_own() -> None:
    """The order of the two is free."""
    game = table("bernie", hands=["6-5 5-1 6-2 2-1", "6-3 4-2 4-1"], boneyard="4-0")
    play(game, "0 6-2>m0")
    assert choices(game) == {"6-5>p0", "done"}


def test_second_player_plays_own_first_and_then_the_mexican_train_in_one_turn() -> None:
    """In lap 1 too: its own train is opened by the first tile."""
    game = table("bernie", hands=["6-5 6-2 1-0 0-0", "6-3 4-2 4-1"], boneyard="4-0")
    play(game, "0 6-5>p0", "0 6-2>m0")
    assert choices(game) == {"6-3>p1"}
    assert why_not(game, 1, "4-2>m0").code == "own_first"
    play(game, "1 6-3>p1")
    assert choices(game) == {"4-2>m0", "done"}
    play(game, "1 4-2>m0")
    assert line(game, "m0") == "6-2 2-4"


def test_marked_seat_on_whose_train_nobody_has_played_may_use_only_its_own() -> None:
    """A marker at an empty place opens the train for the others, not for its owner."""
    game = table("bernie", hands=["6-5 6-2 1-0 0-0", "4-2 4-1 2-1"], boneyard="4-0 3-0 3-1")
    play(game, "0 6-5>p0", "0 6-2>m0", "1 draw")
    assert marked(game) == {1}
    play(game, "0 draw")
    assert choices(game) == {"draw"}
    assert why_not(game, 1, "4-2>m0").code == "own_first"


def test_marked_seat_on_whose_train_another_has_played_may_use_any() -> None:
    """The train is opened by the other's tile."""
    game = table("bernie", hands=["6-5 6-2 6-1 0-0 3-3", "4-2 4-1 2-1"], boneyard="4-0 3-0 3-1")
    play(game, "0 6-5>p0", "0 6-2>m0", "1 draw", "0 6-1>p1")
    assert (line(game, "p1"), choices(game)) == (
        "6-1",
        {"4-1>p1", "2-1>p1", "4-2>m0", "2-1>m0"},
    )


def test_marked_seat_that_plays_on_the_mexican_train_loses_its_marker() -> None:
    """Open until it plays a tile anywhere (seed 002, point 4)."""
    game = table("bernie", hands=["6-5 6-1 5-4 2-1 0-0 2-0", "6-3 4-2 2-2 5-0"], boneyard="4-0 3-0")
    play(game, "0 6-5>p0", "0 6-1>m0", "1 6-3>p1", "0 5-4>p0", "0 done", "1 draw")
    assert marked(game) == {1}
    play(game, "0 2-1>m0")
    assert "1 is unmarked" in play(game, "1 4-2>m0")


def test_several_mexican_trains() -> None:
    """After lap 1 anybody may start another (seed 002, point 5)."""
    game = table("bernie", hands=["6-5 6-2 6-0 1-1 0-0", "6-3 6-4 4-1 5-1"], boneyard="4-0")
    play(game, "0 6-5>p0", "0 6-2>m0", "1 6-3>p1")
    assert "6-0>m1" in choices(game)
    play(game, "0 6-0>m1")
    assert (game.turn, choices(game)) == (1, {"6-4>m2"})
    play(game, "1 6-4>m2")
    assert trains(game) == ["p0", "p1", "m0", "m1", "m2"]


def test_at_most_twelve_trains_start_from_the_double_twelve() -> None:
    """Two personal and ten Mexican Trains use up the twelve other tiles with a 12."""
    game = table(
        "bernie",
        "set.max_pip=12",
        hands=[
            "12-0 12-1 12-2 12-3 12-4 12-5 1-0 10-0 3-0",
            "12-6 12-7 12-8 12-9 12-10 12-11 8-7 9-7",
        ],
        boneyard="4-4 5-5",
        engine="12-12",
    )
    walk(
        game,
        *("0 12-0>p0", "0 12-1>m0", "1 12-6>p1", "0 12-2>m1", "1 12-7>m2"),
        *("0 12-3>m3", "1 12-8>m4", "0 12-4>m5", "1 12-9>m6"),
        *("0 12-5>m7", "1 12-10>m8", "0 1-0>m0", "1 12-11>m9"),
    )
    assert trains(game) == ["p0", "p1", *(f"m{number}" for number in range(10))]
    assert game.turn == 0
    assert not any(move.endswith("m10") for move in choices(game))
