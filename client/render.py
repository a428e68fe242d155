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
    RoundOver,
    RulesInfo,
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
from .texts import later, plural, text
from .words import (
    choice_words,
    count_points,
    count_tiles,
    event_sentence,
    joined,
    name_of,
    option_sentence,
    option_value,
    ranking,
    tile_text,
    train_words,
    who,
)

COLUMNS = 80
LOG_LINES = 20


# --- whose turn ---------------------------------------------------------------------------


def turn_sentence(model: Model) -> str | None:
    """Whose turn it is and what is awaited; None between rounds."""
    view = model.view
    if view is None or view.phase != "play" or view.to_act is None:
        return None
    you, other = _TURNS.get(view.awaited, _TURNS[""])
    owed = [each for each in view.open_doubles if each.binding] or view.open_doubles
    doubles = _doubles(owed, model)
    if view.to_act == model.seat:
        return text(you, doubles=doubles)
    return text(other, name=name_of(view.to_act, model), doubles=doubles)


_TURNS: dict[str, tuple[str, str]] = {
    "": (later("Your turn."), later("{name}'s turn.")),
    "cover": (
        later("Your turn: you must cover {doubles}."),
        later("{name}'s turn: {name} must cover {doubles}."),
    ),
    "extra": (
        later("Your turn: after the double you must play another tile."),
        later("{name}'s turn: after the double {name} must play another tile."),
    ),
    "go_on": (
        later("Your turn: you may play on or end the turn."),
        later("{name}'s turn: {name} may play on or end the turn."),
    ),
}
"""By what is awaited: for this player, and for another."""


def _doubles(doubles: Sequence[OpenDouble], model: Model) -> str:
    if not doubles:
        return text("the open double")
    named = [
        text(
            "the {tile} on {train}",
            tile=tile_text(each.tile),
            train=train_words(each.train, model),
        )
        for each in doubles
    ]
    return joined(named, "or")


def turn_lines(model: Model) -> list[str]:
    """The position for the seat to act: what is owed, what is open, the hand, the choices."""
    view = model.view
    if view is None:
        return []
    lines = wrapped(turn_sentence(model) or text("Nobody is to play now."), COLUMNS)
    lines += wrapped(_open_trains(model), COLUMNS)
    for double in view.open_doubles:
        lines += wrapped(_owed_sentence(double, model), COLUMNS)
    deadline = model.update.deadline_ms if model.update is not None else None
    if deadline is not None and model.is_my_turn:
        seconds = max(1, round(deadline / 1000))
        lines.append(plural("You have {number} second.", "You have {number} seconds.", seconds))
    hand = hand_lines(model) if model.seat is not None else []
    return [*lines, *hand, *choice_lines(model)]


def _open_trains(model: Model) -> str:
    """Which trains everybody may use."""
    trains = model.view.trains if model.view is not None else []
    is_open = [train for train in trains if train.marked or train.owner is None]
    if not is_open:
        return text("No train is open to everybody.")
    names = [
        text("{train} (end {end})", train=train_words(train.train, model), end=train.open_end)
        for train in is_open
    ]
    return text("Open to everybody: {trains}.", trains=joined(names))


def _owed_sentence(double: OpenDouble, model: Model) -> str:
    parts = {"tile": tile_text(double.tile), "train": train_words(double.train, model)}
    if double.seat == model.seat:
        if double.binding:
            return text("The {tile} on {train}, laid by you, must be covered first.", **parts)
        return text("The {tile} on {train}, laid by you, is open.", **parts)
    name = name_of(double.seat, model)
    if double.binding:
        return text(
            "The {tile} on {train}, laid by {name}, must be covered first.", name=name, **parts
        )
    return text("The {tile} on {train}, laid by {name}, is open.", name=name, **parts)


def choice_lines(model: Model) -> list[str]:
    """The numbered list of what this seat may do now."""
    offers = model.offers
    if not offers:
        return []
    mine, other = text("You can:"), text("You can, though it is not your turn:")
    lines = [mine if model.is_my_turn else other]
    digits = len(str(len(offers)))
    for number, choice in enumerate(offers, start=1):
        line = f"  {number:>{digits}}  {choice_words(choice, model)}"
        lines += wrapped(line, COLUMNS, " " * (digits + 4))
    return lines


# --- hand, table, scores ------------------------------------------------------------------


def hand_lines(model: Model) -> list[str]:
    """The whole hand, tiles that can be played now with a `*`."""
    if model.seat is None:
        return [text("You are watching: you have no hand.")]
    hand = [high_low(tile) for tile in model.hand]
    if not hand:
        return [text("Your hand is empty.")]
    playable = model.playable
    tiles = [tile_text(tile) + ("*" if tile in playable else "") for tile in hand]
    if playable:
        title = later("Your hand ({tiles}, {pips}; * can be played):")
    else:
        title = later("Your hand ({tiles}, {pips}):")
    title = text(title, tiles=count_tiles(len(hand)), pips=_pips(hand))
    return [*wrapped(title, COLUMNS), *wrapped("  " + "  ".join(tiles), COLUMNS, "  ")]


def _pips(tiles: Sequence[Tile]) -> str:
    pips = sum(sum(tile) for tile in tiles)
    return plural("{number} pip", "{number} pips", pips) if pips else text("no pips")


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
    lines = [
        text(
            "Round {round} of {rounds}, engine {tile}, {tiles} in the boneyard.",
            round=view.round,
            rounds=view.rounds,
            tile=tile_text(view.engine),
            tiles=count_tiles(view.boneyard),
        )
    ]
    labels = [clean(_label(train, model)) for train in view.trains]
    columns = min(24, max((width(label) for label in labels), default=0))
    for train, label in zip(view.trains, labels, strict=True):
        lines.append(_train_line(train, padded(label, columns)))
    for double in view.open_doubles:
        lines += wrapped(_owed_sentence(double, model), COLUMNS)
    hands = [f"{who(seat, model)} {number}" for seat, number in enumerate(view.hand_counts)]
    return [*lines, *wrapped(text("Tiles in hand: {hands}.", hands=", ".join(hands)), COLUMNS)]


def _label(train: Train, model: Model) -> str:
    if train.owner is None:
        return text("{train} Mexican", train=train.train)
    return f"{train.train} {who(train.owner, model)}"


def _train_line(train: Train, label: str) -> str:
    """One train; its tiles are elided at the start, so that the open end always shows."""
    is_open = train.marked or train.owner is None
    words = text("OPEN"), text("closed")
    word = padded(words[0] if is_open else words[1], max(map(width, words)))
    start = f"{label}  {word}  {text('end {end}', end=f'{train.open_end:>2}')}  "
    tiles = [f"{inner}-{outer}" for inner, outer in train.tiles]
    room = COLUMNS - width(start)
    shown = " ".join(tiles)
    while tiles and width(shown) > room:
        tiles = tiles[1:]
        shown = " ".join(["…", *tiles])
    return (start + shown).rstrip()


def scores_lines(model: Model) -> list[str]:
    """A row for each finished round, and the totals."""
    view = model.view
    if view is None:
        return [text("There are no scores yet.")]
    names = [who(seat, model) for seat in range(len(view.names))]
    rows = [(f"{number}", row) for number, row in enumerate(view.scores, start=1)]
    return _score_table(names, [*rows, (text("total"), view.totals)])


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
    head = f"{text('round'):<6}" + "".join(
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
    for event in without_overtaken(events):
        sentence = event_sentence(event, model)
        if sentence is not None:
            lines += wrapped(sentence, COLUMNS)
        if isinstance(event, RoundOver):
            lines += round_lines(event, model)
        elif isinstance(event, GameOver):
            lines += game_lines(event, model)
    return lines


def without_overtaken(events: Sequence[AnyEvent]) -> list[AnyEvent]:
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
    lines = [text("Left in hand:")]
    for seat, hand in enumerate(event.hands):
        name = who(seat, model)
        tiles = " ".join(tile_text(tile) for tile in hand) or text("nothing")
        score = event.scores[seat] if seat < len(event.scores) else 0
        lines += wrapped(f"  {name}: {tiles} = {count_points(score)}", COLUMNS, "    ")
    totals = [
        f"{who(seat, model)} {total}"
        for seat, total in sorted(enumerate(event.totals), key=lambda each: each[1])
    ]
    leading = text("Totals so far, the lowest leads: {totals}.", totals=", ".join(totals))
    return [*lines, *wrapped(leading, COLUMNS)]


def game_lines(event: GameOver, model: Model) -> list[str]:
    """The final ranking; equal players share a place and the next one is left out: 1, 1, 3."""
    lines = [text("Final ranking:")]
    names = {seat: who(seat, model) for seat in range(len(event.places))}
    columns = min(24, max((width(name) for name in names.values()), default=0))
    for seat in ranking(event.places):
        total = count_points(event.totals[seat])
        lines.append(f"  {event.places[seat]:>2}.  {padded(names[seat], columns)}  {total}")
    return lines


def log_lines(model: Model) -> list[str]:
    """The last things that happened and were said, oldest first."""
    events = [entry for entry in model.log if not isinstance(entry, Said)]
    told = {id(event) for event in without_overtaken(events)}
    lines: list[str] = []
    for entry in model.log[-LOG_LINES:]:
        if isinstance(entry, Said):
            lines += said_lines(entry)
        elif id(entry) in told and (sentence := event_sentence(entry, model)) is not None:
            lines += wrapped(sentence, COLUMNS)
    return lines or [text("Nothing has happened yet.")]


def said_lines(said: Said) -> list[str]:
    """Chat, with who said it."""
    name, words = clean(said.name), clean(said.text)
    if name:
        return wrapped(text("{name} says: {words}", name=name, words=words), COLUMNS, "  ")
    return wrapped(text("The server says: {words}", words=words), COLUMNS, "  ")


# --- lobby and table ----------------------------------------------------------------------


def lobby_lines(model: Model) -> list[str]:
    """The numbered list of tables."""
    if not model.tables:
        return [text("There is no table yet. Type create NAME to open one.")]
    lines = [text("Tables:")]
    for number, table in enumerate(model.tables, start=1):
        lines += wrapped(f"  {number}  {table_words(table)}", COLUMNS, "     ")
    return [
        *lines,
        text("Type join and a number to sit down, or create NAME for a new table."),
    ]


def table_words(table: TableInfo) -> str:
    """A table in a line: name, who sits there, free seats, rules, state."""
    players = ", ".join(clean(seat.name) for seat in table.seats if seat.kind != "empty")
    told = f"{clean(table.name)}: {_state(table)}; {players or text('nobody yet')}; {_rules(table)}"
    return f"{told}, {text('wants a password')}" if table.locked else told


def _state(table: TableInfo) -> str:
    if table.state == "playing":
        return text("playing, round {round} of {rounds}", round=table.round, rounds=table.rounds)
    if table.state == "between":
        return text("between rounds, {round} of {rounds}", round=table.round, rounds=table.rounds)
    if table.state == "over":
        return text("game over")
    free = sum(seat.kind == "empty" for seat in table.seats)
    return (
        plural("{number} free seat", "{number} free seats", free) if free else text("no free seats")
    )


def _rules(table: TableInfo) -> str:
    changed = table.rules.changed
    if not changed:
        return text("rules {name}", name=rules_name(table.rules))
    name = clean(table.rules.name).removesuffix(_CHANGED)
    return plural(
        "rules {name} with {number} change",
        "rules {name} with {number} changes",
        changed,
        name=name,
    )


def rules_name(rules: RulesInfo) -> str:
    """The name of rules, with the remark of the server that they were changed."""
    name = clean(rules.name)
    plain = name.removesuffix(_CHANGED)
    return name if plain == name else text("{name} (changed)", name=plain)


_CHANGED = " (changed)"
"""What the server writes after the name of rules that single options were laid over."""


def seats_lines(table: TableInfo) -> list[str]:
    """A table before the game: its seats and what is waited for."""
    lines = wrapped(
        text("Table {table}, {rules}.", table=clean(table.name), rules=_rules(table)), COLUMNS
    )
    for seat in table.seats:
        line = text("seat {seat}: {words}", seat=seat.seat, words=_seat_words(seat, table))
        lines += wrapped(f"  {line}", COLUMNS, "    ")
    if table.state == "waiting":
        lines.append(_waits_for(table))
    return lines


def _seat_words(seat: SeatInfo, table: TableInfo) -> str:
    if seat.kind == "empty":
        return text("free")
    notes = [text("bot")] if seat.kind == "bot" else []
    if seat.name == table.host:
        notes.append(text("host"))
    counts = table.state == "between" or (table.state == "waiting" and table.start == "ready")
    if seat.kind == "person" and counts:
        notes.append(text("ready") if seat.ready else text("not ready"))
    if not seat.present:
        time = minutes(seat.away_ms)
        notes.append(text("away, {time}", time=time) if seat.away_ms >= 1000 else text("away"))
    return clean(seat.name) + (f" ({', '.join(notes)})" if notes else "")


def _waits_for(table: TableInfo) -> str:
    if table.start == "manual":
        return text("The game starts when the host types start.")
    when, when_ready = _STARTS["here"]
    if any(seat.kind == "empty" for seat in table.seats):
        when, when_ready = _STARTS["free seats"]
    elif not all(seat.present for seat in table.seats):
        when, when_ready = _STARTS["somebody away"]
    return text(when_ready if table.start == "ready" else when)


_STARTS = {
    "free seats": (
        later("The game starts when every seat is taken."),
        later("The game starts when every seat is taken and everybody has typed ready."),
    ),
    "somebody away": (
        later("The game starts when everybody is here."),
        later("The game starts when everybody is here and everybody has typed ready."),
    ),
    "here": (
        later("The game starts now."),
        later("The game starts when everybody has typed ready."),
    ),
}
"""By what is still wanting: by itself, and where everybody has to be ready too."""


def news_lines(before: TableInfo | None, news: TableNews, model: Model) -> list[str]:
    """What has changed at the table, a sentence each; the whole of it on arrival."""
    table = news.table
    if before is None or before.name != table.name:
        if news.seat is None:
            start = [text("You are watching {table}.", table=clean(table.name))]
        else:
            name = clean(table.name)
            start = [text("You sit at {table}, seat {seat}.", table=name, seat=news.seat)]
        return start + seats_lines(table)
    lines: list[str] = []
    for old, new in zip(before.seats, table.seats, strict=False):
        lines += [] if old == new else _seat_news(old, new, model)
    if before.host != table.host and table.host:
        if table.host == model.name:
            lines.append(text("You are the host now."))
        else:
            lines.append(text("{name} is the host now.", name=clean(table.host)))
    for sentence in presence_news(before, table, model):
        lines += wrapped(sentence, COLUMNS)
    return lines + (_state_news(table, model) if before.state != table.state else [])


def _state_news(table: TableInfo, model: Model) -> list[str]:
    """What has come to an end or begins, and what this player may do about it."""
    if table.state == "between":
        return [text("Type ready for the next round.")] if model.seat is not None else []
    if table.state == "waiting":
        return [text("The table is set up for another game."), _waits_for(table)]
    if table.state == "over":
        if model.is_broken_off:
            leave = text("Type leave to go back to the lobby.")
        else:
            leave = text(
                "Type leave to go back to the lobby, or record to keep the game in a file."
            )
        you, host = _REMATCHES[table.start]
        return [leave, text(you if table.host == model.name else host)]
    return []


_REMATCHES = {
    "full": (
        later("You may type rematch, for another game at once."),
        later("The host may type rematch, for another game at once."),
    ),
    "ready": (
        later("You may type rematch, for another game when everybody has typed ready."),
        later("The host may type rematch, for another game when everybody has typed ready."),
    ),
    "manual": (
        later("You may type rematch, for another game when the host types start."),
        later("The host may type rematch, for another game when the host types start."),
    ),
}
"""By how a game starts: for the host, and for the others."""


def _seat_news(old: SeatInfo, new: SeatInfo, model: Model) -> list[str]:
    is_me, name = new.name == model.name, clean(new.name)
    if old.name != new.name:
        lines = [text("{name} leaves.", name=clean(old.name))] if old.kind != "empty" else []
        if new.kind == "bot":
            lines.append(text("{name} (bot) takes seat {seat}.", name=name, seat=new.seat))
        elif new.kind == "person" and is_me:
            lines.append(text("You take seat {seat}.", seat=new.seat))
        elif new.kind == "person":
            lines.append(text("{name} takes seat {seat}.", name=name, seat=new.seat))
        return lines
    lines = []
    # a house bot gets its seat before it comes; only one that was here can come back
    is_known = new.kind == "person" or new.name in model.met
    if old.present != new.present and is_known:
        back = text("You are back.") if is_me else text("{name} is back.", name=name)
        away = text("You are away.") if is_me else text("{name} is away.", name=name)
        lines.append(back if new.present else away)
    if new.ready and not old.ready and new.kind == "person":
        lines.append(text("You are ready.") if is_me else text("{name} is ready.", name=name))
    return lines


def card_lines(card: Card, columns: int = COLUMNS) -> list[str]:
    """A rule card as it arrives: what differs from `classic`, or all of it if nothing does."""
    if not card.rules.changed:
        return whole_card_lines(card, columns)
    differing = [line for line in card.lines if line.differs]
    lines = wrapped(f"{_card_title(card)}. {text('What differs from classic:')}", columns)
    for line in differing:
        lines += _card_line(line, columns)
    rest = plural(
        "The {number} other option is as in classic. Type rules all to read every option.",
        "The {number} other options are as in classic. Type rules all to read every option.",
        len(card.lines) - len(differing),
    )
    return [*lines, *wrapped(rest, columns)]


def whole_card_lines(card: Card, columns: int = COLUMNS) -> list[str]:
    """Every option of a rule card, those that differ from `classic` with a `!`."""
    title = _card_title(card)
    if card.rules.changed:
        title += f"; {text('! marks what differs from classic')}"
    lines = wrapped(f"{title}:", columns)
    for line in card.lines:
        lines += _card_line(line, columns)
    return lines


def _card_title(card: Card) -> str:
    digest = clean(card.rules.hash[:12])
    return text("Rules {name} (hash {hash})", name=rules_name(card.rules), hash=digest)


def _card_line(line: CardLine, columns: int) -> list[str]:
    mark = "!" if line.differs else " "
    value, sentence = clean(option_value(line.value)), clean(option_sentence(line))
    return wrapped(f"{mark} {clean(line.option)} = {value}: {sentence}", columns, "    ")


def model_card_lines(model: Model) -> list[str]:
    """Every option of the card that was asked for last."""
    return whole_card_lines(model.card) if model.card is not None else []


# --- help ---------------------------------------------------------------------------------

_HELP_MOVES = later("""\
12-7        play the tile 12-7 (12 7 and 7-12 are the same tile)
12-7 Ann    play it on Ann's train; also me, mexican, or p2
3           do what stands under number 3 in the list
draw, d     draw a tile
pass, p     pass, or end a turn of several tiles (also: done)""")
_HELP_HINT = later("""\
hint, H     what to do, and why""")
_HELP_WHY = later("""\
why 12-7    why it cannot be played; also why 12-7 Ann, why draw""")
_HELP_GAME = later("""\
turn, hand, table, scores, log    show that again
say TEXT    talk to the table; mute NAME and unmute NAME
nudge       ask whose turn it is to go on
rules       the rules of this table; then: rules all
leave       leave the table (your seat is kept while the game runs)
quit        stop""")
_HELP_KNOCKS = later("""\
knock, k    say that you have one tile left
foul Ann    call Ann, who did not knock""")
_HELP_VOTE = later("""\
vote bot    a substitute plays for who is away; also vote wait, skip or end""")
_HELP_HOST = later("""\
pause       stop the game, or go on (host)
seat-code Ann    let Ann, who is away, in again without her token (host)""")
_HELP_WATCHER = later("""\
turn, table, scores, log    show that again
say TEXT    talk to the table
rules       the rules of this table; then: rules all
record      keep the record of a game that is over in a file
leave       stop watching, back to the lobby
quit        stop""")
_HELP_TABLE = later("""\
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
leave, quit       leave the table, stop""")
_HELP_LOBBY = later("""\
tables         which tables there are
join 1         sit down at table 1 (a name will do too)
watch 1        look on at table 1
create NAME    open a table of your own
rules 1        the rules of table 1 (or a name: rules bernie); then: rules all
servers        which servers there are on this network
say TEXT       talk to everybody in the lobby
quit           stop""")


def help_lines(model: Model) -> list[str]:
    """What can be typed where this player is now, and nothing that cannot."""
    if model.table is None:
        return text(_HELP_LOBBY).splitlines()
    if model.is_watching:
        return text(_HELP_WATCHER).splitlines()
    if not model.is_playing:
        return text(_HELP_TABLE).splitlines()
    pages = [_HELP_MOVES]
    pages += [_HELP_HINT] if model.has_hints else []
    pages += [_HELP_WHY]
    pages += [_HELP_KNOCKS] if model.has_knocks else []
    pages += [_HELP_VOTE] if model.may_vote else []
    pages += [_HELP_HOST] if model.is_host else []
    return [line for page in [*pages, _HELP_GAME] for line in text(page).splitlines()]
