"""Tiles: their numbers, their ends, their text form, and the sets."""

import pytest
from mexican_train.engine import is_double, parse_tile, tile, tile_ends, tile_pips, tile_text

SIZES = {6: 28, 9: 55, 12: 91, 15: 136, 18: 190}


@pytest.mark.parametrize(("max_pip", "size"), SIZES.items())
def test_set_is_a_prefix_of_the_tiles(max_pip: int, size: int) -> None:
    """The tiles of a set are numbered from 0, without a gap, and no other has its pips."""
    numbers = {tile(one, other) for one in range(max_pip + 1) for other in range(one + 1)}
    assert numbers == set(range(size))


def test_tile_is_the_same_in_either_order() -> None:
    """A tile has no first end."""
    assert tile(12, 7) == tile(7, 12)


def test_ends_and_text_come_back() -> None:
    """`tile` undoes `tile_ends`, `parse_tile` undoes `tile_text`; the higher end is first."""
    for number in range(190):
        high, low = tile_ends(number)
        assert high >= low
        assert tile(high, low) == number
        assert tile_text(number) == f"{high}-{low}"
        assert parse_tile(f"{high}-{low}") == parse_tile(f"{low}-{high}") == number


@pytest.mark.parametrize(
    ("text", "pips", "double"), [("12-7", 19, False), ("0-0", 0, True), ("18-18", 36, True)]
)
def test_pips_and_doubles(text: str, pips: int, double: bool) -> None:
    """Pips are the sum of both ends, and a double has equal ends."""
    assert (tile_pips(parse_tile(text)), is_double(parse_tile(text))) == (pips, double)


@pytest.mark.parametrize("max_pip", SIZES)
def test_each_number_stands_on_one_tile_more_than_the_highest(max_pip: int) -> None:
    """In a double-12 every number is on 13 tiles (rules page, section 1)."""
    for pips in range(max_pip + 1):
        assert sum(pips in tile_ends(each) for each in range(SIZES[max_pip])) == max_pip + 1


@pytest.mark.parametrize("ends", [(19, 0), (0, -1), (18, 19)])
def test_no_tile_has_ends_past_18_or_below_0(ends: tuple[int, int]) -> None:
    """ValueError says that no set has it."""
    with pytest.raises(ValueError, match="no set has"):
        tile(*ends)


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "12", "12-", "-7", "12-7-1", "12 7", " 12-7", "12-7 ", "a-b", "12_7"),
        *("\u0661-\u0662", "1²-1", "+1-2", "1.0-2", "1e1-2", "19-0", "0-100"),
        *("07-12", "012-7", "00-0"),
    ],
)
def test_text_that_is_no_tile_is_refused(text: str) -> None:
    """Only two plain numbers of a set with a dash between are a tile."""
    with pytest.raises(ValueError, match="tile"):
        parse_tile(text)
