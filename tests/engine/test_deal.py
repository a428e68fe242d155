"""Hand sizes, refusals and warnings, and the deal from a seed.

The hand sizes are held against the table typed by hand for the literal procedure, and the derived
ones that the rules page names stand here once more. The shuffle is worked out a second time below
with nothing but `hmac`.
"""

import hmac
from collections.abc import Iterator

import pytest
from mexican_train.engine import (
    Deal,
    Game,
    RuleSet,
    RuleSetError,
    check_table,
    engine_number,
    hand_size,
    parse_tile,
    round_count,
    tile,
    tile_text,
)

from tests.conftest import Scale
from tests.literal.literal_presets import PRESETS
from tests.literal.literal_presets import hand_size as literal_hand_size

SEED = bytes(range(32))
TABLES = ("common", "parsons", "fundex", "cardinal", "nm", "spruce")


def sized(**options: object) -> RuleSet:
    """`classic` for 2 to 14 players with options named by their last word."""
    names = {"max_pip": "set.max_pip", "table": "deal.table", "hand": "deal.hand_size"}
    named = {names[name]: value for name, value in options.items()}
    return RuleSet({"game.players": [2, 14], **named})


def tiles_of(mask: int) -> list[int]:
    """The tiles of a dealt hand."""
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


# --- hand sizes ---------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("max_pip", [6, 9, 12, 15, 18])
def test_hand_size_is_as_in_the_tables(table: str, max_pip: int) -> None:
    """Every table, set and number of players, refusals included (rules page, section 1)."""
    rules = sized(max_pip=max_pip, table=table)
    options = {**PRESETS["classic"], "deal.table": table, "set.max_pip": max_pip}
    for players in range(2, 15):
        try:
            expected = literal_hand_size(options, players)
        except ValueError:
            with pytest.raises(RuleSetError) as refused:
                hand_size(rules, players)
            assert refused.value.code == "hand_size"
        else:
            assert hand_size(rules, players) == expected, players


@pytest.mark.parametrize(
    ("options", "players", "size"),
    [
        ({"table": "common"}, 11, 7),
        ({"table": "parsons"}, 9, 9),
        ({"max_pip": 6}, 5, 4),
        ({"max_pip": 6}, 6, 3),
        ({"table": "common"}, 2, 15),
        ({"table": "common", "hand": 16}, 2, 16),
        ({"max_pip": 18}, 14, 11),
        ({"max_pip": 15}, 12, 11),
    ],
)
def test_sizes_named_on_the_rules_page(options: dict[str, object], players: int, size: int) -> None:
    """Derived rows, the open question for two players, and the largest tables."""
    assert hand_size(sized(**options), players) == size


@pytest.mark.parametrize(
    ("options", "players", "largest"),
    [
        # seven players at a double-6: the table gives 2, and 27 tiles give 3 to each
        ({"max_pip": 6}, 7, "3"),
        # no smaller row: 90 tiles for 2 and 3 players
        ({"table": "spruce"}, 2, "45"),
        ({"table": "spruce"}, 3, "30"),
        ({"hand": 16}, 6, "15"),
        ({"max_pip": 6, "hand": 14}, 2, "13"),
        ({"max_pip": 9, "hand": 94}, 4, "13"),
    ],
)
def test_refusal_names_the_largest_hand_that_would_work(
    options: dict[str, object], players: int, largest: str
) -> None:
    """The refusal comes before the game starts; the hand that it names is then accepted."""
    rules = sized(**options)
    for refuse in (hand_size, check_table, Game.start):
        with pytest.raises(RuleSetError, match=f"works is {largest} tiles") as refused:
            refuse(rules, players)
        assert refused.value.code == "hand_size"
        assert refused.value.option in ("deal.hand_size", "deal.table")
    assert hand_size(rules.with_options({"deal.hand_size": int(largest)}), players) == int(largest)
    too_many = rules.with_options({"deal.hand_size": int(largest) + 1})
    with pytest.raises(RuleSetError):
        hand_size(too_many, players)


def test_set_too_small_for_the_table_is_refused_without_a_hand() -> None:
    """Ten players cannot have three tiles each of a double-6."""
    with pytest.raises(RuleSetError, match="No hand works") as refused:
        check_table(sized(max_pip=6), 10)
    assert refused.value.code == "hand_size"


@pytest.mark.parametrize(
    ("preset", "few", "many"),
    [("classic", 1, 9), ("pagat", 1, 11), ("spruce", 3, 9), ("nm", 1, 9)],
)
def test_number_of_players_outside_the_rules_is_refused(preset: str, few: int, many: int) -> None:
    """`game.players` gives the lowest and the highest number."""
    rules = RuleSet.preset(preset)
    for players in (few, many):
        with pytest.raises(RuleSetError) as refused:
            Game.start(rules, players)
        assert (refused.value.code, refused.value.option) == ("players", "game.players")
    for players in (few + 1, many - 1):
        assert Game.start(rules, players).seats == players


@pytest.mark.parametrize(
    ("options", "players", "left"),
    [
        ({"max_pip": 6}, 4, 3),  # 28 - 1 - 24
        ({"max_pip": 6, "hand": 9}, 3, 0),  # 28 - 1 - 27
        ({"max_pip": 9, "hand": 13}, 4, 2),  # 55 - 1 - 52
        ({"table": "nm"}, 8, 2),  # 91 - 1 - 88
        ({"table": "common"}, 6, None),  # 91 - 1 - 72 = 18
        ({"max_pip": 6}, 2, None),  # 28 - 1 - 18 = 9
    ],
)
def test_host_is_warned_of_a_boneyard_smaller_than_the_table(
    options: dict[str, object], players: int, left: int | None
) -> None:
    """Fewer tiles left than players is legal, and told."""
    warning = check_table(sized(**options), players)
    if left is None:
        assert warning is None
    else:
        assert warning is not None
        assert str(left) in warning


def test_engine_that_is_dealt_leaves_one_tile_more() -> None:
    """Four players at a double-6 with `held`: 28 - 24 = 4 tiles, and no warning."""
    held = sized(max_pip=6).with_options({"engine.source": "held"})
    assert check_table(held, 4) is None


# --- engines and rounds -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "rounds", "engines"),
    [
        ({}, 13, [12, 11, 0]),
        ({"set.max_pip": 6}, 7, [6, 5, 0]),
        ({"game.rounds": 6}, 6, [12, 11, 7]),
        ({"game.first_engine": 9}, 10, [9, 8, 0]),
        ({"game.first_engine": 9, "game.rounds": 2}, 2, [9, 8, 8]),
        ({"game.first_engine": 0}, 1, [0, 0, 0]),
    ],
)
def test_engines_go_down_from_the_first(
    options: dict[str, object], rounds: int, engines: list[int]
) -> None:
    """From the highest double or `game.first_engine` down, for `game.rounds` rounds."""
    rules = RuleSet(options)
    assert round_count(rules) == Game.start(rules, 4).rounds == rounds
    first, second, last = (1, min(2, rounds), rounds)
    assert [engine_number(rules, number) for number in (first, second, last)] == engines


# --- the deal from a seed -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["classic", "reference"])
def test_same_seed_deals_the_same(name: str) -> None:
    """A deal is a value: seed, round, rules and seats decide it."""
    rules = RuleSet.preset(name)
    assert Deal.from_seed(rules, 4, SEED, 1) == Deal.from_seed(rules, 4, SEED, 1)


def test_other_round_rules_seats_and_seed_deal_otherwise() -> None:
    """Each of the four changes the deal."""
    rules = RuleSet.preset("reference")
    deals = [
        Deal.from_seed(rules, 4, SEED, 1),
        Deal.from_seed(rules, 4, SEED, 2),
        Deal.from_seed(rules, 4, bytes(32), 1),
        Deal.from_seed(rules, 3, SEED, 1),
        Deal.from_seed(rules.with_options({"game.tie": "zero_rounds"}), 4, SEED, 1),
    ]
    orders = [[*map(tiles_of, deal.hands), *deal.boneyard] for deal in deals]
    assert all(orders.count(order) == 1 for order in orders)


def test_name_of_the_rules_does_not_change_the_deal() -> None:
    """The deal hangs on the hash of the rules, which leaves the name out."""
    rules = RuleSet.preset("classic")
    ours = rules.with_options({}, name="ours")
    assert Deal.from_seed(ours, 4, SEED, 1) == Deal.from_seed(rules, 4, SEED, 1)


@pytest.mark.parametrize("name", sorted(PRESETS))
@pytest.mark.parametrize("max_pip", [6, 9, 12, 15, 18])
def test_deal_has_each_tile_once(name: str, max_pip: int) -> None:
    """Hands of the right size and a boneyard; an engine set aside is in neither."""
    rules = RuleSet.preset(name).with_options({"set.max_pip": max_pip})
    tiles = (max_pip + 1) * (max_pip + 2) // 2
    for round_number in (1, 2):
        deal = Deal.from_seed(rules, 4, SEED, round_number)
        dealt = [each for hand in deal.hands for each in tiles_of(hand)] + [*deal.boneyard]
        pips = max_pip + 1 - round_number
        assert deal.engine_tile == tile(pips, pips)
        aside = [deal.engine_tile] if rules["engine.source"] == "set_aside" else []
        assert sorted(dealt + aside) == list(range(tiles))
        assert {len(tiles_of(hand)) for hand in deal.hands} == {hand_size(rules, 4)}


@pytest.mark.parametrize("size", [0, 16, 31, 33, 64])
def test_seed_has_32_bytes(size: int) -> None:
    """A shorter or longer secret is refused."""
    with pytest.raises(ValueError, match="32 bytes"):
        Deal.from_seed(RuleSet.preset("classic"), 4, bytes(size), 1)


def test_every_place_gets_every_tile_about_equally_often(scale: Scale) -> None:
    """Chi-square over 27 tiles and 11 places: two hands, and nine places of the boneyard.

    The seeds are counted up, so the figure is always the same. It has 26 * 10 degrees of freedom;
    five standard deviations of `sqrt(2 * 260)` to either side are 114.
    """
    rules = RuleSet({"set.max_pip": 6})
    deals = scale(900, 27_000)
    seen = [[0] * 11 for _ in range(27)]
    for number in range(deals):
        deal = Deal.from_seed(rules, 2, number.to_bytes(32, "big"), 1)
        for place, hand in enumerate(deal.hands):
            for each in tiles_of(hand):
                seen[each][place] += 1
        for place, each in enumerate(deal.boneyard, 2):
            seen[each][place] += 1
    expected = [deals * 9 / 27] * 2 + [deals / 27] * 9
    chi_square = sum(
        (count - wanted) ** 2 / wanted
        for row in seen
        for count, wanted in zip(row, expected, strict=True)
    )
    assert abs(chi_square - 260) < 114


# --- the shuffle, worked out again --------------------------------------------------------


def stream(key: bytes) -> Iterator[int]:
    """Bytes of HMAC-SHA-256 over the counter 0, 1, 2, … as eight bytes, big end first."""
    counter = 0
    while True:
        yield from hmac.new(key, counter.to_bytes(8, "big"), "sha256").digest()
        counter += 1


@pytest.mark.parametrize("name", ["classic", "bernie", "nm"])
@pytest.mark.parametrize(("max_pip", "seats"), [(6, 2), (12, 4), (18, 8)])
@pytest.mark.parametrize("round_number", [1, 5])
def test_deal_can_be_recomputed_with_a_standard_library(
    name: str, max_pip: int, seats: int, round_number: int
) -> None:
    """Fisher-Yates from the last place down; a byte that would favour low places is thrown away.

    The key of the stream is the HMAC of the transcript under the seed.
    """
    rules = RuleSet.preset(name).with_options({"set.max_pip": max_pip, "deal.hand_size": 5})
    transcript = f"mexican-train deal 1 {round_number} {rules.hash} {max_pip} {seats}"
    random_bytes = stream(hmac.new(SEED, transcript.encode("ascii"), "sha256").digest())
    engine = f"{max_pip - round_number + 1}-{max_pip - round_number + 1}"
    order = [f"{high}-{low}" for high in range(max_pip + 1) for low in range(high + 1)]
    if rules["engine.source"] == "set_aside":
        order.remove(engine)
    for place in reversed(range(1, len(order))):
        choices = place + 1
        while True:
            byte = next(random_bytes)
            if byte < 256 // choices * choices:
                break
        other = byte % choices
        order[place], order[other] = order[other], order[place]
    deal = Deal.from_seed(rules, seats, SEED, round_number)
    hands = [sorted(map(parse_tile, order[seat * 5 : seat * 5 + 5])) for seat in range(seats)]
    assert [tiles_of(hand) for hand in deal.hands] == hands
    assert [tile_text(each) for each in deal.boneyard] == order[seats * 5 :]
    assert tile_text(deal.engine_tile) == engine


# --- fixed deals --------------------------------------------------------------------------


def test_fixed_deal_is_as_given() -> None:
    """Hands as sets, the boneyard in its order."""
    deal = Deal.fixed([[5, 3], [1]], [9, 2, 7], 27)
    assert (deal.hands, deal.boneyard, deal.engine_tile) == ((0b101000, 0b10), (9, 2, 7), 27)


@pytest.mark.parametrize(
    ("hands", "boneyard"), [([[5, 3], [5]], []), ([[5], [3]], [5]), ([[5], [3]], [1, 1])]
)
def test_fixed_deal_with_a_tile_twice_is_refused(
    hands: list[list[int]], boneyard: list[int]
) -> None:
    """ValueError names the tile."""
    with pytest.raises(ValueError, match=r"dealt twice: (2-2|1-0)"):
        Deal.fixed(hands, boneyard, 27)
