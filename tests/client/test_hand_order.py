"""The order of a hand: own, planned, by number; and its file."""

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from mexican_train.client.hand_order import HandKeeper, HandOrder
from mexican_train.protocol import Tile

TILE = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda tile: (max(tile), min(tile)))
HANDS = st.lists(TILE, max_size=20, unique=True)


@given(HANDS, HANDS)
def test_tiles_that_stay_keep_their_order(before: list[Tile], after: list[Tile]) -> None:
    """What is laid goes, what is new comes last, in the order of the server."""
    order = HandOrder()
    order.note(before, 1)
    order.note(after, 1)
    stayed = [tile for tile in before if tile in after]
    assert order.own == stayed + [tile for tile in after if tile not in before]


@given(HANDS, st.integers(0, 12))
def test_each_way_shows_the_whole_hand(hand: list[Tile], end: int) -> None:
    """Every tile once, whatever the way of ordering."""
    order = HandOrder()
    order.note(hand, 1)
    for _ in range(3):
        shown = [(max(tile), min(tile)) for tile in order.arranged(end)]
        assert sorted(shown) == sorted(hand)
        order.turn()
    assert order.ordering == "own"


def test_the_planned_train_comes_first_as_it_would_be_laid() -> None:
    order = HandOrder("planned")
    order.note([(9, 4), (12, 9), (4, 1), (11, 11)], 1)
    assert order.arranged(12) == [(12, 9), (9, 4), (4, 1), (11, 11)]


def test_moving_makes_what_is_shown_the_own_order() -> None:
    """Beyond the ends a tile stays at the end."""
    order = HandOrder("number")
    order.note([(1, 0), (9, 4), (12, 9)], 1)
    order.move((9, 4), 1, 0)
    assert (order.ordering, order.own) == ("own", [(12, 9), (1, 0), (9, 4)])
    order.move((9, 4), 1, 0)
    assert order.own[-1] == (9, 4)
    order.move((12, 9), -1, 0)
    assert order.own[0] == (12, 9)


def test_a_new_round_begins_anew() -> None:
    """A tile that comes again by chance has no place from before."""
    order = HandOrder()
    order.note([(1, 0), (9, 4)], 1)
    order.move((1, 0), 1, 0)
    order.note([(1, 0), (9, 4)], 2)
    assert order.own == [(1, 0), (9, 4)]


def test_it_is_kept_for_the_user_alone(tmp_path: Path) -> None:
    """One file a game, mode 0600, found again under the same server, player and table only."""
    keeper = HandKeeper(tmp_path / "hands", "here:1", "Ann")
    order = HandOrder("planned", [(9, 4), (1, 0)], 3)
    keeper.save("t", order)
    (path,) = (tmp_path / "hands").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    assert HandKeeper(tmp_path / "hands", "here:1", "Ann").load("t") == order
    assert keeper.load("other") == HandOrder()
    assert HandKeeper(tmp_path / "hands", "there:1", "Ann").load("t") == HandOrder()


def test_a_file_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    keeper = HandKeeper(tmp_path, "here:1", "Ann")
    path = keeper.path(tmp_path, "t")
    for text in ("", "[]", '{"own": 3}', '{"own": [[1]], "ordering": "own", "round": 1}', "\udcff"):
        path.write_text(text, errors="replace")
        assert keeper.load("t") == HandOrder()


def test_a_folder_that_cannot_be_written_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keeper = HandKeeper(tmp_path / "file" / "hands", "here:1", "Ann")
    keeper.save("t", HandOrder())
    assert keeper.load("t") == HandOrder()


def test_games_that_are_long_over_are_forgotten(tmp_path: Path) -> None:
    """After 14 days, when the next game begins."""
    keeper = HandKeeper(tmp_path, "here:1", "Ann")
    keeper.save("old", HandOrder())
    os.utime(keeper.path(tmp_path, "old"), (0, 0))
    keeper.save("new", HandOrder())
    assert [path.name for path in tmp_path.iterdir()] == [keeper.path(tmp_path, "new").name]
