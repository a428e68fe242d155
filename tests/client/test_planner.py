"""The planner: the line it keeps, what it chooses and why, and whole rounds in every preset."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mexican_train.client import SeatView, strategy
from mexican_train.client.bots import TEXTS, Chain, Explained, Strategy, best_chain, explain
from mexican_train.engine import RuleSet, preset_names
from mexican_train.protocol import Choice, OpenDouble, Tile, View

from .peers import plays, train, view
from .tabletop_views import dealt, play_round

PLANNER = strategy("planner").choose


def tiles(text: str) -> list[Tile]:
    """Tiles as they are written: `12-7 7-3`."""
    pairs = (each.split("-") for each in text.split())
    return [(int(one), int(other)) for one, other in pairs]


def line(text: str) -> Chain:
    laid = tiles(text)
    return Chain(tuple(laid), sum(map(sum, laid)))


# --- the line -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "hand", "best"),
    [
        (12, "", ""),
        (12, "9-4 7-7", ""),
        (12, "12-9 12-4 9-4", "12-9 9-4 4-12"),
        (12, "12-9 12-4 4-3", "12-4 4-3"),  # 23 pips, though 12-9 alone is the heaviest tile
        (12, "12-9 12-4 4-0", "12-9"),  # 21 pips against 20 for two tiles
        (12, "12-9 12-6 6-3", "12-6 6-3"),  # 27 against 21
        (5, "5-4 5-3 4-0 3-1", "5-4 4-0"),  # 13 against 12
        (6, "6-5 5-5 5-2", "6-5 5-5 5-2"),  # the double is covered
        (6, "6-5 5-5 4-3", "6-5"),  # nothing would cover the double
        (6, "6-5 5-5", "6-5 5-5"),  # the last tile of the hand needs no cover
        (6, "6-6 6-1 1-1", "6-6 6-1 1-1"),
        (6, "6-6 3-2", ""),
        (6, "6-6", "6-6"),
        (3, "5-3 3-2 5-2 3-3", "3-3 3-5 5-2 2-3"),
        (4, "4-2 4-1 3-2 3-1 0-0", "4-2 2-3 3-1 1-4"),  # round a circle, the heavy tile first
        (0, "1-0 0-0", "0-0 0-1"),  # a tile of no pips counts among equal lines
        (2, "2-1 2-0 1-0 1-1", "2-1 1-1 1-0 0-2"),
        (18, "18-17 18-16 17-16 17-17", "18-17 17-17 17-16 16-18"),
    ],
)
def test_worked_lines(end: int, hand: str, best: str) -> None:
    """Lines found by hand: the most pips, then the longest, then heavy tiles first."""
    assert best_chain(tiles(hand), end) == line(best)


@pytest.mark.parametrize(
    ("turns", "best"),
    [(0, ""), (1, "9-9 9-8"), (2, "9-9 9-1 1-12"), (3, "9-9 9-1 1-12 12-0")],
)
def test_a_line_for_a_few_turns(turns: int, best: str) -> None:
    """Doubles are no turn of their own; a short line may begin otherwise than a long one."""
    hand = tiles("9-9 9-8 9-1 12-1 12-0")
    assert best_chain(hand, 9, turns=turns) == line(best)


def every_line(hand: frozenset[Tile], end: int) -> Iterator[tuple[Tile, ...]]:
    yield ()
    for tile in hand:
        for inward, outward in {tile, tile[::-1]}:
            if inward == end:
                for rest in every_line(hand - {tile}, outward):
                    yield ((inward, outward), *rest)


def is_allowed(laid: Sequence[Tile], hand: frozenset[Tile]) -> bool:
    """A last double needs a cover, unless the hand is empty after it."""
    return not laid or laid[-1][0] != laid[-1][1] or len(laid) == len(hand)


def worth(laid: Sequence[Tile]) -> tuple[int, int]:
    return (sum(map(sum, laid)), len(laid))


small_tiles = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda t: (max(t), min(t)))


@given(st.frozensets(small_tiles, max_size=8), st.integers(0, 5))
def test_no_line_is_better(hand: frozenset[Tile], end: int) -> None:
    """The line is one of those that trying everything gives, and none of them is worth more."""
    allowed = [laid for laid in every_line(hand, end) if is_allowed(laid, hand)]
    best = best_chain(hand, end)
    assert best.tiles in allowed
    assert worth(best.tiles) == max(map(worth, allowed))
    assert best.pips == sum(map(sum, best.tiles))


large_tiles = st.tuples(st.integers(0, 18), st.integers(0, 18)).map(lambda t: (max(t), min(t)))


@given(st.data())
def test_any_hand_gives_a_line(data: st.DataObject) -> None:
    """However little is tried of a hand of up to 60 tiles, what comes back is a line of it."""
    hand = data.draw(st.frozensets(large_tiles, max_size=60))
    end, steps = data.draw(st.integers(0, 18)), data.draw(st.integers(0, 50))
    laid = best_chain(hand, end, steps_max=steps).tiles
    used = [(max(each), min(each)) for each in laid]
    assert len(set(used)) == len(used)
    assert set(used) <= hand
    assert all(before[1] == after[0] for before, after in pairwise([(end, end), *laid]))
    assert is_allowed(laid, hand)
    if any(end in tile and tile[0] != tile[1] for tile in hand):
        assert laid


@given(st.frozensets(large_tiles, max_size=12), st.integers(0, 18), st.randoms())
def test_the_order_of_the_hand_does_not_matter(
    hand: frozenset[Tile], end: int, rng: Random
) -> None:
    shuffled = [rng.choice((tile, tile[::-1])) for tile in hand]
    rng.shuffle(shuffled)
    assert best_chain(hand, end) == best_chain(shuffled, end)


# --- choices ------------------------------------------------------------------------------


def seen(hand: str, *, doubles: str = "", binding: bool = True, **fields: Any) -> SeatView:
    """Seat 0's view in the second lap; its train ends in 12. `doubles` as `6-6>p1`."""
    held = tiles(hand)
    fields = {
        "lap": 2,
        "hand_counts": [len(held), 7, 7],
        "open_doubles": [
            OpenDouble(train=each.train or "", tile=each.tile or (0, 0), seat=1, binding=binding)
            for each in plays(*doubles.split())
        ],
    } | fields
    public = view(**fields)
    public_fields = {field: getattr(public, field) for field in View.__struct_fields__}
    return SeatView(seat=0, hand=held, turn=1, deadline_ms=None, **public_fields)


def told(choices: str, on: SeatView) -> tuple[str, str]:
    """The planner's choice among `choices` and its text."""
    offered = plays(*choices.split())
    answer = explain(on, offered)
    return choices.split()[offered.index(answer.choice)], answer.text


MARKED = {"trains": [train("p0", marked=True), train("p1", marked=True), train("p2")]}


@pytest.mark.parametrize(
    ("hand", "choices", "fields", "chosen", "text"),
    [
        (
            "12-9 9-4 7-4 12-11",
            "12-9>p0 12-11>p0 12-11>p1",
            MARKED,
            "12-9>p0",
            "Play 12-9 on your train: it closes your train and keeps 9-4, 7-4 for later.",
        ),
        (
            "12-9 11-3",
            "12-9>p0 11-3>p1",
            MARKED,
            "12-9>p0",
            "Play 12-9 on your train: it closes your train.",
        ),
        (
            "12-9 9-4 7-3 7-1",
            "12-9>p0 7-3>p1 7-1>p1",
            {},
            "7-3>p1",
            (
                "Play 7-3 on Ann's train: "
                "it is the heaviest tile that fits there and keeps 12-9, 9-4 for your own train."
            ),
        ),
        (
            "12-9 9-4 7-4 6-2",
            "12-9>p0 9-4>p1",
            {},
            "12-9>p0",
            "Play 12-9 on your train: it goes on with your train and keeps 9-4, 7-4 for later.",
        ),
        (
            "12-9 6-2",
            "12-9>p0",
            {},
            "12-9>p0",
            "Play 12-9 on your train: it goes on with your train.",
        ),
        (
            "12-8 9-9 9-1 5-3",
            "9-9>p0 9-1>p0",
            {"trains": [train("p0", (12, 9)), train("p1"), train("p2")]},
            "9-9>p0",
            "Play 9-9 on your train: it goes on with your train, and 9-1 covers the double.",
        ),
        (
            "8-3 5-1",
            "8-3>m0 5-1>m0",
            {},
            "8-3>m0",
            (
                "Play 8-3 on the Mexican Train: "
                "it is the heaviest tile that fits, and your own train wants none of your tiles."
            ),
        ),
        (
            "12-1 7-7 7-3 8-7",
            "12-1>p0 7-7>p1 7-3>p1 8-7>p1",
            {},
            "7-7>p1",
            "Play 7-7 on Ann's train: it is a double that you can cover with 8-7.",
        ),
        (
            "12-1 7-7 8-4",
            "12-1>p0 7-7>p1",
            {},
            "12-1>p0",
            "Play 12-1 on your train: it goes on with your train.",
        ),
        (
            "12-7 7-3 8-7 7-1",
            "12-7>p1 7-3>p1 8-7>p1 7-1>p1",
            {"doubles": "7-7>p1", "awaited": "cover"},
            "7-3>p1",
            (
                "Play 7-3 on Ann's train: "
                "it covers the double with the heaviest tile that your own train can spare."
            ),
        ),
        (
            "12-1 7-3 8-7",
            "7-3>p1 8-7>p1 12-1>p0",
            {"doubles": "7-7>p1", "awaited": "extra"},
            "8-7>p1",
            (
                "Play 8-7 on Ann's train: "
                "it covers the double with the heaviest tile that your own train can spare."
            ),
        ),
        (
            "12-7 7-3 5-5",
            "12-7>p0 7-3>p0",
            {
                "doubles": "7-7>p0",
                "awaited": "cover",
                "trains": [train("p0", (12, 7), (7, 7)), train("p1"), train("p2")],
            },
            "12-7>p0",
            "Play 12-7 on your train: it covers the double there.",
        ),
        (
            "12-7 12-3 7-1 5-5",
            "12-7>p1 7-1>p1",
            {"doubles": "7-7>p1", "awaited": "cover"},
            "12-7>p1",
            "Play 12-7 on Ann's train: it fits there and leaves as much for your own train.",
        ),
        (
            "12-7 8-7 8-2",
            "12-7>p1 8-7>p1",
            {"doubles": "7-7>p1", "awaited": "cover"},
            "8-7>p1",
            "Play 8-7 on Ann's train: it costs the plan for your own train the least.",
        ),
        (
            "12-9 9-4 7-3",
            "9-4>p1",
            {"doubles": "4-4>p1", "awaited": "cover"},
            "9-4>p1",
            "Play 9-4 on Ann's train: it is the only tile that fits.",
        ),
        (
            "7-7 2-2 8-4",
            "7-7>p1 2-2>p2",
            {},
            "7-7>p1",
            (
                "Play 7-7 on Ann's train: "
                "it is a double that you cannot cover, but everything else costs more."
            ),
        ),
        (
            "12-9 9-4 10-10",
            "12-9>p0 9-4>p1 10-10>p2",
            {"hand_counts": [3, 7, 1]},
            "12-9>p0",
            "Play 12-9 on your train: Bob has one tile left, so the heaviest tile goes first.",
        ),
        (
            "8-3",
            "8-3>m0 8-3>p1",
            {},
            "8-3>m0",
            "Play 8-3 on the Mexican Train: it is your last tile.",
        ),
        ("12-9 5-5", "draw", {}, "draw", "Draw a tile: nothing that you hold fits."),
        (
            "",
            "draw",
            {"awaited": "extra"},
            "draw",
            "Draw a tile: your hand is empty, and the double still wants a cover.",
        ),
        ("12-9", "pass", {}, "pass", "Pass: nothing that you hold fits, and you may not draw."),
        (
            "8-3 3-1",
            "8-3>m0 pass",
            {},
            "8-3>m0",
            (
                "Play 8-3 on the Mexican Train: "
                "it is the heaviest tile that fits, and your own train wants none of your tiles."
            ),
        ),
        (
            "8-3",
            "draw knock",
            {},
            "knock",
            "Knock: you have one tile left, and whoever does not knock may be called for it.",
        ),
    ],
)
def test_worked_choices(
    hand: str, choices: str, fields: dict[str, Any], chosen: str, text: str
) -> None:
    """Choices found by hand, each with its reason."""
    assert told(choices, seen(hand, **fields)) == (chosen, text)


def test_a_foul_is_called() -> None:
    offered = [*plays("draw"), Choice(do="foul", seat=2, event=5), Choice(do="foul", seat=1)]
    answer = explain(seen("8-3"), offered)
    assert (answer.choice.seat, answer.text) == (
        1,
        "Call the foul of Ann, who has one tile left and did not knock.",
    )


SEVERAL: dict[str, Any] = {
    "awaited": "go_on",
    "trains": [train("p0"), train("p1"), train("m0"), train("m1")],
}


@pytest.mark.parametrize(
    ("hand", "choices", "chosen", "code"),
    [
        ("12-9 9-4 8-3", "8-3>m0 9-4>m1 done", "8-3>m0", "shed"),
        ("12-9 9-4 8-3", "12-9>m1 done", "done", "done"),
        ("12-9 9-4 8-3", "9-4>m1 done", "9-4>m1", "free"),
        ("12-9 9-4 3-3", "3-3>m1 done", "done", "done_double"),
        ("12-9 9-4 8-3", "12-9>p0 9-4>m1 done", "12-9>p0", "plan"),
    ],
)
def test_several_tiles_a_turn(hand: str, choices: str, chosen: str, code: str) -> None:
    """The turn ends only when every further tile is worth more in the hand."""
    offered = plays(*choices.split())
    answer = explain(seen(hand, **SEVERAL), offered)
    assert answer.choice == offered[choices.split().index(chosen)]
    assert answer.code == code


def test_a_long_plan_is_told_by_its_first_tiles() -> None:
    """Four tiles and a sign of more."""
    answer = explain(seen("12-9 9-8 8-7 7-6 6-5 5-4"), plays("12-9>p0"))
    assert answer.params["kept"] == "9-8, 8-7, 7-6, 6-5 …"


def test_a_dead_double_is_no_risk() -> None:
    """With every tile of its number on the table a double wants no cover."""
    sevens = [(7, other) for other in range(13) if other != 7]
    laid = [each for one, other in sevens for each in ((one, other), (other, one))]
    trains = [train("p0"), train("p1", *laid), train("p2")]
    on = seen("12-1 7-7 8-4", trains=trains)
    assert told("12-1>p0 7-7>p1", on)[0] == "7-7>p1"


def test_somebody_near_the_end_of_the_first_lap_changes_nothing() -> None:
    """Whole trains are built then, and the plan lays more than the heaviest tile."""
    on = seen("12-9 12-4 9-4 4-3", lap=1, hand_counts=[4, 1, 7])
    assert told("12-9>p0 12-4>p0", on) == (
        "12-9>p0",
        "Play 12-9 on your train: it goes on with your train and keeps 9-4, 12-4 for later.",
    )


def test_a_train_built_in_the_first_turn_is_the_whole_plan() -> None:
    """pagat: every tile of the best line, and then a double that binds nobody yet."""
    game = dealt(RuleSet.preset("pagat"), 4, 3)
    plans = []

    def watch(on: SeatView, choices: Sequence[Choice]) -> None:
        if on.lap == 1 and not on.trains[on.seat].tiles:
            plans.append((on.seat, best_chain(on.hand, on.engine[0]).tiles))
        if on.lap == 2 and plans:
            for seat, plan in plans:
                assert tuple(on.trains[seat].tiles[: len(plan)]) == plan
            plans.clear()

    play_round(game, [PLANNER] * 4, Random(1), watch)
    assert not plans


# --- whole rounds -------------------------------------------------------------------------

OTHER_RULES = [
    {"turn.must_play": False, "draw.limit": "until_playable"},
    {"doubles.cover_order": "any", "marker.on": "own_stuck", "doubles.must_cover": False},
    {"announce.mode": "knock", "announce.penalty_tiles": 2, "set.max_pip": 9},
    {"draw.play_drawn": "may", "mexican_train.max_trains": 3, "set.max_pip": 15},
]


def test_every_preset_and_every_reason() -> None:
    """Only what is offered is chosen, in whatever order, and every reason comes up.

    Two to eight seats, each preset with its own rules and with some others.
    """
    codes = set()
    rng = Random(7)

    def watch(on: SeatView, choices: Sequence[Choice]) -> None:
        answer = explain(on, choices)
        shuffled = list(choices)
        rng.shuffle(shuffled)
        assert explain(on, shuffled) == answer
        assert_told(answer, on)
        codes.add(answer.code)

    for number, name in enumerate(preset_names()):
        preset = RuleSet.preset(name)
        mixed = preset.with_options(OTHER_RULES[number % len(OTHER_RULES)])
        for rules in (preset, mixed):
            low, high = rules.range("game.players")
            for seats in {low, 4, min(high, 7)}:
                play_round(dealt(rules, seats, seats), [PLANNER] * seats, rng, watch)
    assert codes | {"foul", "done"} >= set(TEXTS)


def assert_told(answer: Explained, on: SeatView) -> None:
    """The sentence is whole, names tile and train, and is made of what programs are told too."""
    parts: dict[str, Any] = {**answer.params}
    if answer.choice.tile is not None:
        high, low = sorted(answer.choice.tile, reverse=True)
        parts["tile"] = f"{high}-{low}"
        assert answer.text.startswith(f"Play {high}-{low} on ")
        assert ("your train:" in answer.text) == (answer.choice.train == f"p{on.seat}")
        parts["train"] = answer.text.split(" on ", 1)[1].split(":")[0]
    assert answer.text == TEXTS[answer.code].format(**parts)
    assert answer.text.endswith(".")


def mean_scores(rules: RuleSet, one: Strategy, other: Strategy, deals: int) -> tuple[float, float]:
    """The mean score of each of two strategies, two seats each, every deal played both ways."""
    sums = {one: 0, other: 0}
    for seed in range(deals):
        for first, second in ((one, other), (other, one)):
            seats = [first, second] * 2
            scores = play_round(dealt(rules, 4, seed), seats, Random(seed))
            for chosen_by, score in zip(seats, scores, strict=True):
                sums[chosen_by] += score
    return sums[one] / deals / 4, sums[other] / deals / 4


@pytest.mark.parametrize(
    ("other", "preset", "deals", "share"),
    [
        ("random", "classic", 50, 0.55),
        ("greedy", "classic", 100, 0.65),
        ("greedy", "bernie", 60, 0.85),
        ("greedy", "pagat", 50, 0.7),
    ],
)
def test_it_beats_the_others(other: str, preset: str, deals: int, share: float) -> None:
    """Its mean score is at most `share` of theirs, each deal played with the seats both ways."""
    ours, theirs = mean_scores(RuleSet.preset(preset), PLANNER, strategy(other).choose, deals)
    assert ours <= share * theirs
