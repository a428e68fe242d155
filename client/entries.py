"""Typed lines read as entries: pure, from a line and the model to a value or a friendly error.

Both forms of the terminal use it, so the same words work everywhere. What is only a matter of
the rules is not judged here: a move that is not among the choices goes to the server, which
declines it in the words of the rule.
"""

import difflib
import re
from collections.abc import Callable, Collection, Sequence
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
from .texts import later, text, typed
from .words import choice_words, either, tile_text, train_words

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
    line = line.strip()
    if not line:
        return None
    if len(line) > LINE_CHARS_MAX:
        raise EntryError(
            text("That line is too long: at most {number} characters.", number=LINE_CHARS_MAX)
        )
    if _is_number(line):
        return _numbered(_number(line), model)
    word, _, rest = line.partition(" ")
    tile = _tile_first(line)
    if tile is not None:
        return _play(high_low((int(tile[1]), int(tile[2]))), tile[3], model)
    word = _english(word)
    reader = _READERS.get(word)
    if reader is None:
        if _is_number(word):
            _demand_nothing_after(word, rest)
        raise EntryError(_did_you_mean(word, model))
    return reader(rest.strip(), model)


def _tile_first(line: str) -> re.Match[str] | None:
    """A tile at the start of `line`, also after the word for playing, and what follows."""
    word, _, rest = line.partition(" ")
    return _TILE_FIRST.match(rest.strip() if word.lower() in typed("play") else line)


def is_quit(line: str) -> bool:
    """Whether `line` asks to stop, wherever it is typed."""
    return _english(line.strip()) == "quit"


def _english(word: str) -> str:
    """The English word for one that was typed, short or in the chosen language."""
    if word in _SHORT:  # where a capital letter may be another word
        return _SHORT[word]
    word = word.lower()
    if word in _READERS or word in _SHORT:
        return _SHORT.get(word, word)
    return next((english for english in _READERS if word in typed(english)), word)


def _shown(word: str) -> str:
    """A word to type as the chosen language has it."""
    return typed(word)[0]


def _is_any(word: str, english: Collection[str]) -> bool:
    """Whether `word` was typed for one of the `english` words."""
    return word in english or any(word in typed(each) for each in english)


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
    r"\[?\s*(\d{1,2})(?:\s*[-|/:,]\s*|\s+)(\d{1,2})(?!\d)\s*\]?(.*)", re.IGNORECASE
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
        cannot = text("{tile} cannot be played now.", tile=tile_text(tile))
        raise EntryError(f"{cannot} {_what_can(model)}")
    if len(fitting) > 1:
        raise EntryError(
            text(
                "{tile} can go on {trains}. Say which, for example: {tile} {train}",
                tile=tile_text(tile),
                trains=either([train_words(each.train or "", model) for each in fitting]),
                train=fitting[0].train,
            )
        )
    return _chosen(fitting[0], model)


def _demand_held(tile: Tile, model: Model) -> None:
    """Raise unless this seat holds the tile."""
    if tile not in [high_low(held) for held in model.hand]:
        raise EntryError(
            text("You do not hold {tile}. Type hand to see your tiles.", tile=tile_text(tile))
        )


def _train(where: str, model: Model, fitting: Sequence[Choice]) -> str | None:
    """The train that `where` names; None if it names none."""
    words = [
        word for word in where.replace(">", " ").split() if not _is_any(word.lower(), _FILLERS)
    ]
    named = " ".join(words).strip()
    if not named:
        return None
    low = named.lower().removesuffix("'s")
    if re.fullmatch(r"[pm]\d{1,2}", low):
        return low
    if model.seat is not None and all(_is_any(word.lower(), _OWN) for word in words):
        return f"p{model.seat}"
    if _is_any(low, _MEXICAN):
        return _mexican(model, fitting)
    first, *rest = words
    if rest and _names_train(first.lower(), model) and not _seats_named(low, model):
        _demand_nothing_after(first, " ".join(rest))
    return f"p{_seat(low, model)}"


def _names_train(word: str, model: Model) -> bool:
    """Whether `word` alone names a train."""
    return (
        re.fullmatch(r"[pm]\d{1,2}", word) is not None
        or _is_any(word, _OWN)
        or _is_any(word, _MEXICAN)
        or len(_seats_named(word.removesuffix("'s"), model)) == 1
    )


def _mexican(model: Model, fitting: Sequence[Choice]) -> str:
    """The Mexican Train that is meant where no number is given."""
    offered = [each.train for each in fitting if each.train is not None and each.train[0] == "m"]
    if len(offered) > 1:
        raise EntryError(
            text("There are several Mexican Trains: say {trains}.", trains=either(offered))
        )
    if offered:
        return offered[0]
    trains = [train.train for train in model.view.trains] if model.view is not None else []
    return next((train for train in trains if train.startswith("m")), "m0")


def _seat(name: str, model: Model) -> int:
    """The seat of the player of this name, in full or by an unambiguous beginning."""
    found = _seats_named(name, model)
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        raise EntryError(
            text(
                "{name} may be {players}. Type more of the name.",
                name=_quoted(name),
                players=either([model.seat_name(seat) for seat in found]),
            )
        )
    raise EntryError(
        text(
            "There is no player {name} here. Players: {players}.",
            name=_quoted(name),
            players=", ".join(each for each in model.names if each),
        )
    )


def _seats_named(name: str, model: Model) -> list[int]:
    """The seat of the player of that name; if there is none, all whose names begin so."""
    names = [name.casefold() for name in model.names]
    wanted = name.strip().casefold()
    if wanted in names:
        return [names.index(wanted)]
    return [seat for seat, name in enumerate(names) if wanted and name.startswith(wanted)]


def _what_can(model: Model) -> str:
    if model.playable:
        tiles = " ".join(tile_text(tile) for tile in sorted(model.playable, reverse=True))
        return text("You can play: {tiles}.", tiles=tiles)
    rest = either([choice_words(choice, model) for choice in model.offers])
    if rest:
        return text("You can: {choices}.", choices=rest)
    return text("There is nothing that you can play.")


_ROUND_OVER = later("Nobody can play now: the round is over.")


def _demand_turn(model: Model) -> None:
    """Raise unless this seat is to act."""
    _demand_seat(model)
    if not model.is_my_turn:
        if model.to_act is None:
            raise EntryError(text(_ROUND_OVER))
        raise EntryError(
            text("It is not your turn: {name} is to play.", name=model.seat_name(model.to_act))
        )


def _no_game(model: Model) -> str:
    if model.table is None:
        return text("You are not at a table. Type tables to see where there is room.")
    return text("The game has not started yet. Type ready when you are.")


# --- moves --------------------------------------------------------------------------------


def _numbered(number: int, model: Model) -> Entry:
    """The thing of that number in the list that was shown last."""
    if model.table is None:
        if 1 <= number <= len(model.tables):
            return Ask(JoinTable(id=0, table=model.tables[number - 1].name))
        raise EntryError(text("There is no table of that number. Type tables to see them."))
    offers = model.offers
    if not offers:
        _demand_turn(model)
    if not 1 <= number <= len(offers):
        raise EntryError(
            text("Choose a number from 1 to {number}, or type help.", number=len(offers))
        )
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
        watching = text("You are watching.")
        raise EntryError(_no_game(model) if model.view is None else watching)
    return Ask(Knock(id=0))


def _foul(rest: str, model: Model) -> Entry:
    if model.view is None:
        raise EntryError(_no_game(model))
    fouls = [choice for choice in model.offers if choice.do == "foul"]
    if not rest:
        if len(fouls) == 1:
            return _chosen(fouls[0], model)
        raise EntryError(text("Say who did not knock, for example: foul Ann"))
    seat = _seat(rest, model)
    for choice in fouls:
        if choice.seat == seat:
            return _chosen(choice, model)
    raise EntryError(text("There is no foul of {name} to call now.", name=model.seat_name(seat)))


def _hint(rest: str, model: Model) -> Entry:
    _demand_nothing_after("hint", rest)
    _demand_seat(model)
    if model.to_act is None:
        raise EntryError(text(_ROUND_OVER))
    return Ask(AskHint(id=0))


def _why(rest: str, model: Model) -> Entry:
    """Why a move of this seat cannot be made: a tile on a train or on all, or another deed."""
    _demand_seat(model)
    first, _, asked = rest.partition(" ")
    asked = asked.strip() if _is_any(first.lower(), ("no", "not")) else rest
    tile = _tile_first(asked)
    if tile is not None:
        held = high_low((int(tile[1]), int(tile[2])))
        _demand_held(held, model)
        return Ask(Why(id=0, tile=held, train=_train(tile[3], model, [])))
    word, _, name = asked.lower().partition(" ")
    deed = _DEEDS.get(_english(word))
    if deed == "foul" and name:
        return Ask(Why(id=0, do=deed, seat=_seat(name, model)))
    if deed is None or deed == "foul":
        raise EntryError(text("Say which move, for example: why 12-7, why 12-7 me, why draw"))
    _demand_alone(f"{_shown('why')} {_shown(word)}", name)
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
        raise EntryError(text("You are watching; only players can do that."))


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
        raise EntryError(text("Say which table, for example: {word} 1", word=_shown(word)))
    return _listed(rest, model) or _name(rest, _TABLE_NAME_LONG)


def _create(rest: str, model: Model) -> Entry:
    _demand_no_table(model)
    if not rest:
        raise EntryError(text("Give the new table a name, for example: create friends"))
    return Ask(CreateTable(id=0, name=_name(rest, _TABLE_NAME_LONG)))


_TABLE_NAME_LONG = later("The name of a table has at most {number} characters.")
_PLAYER_NAME_LONG = later("The name of a player has at most {number} characters.")


def _name(name: str, too_long: str) -> str:
    if len(name) > NAME_CHARS_MAX:
        raise EntryError(text(too_long, number=NAME_CHARS_MAX))
    return name


def _leave(rest: str, model: Model) -> Entry:
    _demand_nothing_after("leave", rest)
    _demand_table(model)
    return Ask(LeaveTable(id=0))


def _ready(rest: str, model: Model) -> Entry:
    _demand_table(model)
    if _is_any(rest.lower(), ("no", "off", "not")):
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
    if _is_any(deed.lower(), ("add",)):
        strategy = name.lower() or "planner"
        if not re.fullmatch(r"[a-z0-9][a-z0-9:._-]{0,19}", strategy):
            raise EntryError(text("The name of a bot is one word, for example: bot add greedy"))
        return Ask(AddBot(id=0, strategy=strategy))
    if _is_any(deed.lower(), ("remove", "rm")) and name:
        return Ask(RemoveBot(id=0, name=_player(name, model)))
    raise EntryError(text("Type bot add STRATEGY or bot remove NAME, for example: bot add greedy"))


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
    low = word.lower()
    choice = next((_ABSENCE_CHOICES[each] for each in _ABSENCE_CHOICES if low in typed(each)), None)
    if choice is None:
        raise EntryError(text("Type vote and one of wait, skip, bot or end, for example: vote bot"))
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
        raise EntryError(text("Say who, for example: {word} Ann", word=_shown(word)))
    return _player(rest, model)


def _other(word: str, rest: str, model: Model) -> str:
    _demand_table(model)
    return _whom(word, rest, model)


def _player(name: str, model: Model) -> str:
    """A name at the table as the server writes it; what was typed if it is not among them."""
    seats = model.table.seats if model.table is not None else []
    names = {seat.name.casefold(): seat.name for seat in seats if seat.name}
    return names.get(name.casefold(), _name(name, _PLAYER_NAME_LONG))


def _listed(place: str, model: Model) -> str | None:
    """The table of that number or name in the list of the lobby, or None."""
    if _is_number(place) and 1 <= _number(place) <= len(model.tables):
        return model.tables[_number(place) - 1].name
    names = {table.name.casefold(): table.name for table in model.tables}
    return names.get(place.casefold())


def _rules(rest: str, model: Model) -> Entry:
    if _is_any(rest.casefold(), ("all",)):
        if model.card is None:
            raise EntryError(
                text("First ask for the rules of a table or by a name, as in: rules bernie")
            )
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
        raise EntryError(text("Say something, for example: say hello"))
    if len(rest) > CHAT_CHARS_MAX:
        raise EntryError(
            text("That is too long: at most {number} characters.", number=CHAT_CHARS_MAX)
        )
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
        raise EntryError(
            text("You are at {table} already. Type leave first.", table=model.table.name)
        )


def _demand_nothing_after(word: str, rest: str) -> None:
    _demand_alone(_shown(word), rest)


def _demand_alone(shown: str, rest: str) -> None:
    if rest:
        raise EntryError(
            text(
                "Type {word} alone; {rest} after it means nothing.",
                word=shown,
                rest=_quoted(rest),
            )
        )


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
    "resume": "pause",
}
ENTRY_WORDS = (
    *_READERS,
    *("play", "on", "the", "train", "me", "mexican"),
    *("yes", "no", "all", "add", "remove"),
    *("wait", "skip", "bot", "end"),
)
"""Every English word of an entry that a language may have its own for."""
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
    here = [form for each in words_for(model) for form in typed(each)]
    anywhere = [form for each in _READERS for form in typed(each)]
    nearest = difflib.get_close_matches(word, here, n=1, cutoff=CUTOFF)
    # three letters are like too many words to be meant where they mean nothing
    elsewhere = [form for form in anywhere if len(form) > len("why")]
    nearest = nearest or difflib.get_close_matches(word, elsewhere, n=1, cutoff=CUTOFF)
    if nearest:
        return text(
            "{word} means nothing here. Did you mean {nearest}?",
            word=_quoted(word),
            nearest=nearest[0],
        )
    return text(
        "{word} means nothing here. Type help to see what you can type.", word=_quoted(word)
    )
