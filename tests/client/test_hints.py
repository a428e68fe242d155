"""Hints and reasons as a person reads them."""

from typing import Any, get_args

import pytest
from mexican_train.client.bots import TEXTS
from mexican_train.client.hints import (
    ALLOWED,
    REFUSALS,
    hint_sentences,
    reason_sentences,
    refusal_sentence,
)
from mexican_train.client.model import Model
from mexican_train.client.render import help_lines
from mexican_train.engine import REASONS
from mexican_train.protocol import Deed, Hint, Reason, declined

from .peers import plays, seat_info, table_news, train, update, view

MEXICAN = train("m0", end=12)
TRAINS = [train("p0"), train("p1"), train("p2"), MEXICAN]
SEATS = [seat_info(0, "Me"), seat_info(1, "Ann"), seat_info(2, "Bob")]


def game(*choices: str, **fields: Any) -> Model:
    model = Model()
    model.take(table_news(seats=SEATS, state="playing", **fields))
    model.take(update(choices=plays(*choices), on=view(trains=TRAINS)))
    return model


def hint(choice: str, code: str, text: str = "As the server says.", **params: Any) -> Hint:
    return Hint(answers=1, turn=1, choice=plays(choice)[0], code=code, params=params, text=text)


def reason(move: str, code: str | None = None, option: str | None = None, **params: Any) -> Reason:
    choice = plays(move)[0]
    return Reason(
        do=choice.do,
        tile=choice.tile,
        train=choice.train,
        code=code,
        option=option,
        params=params,
        text="As the server says.",
    )


def no_fit(train_name: str, end: int) -> Reason:
    return reason(
        f"12-7>{train_name}", "does_not_fit", None, tile="12-7", train=train_name, end=end
    )


# --- hints ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            hint("12-7>p0", "close", kept="9-4, 7-4"),
            "Play 12-7 on your train: it closes your train and keeps 9-4, 7-4 for later.",
        ),
        (
            hint("9-9>p1", "shed_double", cover="9-1"),
            "Play 9-9 on Ann's train: it is a double that you can cover with 9-1.",
        ),
        (
            hint("12-7>m0", "dump", seat=2, name="Bob"),
            (
                "Play 12-7 on the Mexican Train: Bob has one tile left, so the heaviest tile goes "
                "first."
            ),
        ),
        (hint("draw", "draw"), "Draw a tile: nothing that you hold fits."),
    ],
)
def test_a_hint_names_tile_and_train_and_says_why(given: Hint, sentence: str) -> None:
    assert hint_sentences(given, game()) == [sentence]


def test_a_hint_tells_the_number_in_the_list() -> None:
    model = game("9-9>p1", "12-7>p0")
    told = hint_sentences(hint("9-9>p1", "only"), model)
    assert told[1:] == ["Type 2 to do so."]


@pytest.mark.parametrize(
    "given", [hint("12-7>p0", "brand_new", kept="9-4"), hint("12-7>p0", "close")]
)
def test_an_unknown_hint_is_told_in_the_words_of_the_server(given: Hint) -> None:
    """A code that is new, and one whose parameters are others by now."""
    assert hint_sentences(given, game()) == ["As the server says."]


def test_what_comes_from_elsewhere_is_cleaned() -> None:
    told = [
        *hint_sentences(hint("12-7>p0", "new", text="a\x1b[2Jb"), game()),
        *hint_sentences(hint("12-7>p0", "dump", name="\x1b]0;x\x07"), game()),
        *reason_sentences([reason("draw", "not_held", "a\x1bb", tile="\x1b[2J")], game()),
    ]
    assert not any("\x1b" in each or "\x07" in each for each in told)


# --- reasons --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (reason("12-7>p0"), "12-7 can be played on your train."),
        (reason("draw"), "You can draw a tile."),
        (no_fit("m0", 9), "12-7 does not fit the Mexican Train, which ends in 9."),
        (
            reason("12-7>p2", "not_open", "marker.on", train="p2"),
            "Bob's train is closed to you: no marker stands on it. (rule: marker.on)",
        ),
        (
            reason("12-7>p0", "must_cover", "doubles.must_cover", double="6-6", cover="p1"),
            "Cover the double 6-6 on Ann's train first. (rule: doubles.must_cover)",
        ),
        (
            reason("12-7>p0", "out_of_turn", to_act=1),
            "It is not your turn: Ann is to play.",
        ),
        (reason("12-7>p9", "no_such_train", train="p9"), "There is no train p9."),
        (reason("12-7>p0", "brand_new", "x.y"), "As the server says. (rule: x.y)"),
        (reason("12-7>p0", "does_not_fit", train="elsewhere"), "As the server says."),
    ],
)
def test_a_reason_is_told_with_the_trains_as_the_player_calls_them(
    given: Reason, sentence: str
) -> None:
    assert reason_sentences([given], game()) == [sentence]


def test_of_many_trains_nothing_is_told_twice() -> None:
    asked = [
        no_fit("p0", 3),
        reason("12-7>p1", "not_open", "marker.on", train="p1"),
        reason("12-7>p2", "not_open", "marker.on", train="p2"),
        no_fit("m0", 9),
        reason("12-7>m1", "mexican_start", "mexican_train.start"),
        reason("12-7>m2", "mexican_start", "mexican_train.start"),
        reason("12-7>p3"),
    ]
    assert reason_sentences(asked[::-1], game()) == [
        "12-7 can be played on seat 3's train.",
        "12-7 does not fit your train (end 3) or the Mexican Train (end 9).",
        "You may not start a Mexican Train now. (rule: mexican_train.start)",
        (
            "Ann's train and Bob's train are closed to you: no markers stand on them. "
            "(rule: marker.on)"
        ),
    ]


def test_a_refused_move_is_told_likewise() -> None:
    params: dict[str, Any] = {"tile": "12-7", "train": "p1", "end": 3}
    told = declined(1, "does_not_fit", text="12-7 does not fit p1, which ends in 3.", params=params)
    assert refusal_sentence(told, game()) == "12-7 does not fit Ann's train, which ends in 3."
    assert refusal_sentence(declined(1, "chat_limit"), game()) == "Too much chat; wait a moment."


def test_every_code_has_its_sentence() -> None:
    """Those of the rules and those of the planner; a whole sentence each."""
    assert set(REFUSALS) == set(REASONS)
    assert set(ALLOWED) == set(get_args(Deed))
    for sentence in (*REFUSALS.values(), *ALLOWED.values(), *TEXTS.values()):
        assert sentence.endswith(".")
        assert sentence[0].isupper() or sentence[0] == "{"


def test_help_offers_hints_where_the_table_gives_them() -> None:
    lines = {on: help_lines(game("12-7>p0", hints=on)) for on in (True, False)}
    assert [line for line in lines[True] if line not in lines[False]] == [
        "hint, H     what to do, and why"
    ]
    assert any(line.startswith("why ") for line in lines[False])


def test_a_choice_that_is_not_offered_has_no_number() -> None:
    given = hint("12-7>p0", "only")
    assert len(hint_sentences(given, game("draw"))) == 1
