"""The game in sentences: tiles, trains, choices and events as a person reads them.

Pure, and in one voice: "You play 12-7 on your train.", "Ann plays …". Names come from other
machines and are cleaned here, so that no caller can forget it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Literal

from mexican_train.protocol import (
    AnyEvent,
    CardLine,
    Choice,
    Declined,
    DoubleCovered,
    DoubleLapsed,
    DoubleOpened,
    EngineLaid,
    FoulCalled,
    GameEnded,
    GameOver,
    Knocked,
    MarkerRemoved,
    MarkerSet,
    OneTileLeft,
    OptionValue,
    Parameter,
    Passed,
    RoundBlocked,
    RoundOver,
    RoundStarted,
    SearchDrew,
    TableLeft,
    Tile,
    TileDrawn,
    TileLaid,
    TimeUp,
    TurnSkipped,
    WentOut,
)

from .bots.strategies import high_low
from .clean import clean
from .model import Model
from .texts import coded, later, plural, text

SHOWN_MS_MIN = 10
"""A span that is shorter is not worth a word."""


def tile_text(tile: Tile) -> str:
    """A tile as it is written: `12-7`, the higher end first."""
    high, low = high_low(tile)
    return f"{high}-{low}"


def who(seat: int, model: Model) -> str:
    """The player in `seat` in a list: "You" or the name."""
    return text("You") if seat == model.seat else name_of(seat, model)


def name_of(seat: int, model: Model) -> str:
    """The name of the player in `seat`, whoever that is."""
    return clean(model.seat_name(seat))


def train_words(train: str, model: Model) -> str:
    """A train: "your train", "Ann's train", "the Mexican Train" (numbered if there are several)."""
    number = int(train[1:])
    if train.startswith("p"):
        if number == model.seat:
            return text("your train")
        return text("{name}'s train", name=name_of(number, model))
    mexican = [each for each in _trains(model) if each.startswith("m")]
    if len(mexican) > 1 or number:
        return text("Mexican Train {number}", number=number + 1)
    return text("the Mexican Train")


def choice_words(choice: Choice, model: Model) -> str:
    """A choice as an order: "12-7 on your train", "draw a tile"."""
    if choice.tile is not None and choice.train is not None:
        tile, train = tile_text(choice.tile), train_words(choice.train, model)
        if choice.train in _trains(model):
            return text("{tile} on {train}", tile=tile, train=train)
        return text("{tile} on {train} (starts it)", tile=tile, train=train)
    if choice.do == "foul" and choice.seat is not None:
        return text("call the foul of {name}, who did not knock", name=name_of(choice.seat, model))
    return text(_DEEDS[choice.do]) if choice.do in _DEEDS else choice.do


_DEEDS = {
    "draw": later("draw a tile"),
    "pass": later("pass"),
    "done": later("end your turn (done)"),
    "knock": later("knock: you have one tile left"),
}


def event_sentence(event: AnyEvent, model: Model) -> str | None:
    """What happened, in a sentence; None where that is told in another way, or not known."""
    sentence = _SENTENCES.get(type(event))
    return sentence(event, model) if sentence is not None else None


def ranking(places: Sequence[int]) -> list[int]:
    """The seats from the first place to the last; equal places by seat."""
    return sorted(range(len(places)), key=lambda seat: (places[seat], seat))


def joined(parts: Sequence[str], word: Literal["and", "or"] = "and") -> str:
    """The parts as a list in a sentence: `a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    first, last = ", ".join(parts[:-1]), parts[-1]
    if word == "or":
        return text("{list} or {last}", list=first, last=last)
    return text("{list} and {last}", list=first, last=last)


def either(parts: Sequence[str]) -> str:
    """The parts as things to choose from, where they are long: `a`, `a or b`, `a or b or c`."""
    return reduce(lambda one, other: joined([one, other], "or"), parts) if parts else ""


def count_tiles(number: int) -> str:
    """`no tiles`, `1 tile`, `7 tiles`."""
    return plural("{number} tile", "{number} tiles", number) if number else text("no tiles")


def count_points(number: int) -> str:
    """`no points`, `1 point`, `7 points`."""
    return plural("{number} point", "{number} points", number) if number else text("no points")


# --- what the server says -----------------------------------------------------------------


def declined_sentence(declined: Declined, model: Model | None = None) -> str:
    """Why the server declined, and the rule option behind it.

    Trains and seats in it are those of `model`.
    """
    spoken = declined.text or declined.code
    sentence = code_sentence(declined.code, spoken, declined.params, model or Model())
    return by_rule(sentence, declined.option)


def code_sentence(code: str, spoken: str, params: Mapping[str, Parameter], model: Model) -> str:
    """What the server says as `spoken`, and in another language than English what `code` means."""
    parts = {key: _part(key, value, model) for key, value in params.items()}
    sentence = clean(spoken)
    for context in ("declined", "rule"):
        sentence = coded(context, code, sentence, **parts)
    return sentence


def by_rule(sentence: str, option: str | None) -> str:
    """The sentence and the rule option behind it, if one is."""
    if not option:
        return sentence
    return text("{sentence} (rule: {option})", sentence=sentence, option=clean(option))


def _part(key: str, value: Parameter, model: Model) -> object:
    """A parameter of the server as it is named in a sentence."""
    if key in ("train", "cover") and isinstance(value, str) and re.fullmatch("[pm][0-9]+", value):
        return train_words(value, model)
    if key in ("seat", "turn") and isinstance(value, int):
        return who(value, model)
    return clean(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def left_sentence(message: TableLeft) -> str:
    """Why this player is no longer at the table."""
    return coded("left", message.code, message.text)


def option_sentence(line: CardLine) -> str:
    """What an option of the rules means at the value that it has, or why nothing."""
    if line.idle_since:
        return coded("option", "idle", line.text, option=line.idle_since)
    context = f"option {line.option}"
    value = line.value
    if isinstance(value, list):
        if value and all(isinstance(each, int) for each in value):
            return coded(context, "N", line.text, *value)
        said = [coded(context, str(each), "") for each in value or ["none"]]
        return " ".join(said) if all(said) else line.text
    sentence = coded(context, option_value(value), "")
    return sentence or coded(context, "N", line.text, value)


def option_value(value: OptionValue) -> str:
    """The value of an option as it is written on the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


# --- events -------------------------------------------------------------------------------


def _trains(model: Model) -> list[str]:
    return [train.train for train in model.view.trains] if model.view is not None else []


def _by(seat: int, model: Model, you: str, other: str, **parts: object) -> str:
    """The sentence `you` if `seat` is this player's, otherwise `other`, which has a `{name}`."""
    if seat == model.seat:
        return text(you, **parts)
    return text(other, name=name_of(seat, model), **parts)


def _started(event: RoundStarted, model: Model) -> str:
    parts = {"tile": tile_text(event.engine), "tiles": count_tiles(event.boneyard)}
    if model.view is None:
        return text(
            "Round {round} begins. The engine is {tile}; {tiles} in the boneyard.",
            round=event.round,
            **parts,
        )
    return text(
        "Round {round} of {rounds} begins. The engine is {tile}; {tiles} in the boneyard.",
        round=event.round,
        rounds=model.view.rounds,
        **parts,
    )


def _searched(event: SearchDrew, model: Model) -> str:
    if event.tile is None:
        you = later("You draw a tile in search of the engine.")
        other = later("{name} draws a tile in search of the engine.")
        return _by(event.seat, model, you, other)
    you = later("You draw {tile} in search of the engine.")
    other = later("{name} draws {tile} in search of the engine.")
    return _by(event.seat, model, you, other, tile=tile_text(event.tile))


def _engine(event: EngineLaid, model: Model) -> str:
    tile = tile_text(event.tile)
    if event.seat is None:
        laid = text("The engine {tile} is laid.", tile=tile)
    else:
        you, other = later("You lay the engine {tile}."), later("{name} lays the engine {tile}.")
        laid = _by(event.seat, model, you, other, tile=tile)
    begins = _by(event.first, model, later("You begin."), later("{name} begins."))
    return f"{laid} {begins}"


def _laid(event: TileLaid, model: Model) -> str:
    tile = tile_text(event.tile)
    if event.train == f"p{event.seat}" and event.seat != model.seat:
        name = name_of(event.seat, model)
        return text("{name} plays {tile} on their own train.", name=name, tile=tile)
    you, other = later("You play {tile} on {train}."), later("{name} plays {tile} on {train}.")
    return _by(event.seat, model, you, other, tile=tile, train=train_words(event.train, model))


def _drew(event: TileDrawn, model: Model) -> str:
    if event.tile is None:
        return _by(event.seat, model, later("You draw a tile."), later("{name} draws a tile."))
    you, other = later("You draw {tile}."), later("{name} draws {tile}.")
    return _by(event.seat, model, you, other, tile=tile_text(event.tile))


def _passed(event: Passed, model: Model) -> str:
    return _by(event.seat, model, later("You pass."), later("{name} passes."))


def _skipped(event: TurnSkipped, model: Model) -> str:
    you, other = later("The table skips your turn."), later("The table skips {name}'s turn.")
    return _by(event.seat, model, you, other)


def _time_up(event: TimeUp, model: Model) -> str:
    spent = [span(event.budget_ms)]
    if event.bank_ms:
        spent.append(text("{span} of the bank", span=span(event.bank_ms)))
    if event.rtt_ms is not None and event.credit_ms >= SHOWN_MS_MIN:
        spent.append(
            text(
                "{span} on top for a connection that takes {round_trip}",
                span=span(event.credit_ms),
                round_trip=span(event.rtt_ms),
            )
        )
    you, other = later("Your time is up: {spans}."), later("{name}'s time is up: {spans}.")
    return _by(event.seat, model, you, other, spans=joined(spent))


def span(milliseconds: int) -> str:
    """A span of time in words: `0.04 seconds`, `1 second`, `30 seconds`."""
    seconds, hundredths = divmod(round(milliseconds / 10), 100)
    if not hundredths:
        return plural("{number} second", "{number} seconds", seconds)
    decimals = f"{hundredths:02}".rstrip("0")
    return text("{seconds}.{decimals} seconds", seconds=seconds, decimals=decimals)


def _marked(event: MarkerSet, model: Model) -> str:
    you, other = later("Your train is open now."), later("{name}'s train is open now.")
    return _by(event.seat, model, you, other)


def _unmarked(event: MarkerRemoved, model: Model) -> str:
    you, other = later("Your train is closed again."), later("{name}'s train is closed again.")
    return _by(event.seat, model, you, other)


def _opened(event: DoubleOpened, model: Model) -> str:
    train = train_words(event.train, model)
    return text(
        "The double {tile} on {train} must be covered.", tile=tile_text(event.tile), train=train
    )


def _covered(event: DoubleCovered, model: Model) -> str:
    train = train_words(event.train, model)
    return text("The double {tile} on {train} is covered.", tile=tile_text(event.tile), train=train)


def _lapsed(event: DoubleLapsed, model: Model) -> str:
    tile, train = tile_text(event.tile), train_words(event.train, model)
    if event.reason == "dead_number":
        return text(
            "The double {tile} on {train} need not be covered: every {pips} lies on the table.",
            tile=tile,
            train=train,
            pips=event.tile[0],
        )
    return text(
        "The double {tile} on {train} need not be covered: the boneyard is empty.",
        tile=tile,
        train=train,
    )


def _one_left(event: OneTileLeft, model: Model) -> str:
    you, other = later("You have one tile left."), later("{name} has one tile left.")
    return _by(event.seat, model, you, other)


def _knocked(event: Knocked, model: Model) -> str:
    you, other = later("You knock: one tile left."), later("{name} knocks: one tile left.")
    return _by(event.seat, model, you, other)


def _fouled(event: FoulCalled, model: Model) -> str:
    drawn = count_tiles(event.drawn)
    if event.tiles:
        drawn = joined([tile_text(tile) for tile in event.tiles])
    caller, name = name_of(event.by, model), name_of(event.seat, model)
    if event.seat == model.seat:
        return text(
            "{caller} calls you for not knocking; you draw {drawn}.", caller=caller, drawn=drawn
        )
    if event.by == model.seat:
        return text(
            "You call {name} for not knocking; {name} draws {drawn}.", name=name, drawn=drawn
        )
    return text(
        "{caller} calls {name} for not knocking; {name} draws {drawn}.",
        caller=caller,
        name=name,
        drawn=drawn,
    )


def _out(event: WentOut, model: Model) -> str:
    return _by(event.seat, model, later("You go out."), later("{name} goes out."))


def _blocked(event: RoundBlocked, model: Model) -> str:
    del event, model
    return text("Nobody can play: the round is blocked.")


def _round_over(event: RoundOver, model: Model) -> str:
    you = later("Round {round} is over. You win it.")
    other = later("Round {round} is over. {name} wins it.")
    return _by(event.winner, model, you, other, round=event.round)


def _game_over(event: GameOver, model: Model) -> str:
    winners = [seat for seat in ranking(event.places) if event.places[seat] == 1]
    if len(winners) == 1:
        you, other = later("The game is over. You win."), later("The game is over. {name} wins.")
        return _by(winners[0], model, you, other)
    names = joined([who(seat, model) for seat in winners])
    return text("The game is over. {names} share the win.", names=names)


def _game_ended(event: GameEnded, model: Model) -> str:
    you = later("The game is ended before its time: You stayed away. Nobody wins.")
    other = later("The game is ended before its time: {name} stayed away. Nobody wins.")
    return _by(event.seat, model, you, other)


_SENTENCES: dict[type[Any], Callable[[Any, Model], str]] = {
    RoundStarted: _started,
    SearchDrew: _searched,
    EngineLaid: _engine,
    TileLaid: _laid,
    TileDrawn: _drew,
    Passed: _passed,
    TurnSkipped: _skipped,
    TimeUp: _time_up,
    MarkerSet: _marked,
    MarkerRemoved: _unmarked,
    DoubleOpened: _opened,
    DoubleCovered: _covered,
    DoubleLapsed: _lapsed,
    OneTileLeft: _one_left,
    Knocked: _knocked,
    FoulCalled: _fouled,
    WentOut: _out,
    RoundBlocked: _blocked,
    RoundOver: _round_over,
    GameOver: _game_over,
    GameEnded: _game_ended,
}
