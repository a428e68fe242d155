"""The game in sentences: tiles, trains, choices and events as a person reads them.

Pure, and in one voice: "You play 12-7 on your train.", "Ann plays …". Names come from other
machines and are cleaned here, so that no caller can forget it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from mexican_train.protocol import (
    AnyEvent,
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
    Passed,
    RoundBlocked,
    RoundOver,
    RoundStarted,
    SearchDrew,
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

SHOWN_MS_MIN = 10
"""A span that is shorter is not worth a word."""


def tile_text(tile: Tile) -> str:
    """A tile as it is written: `12-7`, the higher end first."""
    high, low = high_low(tile)
    return f"{high}-{low}"


def who(seat: int, model: Model) -> str:
    """The player in `seat` as the subject of a sentence: "You" or the name."""
    return "You" if seat == model.seat else clean(model.seat_name(seat))


def whose(seat: int, model: Model) -> str:
    """Of the player in `seat`: "your" or "Ann's"."""
    return "your" if seat == model.seat else f"{clean(model.seat_name(seat))}'s"


def whose_first(seat: int, model: Model) -> str:
    """As `whose`, at the start of a sentence: "Your" or the name as it is written."""
    return "Your" if seat == model.seat else whose(seat, model)


def train_words(train: str, model: Model) -> str:
    """A train: "your train", "Ann's train", "the Mexican Train" (numbered if there are several)."""
    number = int(train[1:])
    if train.startswith("p"):
        return f"{whose(number, model)} train"
    mexican = [each for each in _trains(model) if each.startswith("m")]
    return f"Mexican Train {number + 1}" if len(mexican) > 1 or number else "the Mexican Train"


def choice_words(choice: Choice, model: Model) -> str:
    """A choice as an order: "12-7 on your train", "draw a tile"."""
    if choice.tile is not None and choice.train is not None:
        start = "" if choice.train in _trains(model) else " (starts it)"
        return f"{tile_text(choice.tile)} on {train_words(choice.train, model)}{start}"
    if choice.do == "foul" and choice.seat is not None:
        return f"call the foul of {clean(model.seat_name(choice.seat))}, who did not knock"
    return _DEEDS.get(choice.do, choice.do)


_DEEDS = {
    "draw": "draw a tile",
    "pass": "pass",
    "done": "end your turn (done)",
    "knock": "knock: you have one tile left",
}


def event_sentence(event: AnyEvent, model: Model) -> str | None:
    """What happened, in a sentence; None where that is told in another way, or not known."""
    sentence = _SENTENCES.get(type(event))
    return sentence(event, model) if sentence is not None else None


def ranking(places: Sequence[int]) -> list[int]:
    """The seats from the first place to the last; equal places by seat."""
    return sorted(range(len(places)), key=lambda seat: (places[seat], seat))


def joined(parts: Sequence[str], word: str = "and") -> str:
    """The parts as a list in a sentence: `a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def count(number: int, thing: str) -> str:
    """A number of things: `1 tile`, `7 tiles`, `no tiles`."""
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def declined_sentence(declined: Declined) -> str:
    """Why the server declined: its own sentence, and the rule option behind it."""
    text = clean(declined.text) or clean(declined.code)
    return f"{text} (rule: {clean(declined.option)})" if declined.option else text


def _trains(model: Model) -> list[str]:
    return [train.train for train in model.view.trains] if model.view is not None else []


def _does(seat: int, model: Model, verb: str, others: str = "") -> str:
    """Subject and verb: `You draw`, `Ann draws`; `others` where the verb is irregular."""
    return f"{who(seat, model)} {verb if seat == model.seat else others or verb + 's'}"


def _started(event: RoundStarted, model: Model) -> str:
    rounds = f" of {model.view.rounds}" if model.view is not None else ""
    return (
        f"Round {event.round}{rounds} begins. The engine is {tile_text(event.engine)}; "
        f"{count(event.boneyard, 'tile')} in the boneyard."
    )


def _searched(event: SearchDrew, model: Model) -> str:
    tile = "a tile" if event.tile is None else tile_text(event.tile)
    return f"{_does(event.seat, model, 'draw')} {tile} in search of the engine."


def _engine(event: EngineLaid, model: Model) -> str:
    first = f"{_does(event.first, model, 'begin')}."
    if event.seat is None:
        return f"The engine {tile_text(event.tile)} is laid. {first}"
    return f"{_does(event.seat, model, 'lay')} the engine {tile_text(event.tile)}. {first}"


def _laid(event: TileLaid, model: Model) -> str:
    own = event.train == f"p{event.seat}" and event.seat != model.seat
    train = "their own train" if own else train_words(event.train, model)
    return f"{_does(event.seat, model, 'play')} {tile_text(event.tile)} on {train}."


def _drew(event: TileDrawn, model: Model) -> str:
    tile = "a tile" if event.tile is None else tile_text(event.tile)
    return f"{_does(event.seat, model, 'draw')} {tile}."


def _passed(event: Passed, model: Model) -> str:
    return f"{_does(event.seat, model, 'pass', 'passes')}."


def _skipped(event: TurnSkipped, model: Model) -> str:
    return f"The table skips {whose(event.seat, model)} turn."


def _time_up(event: TimeUp, model: Model) -> str:
    spent = [span(event.budget_ms)]
    if event.bank_ms:
        spent.append(f"{span(event.bank_ms)} of the bank")
    if event.rtt_ms is not None and event.credit_ms >= SHOWN_MS_MIN:
        spent.append(
            f"{span(event.credit_ms)} on top for a connection that takes {span(event.rtt_ms)}"
        )
    return f"{whose_first(event.seat, model)} time is up: {joined(spent)}."


def span(milliseconds: int) -> str:
    """A span of time in words: `0.04 seconds`, `1 second`, `30 seconds`."""
    seconds = round(milliseconds / 1000, 2)
    return "1 second" if seconds == 1 else f"{seconds:g} seconds"


def _marked(event: MarkerSet, model: Model) -> str:
    return f"{whose_first(event.seat, model)} train is open now."


def _unmarked(event: MarkerRemoved, model: Model) -> str:
    return f"{whose_first(event.seat, model)} train is closed again."


def _opened(event: DoubleOpened, model: Model) -> str:
    train = train_words(event.train, model)
    return f"The double {tile_text(event.tile)} on {train} must be covered."


def _covered(event: DoubleCovered, model: Model) -> str:
    train = train_words(event.train, model)
    return f"The double {tile_text(event.tile)} on {train} is covered."


def _lapsed(event: DoubleLapsed, model: Model) -> str:
    why = (
        f"every {event.tile[0]} lies on the table"
        if event.reason == "dead_number"
        else "the boneyard is empty"
    )
    train = train_words(event.train, model)
    return f"The double {tile_text(event.tile)} on {train} need not be covered: {why}."


def _one_left(event: OneTileLeft, model: Model) -> str:
    return f"{_does(event.seat, model, 'have', 'has')} one tile left."


def _knocked(event: Knocked, model: Model) -> str:
    return f"{_does(event.seat, model, 'knock')}: one tile left."


def _fouled(event: FoulCalled, model: Model) -> str:
    drawn = count(event.drawn, "tile")
    if event.tiles:
        drawn = joined([tile_text(tile) for tile in event.tiles])
    caller = _does(event.by, model, "call")
    object_ = "you" if event.seat == model.seat else clean(model.seat_name(event.seat))
    verb = "draw" if event.seat == model.seat else "draws"
    subject = "you" if event.seat == model.seat else object_
    return f"{caller} {object_} for not knocking; {subject} {verb} {drawn}."


def _out(event: WentOut, model: Model) -> str:
    return f"{_does(event.seat, model, 'go', 'goes')} out."


def _blocked(event: RoundBlocked, model: Model) -> str:
    del event, model
    return "Nobody can play: the round is blocked."


def _round_over(event: RoundOver, model: Model) -> str:
    return f"Round {event.round} is over. {_does(event.winner, model, 'win')} it."


def _game_over(event: GameOver, model: Model) -> str:
    winners = [seat for seat in ranking(event.places) if event.places[seat] == 1]
    if len(winners) == 1:
        return f"The game is over. {_does(winners[0], model, 'win')}."
    return f"The game is over. {joined([who(seat, model) for seat in winners])} share the win."


def _game_ended(event: GameEnded, model: Model) -> str:
    away = who(event.seat, model)
    return f"The game is ended before its time: {away} stayed away. Nobody wins."


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
