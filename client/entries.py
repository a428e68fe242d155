"""Typed lines read as entries: pure, from a line and the model to a value or a friendly error.

Both forms of the terminal use it, so the same words work everywhere. What is only a matter of
the rules is not judged here: a move that is not among the choices goes to the server, which
declines it in the words of the rule.
"""

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from mexican_train.protocol import (
    AbsenceChoice,
    AddBot,
    AnyCommand,
    AskHint,
    AskRecord,
    AskRules,
    AskSeatCode,
    Choice,
    CreateTable,
    Deed,
    Done,
    Draw,
    JoinTable,
    Kick,
    Knock,
    LeaveTable,
    ListTables,
    Mute,
    Nudge,
    Pass,
    PassHost,
    Pause,
    Play,
    Ready,
    Rematch,
    RemoveBot,
    Say,
    StartTable,
    Tile,
    Vote,
    WatchTable,
    Why,
)

from .bots.strategies import high_low
from .choices import command_for
from .model import Model
from .words import choice_words, tile_text, train_words

Topic = Literal["hand", "table", "scores", "log", "help", "turn", "card"]
NAME_CHARS_MAX = 20
CHAT_CHARS_MAX = 500
LINE_CHARS_MAX = 600
"""Room for the longest chat; a longer line is refused whole."""
DIGITS_MAX = 6
QUOTED_CHARS_MAX = 40
CUTOFF = 0.6
"""How much a word must be like another to be taken for it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A command for the server; the link gives it its id."""

    command: AnyCommand


@dataclass(frozen=True, slots=True)
class Show:
    """Something that the client knows already."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class Quit:
    """The person wants to stop."""


@dataclass(frozen=True, slots=True)
class LookForServers:
    """What no server knows: which servers there are on the local network."""


Entry = Ask | Show | LookForServers | Quit


class EntryError(Exception):
    """A line that means nothing here; the text says what would."""


def read_entry(line: str, model: Model) -> Entry | None:
    """What `line` asks for; None for an empty line. Raises `EntryError`."""
    text = line.strip()
    if not text:
        return None
    if len(text) > LINE_CHARS_MAX:
        raise EntryError(f"That line is too long: at most {LINE_CHARS_MAX} characters.")
    if _is_number(text):
        return _numbered(_number(text), model)
    tile = _TILE_FIRST.match(text)
    if tile is not None:
        return _play(high_low((int(tile[1]), int(tile[2]))), tile[3], model)
    word, _, rest = text.partition(" ")
    word = _SHORT.get(word) or _SHORT.get(word.lower(), word.lower())
    reader = _READERS.get(word)
    if reader is None:
        if _is_number(word):
            _demand_nothing_after(word, rest)
        raise EntryError(_did_you_mean(word, model))
    return reader(rest.strip(), model)


def is_quit(line: str) -> bool:
    """Whether `line` asks to stop, wherever it is typed."""
    word = line.strip().lower()
    return _SHORT.get(word, word) == "quit"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _number(text: str) -> int:
    """The number that the digits `text` write; of too many digits one that no list reaches."""
    return int(text) if len(text) <= DIGITS_MAX else 10**DIGITS_MAX


def _quoted(text: str) -> str:
    """What was typed, to repeat it in a sentence: not more than the start of it."""
    return repr(text if len(text) <= QUOTED_CHARS_MAX else text[: QUOTED_CHARS_MAX - 1] + "…")


# --- tiles and trains ---------------------------------------------------------------------

_TILE_FIRST = re.compile(
    r"(?:play\s+)?\[?\s*(\d{1,2})(?:\s*[-|/:,]\s*|\s+)(\d{1,2})(?!\d)\s*\]?(.*)", re.IGNORECASE
)
_FILLERS = frozenset({"on", "to", "at", "onto", ">", "the", "train", "'s"})
_OWN = frozenset({"me", "my", "mine", "own", "myself"})
_MEXICAN = frozenset({"mexican", "mex", "mexico", "m"})


def _play(tile: Tile, where: str, model: Model) -> Entry:
    _demand_turn(model)
    _demand_held(tile, model)
    fitting = [
        choice
        for choice in model.offers
        if choice.tile is not None and high_low(choice.tile) == tile
    ]
    train = _train(where, model, fitting)
    if train is not None:
        turn = model.update.turn if model.update is not None else 0
        return Ask(Play(id=0, turn=turn, tile=tile, train=train))
    if not fitting:
        raise EntryError(f"{tile_text(tile)} cannot be played now. {_what_can(model)}")
    if len(fitting) > 1:
        places = " or ".join(train_words(each.train or "", model) for each in fitting)
        example = f"{tile_text(tile)} {fitting[0].train}"
        raise EntryError(f"{tile_text(tile)} can go on {places}. Say which, for example: {example}")
    return _chosen(fitting[0], model)


def _demand_held(tile: Tile, model: Model) -> None:
    """Raise unless this seat holds the tile."""
    if tile not in [high_low(held) for held in model.hand]:
        raise EntryError(f"You do not hold {tile_text(tile)}. Type hand to see your tiles.")


def _train(where: str, model: Model, fitting: Sequence[Choice]) -> str | None:
    """The train that `where` names; None if it names none."""
    words = [word for word in where.replace(">", " ").split() if word.lower() not in _FILLERS]
    text = " ".join(words).strip()
    if not text:
        return None
    low = text.lower().removesuffix("'s")
    if re.fullmatch(r"[pm]\d{1,2}", low):
        return low
    if model.seat is not None and all(word.lower() in _OWN for word in words):
        return f"p{model.seat}"
    if low in _MEXICAN:
        return _mexican(model, fitting)
    first, *rest = words
    if rest and _names_train(first.lower(), model) and not _seats_named(low, model):
        _demand_nothing_after(first, " ".join(rest))
    return f"p{_seat(low, model)}"


def _names_train(word: str, model: Model) -> bool:
    """Whether `word` alone names a train."""
    return (
        re.fullmatch(r"[pm]\d{1,2}", word) is not None
        or word in _OWN
        or word in _MEXICAN
        or len(_seats_named(word.removesuffix("'s"), model)) == 1
    )


def _mexican(model: Model, fitting: Sequence[Choice]) -> str:
    """The Mexican Train that is meant where no number is given."""
    offered = [each.train for each in fitting if each.train is not None and each.train[0] == "m"]
    if len(offered) > 1:
        raise EntryError(f"There are several Mexican Trains: say {' or '.join(offered)}.")
    if offered:
        return offered[0]
    trains = [train.train for train in model.view.trains] if model.view is not None else []
    return next((train for train in trains if train.startswith("m")), "m0")


def _seat(text: str, model: Model) -> int:
    """The seat of the player that `text` names, in full or by an unambiguous beginning."""
    found = _seats_named(text, model)
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        several = " or ".join(model.seat_name(seat) for seat in found)
        raise EntryError(f"{_quoted(text)} may be {several}. Type more of the name.")
    players = ", ".join(name for name in model.names if name)
    raise EntryError(f"There is no player {_quoted(text)} here. Players: {players}.")


def _seats_named(text: str, model: Model) -> list[int]:
    """The seat of the player of that name; if there is none, all whose names begin so."""
    names = [name.casefold() for name in model.names]
    wanted = text.strip().casefold()
    if wanted in names:
        return [names.index(wanted)]
    return [seat for seat, name in enumerate(names) if wanted and name.startswith(wanted)]


def _what_can(model: Model) -> str:
    if model.playable:
        tiles = " ".join(tile_text(tile) for tile in sorted(model.playable, reverse=True))
        return f"You can play: {tiles}."
    rest = " or ".join(choice_words(choice, model) for choice in model.offers)
    return f"You can: {rest}." if rest else "There is nothing that you can play."


_ROUND_OVER = "Nobody can play now: the round is over."


def _demand_turn(model: Model) -> None:
    """Raise unless this seat is to act."""
    _demand_seat(model)
    if not model.is_my_turn:
        if model.to_act is None:
            raise EntryError(_ROUND_OVER)
        raise EntryError(f"It is not your turn: {model.seat_name(model.to_act)} is to play.")


def _no_game(model: Model) -> str:
    if model.table is None:
        return "You are not at a table. Type tables to see where there is room."
    return "The game has not started yet. Type ready when you are."


# --- moves --------------------------------------------------------------------------------


def _numbered(number: int, model: Model) -> Entry:
    """The thing of that number in the list that was shown last."""
    if model.table is None:
        if 1 <= number <= len(model.tables):
            return Ask(JoinTable(id=0, table=model.tables[number - 1].name))
        raise EntryError("There is no table of that number. Type tables to see them.")
    offers = model.offers
    if not offers:
        _demand_turn(model)
    if not 1 <= number <= len(offers):
        raise EntryError(f"Choose a number from 1 to {len(offers)}, or type help.")
    return _chosen(offers[number - 1], model)


def _chosen(choice: Choice, model: Model) -> Entry:
    return Ask(command_for(choice, model.update.turn if model.update is not None else 0))


def _draw(rest: str, model: Model) -> Entry:
    _demand_nothing_after("draw", rest)
    return _in_turn(Draw, model)


def _pass(rest: str, model: Model) -> Entry:
    """`pass`, which also ends a turn of several tiles."""
    _demand_nothing_after("pass", rest)
    kind = Done if any(choice.do == "done" for choice in model.offers) else Pass
    return _in_turn(kind, model)


def _done(rest: str, model: Model) -> Entry:
    _demand_nothing_after("done", rest)
    return _in_turn(Done, model)


def _in_turn(kind: type[Draw | Pass | Done], model: Model) -> Entry:
    _demand_turn(model)
    return Ask(kind(id=0, turn=model.update.turn if model.update is not None else 0))


def _knock(rest: str, model: Model) -> Entry:
    _demand_nothing_after("knock", rest)
    if model.view is None or model.seat is None:
        raise EntryError(_no_game(model) if model.view is None else "You are watching.")
    return Ask(Knock(id=0))


def _foul(rest: str, model: Model) -> Entry:
    if model.view is None:
        raise EntryError(_no_game(model))
    fouls = [choice for choice in model.offers if choice.do == "foul"]
    if not rest:
        if len(fouls) == 1:
            return _chosen(fouls[0], model)
        raise EntryError("Say who did not knock, for example: foul Ann")
    seat = _seat(rest, model)
    for choice in fouls:
        if choice.seat == seat:
            return _chosen(choice, model)
    raise EntryError(f"There is no foul of {model.seat_name(seat)} to call now.")


def _hint(rest: str, model: Model) -> Entry:
    _demand_nothing_after("hint", rest)
    _demand_seat(model)
    if model.to_act is None:
        raise EntryError(_ROUND_OVER)
    return Ask(AskHint(id=0))


def _why(rest: str, model: Model) -> Entry:
    """Why a move of this seat cannot be made: a tile on a train or on all, or another deed."""
    _demand_seat(model)
    asked = rest.removeprefix("not ").strip()
    tile = _TILE_FIRST.match(asked)
    if tile is not None:
        held = high_low((int(tile[1]), int(tile[2])))
        _demand_held(held, model)
        return Ask(Why(id=0, tile=held, train=_train(tile[3], model, [])))
    word, _, name = asked.lower().partition(" ")
    deed = _DEEDS.get(_SHORT.get(word, word))
    if deed == "foul" and name:
        return Ask(Why(id=0, do=deed, seat=_seat(name, model)))
    if deed is None or deed == "foul":
        raise EntryError("Say which move, for example: why 12-7, why 12-7 me, why draw")
    _demand_nothing_after(f"why {word}", name)
    return Ask(Why(id=0, do=deed))


_DEEDS: dict[str, Deed] = {
    "draw": "draw",
    "pass": "pass",
    "done": "done",
    "knock": "knock",
    "foul": "foul",
}


def _demand_seat(model: Model) -> None:
    """Raise unless a game is on in which this player has a seat."""
    if model.view is None:
        raise EntryError(_no_game(model))
    if model.seat is None:
        raise EntryError("You are watching; only players can do that.")


# --- the lobby and the table --------------------------------------------------------------


def _tables(rest: str, model: Model) -> Entry:
    del model
    _demand_nothing_after("tables", rest)
    return Ask(ListTables(id=0))


def _servers(rest: str, model: Model) -> Entry:
    del model
    _demand_nothing_after("servers", rest)
    return LookForServers()


def _join(rest: str, model: Model) -> Entry:
    return Ask(JoinTable(id=0, table=_table_name("join", rest, model)))


def _watch(rest: str, model: Model) -> Entry:
    return Ask(WatchTable(id=0, table=_table_name("watch", rest, model)))


def _table_name(word: str, rest: str, model: Model) -> str:
    """The table that `rest` names, by its number in the list or by name."""
    _demand_no_table(model)
    if not rest:
        raise EntryError(f"Say which table, for example: {word} 1")
    return _listed(rest, model) or _name(rest, "a table")


def _create(rest: str, model: Model) -> Entry:
    _demand_no_table(model)
    if not rest:
        raise EntryError("Give the new table a name, for example: create friends")
    return Ask(CreateTable(id=0, name=_name(rest, "a table")))


def _name(text: str, what: str) -> str:
    if len(text) > NAME_CHARS_MAX:
        raise EntryError(f"The name of {what} has at most {NAME_CHARS_MAX} characters.")
    return text


def _leave(rest: str, model: Model) -> Entry:
    _demand_nothing_after("leave", rest)
    _demand_table(model)
    return Ask(LeaveTable(id=0))


def _ready(rest: str, model: Model) -> Entry:
    _demand_table(model)
    if rest.lower() in ("no", "off", "not"):
        return Ask(Ready(id=0, on=False))
    _demand_nothing_after("ready", rest)
    return Ask(Ready(id=0))


def _start(rest: str, model: Model) -> Entry:
    _demand_nothing_after("start", rest)
    _demand_table(model)
    return Ask(StartTable(id=0))


def _rematch(rest: str, model: Model) -> Entry:
    _demand_nothing_after("rematch", rest)
    _demand_table(model)
    return Ask(Rematch(id=0))


def _record(rest: str, model: Model) -> Entry:
    """The record of the game that is over at this table."""
    _demand_nothing_after("record", rest)
    if model.table is None:
        raise EntryError(_no_game(model))
    return Ask(AskRecord(id=0, table=model.table.name))


def _bot(rest: str, model: Model) -> Entry:
    _demand_table(model)
    deed, _, name = rest.partition(" ")
    name = name.strip()
    if deed.lower() == "add":
        strategy = name.lower() or "planner"
        if not re.fullmatch(r"[a-z0-9][a-z0-9:._-]{0,19}", strategy):
            raise EntryError("The name of a bot is one word, for example: bot add greedy")
        return Ask(AddBot(id=0, strategy=strategy))
    if deed.lower() in ("remove", "rm") and name:
        return Ask(RemoveBot(id=0, name=_player(name, model)))
    raise EntryError("Type bot add STRATEGY or bot remove NAME, for example: bot add greedy")


def _host(rest: str, model: Model) -> Entry:
    return Ask(PassHost(id=0, name=_other("host", rest, model)))


def _kick(rest: str, model: Model) -> Entry:
    return Ask(Kick(id=0, name=_other("kick", rest, model)))


def _seat_code(rest: str, model: Model) -> Entry:
    return Ask(AskSeatCode(id=0, name=_other("seat-code", rest, model)))


def _mute(rest: str, model: Model) -> Entry:
    return Ask(Mute(id=0, name=_whom("mute", rest, model)))


def _unmute(rest: str, model: Model) -> Entry:
    return Ask(Mute(id=0, name=_whom("unmute", rest, model), on=False))


def _pause(rest: str, model: Model) -> Entry:
    """Stop the game, or let it go on if it is paused."""
    _demand_nothing_after("pause", rest)
    if model.table is None:
        raise EntryError(_no_game(model))
    return Ask(Pause(id=0, on=not model.table.paused))


def _nudge(rest: str, model: Model) -> Entry:
    _demand_nothing_after("nudge", rest)
    _demand_table(model)
    return Ask(Nudge(id=0))


def _vote(rest: str, model: Model) -> Entry:
    """What to do for somebody who is away; with a name for that one alone."""
    _demand_table(model)
    word, _, name = rest.partition(" ")
    choice = _ABSENCE_CHOICES.get(word.lower())
    if choice is None:
        raise EntryError("Type vote and one of wait, skip, bot or end, for example: vote bot")
    seat = _seat(name.strip().lower(), model) if name.strip() else None
    return Ask(Vote(id=0, choice=choice, seat=seat))


_ABSENCE_CHOICES: dict[str, AbsenceChoice] = {
    "wait": "wait",
    "skip": "skip",
    "bot": "bot",
    "substitute": "bot",
    "end": "end",
}


def _whom(word: str, rest: str, model: Model) -> str:
    """A player who may be in the lobby too."""
    if not rest:
        raise EntryError(f"Say who, for example: {word} Ann")
    return _player(rest, model)


def _other(word: str, rest: str, model: Model) -> str:
    _demand_table(model)
    return _whom(word, rest, model)


def _player(text: str, model: Model) -> str:
    """A name at the table as the server writes it; what was typed if it is not among them."""
    seats = model.table.seats if model.table is not None else []
    names = {seat.name.casefold(): seat.name for seat in seats if seat.name}
    return names.get(text.casefold(), _name(text, "a player"))


def _listed(text: str, model: Model) -> str | None:
    """The table of that number or name in the list of the lobby, or None."""
    if _is_number(text) and 1 <= _number(text) <= len(model.tables):
        return model.tables[_number(text) - 1].name
    names = {table.name.casefold(): table.name for table in model.tables}
    return names.get(text.casefold())


def _rules(rest: str, model: Model) -> Entry:
    if rest.casefold() == "all":
        if model.card is None:
            raise EntryError("First ask for the rules of a table or by a name, as in: rules bernie")
        return Show("card")
    listed = _listed(rest, model)
    if listed is not None:
        return Ask(AskRules(id=0, table=listed))
    if rest:
        return Ask(AskRules(id=0, name=rest[:40]))
    if model.table is not None:
        return Ask(AskRules(id=0, table=model.table.name))
    return Ask(AskRules(id=0))


def _say(rest: str, model: Model) -> Entry:
    del model
    if not rest:
        raise EntryError("Say something, for example: say hello")
    if len(rest) > CHAT_CHARS_MAX:
        raise EntryError(f"That is too long: at most {CHAT_CHARS_MAX} characters.")
    return Ask(Say(id=0, text=rest))


def _quit(rest: str, model: Model) -> Entry:
    del model
    _demand_nothing_after("quit", rest)
    return Quit()


def _show(topic: Topic, *, game: bool) -> Callable[[str, Model], Entry]:
    def reader(rest: str, model: Model) -> Entry:
        if topic != "help":
            _demand_nothing_after(topic, rest)
        if game and model.view is None:
            raise EntryError(_no_game(model))
        return Show(topic)

    return reader


def _demand_table(model: Model) -> None:
    if model.table is None:
        raise EntryError(_no_game(model))


def _demand_no_table(model: Model) -> None:
    """Raise at a table, unless its game is over: then another may be joined at once."""
    if model.table is not None and model.table.state != "over":
        raise EntryError(f"You are at {model.table.name} already. Type leave first.")


def _demand_nothing_after(word: str, rest: str) -> None:
    if rest:
        raise EntryError(f"Type {word} alone; {_quoted(rest)} after it means nothing.")


# --- the words ----------------------------------------------------------------------------

_READERS: dict[str, Callable[[str, Model], Entry]] = {
    "draw": _draw,
    "pass": _pass,
    "done": _done,
    "knock": _knock,
    "foul": _foul,
    "hint": _hint,
    "why": _why,
    "hand": _show("hand", game=True),
    "table": _show("table", game=False),
    "scores": _show("scores", game=True),
    "log": _show("log", game=False),
    "turn": _show("turn", game=True),
    "help": _show("help", game=False),
    "say": _say,
    "rules": _rules,
    "leave": _leave,
    "ready": _ready,
    "start": _start,
    "bot": _bot,
    "host": _host,
    "kick": _kick,
    "vote": _vote,
    "pause": _pause,
    "nudge": _nudge,
    "mute": _mute,
    "unmute": _unmute,
    "seat-code": _seat_code,
    "rematch": _rematch,
    "record": _record,
    "tables": _tables,
    "servers": _servers,
    "join": _join,
    "create": _create,
    "watch": _watch,
    "quit": _quit,
}
_SHORT = {
    "d": "draw",
    "p": "pass",
    "k": "knock",
    "f": "foul",
    "h": "hand",
    "H": "hint",
    "s": "scores",
    "t": "table",
    "?": "help",
    "c": "say",
    "chat": "say",
    "q": "quit",
    "exit": "quit",
    "bye": "quit",
    "list": "tables",
    "score": "scores",
    "seatcode": "seat-code",
    "unpause": "pause",
}
_GAME_WORDS = ("draw", "pass", "done", "why", "hand", "table", "scores", "log", "turn")
_KNOCK_WORDS = ("knock", "foul")
_COMPANY_WORDS = ("nudge", "mute", "unmute")
_HOST_WORDS = ("pause", "seat-code")
_WATCHER_WORDS = ("turn", "table", "scores", "log", "record")
_ANYWHERE = ("say", "rules", "leave", "help", "quit")
_TABLE_WORDS = ("ready", "start", "bot", "host", "kick", "rematch", "record", "table")
_LOBBY_WORDS = ("tables", "join", "create", "watch", "servers", "rules", "say", "help", "quit")


def words_for(model: Model) -> tuple[str, ...]:
    """The words that mean something where this player is now."""
    if model.table is None:
        return _LOBBY_WORDS
    if model.is_watching:
        return (*_WATCHER_WORDS, *_ANYWHERE)
    if not model.is_playing:
        return (*_TABLE_WORDS, *_COMPANY_WORDS, "seat-code", *_ANYWHERE)
    hint = ("hint",) if model.has_hints else ()
    knocks = _KNOCK_WORDS if model.has_knocks else ()
    vote = ("vote",) if model.may_vote else ()
    host = _HOST_WORDS if model.is_host else ()
    return (*_GAME_WORDS, *hint, *knocks, *vote, *host, *_COMPANY_WORDS, *_ANYWHERE)


def _did_you_mean(word: str, model: Model) -> str:
    here = words_for(model)
    nearest = difflib.get_close_matches(word, here, n=1, cutoff=CUTOFF)
    # three letters are like too many words to be meant where they mean nothing
    elsewhere = [each for each in _READERS if len(each) > len("why")]
    nearest = nearest or difflib.get_close_matches(word, elsewhere, n=1, cutoff=CUTOFF)
    if nearest:
        return f"{_quoted(word)} means nothing here. Did you mean {nearest[0]}?"
    return f"{_quoted(word)} means nothing here. Type help to see what you can type."
