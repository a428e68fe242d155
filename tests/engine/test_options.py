"""Every option of the rules page, section 2: what it may be, how it is written, what is refused.

The values are typed here by hand from the page.
"""

import pytest
from mexican_train.engine import OPTIONS, OptionValue, RuleSet, RuleSetError, parse_option

YES_NO = [("yes", True), ("no", False)]
NUMBERS = "numbers"


def words(text: str) -> list[tuple[str, OptionValue]]:
    return [(word, word) for word in text.split()]


def whole(*numbers: int) -> list[tuple[str, OptionValue]]:
    return [(str(number), number) for number in numbers]


# By option: each value that it may have, as the command line writes it and as it then is.
VALUES: dict[str, list[tuple[str, OptionValue]]] = {
    "set.max_pip": whole(6, 9, 12, 15, 18),
    "game.players": [("2-8", (2, 8)), ("2-14", (2, 14)), ("4-4", (4, 4)), ("2-10", (2, 10))],
    "deal.table": words("common parsons fundex cardinal nm spruce"),
    "deal.hand_size": whole(0, 3, 15, 16),
    "engine.source": words("set_aside held"),
    "engine.search": words("in_turn all_draw"),
    "engine.search_from": words("first_seat last_winner"),
    "round.first_player": words("engine_holder rotate_left"),
    "turn.play_limit": words("one one_per_open_train"),
    "turn.must_play": [*YES_NO],
    "first_turn.build_own_train": [*YES_NO],
    "first_turn.own_only": [*YES_NO],
    "first_turn.starter_extra": words("no other_train any_train"),
    "first_turn.finish_lap": [*YES_NO],
    "train.own_first": words("no any opponents"),
    "mexican_train.max_trains": whole(0, 1, 2, 3, 12),
    "mexican_train.start": words("any_turn after_first_lap after_all_trains starter_first_lap"),
    "draw.limit": words("one until_playable"),
    "draw.play_drawn": words("must may"),
    "marker.on": words("stuck own_stuck"),
    "marker.off": words("own_play any_play"),
    "doubles.must_cover": [*YES_NO],
    "doubles.extra_tile": words("on_double anywhere"),
    "doubles.draw_self": [*YES_NO],
    "doubles.mark_self": [*YES_NO],
    "doubles.draw_others": [*YES_NO],
    "doubles.mark_others": [*YES_NO],
    "doubles.per_turn": words("one_open many"),
    "doubles.cover_order": words("as_played newest_first any"),
    "doubles.lapse": [
        ("none", ()),
        ("dead_number", ("dead_number",)),
        ("boneyard_empty", ("boneyard_empty",)),
        ("dead_number+boneyard_empty", ("boneyard_empty", "dead_number")),
    ],
    "doubles.first_turn_exempt": [*YES_NO],
    "doubles.go_out_uncovered": [*YES_NO],
    "announce.mode": words("off notice knock"),
    "announce.deadline": words("next_tile next_turn_end"),
    "announce.penalty_tiles": whole(0, 1, 2, 3),
    "round.blocked": words("lap_stuck first_stuck"),
    "score.double_blank": whole(0, 25, 50),
    "game.rounds": [("all", "all"), *whole(1, 6, 13)],
    "game.first_engine": [("highest", "highest"), *whole(0, 9, 12)],
    "game.tie": words("shared zero_rounds"),
}
EACH = [(name, text, value) for name, values in VALUES.items() for text, value in values]
# Beside what the value refuses by itself, these make it free of the other options.
FREE_OF_OTHERS: dict[str, dict[str, object]] = {
    "engine_holder": {"engine.source": "held"},
    "set_aside": {"round.first_player": "rotate_left"},
    "many": {"doubles.extra_tile": "anywhere"},
}


def test_options_are_those_of_the_rules_page() -> None:
    """No option is missing and none is made up."""
    assert set(OPTIONS) == set(VALUES)


@pytest.mark.parametrize(("name", "text", "value"), EACH)
def test_option_accepts_its_values(name: str, text: str, value: OptionValue) -> None:
    """KEY=VALUE gives the value, and `write` gives the text that `parse` reads."""
    assert parse_option(f"{name}={text}") == (name, value)
    assert OPTIONS[name].parse(OPTIONS[name].write(value)) == value


@pytest.mark.parametrize(("name", "text", "value"), EACH)
def test_file_mapping_and_command_line_agree(name: str, text: str, value: OptionValue) -> None:
    """TOML, a flat and a grouped mapping and KEY=VALUE give one rule set."""
    group, _, leaf = name.partition(".")
    others = FREE_OF_OTHERS.get(text, {})
    given: object = list(value) if isinstance(value, tuple) else value
    by_line = RuleSet.preset("classic").with_options(
        dict([parse_option(f"{name}={text}"), *others.items()])
    )
    assert by_line[name] == value
    assert RuleSet.from_mapping({name: given} | others) == by_line
    if not others:
        written = str(given).replace("True", "true").replace("False", "false").replace("'", '"')
        toml = f"[{group}]\n{leaf} = " + (f'"{given}"' if isinstance(given, str) else written)
        assert RuleSet.from_toml(toml, name="by file") == by_line
        assert RuleSet.from_mapping({group: {leaf: given}}) == by_line


NO_VALUES: tuple[object, ...] = (None, [], {}, 1.5, b"no", "nonsense")
WRONG: list[tuple[str, object]] = [
    *(("set.max_pip", wrong) for wrong in (0, 7, 10, 21, -6, "12", True, 12.0)),
    *(("game.players", wrong) for wrong in ([8, 2], [1, 8], [2, 15], [2], [2, 3, 4], 4, "2-8")),
    *(("deal.hand_size", wrong) for wrong in (-1, 1, 2, 95, True, "15")),
    *(("mexican_train.max_trains", wrong) for wrong in (-1, 19, True, "0")),
    *(("announce.penalty_tiles", wrong) for wrong in (-1, 11, False)),
    *(("score.double_blank", wrong) for wrong in (1, 24, 51, 100, False)),
    *(("game.rounds", wrong) for wrong in (0, -1, 20, True, "12", "none")),
    *(("game.first_engine", wrong) for wrong in (-1, 19, True, "12", "lowest")),
    *(("doubles.lapse", wrong) for wrong in ("dead_number", ["none"], ["dead"], [1], None, 0)),
    *((name, wrong) for name in VALUES for wrong in NO_VALUES),
]
WRONG.remove(("doubles.lapse", []))  # no reason to lapse at all: allowed


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_option_refuses_every_other_value(name: str, wrong: object) -> None:
    """The error names the option and what is allowed, and has the code `bad_value`."""
    with pytest.raises(RuleSetError) as refused:
        RuleSet({name: wrong})
    assert (refused.value.code, refused.value.option) == ("bad_value", name)
    assert name in str(refused.value)
    assert OPTIONS[name].allowed() in str(refused.value)


@pytest.mark.parametrize("name", [name for name, values in VALUES.items() if values == YES_NO])
@pytest.mark.parametrize("wrong", [0, 1, "yes", "no", "true"])
def test_switch_takes_nothing_but_a_boolean(name: str, wrong: object) -> None:
    """In a file yes and no are true and false; a number is no switch."""
    with pytest.raises(RuleSetError) as refused:
        RuleSet({name: wrong})
    assert refused.value.code == "bad_value"


@pytest.mark.parametrize(
    "text",
    [
        *("turn.must_play=true", "turn.must_play=1", "turn.must_play=", "turn.must_play=YES"),
        *("game.players=2", "game.players=8-2", "game.players=2-15", "game.players=2\u20138"),
        *("game.players=99999999999999999999-2", "set.max_pip=012x", "set.max_pip=-6"),
        *("doubles.lapse=", "doubles.lapse=dead_number+", "doubles.lapse=dead_number+none"),
        *("game.rounds=" + "9" * 5000, "set.max_pip=\u0661\u0662", "turn.must_play"),
    ],
)
def test_command_line_refuses_what_is_no_value(text: str) -> None:
    """RuleSetError `bad_value`, never another exception."""
    with pytest.raises(RuleSetError) as refused:
        parse_option(text)
    assert refused.value.code == "bad_value"


def test_command_line_ignores_blanks_around_key_and_value() -> None:
    """`--rule 'set.max_pip = 9'` is what a person means."""
    assert parse_option(" set.max_pip = 9 ") == ("set.max_pip", 9)


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("marker.of", "marker.off"),
        ("doubles.mustcover", "doubles.must_cover"),
        ("set.maxpip", "set.max_pip"),
        ("game.player", "game.players"),
        ("doubles.lapses", "doubles.lapse"),
    ],
)
def test_misspelt_option_is_told_its_nearest_name(written: str, nearest: str) -> None:
    """The error names the nearest known option."""
    for use in (
        lambda: parse_option(f"{written}=yes"),
        lambda: RuleSet({written: True}),
        lambda: RuleSet.from_mapping({written: True}),
    ):
        with pytest.raises(RuleSetError, match=f"Did you mean {nearest}\\?") as refused:
            use()
        assert (refused.value.code, refused.value.option) == ("unknown_option", written)


@pytest.mark.parametrize(
    ("name", "written", "nearest"),
    [
        ("marker.off", "own_pla", "own_play"),
        ("deal.table", "comon", "common"),
        ("doubles.cover_order", "newest", "newest_first"),
        ("game.rounds", "al", "all"),
        ("mexican_train.start", "after_lap", "after_first_lap"),
    ],
)
def test_misspelt_value_is_told_its_nearest_name(name: str, written: str, nearest: str) -> None:
    """The error names the nearest known value."""
    with pytest.raises(RuleSetError, match=f"Did you mean {nearest}\\?"):
        parse_option(f"{name}={written}")


@pytest.mark.parametrize("name", OPTIONS)
def test_every_value_has_its_own_sentence(name: str) -> None:
    """The rule card says something else for each value, and says it as a sentence."""
    said = [OPTIONS[name].say(value) for _, value in VALUES[name]]
    assert len(set(said)) == len(said)
    assert all(text[0].isupper() and text.endswith(".") and "{" not in text for text in said)


def test_defaults_are_those_of_classic() -> None:
    """A file that says nothing is `classic`."""
    assert RuleSet({}) == RuleSet.preset("classic")
