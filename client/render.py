"""The model as lines of text for line mode: pure, at most 80 columns, no cursor movement.

Everything is told in words and digits, nothing by colour or by place alone, so that a screen
reader reads it in order. Remote text is cleaned before it gets into a line.
"""

from collections.abc import Sequence

from mexican_train.protocol import (
    AnyEvent,
    Card,
    CardLine,
    DoubleOpened,
    GameOver,
    OpenDouble,
    OptionValue,
    RoundOver,
    Said,
    SeatInfo,
    TableInfo,
    TableNews,
    Tile,
    Train,
)

from .bots.strategies import high_low
from .clean import clean, padded, width, wrapped
from .model import Model, MoveMade
from .presence import minutes, presence_news
from .words import (
    choice_words,
    count,
    event_sentence,
    joined,
    ranking,
    tile_text,
    train_words,
    who,
    whose_first,
)

COLUMNS = 80
LOG_LINES = 20


# --- whose turn ---------------------------------------------------------------------------


def turn_sentence(model: Model) -> str | None:
    """Whose turn it is and what is awaited; None between rounds."""
    view = model.view
    if view is None or view.phase != "play" or view.to_act is None:
        return None
    start = f"{whose_first(view.to_act, model)} turn"
    subject = "you" if view.to_act == model.seat else clean(model.seat_name(view.to_act))
    if view.awaited == "cover":
        owed = [each for each in view.open_doubles if each.binding] or view.open_doubles
        return f"{start}: {subject} must cover {_doubles(owed, model)}."
    if view.awaited == "extra":
        return f"{start}: after the double {subject} must play another tile."
    if view.awaited == "go_on":
        return f"{start}: {subject} may play on or end the turn."
    return f"{start}."


def _doubles(doubles: Sequence[OpenDouble], model: Model) -> str:
    if not doubles:
        return "the open double"
    return joined(
        [f"the {tile_text(each.tile)} on {train_words(each.train, model)}" for each in doubles],
        "or",
    )


def turn_lines(model: Model) -> list[str]:
    """The position for the seat to act: what is owed, what is open, the hand, the choices."""
    view = model.view
    if view is None:
        return []
    lines = wrapped(turn_sentence(model) or "Nobody is to play now.", COLUMNS)
    lines += wrapped(_open_trains(model), COLUMNS)
    for double in view.open_doubles:
        lines += wrapped(_owed_sentence(double, model), COLUMNS)
    deadline = model.update.deadline_ms if model.update is not None else None
    if deadline is not None and model.is_my_turn:
        lines.append(f"You have {count(max(1, round(deadline / 1000)), 'second')}.")
    hand = hand_lines(model) if model.seat is not None else []
    return [*lines, *hand, *choice_lines(model)]


def _open_trains(model: Model) -> str:
    """Which trains everybody may use."""
    trains = model.view.trains if model.view is not None else []
    is_open = [train for train in trains if train.marked or train.owner is None]
    if not is_open:
        return "No train is open to everybody."
    names = [f"{train_words(train.train, model)} (end {train.open_end})" for train in is_open]
    return f"Open to everybody: {joined(names)}."


def _owed_sentence(double: OpenDouble, model: Model) -> str:
    layer = "you" if double.seat == model.seat else clean(model.seat_name(double.seat))
    duty = "must be covered first" if double.binding else "is open"
    return (
        f"The {tile_text(double.tile)} on {train_words(double.train, model)}, laid by {layer}, "
        f"{duty}."
    )


def choice_lines(model: Model) -> list[str]:
    """The numbered list of what this seat may do now."""
    offers = model.offers
    if not offers:
        return []
    lines = ["You can:" if model.is_my_turn else "You can, though it is not your turn:"]
    digits = len(str(len(offers)))
    for number, choice in enumerate(offers, start=1):
        text = f"  {number:>{digits}}  {choice_words(choice, model)}"
        lines += wrapped(text, COLUMNS, " " * (digits + 4))
    return lines


# --- hand, table, scores ------------------------------------------------------------------


def hand_lines(model: Model) -> list[str]:
    """The whole hand, tiles that can be played now with a `*`."""
    if model.seat is None:
        return ["You are watching: you have no hand."]
    hand = [high_low(tile) for tile in model.hand]
    if not hand:
        return ["Your hand is empty."]
    playable = model.playable
    tiles = [tile_text(tile) + ("*" if tile in playable else "") for tile in hand]
    hint = "; * can be played" if playable else ""
    title = f"Your hand ({count(len(hand), 'tile')}, {_pips(hand)}{hint}):"
    return [*wrapped(title, COLUMNS), *wrapped("  " + "  ".join(tiles), COLUMNS, "  ")]


def _pips(tiles: Sequence[Tile]) -> str:
    return count(sum(sum(tile) for tile in tiles), "pip")


def table_lines(model: Model) -> list[str]:
    """The table: before the game its seats, in the game its position and whose turn it is."""
    if model.view is None:
        return seats_lines(model.table) if model.table is not None else lobby_lines(model)
    sentence = turn_sentence(model)
    return position_lines(model) + (wrapped(sentence, COLUMNS) if sentence else [])


def position_lines(model: Model) -> list[str]:
    """Round, trains, open doubles and hand counts; nothing before the first deal."""
    view = model.view
    if view is None:
        return []
    head = f"Round {view.round} of {view.rounds}, engine {tile_text(view.engine)}"
    lines = [f"{head}, {count(view.boneyard, 'tile')} in the boneyard."]
    labels = [clean(_label(train, model)) for train in view.trains]
    columns = min(24, max((width(label) for label in labels), default=0))
    for train, label in zip(view.trains, labels, strict=True):
        lines.append(_train_line(train, padded(label, columns)))
    for double in view.open_doubles:
        lines += wrapped(_owed_sentence(double, model), COLUMNS)
    hands = [f"{who(seat, model)} {number}" for seat, number in enumerate(view.hand_counts)]
    return [*lines, *wrapped(f"Tiles in hand: {', '.join(hands)}.", COLUMNS)]


def _label(train: Train, model: Model) -> str:
    if train.owner is None:
        return f"{train.train} Mexican"
    return f"{train.train} {'You' if train.owner == model.seat else model.seat_name(train.owner)}"


def _train_line(train: Train, label: str) -> str:
    """One train; its tiles are elided at the start, so that the open end always shows."""
    is_open = train.marked or train.owner is None
    start = f"{label}  {'OPEN  ' if is_open else 'closed'}  end {train.open_end:>2}  "
    tiles = [f"{inner}-{outer}" for inner, outer in train.tiles]
    room = COLUMNS - width(start)
    text = " ".join(tiles)
    while tiles and width(text) > room:
        tiles = tiles[1:]
        text = " ".join(["…", *tiles])
    return (start + text).rstrip()


def scores_lines(model: Model) -> list[str]:
    """A row for each finished round, and the totals."""
    view = model.view
    if view is None:
        return ["There are no scores yet."]
    names = [who(seat, model) for seat in range(len(view.names))]
    rows = [(f"{number}", row) for number, row in enumerate(view.scores, start=1)]
    return _score_table(names, [*rows, ("total", view.totals)])


def _score_table(names: Sequence[str], rows: Sequence[tuple[str, Sequence[int]]]) -> list[str]:
    """Columns by seat; with too many seats for a line, one line a player and round instead."""
    room = (COLUMNS - 6) // max(1, len(names)) - 2
    if room < 5:
        return [
            line
            for title, row in rows
            for line in wrapped(
                f"{title}: "
                + ", ".join(f"{name} {score}" for name, score in zip(names, row, strict=False)),
                COLUMNS,
                "  ",
            )
        ]
    columns = [min(room, max(5, width(name))) for name in names]
    head = "round " + "".join(
        f"  {padded(name, wide)}" for name, wide in zip(names, columns, strict=True)
    )
    body = [
        f"{title:<6}"
        + "".join(f"  {score:<{wide}}" for score, wide in zip(row, columns, strict=False))
        for title, row in rows
    ]
    return [line.rstrip() for line in (head, *body)]


# --- what happened ------------------------------------------------------------------------


def events_lines(events: Sequence[AnyEvent], model: Model) -> list[str]:
    """What `events` tell, a line each, with the summaries of a round and of the game."""
    lines: list[str] = []
    for event in _without_overtaken(events):
        sentence = event_sentence(event, model)
        if sentence is not None:
            lines += wrapped(sentence, COLUMNS)
        if isinstance(event, RoundOver):
            lines += round_lines(event, model)
        elif isinstance(event, GameOver):
            lines += game_lines(event, model)
    return lines


def _without_overtaken(events: Sequence[AnyEvent]) -> list[AnyEvent]:
    """`events` without the opening of doubles that the end of the round leaves no time to cover."""
    kept: list[AnyEvent] = []
    may_cover = True
    for event in reversed(events):
        if isinstance(event, RoundOver):
            may_cover = False
        elif isinstance(event, MoveMade):
            may_cover = True
        if may_cover or not isinstance(event, DoubleOpened):
            kept.append(event)
    return kept[::-1]


def round_lines(event: RoundOver, model: Model) -> list[str]:
    """The summary of a round: every hand left with its sum, then the totals."""
    lines = ["Left in hand:"]
    for seat, hand in enumerate(event.hands):
        name = who(seat, model)
        tiles = " ".join(tile_text(tile) for tile in hand) or "nothing"
        score = event.scores[seat] if seat < len(event.scores) else 0
        lines += wrapped(f"  {name}: {tiles} = {count(score, 'point')}", COLUMNS, "    ")
    totals = [
        f"{who(seat, model)} {total}"
        for seat, total in sorted(enumerate(event.totals), key=lambda each: each[1])
    ]
    return [*lines, *wrapped(f"Totals so far, the lowest leads: {', '.join(totals)}.", COLUMNS)]


def game_lines(event: GameOver, model: Model) -> list[str]:
    """The final ranking; equal players share a place and the next one is left out: 1, 1, 3."""
    lines = ["Final ranking:"]
    names = {seat: who(seat, model) for seat in range(len(event.places))}
    columns = min(24, max((width(name) for name in names.values()), default=0))
    for seat in ranking(event.places):
        total = count(event.totals[seat], "point")
        lines.append(f"  {event.places[seat]:>2}.  {padded(names[seat], columns)}  {total}")
    return lines


def log_lines(model: Model) -> list[str]:
    """The last things that happened and were said, oldest first."""
    events = [entry for entry in model.log if not isinstance(entry, Said)]
    told = {id(event) for event in _without_overtaken(events)}
    lines: list[str] = []
    for entry in model.log[-LOG_LINES:]:
        if isinstance(entry, Said):
            lines += said_lines(entry)
        elif id(entry) in told and (sentence := event_sentence(entry, model)) is not None:
            lines += wrapped(sentence, COLUMNS)
    return lines or ["Nothing has happened yet."]


def said_lines(said: Said) -> list[str]:
    """Chat, with who said it."""
    name = clean(said.name)
    start = f"{name} says: " if name else "The server says: "
    return wrapped(start + clean(said.text), COLUMNS, "  ")


# --- lobby and table ----------------------------------------------------------------------


def lobby_lines(model: Model) -> list[str]:
    """The numbered list of tables."""
    if not model.tables:
        return ["There is no table yet. Type create NAME to open one."]
    lines = ["Tables:"]
    for number, table in enumerate(model.tables, start=1):
        lines += wrapped(f"  {number}  {table_words(table)}", COLUMNS, "     ")
    return [*lines, "Type join and a number to sit down, or create NAME for a new table."]


def table_words(table: TableInfo) -> str:
    """A table in a line: name, who sits there, free seats, rules, state."""
    free = sum(seat.kind == "empty" for seat in table.seats)
    players = ", ".join(clean(seat.name) for seat in table.seats if seat.kind != "empty")
    state = {
        "waiting": f"{count(free, 'free seat')}",
        "playing": f"playing, round {table.round} of {table.rounds}",
        "between": f"between rounds, {table.round} of {table.rounds}",
        "over": "game over",
    }[table.state]
    lock = ", wants a password" if table.locked else ""
    return f"{clean(table.name)}: {state}; {players or 'nobody yet'}; {_rules(table)}{lock}"


def _rules(table: TableInfo) -> str:
    changed = table.rules.changed
    differs = f" with {count(changed, 'change')}" if changed else ""
    return f"rules {clean(table.rules.name)}{differs}"


def seats_lines(table: TableInfo) -> list[str]:
    """A table before the game: its seats and what is waited for."""
    lines = wrapped(f"Table {clean(table.name)}, {_rules(table)}.", COLUMNS)
    for seat in table.seats:
        lines += wrapped(f"  seat {seat.seat}: {_seat_words(seat, table)}", COLUMNS, "    ")
    if table.state == "waiting":
        lines.append(_waits_for(table))
    return lines


def _seat_words(seat: SeatInfo, table: TableInfo) -> str:
    if seat.kind == "empty":
        return "free"
    notes = ["bot"] if seat.kind == "bot" else []
    if seat.name == table.host:
        notes.append("host")
    if seat.kind == "person" and table.state in ("waiting", "between") and table.start != "full":
        notes.append("ready" if seat.ready else "not ready")
    if not seat.present:
        notes.append(f"away, {minutes(seat.away_ms)}" if seat.away_ms >= 1000 else "away")
    return clean(seat.name) + (f" ({', '.join(notes)})" if notes else "")


def _waits_for(table: TableInfo) -> str:
    if table.start == "manual":
        return "The game starts when the host types start."
    conditions: list[str] = []
    if any(seat.kind == "empty" for seat in table.seats):
        conditions.append("every seat is taken")
    elif not all(seat.present for seat in table.seats):
        conditions.append("everybody is here")
    if table.start == "ready":
        conditions.append("everybody has typed ready")
    return f"The game starts {'when ' + joined(conditions) if conditions else 'now'}."


def news_lines(before: TableInfo | None, news: TableNews, model: Model) -> list[str]:
    """What has changed at the table, a sentence each; the whole of it on arrival."""
    table = news.table
    if before is None or before.name != table.name:
        if news.seat is None:
            start = [f"You are watching {clean(table.name)}."]
        else:
            start = [f"You sit at {clean(table.name)}, seat {news.seat}."]
        return start + seats_lines(table)
    lines: list[str] = []
    for old, new in zip(before.seats, table.seats, strict=False):
        lines += [] if old == new else _seat_news(old, new, model)
    if before.host != table.host and table.host:
        is_me = table.host == model.name
        lines.append("You are the host now." if is_me else f"{clean(table.host)} is the host now.")
    for sentence in presence_news(before, table, model):
        lines += wrapped(sentence, COLUMNS)
    return lines + (_state_news(table, model) if before.state != table.state else [])


def _state_news(table: TableInfo, model: Model) -> list[str]:
    """What has come to an end or begins, and what this player may do about it."""
    if table.state == "between":
        return ["Type ready for the next round."] if model.seat is not None else []
    if table.state == "waiting":
        return ["The table is set up for another game.", _waits_for(table)]
    if table.state == "over":
        asks = "You" if table.host == model.name else "The host"
        keep = "" if model.is_broken_off else ", or record to keep the game in a file"
        return [
            f"Type leave to go back to the lobby{keep}.",
            f"{asks} may type rematch, for another game {_AFTER_REMATCH[table.start]}.",
        ]
    return []


_AFTER_REMATCH = {
    "full": "at once",
    "ready": "when everybody has typed ready",
    "manual": "when the host types start",
}


def _seat_news(old: SeatInfo, new: SeatInfo, model: Model) -> list[str]:
    is_me = new.name == model.name
    name = "You" if is_me else clean(new.name)
    if old.name != new.name:
        lines = [f"{clean(old.name)} leaves."] if old.kind != "empty" else []
        if new.kind == "bot":
            lines.append(f"{name} (bot) takes seat {new.seat}.")
        elif new.kind == "person":
            lines.append(f"{name} {'take' if is_me else 'takes'} seat {new.seat}.")
        return lines
    lines = []
    # a house bot gets its seat before it comes; only one that was here can come back
    is_known = new.kind == "person" or new.name in model.met
    if old.present != new.present and is_known:
        lines.append(f"{name} {'are' if is_me else 'is'} {'back' if new.present else 'away'}.")
    if new.ready and not old.ready and new.kind == "person":
        lines.append(f"{name} {'are' if is_me else 'is'} ready.")
    return lines


def card_lines(card: Card) -> list[str]:
    """A rule card as it arrives: what differs from `classic`, or all of it if nothing does."""
    if not card.rules.changed:
        return whole_card_lines(card)
    differing = [line for line in card.lines if line.differs]
    rest = count(len(card.lines) - len(differing), "other option")
    are = "are" if len(card.lines) - len(differing) != 1 else "is"
    lines = wrapped(f"{_card_title(card)}. What differs from classic:", COLUMNS)
    for line in differing:
        lines += _card_line(line)
    return [
        *lines,
        *wrapped(f"The {rest} {are} as in classic. Type rules all to read every option.", COLUMNS),
    ]


def whole_card_lines(card: Card) -> list[str]:
    """Every option of a rule card, those that differ from `classic` with a `!`."""
    marks = "; ! marks what differs from classic" if card.rules.changed else ""
    lines = wrapped(f"{_card_title(card)}{marks}:", COLUMNS)
    for line in card.lines:
        lines += _card_line(line)
    return lines


def _card_title(card: Card) -> str:
    return f"Rules {clean(card.rules.name)} (hash {clean(card.rules.hash[:12])})"


def _card_line(line: CardLine) -> list[str]:
    mark = "!" if line.differs else " "
    value = clean(_value_words(line.value))
    return wrapped(f"{mark} {clean(line.option)} = {value}: {clean(line.text)}", COLUMNS, "    ")


def model_card_lines(model: Model) -> list[str]:
    """Every option of the card that was asked for last."""
    return whole_card_lines(model.card) if model.card is not None else []


def _value_words(value: OptionValue) -> str:
    """The value of an option as it is written on the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


# --- help ---------------------------------------------------------------------------------

_HELP_GAME = """\
12-7        play the tile 12-7 (12 7 and 7-12 are the same tile)
12-7 Ann    play it on Ann's train; also me, mexican, or p2
3           do what stands under number 3 in the list
draw, d     draw a tile
pass, p     pass, or end a turn of several tiles (also: done)
hint, H     what to do, and why
why 12-7    why it cannot be played; also why 12-7 Ann, why draw
turn, hand, table, scores, log    show that again
say TEXT    talk to the table; mute NAME and unmute NAME
nudge       ask whose turn it is to go on
rules       the rules of this table; then: rules all
leave       leave the table (your seat is kept while the game runs)
quit        stop"""
_HELP_KNOCKS = """\
knock, k    say that you have one tile left
foul Ann    call Ann, who did not knock"""
_HELP_VOTE = """\
vote bot    a substitute plays for who is away; also vote wait, skip or end"""
_HELP_HOST = """\
pause       stop the game, or go on (host)
seat-code Ann    let Ann, who is away, in again without her token (host)"""
_HELP_WATCHER = """\
turn, table, scores, log    show that again
say TEXT    talk to the table
rules       the rules of this table; then: rules all
record      keep the record of a game that is over in a file
leave       stop watching, back to the lobby
quit        stop"""
_HELP_TABLE = """\
ready             you are ready to start, or for the next round
start             start the game (host)
bot add planner   seat a bot (host); bot remove NAME takes it away
host NAME, kick NAME    hand the table over, send somebody away (host)
rematch           play again at the same table (host)
record            keep the record of a game that is over in a file
table, rules      who sits here, what is played
say TEXT          talk to the table; mute NAME and unmute NAME
nudge             ask who is awaited to go on
seat-code NAME    let a player who is away in again without a token (host)
leave, quit       leave the table, stop"""
_HELP_LOBBY = """\
tables         which tables there are
join 1         sit down at table 1 (a name will do too)
watch 1        look on at table 1
create NAME    open a table of your own
rules 1        the rules of table 1 (or a name: rules bernie); then: rules all
servers        which servers there are on this network
say TEXT       talk to everybody in the lobby
quit           stop"""


def help_lines(model: Model) -> list[str]:
    """What can be typed where this player is now, and nothing that cannot."""
    if model.table is None:
        return _HELP_LOBBY.splitlines()
    if model.is_watching:
        return _HELP_WATCHER.splitlines()
    if not model.is_playing:
        return _HELP_TABLE.splitlines()
    lines = _HELP_GAME.splitlines()
    extra = _HELP_KNOCKS.splitlines() if model.has_knocks else []
    extra += _HELP_VOTE.splitlines() if model.may_vote else []
    extra += _HELP_HOST.splitlines() if model.is_host else []
    if not model.has_hints:
        lines = [line for line in lines if not line.startswith("hint")]
    place = next(place for place, line in enumerate(lines) if line.startswith("turn,"))
    lines[place:place] = extra
    return lines
