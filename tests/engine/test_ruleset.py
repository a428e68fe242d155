"""Rule sets: the ten presets, contradictions, and the hash.

The table of presets is the one typed by hand for the literal procedure.
"""

import hashlib
import json

import pytest
from mexican_train.engine import DEFAULT_PRESET, OPTIONS, RuleSet, RuleSetError, preset_names

from tests.literal.literal_presets import PRESETS

TEN = [
    *("reference", "classic", "bernie", "boxcar"),
    *("official", "pagat", "tournament", "spruce", "deluxe", "nm"),
]


# --- presets ------------------------------------------------------------------------------


def test_there_are_the_ten_presets_with_classic_first() -> None:
    """No preset is missing and none is made up; `classic` is the default."""
    assert sorted(preset_names()) == sorted(TEN)
    assert preset_names()[0] == DEFAULT_PRESET == "classic"


@pytest.mark.parametrize("name", TEN)
def test_preset_is_as_in_the_table(name: str) -> None:
    """Every option of every preset is as section 4 of the rules page has it."""
    for option, value in PRESETS[name].items():
        expected = tuple(value) if isinstance(value, list) else value
        assert RuleSet.preset(name)[option] == expected, option
    assert set(PRESETS[name]) == set(OPTIONS)


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("clasic", "classic"),
        ("Bernie", "bernie"),
        ("boxcars", "boxcar"),
        ("touranment", "tournament"),
    ],
)
def test_misspelt_preset_is_told_its_nearest_name(written: str, nearest: str) -> None:
    """The error names the nearest preset, and then all of them."""
    with pytest.raises(RuleSetError, match=f"Did you mean {nearest}\\?") as refused:
        RuleSet.preset(written)
    assert refused.value.code == "unknown_rules"
    assert all(name in str(refused.value) for name in TEN)


@pytest.mark.parametrize("written", ["", "../classic", "classic.toml", "x" * 1000])
def test_name_that_is_no_preset_is_refused(written: str) -> None:
    """A name is looked up in a list, not in the file system."""
    with pytest.raises(RuleSetError) as refused:
        RuleSet.preset(written)
    assert refused.value.code == "unknown_rules"
    assert len(str(refused.value)) < 300


# --- loading ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEN)
def test_preset_comes_back_from_its_toml(name: str) -> None:
    """`to_toml` writes what `from_toml` reads."""
    rules = RuleSet.preset(name)
    assert RuleSet.from_toml(rules.to_toml(), name="copy") == rules


@pytest.mark.parametrize("text", ["[set", "set.max_pip = ", "a = 1\na = 2", "\x00"])
def test_file_that_is_no_toml_is_refused(text: str) -> None:
    """`bad_file`, with the name of the file."""
    with pytest.raises(RuleSetError, match=r"mine\.toml") as refused:
        RuleSet.from_toml(text, name="mine.toml")
    assert refused.value.code == "bad_file"


@pytest.mark.parametrize(
    "text",
    ["colour = 3", "[doubles.lapse]\nx = 1", "[sets]\nmax_pip = 6", "[set.max_pip.x]\ny = 1"],
)
def test_file_with_an_unknown_option_is_refused(text: str) -> None:
    """A group or key that is no option is an error, at any depth."""
    with pytest.raises(RuleSetError) as refused:
        RuleSet.from_toml(text, name="mine.toml")
    assert refused.value.code in ("unknown_option", "bad_value")


def test_with_options_changes_a_copy() -> None:
    """A rule set is immutable; the changed one has the changed values and the rest."""
    classic = RuleSet.preset("classic")
    changed = classic.with_options({"set.max_pip": 9, "draw.limit": "until_playable"})
    assert classic["set.max_pip"] == 12
    assert classic.differences(changed) == ("set.max_pip", "draw.limit")
    assert changed.name == "classic (changed)"
    assert changed.with_options({"game.rounds": 3}).name == "classic (changed)"
    assert classic.with_options({"set.max_pip": 12}).name == "classic"
    assert classic.with_options({"set.max_pip": 9}, name="small").name == "small"
    assert classic.with_options({}, name="ours").name == "ours"


def test_an_option_without_effect_says_why() -> None:
    """The card never tells of what is not played."""
    free = RuleSet.preset("bernie").with_options({"doubles.must_cover": False})
    texts = {line.option: line.text for line in free.card()}
    assert texts["doubles.draw_self"] == "No effect, since doubles.must_cover = no."
    assert texts["announce.penalty_tiles"] == "Whoever is called foul draws 2 tiles for it."
    quiet = {line.option: line.text for line in RuleSet.preset("classic").card()}
    assert quiet["announce.deadline"] == "No effect, since announce.mode = off."


def test_a_file_that_is_no_rule_set_is_refused() -> None:
    """Deep nesting, huge numbers and options given twice are answered by RuleSetError."""
    for text in (
        "a = " + "[" * 5000,
        f"[set]\nmax_pip = {'9' * 5000}",
        '"set.max_pip" = 12\n[set]\nmax_pip = 6',
    ):
        with pytest.raises(RuleSetError) as refused:
            RuleSet.from_toml(text, name="file")
        assert refused.value.code == "bad_file"


def test_options_handed_out_are_a_copy() -> None:
    """Changing what `options` gave does not reach the rule set."""
    classic = RuleSet.preset("classic")
    classic.options()["set.max_pip"] = 6
    assert classic["set.max_pip"] == 12


def test_card_has_a_line_for_each_option() -> None:
    """The rule card names every option once, in order, with its value and a sentence."""
    card = RuleSet.preset("bernie").card()
    assert [line.option for line in card] == list(OPTIONS)
    assert [line.value for line in card] == list(RuleSet.preset("bernie").options().values())
    assert all(line.text.endswith(".") for line in card)


# --- contradictions -----------------------------------------------------------------------

CONTRADICTIONS = [
    ("engine.source", "set_aside", "round.first_player", "engine_holder"),
    ("doubles.extra_tile", "on_double", "doubles.per_turn", "many"),
    ("turn.play_limit", "one_per_open_train", "doubles.extra_tile", "anywhere"),
    ("first_turn.build_own_train", True, "turn.play_limit", "one_per_open_train"),
    ("first_turn.build_own_train", True, "first_turn.starter_extra", "other_train"),
    ("first_turn.build_own_train", True, "first_turn.starter_extra", "any_train"),
    ("first_turn.own_only", True, "first_turn.starter_extra", "other_train"),
    ("set.max_pip", 9, "game.first_engine", 10),
    ("game.first_engine", 4, "game.rounds", 6),
    ("game.first_engine", "highest", "game.rounds", 14),
]


@pytest.mark.parametrize(("one", "one_value", "other", "other_value"), CONTRADICTIONS)
def test_contradiction_names_both_options(
    one: str, one_value: object, other: str, other_value: object
) -> None:
    """What cannot be played is refused on load, with the names of both options."""
    with pytest.raises(RuleSetError) as refused:
        RuleSet({one: one_value, other: other_value})
    assert refused.value.code == "contradiction"
    assert one in str(refused.value)
    assert other in str(refused.value)


ACCEPTED: list[dict[str, object]] = [
    {"engine.source": "held", "round.first_player": "engine_holder"},
    {"engine.source": "held", "round.first_player": "rotate_left"},
    {"doubles.extra_tile": "anywhere", "doubles.per_turn": "many"},
    {"doubles.extra_tile": "anywhere", "doubles.per_turn": "one_open"},
    {"first_turn.own_only": True, "first_turn.starter_extra": "any_train"},
    {"first_turn.own_only": True, "turn.play_limit": "one_per_open_train"},
    {"turn.play_limit": "one_per_open_train", "first_turn.starter_extra": "other_train"},
    {"set.max_pip": 9, "game.first_engine": 9, "game.rounds": 10},
    {"set.max_pip": 9, "game.first_engine": 0, "game.rounds": 1},
    {"set.max_pip": 18, "game.rounds": 19},
    # without effect, and no fault
    {"doubles.must_cover": False, "doubles.go_out_uncovered": False},
    {"announce.mode": "off", "announce.penalty_tiles": 2, "announce.deadline": "next_turn_end"},
    {"engine.search": "all_draw", "engine.search_from": "last_winner"},
]


@pytest.mark.parametrize("options", ACCEPTED)
def test_other_mixtures_are_accepted(options: dict[str, object]) -> None:
    """Options that merely have no effect are no contradiction."""
    rules = RuleSet(options)
    assert all(rules[option] == value for option, value in options.items())


# --- identity -----------------------------------------------------------------------------


def test_hash_is_sha_256_over_the_canonical_json_of_all_options() -> None:
    """Sorted keys, no blanks, without the name."""
    rules = RuleSet.preset("bernie")
    text = json.dumps(rules.options(), sort_keys=True, separators=(",", ":"))
    assert rules.hash == hashlib.sha256(text.encode("utf-8")).hexdigest()


def test_hash_ignores_the_name() -> None:
    """The same options under another name are the same rules."""
    ours = RuleSet.from_mapping(PRESETS["classic"], name="our own")
    assert (ours.hash, ours) == (RuleSet.preset("classic").hash, RuleSet.preset("classic"))
    assert hash(ours) == hash(RuleSet.preset("classic"))


def test_hash_ignores_the_order_in_which_a_set_is_given() -> None:
    """`doubles.lapse` is a set: twice the same or another order is the same rules."""
    one = RuleSet({"doubles.lapse": ["dead_number", "boneyard_empty"]})
    other = RuleSet({"doubles.lapse": ["boneyard_empty", "dead_number", "boneyard_empty"]})
    assert one.hash == other.hash


def test_presets_have_hashes_of_their_own() -> None:
    """No two presets are the same rules."""
    assert len({RuleSet.preset(name).hash for name in TEN}) == 10


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "round.first_player"])
def test_every_option_is_part_of_the_hash(name: str) -> None:
    """Changing any one option changes the hash."""
    changes: dict[str, object] = {
        "game.players": [2, 9],
        "doubles.lapse": [],
        "doubles.per_turn": "one_open",
        "deal.hand_size": 7,
        "set.max_pip": 15,
        "game.rounds": 3,
        "game.first_engine": 11,
    }
    one_tile = name in ("doubles.extra_tile", "turn.play_limit")
    base = RuleSet(
        {} if one_tile else {"doubles.extra_tile": "anywhere", "doubles.per_turn": "many"}
    )
    values = [value for value in OPTIONS[name].texts if value != base[name]]
    changed = base.with_options({name: changes.get(name, values[0] if values else None)})
    assert changed.hash != base.hash
    assert base.differences(changed) == (name,)


def test_rule_set_is_not_equal_to_anything_else() -> None:
    """A rule set is no dict and no name."""
    assert RuleSet.preset("classic") != "classic"
    assert RuleSet.preset("classic") != RuleSet.preset("classic").options()


def test_typed_values_refuse_the_wrong_kind() -> None:
    """`number`, `range` and `words` raise TypeError for an option of another kind."""
    rules = RuleSet.preset("classic")
    assert rules.number("set.max_pip") == 12
    assert rules.range("game.players") == (2, 8)
    assert rules.words("doubles.lapse") == ("dead_number",)
    for call, option in (
        (rules.number, "turn.must_play"),
        (rules.number, "game.rounds"),
        (rules.range, "doubles.lapse"),
        (rules.words, "game.tie"),
    ):
        with pytest.raises(TypeError, match=option):
            call(option)
