"""The stock strategies: what they choose, and how they are found by name."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mexican_train.client import SeatView, UnknownStrategyError, strategy, strategy_names
from mexican_train.protocol import Choice, View

from .peers import plays, view


def seen(seat: int = 0) -> SeatView:
    public = {field: getattr(view(), field) for field in View.__struct_fields__}
    return SeatView(seat=seat, hand=[], turn=1, deadline_ms=None, **public)


def greedy(*choices: str, seat: int = 0) -> Choice:
    return strategy("greedy").choose(seen(seat), plays(*choices), Random(1))


@pytest.mark.parametrize(
    ("choices", "chosen"),
    [
        (["3-2>p0", "12-1>p0", "6-6>p0"], "12-1>p0"),
        (["9-4>p0", "12-1>p0", "7-6>p0"], "12-1>p0"),
        (["12-1>p0", "10-3>p0", "11-2>p0"], "12-1>p0"),
        (["draw"], "draw"),
        (["done", "1-0>p0"], "1-0>p0"),
        (["pass", "draw"], "draw"),
    ],
)
def test_greedy_takes_the_heaviest_tile(choices: list[str], chosen: str) -> None:
    """Of equal pips the higher high end goes first; anything laid is better than nothing."""
    assert greedy(*choices) == plays(chosen)[0]


@pytest.mark.parametrize(
    ("trains", "chosen"),
    [
        (["p1", "p0", "m0", "p2"], "p2"),
        (["p3", "m1", "m0", "p1"], "m0"),
        (["p3", "p10", "p1"], "p1"),
    ],
)
def test_greedy_breaks_ties_by_train(trains: list[str], chosen: str) -> None:
    """The own train (here of seat 2), then Mexican Trains by number, then others by seat."""
    choices = [f"12-7>{train}" for train in trains]
    assert greedy(*choices, seat=2) == plays(f"12-7>{chosen}")[0]


@given(st.data())
def test_greedy_does_not_look_at_the_order_of_the_list(data: st.DataObject) -> None:
    tiles = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda ends: tuple(sorted(ends)))
    trains = st.sampled_from(["p0", "p1", "p2", "m0", "m1"])
    moves = data.draw(st.lists(st.tuples(tiles, trains), min_size=1, unique=True))
    choices = [f"{high}-{low}>{train}" for (low, high), train in moves]
    shuffled = data.draw(st.permutations(choices))
    assert greedy(*choices) == greedy(*shuffled)


def test_random_takes_every_choice_by_its_own_source() -> None:
    choices = plays("12-7>p0", "12-3>p0", "draw")
    choose = strategy("random").choose
    first = [choose(seen(), choices, Random(seed)) for seed in range(50)]
    again = [choose(seen(), choices, Random(seed)) for seed in range(50)]
    assert first == again
    assert all(choice in first for choice in choices)


def test_names() -> None:
    assert strategy_names() == ("greedy", "planner", "random")
    assert strategy(" Greedy ").name == "greedy"
    aliases = [strategy(name).name for name in ("easy", "Medium", "hard")]
    assert aliases == ["random", "greedy", "planner"]
    assert all(strategy(name).quick for name in strategy_names())


@pytest.mark.parametrize(("name", "nearest"), [("gredy", "greedy"), ("randm", "random")])
def test_an_unknown_name_gets_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UnknownStrategyError, match=f"Did you mean '{nearest}'") as failure:
        strategy(name)
    assert failure.value.nearest == nearest


@pytest.mark.parametrize("name", ["nope", "", "x" * 30])
def test_a_name_like_no_other_gets_no_guess(name: str) -> None:
    with pytest.raises(UnknownStrategyError, match="Known: greedy, planner, random") as failure:
        strategy(name)
    assert failure.value.nearest is None
    assert "Did you mean" not in str(failure.value)
