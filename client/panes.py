"""The panes of a game: head, trains, events, hand, scores, chat. Pure.

Each takes the model and the stage and gives lines of at most the columns of its sheet. Nothing is
told by a style alone: what is bold, reverse or coloured also has a word or a mark.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mexican_train.protocol import (
    AnyEvent,
    GameOver,
    OpenDouble,
    RoundOver,
    RoundStarted,
    Said,
    Tile,
    Train,
)

from .bots.strategies import high_low
from .clean import clean
from .fragments import (
    Fragment,
    Glyphs,
    Line,
    cut,
    filled,
    flowed,
    folded,
    line_width,
    plain_lines,
    shortened,
    text_width,
)
from .model import Model, MoveMade
from .presence import minutes, presence_lines
from .render import said_lines, without_overtaken
from .stage import (
    Stage,
    arranged_hand,
    chosen,
    clock_ms,
    targets_of,
    train_order,
)
from .texts import plural, text, typed
from .words import event_sentence, tile_text, who

NAME_COLUMNS_MAX = 20
EVENTS_READ_MAX = 120
LIST_COLUMNS = 60
"""Below, a hand has no brackets and a train no more than its end."""
FULL_COLUMNS = 100


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is painted on."""

    columns: int
    rows: int
    glyphs: Glyphs

    @property
    def is_list(self) -> bool:
        """Whether there is only room for a list."""
        return self.columns < LIST_COLUMNS

    @property
    def is_full(self) -> bool:
        """Whether chat and scores have room beside the trains."""
        return self.columns >= FULL_COLUMNS

    def rule(self, title: str = "") -> Line:
        """A line across, with a title in it."""
        rule = self.glyphs.rule
        if not title:
            return (Fragment(rule * self.columns),)
        told = cut(title, self.columns - 6, self.glyphs.ellipsis)
        rest = rule * (self.columns - 4 - text_width(told))
        return (Fragment(rule * 2 + " "), Fragment(told, "title"), Fragment(f" {rest}"))


# --- head -------------------------------------------------------------------------------------


def head_lines(model: Model, stage: Stage, sheet: Sheet) -> list[Line]:
    """Round, engine, boneyard, and at the right whose turn it is and the clock."""
    view = model.view
    if view is None:
        return [place_line(model, sheet)]
    dot = f" {sheet.glyphs.dot} "
    engine = tile_text(view.engine)
    parts = [
        text("Round {round} of {rounds}", round=view.round, rounds=view.rounds),
        text("engine {tile}", tile=engine),
        text("boneyard {count}", count=view.boneyard),
    ]
    turn = turn_fragment(model, stage, sheet)
    left = dot.join(parts)
    gap = sheet.columns - text_width(left) - text_width(turn.text)
    if gap >= 2:
        return [(Fragment(left), Fragment(" " * gap), turn)]
    short = text(
        "R {round}/{rounds}, engine {tile}, left {count}",
        round=view.round,
        rounds=view.rounds,
        tile=engine,
        count=view.boneyard,
    )
    gap = sheet.columns - text_width(short) - text_width(turn.text)
    if gap >= 2:
        return [(Fragment(short), Fragment(" " * gap), turn)]
    return [(Fragment(cut(short, sheet.columns, sheet.glyphs.ellipsis)),), (turn,)]


def place_line(model: Model, sheet: Sheet) -> Line:
    """Where this person is before the first deal."""
    if model.table is None:
        told = text(
            "Mexican Train at {server}. You are {name}.",
            server=clean(model.server),
            name=clean(model.name),
        )
    else:
        told = text("Table {table}", table=clean(model.table.name))
    return (Fragment(cut(told, sheet.columns, sheet.glyphs.ellipsis), "title"),)


def turn_fragment(model: Model, stage: Stage, sheet: Sheet) -> Fragment:
    """Whose turn it is, in a few words, with the clock."""
    view, table = model.view, model.table
    if view is None or view.phase == "over":
        return Fragment(text("game over"), "turn")
    if table is not None and table.paused:
        return Fragment(text("PAUSED"), "alarm")
    if view.to_act is None or view.phase != "play":
        return Fragment(text("round over"), "turn")
    left = clock_ms(model, stage)
    clock = f" {minutes(left + 999)}" if left is not None else ""
    if model.is_my_turn:
        return Fragment(text("YOUR TURN") + clock, "turn selected")
    room = min(NAME_COLUMNS_MAX, sheet.columns // 3)
    name = shortened(clean(model.seat_name(view.to_act)), room, sheet.glyphs.ellipsis)
    return Fragment(text("{name}'s turn", name=name) + clock, "turn")


# --- trains -----------------------------------------------------------------------------------


def train_lines(model: Model, stage: Stage, sheet: Sheet, rows: int) -> list[Line]:
    """A line each; with too few rows those that say nothing new are counted in the last one."""
    view = model.view
    if view is None or rows < 1:
        return []
    known = {train.train: train for train in view.trains}
    order = train_order(model)
    columns = _name_columns(model, order, sheet)
    fitting = set(targets_of(model, stage.selected))
    choice = chosen(model, stage) if stage.selected is not None else None
    target = choice.train if choice is not None else stage.target
    shown = order if len(order) <= rows else _foremost(model, order, fitting, rows - 1)
    lines = [
        _train_line(name, known.get(name), model, sheet, (columns, _mark(name, fitting, target)))
        for name in shown
    ]
    if len(shown) < len(order):
        rest = len(order) - len(shown)
        told = plural("and {number} train more", "and {number} trains more", rest)
        lines.append((Fragment(cut(f"   {told}", sheet.columns, sheet.glyphs.ellipsis)),))
    return lines


def _mark(name: str, fitting: set[str], target: str | None) -> str:
    """`=`: the selected tile will go here; `*`: it could, or some tile where none is selected."""
    if name == target and name in fitting:
        return "="
    return "*" if name in fitting else " "


def _foremost(model: Model, order: list[str], fitting: set[str], rows: int) -> list[str]:
    """The trains that matter most, in their order: owed, fitting, open, the own, the others."""
    view = model.view
    owed = {double.train for double in view.open_doubles} if view is not None else set()
    opened = {
        train.train
        for train in (view.trains if view is not None else [])
        if train.marked or train.owner is None
    }

    def rank(name: str) -> tuple[bool, bool, bool, bool]:
        is_own = name == f"p{model.seat}"
        return (name not in owed, name not in fitting, not is_own, name not in opened)

    kept = set(sorted(order, key=rank)[: max(0, rows)])
    return [name for name in order if name in kept]


def _name_columns(model: Model, order: Sequence[str], sheet: Sheet) -> int:
    room = NAME_COLUMNS_MAX if sheet.is_full else 8 if sheet.is_list else sheet.columns // 6
    widest = max((text_width(_train_name(name, model)) for name in order), default=0)
    return min(room, widest)


def _train_name(name: str, model: Model) -> str:
    number = int(name[1:])
    if name[0] == "p":
        return who(number, model)
    mexican = [each for each in train_order(model) if each[0] == "m"]
    if len(mexican) > 1:
        return text("Mexican {number}", number=number + 1)
    return text("Mexican")


def _train_line(
    name: str, train: Train | None, model: Model, sheet: Sheet, columns_mark: tuple[int, str]
) -> Line:
    columns, mark = columns_mark
    view = model.view
    owner = int(name[1:]) if name[0] == "p" else None
    is_next = view is not None and owner is not None and owner == view.to_act
    is_open = owner is None or (train is not None and train.marked)
    end = train.open_end if train is not None else view.engine[1] if view is not None else 0
    count = f"{view.hand_counts[owner]:>2}" if view is not None and owner is not None else "  "
    styles = "selected" if mark == "=" else "turn" if is_next else ""
    opened, closed = text("OPEN"), text("closed")
    state = filled(opened if is_open else closed, max(text_width(opened), text_width(closed)))
    touch = f"train:{name}"
    line = [
        Fragment(">" if is_next else " ", "turn" if is_next else "", touch),
        Fragment(f"{mark} ", "strong" if mark != " " else "", touch),
        Fragment(
            filled(shortened(_train_name(name, model), columns, sheet.glyphs.ellipsis), columns),
            styles,
            touch,
        ),
        Fragment(f" {count} ", "", touch),
        Fragment(state, "open" if is_open else "", touch),
        Fragment(" " if sheet.is_list else f" {text('end')} ", "", touch),
        Fragment(f"{end:>2}", f"pip{end} end", touch),
    ]
    if owner is not None and view is not None and _is_away(owner, model):
        line.append(Fragment(f" {text('away')}", "strong", touch))
    for double in view.open_doubles if view is not None else ():
        if double.train == name:
            line += [Fragment(" "), Fragment(_owed(double, model, sheet), "owed", touch)]
    room = sheet.columns - line_width(line)
    tiles = train.tiles if train is not None else []
    return _within([*line, *_tail(tiles, room - 1, sheet, touch)], sheet)


def _within(line: list[Fragment], sheet: Sheet) -> list[Fragment]:
    """`line` cut where it is too wide, with the sign for it."""
    over = line_width(line) - sheet.columns
    while over > 0 and line:
        last = line.pop()
        wide = text_width(last.text)
        if wide > over:
            line.append(last._replace(text=cut(last.text, wide - over, sheet.glyphs.ellipsis)))
            break
        over -= wide
    return line


def _is_away(seat: int, model: Model) -> bool:
    seats = model.table.seats if model.table is not None else []
    return seat < len(seats) and seats[seat].kind == "person" and not seats[seat].present


def _owed(double: OpenDouble, model: Model, sheet: Sheet) -> str:
    """What is owed for an open double, and by whom."""
    view = model.view
    tile = tile_text(double.tile)
    if not double.binding or view is None or view.to_act is None:
        return text("open {tile}", tile=tile)
    if view.to_act == model.seat:
        return text("COVER {tile}: you", tile=tile)
    room = 8 if sheet.is_list else NAME_COLUMNS_MAX
    name = shortened(clean(model.seat_name(view.to_act)), room, sheet.glyphs.ellipsis)
    return text("COVER {tile}: {name}", tile=tile, name=name)


def _tail(tiles: Sequence[Tile], room: int, sheet: Sheet, touch: str) -> list[Fragment]:
    """The end of a train in so many columns; what is left out at its start has a sign."""
    ellipsis = sheet.glyphs.ellipsis
    taken: list[Tile] = []
    for place in range(len(tiles) - 1, -1, -1):
        inner, outer = tiles[place]
        wide = 2 + (inner > 9) + (outer > 9) + 2
        reserve = 1 + len(ellipsis) if place else 0
        if room - wide < reserve:
            break
        room -= wide
        taken.append(tiles[place])
    if not taken:
        return []
    line = [Fragment(f" {ellipsis}", "", touch)] if len(taken) < len(tiles) else []
    for number in range(len(taken) - 1, -1, -1):
        inner, outer = taken[number]
        line += _laid(inner, outer, touch, is_last=number == 0)
    return line


@lru_cache(maxsize=8192)
def _laid(inner: int, outer: int, touch: str, *, is_last: bool) -> tuple[Fragment, ...]:
    return (
        Fragment(f" {inner}", f"pip{inner}", touch),
        Fragment("|", "", touch),
        Fragment(f"{outer}", f"pip{outer} end" if is_last else f"pip{outer}", touch),
    )


def owed_lines(model: Model, sheet: Sheet) -> list[Line]:
    """The open doubles, a line each, for when the trains are covered."""
    view = model.view
    if view is None or view.phase != "play":
        return []
    told = [
        text(
            "{train}: {owed}",
            train=_train_name(double.train, model),
            owed=_owed(double, model, sheet),
        )
        for double in view.open_doubles
    ]
    return plain_lines([cut(each, sheet.columns, sheet.glyphs.ellipsis) for each in told], "owed")


# --- what happened ----------------------------------------------------------------------------


def event_lines(model: Model, sheet: Sheet, rows: int, *, with_chat: bool) -> list[Line]:
    """What happened last, a paragraph a turn, with a rule before what is new to this person."""
    if rows < 1:
        return []
    recap = _by_others(model)
    before: list[str] = []
    since: list[str] = []
    paragraph = ""
    seat: int | None = None
    is_new = False
    entries = model.log[-EVENTS_READ_MAX:]
    events = without_overtaken([entry for entry in entries if not isinstance(entry, Said)])
    kept = {event.n for event in events}
    for entry in entries:
        if isinstance(entry, Said):
            told = " ".join(said_lines(entry)) if with_chat else ""
            starts = True
        else:
            told = _told(entry, model) if entry.n in kept else ""
            starts = _starts(entry, seat)
            seat = entry.seat if isinstance(entry, MoveMade) else seat
        if not told:
            continue
        if paragraph and (starts or is_new != _is_in(entry, recap, is_new=is_new)):
            (since if is_new else before).append(paragraph)
            paragraph = ""
        is_new = _is_in(entry, recap, is_new=is_new)
        paragraph = f"{paragraph} {told}" if paragraph else told
        if isinstance(entry, Said):
            seat = None
    if paragraph:
        (since if is_new else before).append(paragraph)
    return _recapped(before, since, sheet, rows)


def _by_others(model: Model) -> set[int]:
    """The numbers of the events since this seat's last turn, without what its own move led to."""
    events = model.recap[-EVENTS_READ_MAX:]
    first = next((n for n, event in enumerate(events) if isinstance(event, MoveMade)), len(events))
    return {event.n for event in events[first:]}


def _told(event: AnyEvent, model: Model) -> str:
    return event_sentence(event, model) or ""


def _starts(event: AnyEvent, seat: int | None) -> bool:
    """Whether a new turn begins with `event`."""
    if isinstance(event, MoveMade):
        return event.seat != seat
    return isinstance(event, RoundStarted | RoundOver | GameOver)


def _is_in(entry: AnyEvent | Said, recap: set[int], *, is_new: bool) -> bool:
    return is_new if isinstance(entry, Said) else entry.n in recap


def _recapped(before: list[str], since: list[str], sheet: Sheet, rows: int) -> list[Line]:
    """The newest lines of both; the rule between them stands wherever there is room for it."""
    new = [line for each in since for line in folded(each, sheet.columns, "  ")]
    old = [line for each in before for line in folded(each, sheet.columns, "  ")]
    if not new:
        return plain_lines(old[-rows:])
    if len(new) >= rows:
        return plain_lines(new[-rows:])
    room = rows - len(new) - 1
    rule = sheet.rule(text("since your last turn")) if old else sheet.rule()
    return [*plain_lines(old[-room:] if room else []), rule, *plain_lines(new)]


# --- hand -------------------------------------------------------------------------------------


def hand_title(model: Model, stage: Stage, sheet: Sheet) -> Line:
    """How many tiles and pips, in which order, and what the mark means."""
    hand = stage.order.own
    pips = sum(sum(tile) for tile in hand)
    order = {
        "own": text("own order"),
        "planned": text("planned train first"),
        "number": text("by number"),
    }[stage.order.ordering]
    parts = [
        plural("Your hand: {number} tile", "Your hand: {number} tiles", len(hand)),
        plural("{number} pip", "{number} pips", pips),
        order,
    ]
    if model.playable:
        parts.append(text("* can be played"))
    title = parts[0]
    for part in parts[1:]:
        longer = f"{title}, {part}"
        title = longer if text_width(longer) <= sheet.columns else title
    return (Fragment(cut(title, sheet.columns, sheet.glyphs.ellipsis), "title"),)


def hand_lines(model: Model, stage: Stage, sheet: Sheet) -> list[Line]:
    """The whole hand, whatever it takes."""
    playable = model.playable
    high = max((number for tile in stage.order.own for number in tile), default=0)
    cells = [
        _hand_cell(tile, stage, sheet, 5 if high > 9 else 3, is_playable=high_low(tile) in playable)
        for tile in arranged_hand(model, stage)
    ]
    return flowed(cells, sheet.columns, "" if sheet.is_list else " ")


def _hand_cell(tile: Tile, stage: Stage, sheet: Sheet, columns: int, *, is_playable: bool) -> Line:
    """One tile: brackets, or angles round the selected one, and a mark if it can be played."""
    first, second = tile
    is_selected = high_low(tile) == stage.selected
    touch = f"tile:{tile_text(tile)}"
    start, stop = ("<", ">") if is_selected else (" ", "") if sheet.is_list else ("[", "]")
    style = "selected" if is_selected else "strong" if is_playable else ""
    mark = "*" if is_playable else " "
    pad = columns - len(f"{first}|{second}") + (1 if sheet.is_list and not stop else 0)
    return (
        Fragment(start, style, touch),
        Fragment(str(first), f"pip{first} {style}", touch),
        Fragment("|", style, touch),
        Fragment(str(second), f"pip{second} {style}", touch),
        Fragment(stop, style, touch),
        Fragment(mark, style, touch),
        Fragment(" " * pad, "", touch),
    )


# --- beside -----------------------------------------------------------------------------------


def score_lines(model: Model, sheet: Sheet) -> list[Line]:
    """The totals so far with the points of the last round, the lowest first."""
    view = model.view
    if view is None:
        return []
    last = view.scores[-1] if view.scores else [0] * len(view.names)
    room = sheet.columns - 13
    lines: list[Line] = [sheet.rule(text("scores"))]
    for seat in sorted(range(len(view.names)), key=lambda seat: (view.totals[seat], seat)):
        name = filled(shortened(who(seat, model), room, sheet.glyphs.ellipsis), room)
        gained = f"+{last[seat]}" if view.scores else ""
        lines.append((Fragment(f"{name} {view.totals[seat]:>5} {gained:>5}"),))
    return lines


def chat_lines(model: Model, sheet: Sheet, rows: int) -> list[Line]:
    """What was said last."""
    said = [entry for entry in model.log if isinstance(entry, Said)][-rows:] if rows > 1 else []
    told = [
        line
        for entry in said
        for line in folded(
            f"{clean(entry.name) or text('Server')}: {clean(entry.text)}", sheet.columns, "  "
        )
    ]
    rest = told[-(rows - 1) :] if rows > 1 else []
    return [sheet.rule(text("chat")), *plain_lines(rest)] if rows > 1 else []


# --- what lasts -------------------------------------------------------------------------------


def standing_lines(model: Model, stage: Stage, sheet: Sheet, rows: int) -> list[Line]:
    """Who is away, votes, pause, a lost connection: what is so for the moment, and what to do."""
    told: list[str] = []
    todo: list[Line] = []
    if stage.is_cut:
        told.append(text("There is no connection. Trying to come back; q stops."))
    table = model.table
    if table is not None and table.state != "waiting":
        told += presence_lines(table, round((stage.now - stage.news_at) * 1000))
        if table.paused and model.is_host:
            word = typed("pause")[0]
            go_on = text("Type :{word} again to let the game go on.", word=word)
            todo = plain_lines(folded(go_on, sheet.columns, "  "), "notice")
        if model.may_vote:
            vote = text("Type :vote wait, :vote skip, :vote bot (a substitute plays) or :vote end.")
            todo += plain_lines(folded(vote, sheet.columns, "  "), "notice")
    lines = [line for each in told for line in folded(each, sheet.columns, "  ")]
    return [*plain_lines(lines[: max(0, rows - len(todo))], "notice"), *todo][:rows]


def notice_lines(stage: Stage, sheet: Sheet, rows: int) -> list[Line]:
    """What was told last, newest at the bottom."""
    told = [notice.sentence for notice in stage.notices]
    lines = [line for each in told for line in folded(each, sheet.columns, "  ")]
    return plain_lines(lines[-rows:] if rows > 0 else [], "notice")
