"""Hints and reasons in sentences: what to do, and why a move cannot be made.

Pure. They are made from code and parameters, with the trains as this player calls them; a code or
a parameter that is not known here leaves the sentence of the server.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mexican_train.protocol import Declined, Hint, Reason

from .bots.explained import TEXTS
from .bots.strategies import train_rank
from .clean import clean
from .model import Model
from .texts import coded, later, text
from .words import by_rule, code_sentence, declined_sentence, joined, tile_text, train_words

REFUSALS: Final[Mapping[str, str]] = {
    "round_over": later("The round is over."),
    "out_of_turn": later("It is not your turn: {name} is to play."),
    "not_held": later("You do not hold {tile}."),
    "no_such_train": later("There is no train {train_name}."),
    "does_not_fit": later("{tile} does not fit {train}, which ends in {end}."),
    "not_open": later("{owner}'s train is closed to you: no marker stands on it."),
    "must_cover": later("Cover the double {double} on {cover} first."),
    "extra_on_double": later("The tile after a double goes on the double: {double} on {cover}."),
    "extra_no_double": later("The tile after a double may not be another double."),
    "drawn_only": later("Play the tile that you drew, {drawn}."),
    "own_only": later("In the first lap you may play on your own train only."),
    "own_first": later("Start your own train first."),
    "mexican_start": later("You may not start a Mexican Train now."),
    "mexican_max": later("There may be no further Mexican Train."),
    "train_used": later("You have already played on {train} in this turn."),
    "own_train_only": later("In this turn you may go on with your own train only."),
    "other_train_only": later("The second tile goes on another train than the first."),
    "must_play": later("You hold a tile that fits, so you must play."),
    "no_draw": later("You may not draw now."),
    "boneyard_empty": later("The boneyard is empty."),
    "must_draw": later("Draw a tile first."),
    "not_done": later("There is no turn of several tiles to end."),
    "no_knock": later("There is nothing for you to knock for."),
    "no_foul": later("{name} cannot be called foul now."),
}
"""By code of the rules, why a move cannot be made."""

ALLOWED: Final[Mapping[str, str]] = {
    "play": later("{tile} can be played on {train}."),
    "draw": later("You can draw a tile."),
    "pass": later("You can pass."),
    "done": later("You can end your turn."),
    "knock": later("You can knock."),
    "foul": later("You can call the foul of {name}."),
}
"""By deed, that it can be done now."""

_TRAIN = re.compile(r"[pm]\d{1,2}")


def hint_sentence(hint: Hint, model: Model) -> str:
    """What the hint advises, and why."""
    parts = _parts(hint.params, model)
    choice = hint.choice
    if choice.tile is not None and choice.train is not None:
        parts |= {"tile": tile_text(choice.tile), "train": train_words(choice.train, model)}
    english = _filled(TEXTS.get(hint.code), parts) or clean(hint.text)
    return coded("why", hint.code, english, **parts)


def hint_sentences(hint: Hint, model: Model) -> list[str]:
    """The same, and the number of that choice in the list."""
    sentences = [hint_sentence(hint, model)]
    if hint.choice in model.offers:
        number = model.offers.index(hint.choice) + 1
        sentences.append(text("Type {number} to do so.", number=number))
    return sentences


def reason_sentences(reasons: Sequence[Reason], model: Model) -> list[str]:
    """What may be done of that which was asked about, then why the rest may not, nothing twice.

    Trains that are closed, and those that a tile does not fit, are told in one sentence; the own
    train stands first, as in the list of choices.
    """
    reasons = sorted(reasons, key=lambda reason: _rank(reason, model))
    by_code = {
        code: [reason for reason in reasons if reason.code == code and _train_of(reason)]
        for code in ("not_open", "does_not_fit")
    }
    sentences: dict[str, None] = {}
    for reason in reasons:
        alike = by_code.get(reason.code or "", [])
        if len(alike) > 1 and reason in alike:
            sentences[_of_several(alike, model)] = None
        else:
            sentences[_reason_sentence(reason, model)] = None
    return list(sentences)


def refusal_sentence(declined: Declined, model: Model) -> str:
    """Why the server declined, with the trains and players as this player knows them."""
    sentence = _sentence(REFUSALS.get(declined.code), _parts(declined.params, model))
    if sentence is None:
        return declined_sentence(declined, model)
    return by_rule(sentence, declined.option)


def _rank(reason: Reason, model: Model) -> tuple[bool, tuple[int, int]]:
    train = reason.train or ""
    return reason.code is not None, train_rank(train, model.seat) if train else (0, 0)


def _reason_sentence(reason: Reason, model: Model) -> str:
    parts = _parts(reason.params, model)
    if reason.code is None:
        if reason.tile is not None and reason.train is not None:
            parts |= {"tile": tile_text(reason.tile), "train": train_words(reason.train, model)}
        if reason.seat is not None:
            parts["name"] = clean(model.seat_name(reason.seat))
        return _sentence(ALLOWED.get(reason.do), parts) or clean(reason.text)
    sentence = _sentence(REFUSALS.get(reason.code), parts)
    if sentence is None:
        sentence = code_sentence(reason.code, reason.text, reason.params, model)
    return by_rule(sentence, reason.option)


def _of_several(alike: Sequence[Reason], model: Model) -> str:
    """One sentence for trains that are closed, or that a tile does not fit."""
    names = [train_words(_train_of(reason), model) for reason in alike]
    first = alike[0]
    if first.code == "not_open":
        sentence = text(
            "{trains} are closed to you: no markers stand on them.", trains=joined(names)
        )
    else:
        ends = [
            text("{train} (end {end})", train=name, end=reason.params.get("end"))
            for name, reason in zip(names, alike, strict=True)
        ]
        tile = _parts(first.params, model).get("tile", "")
        sentence = text("{tile} does not fit {trains}.", tile=tile, trains=joined(ends, "or"))
    return by_rule(sentence, first.option)


def _sentence(message: str | None, parts: Mapping[str, str]) -> str | None:
    """The sentence with its parts; None if there is none or a part is missing."""
    try:
        return None if message is None else text(message, **parts)
    except KeyError:
        return None


def _filled(message: str | None, parts: Mapping[str, str]) -> str | None:
    """As `_sentence`, in English."""
    try:
        return None if message is None else message.format(**parts)
    except KeyError:
        return None


def _train_of(reason: Reason) -> str:
    """The train that the reason is about; empty if it names none."""
    train = reason.params.get("train")
    return train if isinstance(train, str) and _TRAIN.fullmatch(train) else ""


def _parts(params: Mapping[str, Any], model: Model) -> dict[str, str]:
    """The parameters as they stand in a sentence."""
    parts: dict[str, str] = {}
    for name, value in params.items():
        if name in ("train", "cover") and isinstance(value, str) and _TRAIN.fullmatch(value):
            parts[name] = train_words(value, model)
            parts["train_name"] = value
            if value.startswith("p"):
                parts["owner"] = clean(model.seat_name(int(value[1:])))
        elif name in ("seat", "to_act") and isinstance(value, int):
            parts["name"] = clean(model.seat_name(value))
        elif isinstance(value, str | int):
            parts[name] = clean(str(value))
    return parts
