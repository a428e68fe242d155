"""What the screen offers is what the server lists, in random states of every preset."""

import re
from collections.abc import Callable
from random import Random

import pytest
from mexican_train.client import SeatView, strategy
from mexican_train.client.bots.strategies import high_low
from mexican_train.client.fragments import UNICODE, Line, plain_text
from mexican_train.client.keys import keys_line
from mexican_train.client.model import Model
from mexican_train.client.panes import Sheet, hand_lines, train_lines
from mexican_train.client.stage import RULES, Stage
from mexican_train.engine import RuleSet, preset_names
from mexican_train.protocol import Choice, Tile

from .peers import table_news, update, view
from .tabletop_views import choice_of, dealt, seat_view

Scale = Callable[[int, int], int]
SHEET = Sheet(160, 60, UNICODE)
KEY_OF = {"draw": "d draw", "pass": "p pass", "done": "p end the turn", "knock": "k knock"}


def model_of(seen: SeatView, choices: list[Choice]) -> Model:
    """What a client knows that was told of this state."""
    model = Model()
    model.take(table_news(seat=seen.seat, state="playing"))
    fields = {name: getattr(seen, name) for name in view().__struct_fields__}
    on = view(**fields)
    model.take(update([], choices, on=on, hand=seen.hand, seat=seen.seat, turn=seen.turn))
    return model


def marked_tiles(lines: list[Line]) -> set[Tile]:
    """The tiles of the hand that have the mark."""
    shown = " ".join(map(plain_text, lines))
    found = re.findall(r"[\[<](\d+)\|(\d+)[\]>]\*", shown)
    return {high_low((int(first), int(second))) for first, second in found}


def marked_trains(lines: list[Line]) -> set[str]:
    """The trains that have a mark, by what a click on them touches."""
    return {
        line[0].touch.removeprefix("train:") for line in lines if line[1].text.strip() in ("*", "=")
    }


def check(seen: SeatView, choices: list[Choice]) -> None:
    """Paint the state with each tile selected in turn, and read it as a person would."""
    model, stage = model_of(seen, choices), Stage()
    stage.order.note(model.hand, seen.round)
    plays = {(high_low(choice.tile), choice.train) for choice in choices if choice.tile is not None}
    assert marked_tiles(hand_lines(model, stage, SHEET)) == {tile for tile, _ in plays}
    assert marked_trains(train_lines(model, stage, SHEET, 60)) == {train for _, train in plays}
    for tile in map(high_low, model.hand):
        stage.selected = tile
        targets = marked_trains(train_lines(model, stage, SHEET, 60))
        assert targets == {train for played, train in plays if played == tile}
    stage.clear_choice()
    keys = plain_text(keys_line(model, stage, SHEET))
    offered = {choice.do for choice in choices}
    assert {do for do, words in KEY_OF.items() if words in keys} == offered - {"play", "foul"}
    assert ("f call a foul" in keys) == ("foul" in offered)


def test_the_form_leafs_through_every_preset() -> None:
    """The client knows their names without knowing the rules."""
    assert sorted(RULES) == sorted(preset_names())


@pytest.mark.parametrize("preset", preset_names())
def test_what_is_marked_is_what_may_be_done(preset: str, scale: Scale) -> None:
    """Tiles, their trains, and the other deeds: no more and no less than the server's list."""
    rng = Random(preset)
    wanted = scale(100, 1000)
    rules = RuleSet.preset(preset)
    deal, states = 0, 0
    random = strategy("random").choose
    while states < wanted:
        game = dealt(rules, 4, deal)
        deal += 1
        while (seat := game.turn) is not None and states < wanted:
            moves = game.legal_moves(seat)
            choices = [choice_of(move) for move in moves]
            seen = seat_view(game, seat)
            if rng.random() < 0.2:
                check(seen, choices)
                states += 1
            game.apply(seat, moves[choices.index(random(seen, choices, rng))])
