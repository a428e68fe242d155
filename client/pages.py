"""Pages: what stands in place of the trains, from the lobby to the final ranking. Pure.

A page is as long as it is; whoever shows it scrolls. Its lines fit the columns of the sheet.
"""

from collections.abc import Callable, Sequence

from mexican_train.protocol import GameEnded, GameOver, RoundOver, Said, SeatInfo

from .clean import clean
from .fragments import (
    BLANK,
    Fragment,
    Line,
    cut,
    filled,
    folded,
    plain_lines,
    shortened,
    text_width,
)
from .model import Model
from .panes import Sheet, event_lines, train_lines
from .render import (
    card_lines,
    hand_lines,
    help_lines,
    scores_lines,
    seats_lines,
    table_words,
    turn_lines,
    whole_card_lines,
)
from .stage import Form, Stage
from .texts import plural, text
from .words import joined, ranking, tile_text, who

LOG_READ_MAX = 400


def page_title(model: Model, stage: Stage) -> str:
    """What the rule above the page says."""
    if stage.joining is not None:
        return text("Rules of {table}", table=clean(stage.joining))
    titles = {
        "keys": text("Help"),
        "help": text("Help"),
        "scores": text("Scores"),
        "log": text("Log"),
        "table": text("Table"),
        "hand": text("Hand"),
        "turn": text("Turn"),
        "card": text("Rules"),
        "said": "",
    }
    if stage.cover is not None:
        return titles[stage.cover]
    if stage.form is not None:
        return text("A new table")
    return "" if model.table is not None else text("Tables")


def page_lines(
    model: Model, stage: Stage, sheet: Sheet, help_page: Callable[[Sheet], list[Line]]
) -> list[Line]:
    """The page that is shown now; none while a round is played and nothing covers it."""
    if stage.cover is not None:
        return _cover_lines(model, stage, sheet, help_page)
    if stage.form is not None:
        return form_lines(stage.form, sheet)
    if model.view is None:
        is_lobby = model.table is None
        return lobby_page(model, stage, sheet) if is_lobby else waiting_page(model, sheet)
    if model.view.phase == "over" or (model.table is not None and model.table.state == "over"):
        return ranking_page(model, sheet)
    return [] if model.is_playing else summary_page(model, sheet)


def _cover_lines(
    model: Model, stage: Stage, sheet: Sheet, help_page: Callable[[Sheet], list[Line]]
) -> list[Line]:
    if stage.cover == "keys":
        return help_page(sheet)
    if stage.cover == "table" and model.view is not None:
        return train_lines(model, Stage(), sheet, len(model.view.names) * 4)
    if stage.cover == "log":
        return event_lines(model, sheet, LOG_READ_MAX, with_chat=True)
    told = {
        "help": lambda: [*help_lines(model), "", *stage.said],
        "scores": lambda: scores_lines(model),
        "table": lambda: seats_lines(model.table) if model.table is not None else [],
        "hand": lambda: hand_lines(model),
        "turn": lambda: turn_lines(model),
        "card": lambda: _card(model, stage, sheet),
        "said": lambda: stage.said,
    }[stage.cover if stage.cover is not None else "said"]()
    return rewrapped(told, sheet.columns)


def _card(model: Model, stage: Stage, sheet: Sheet) -> list[str]:
    if model.card is None:
        return [text("The rules are on their way.")]
    is_whole = stage.joining is None and stage.said == ["all"]
    lines_of = whole_card_lines if is_whole else card_lines
    return lines_of(model.card, sheet.columns)


def rewrapped(lines: Sequence[str], columns: int) -> list[Line]:
    """Lines that were made for 80 columns, in as many as there are."""
    told: list[Line] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        told += plain_lines(folded(line, columns, indent))
    return told


# --- lobby ------------------------------------------------------------------------------------


def lobby_page(model: Model, stage: Stage, sheet: Sheet) -> list[Line]:
    """The tables, the selected one marked, and what was said in the lobby."""
    if not model.tables:
        told = text("There is no table yet. Press n to open one.")
        return [*plain_lines(folded(told, sheet.columns)), *_lobby_chat(model, sheet)]
    lines: list[Line] = []
    digits = len(str(len(model.tables)))
    for row, table in enumerate(model.tables):
        is_selected = row == stage.row
        mark = ">" if is_selected else " "
        shown = folded(
            f"{mark} {row + 1:>{digits}}  {table_words(table)}", sheet.columns, " " * (digits + 5)
        )
        style = "strong" if is_selected else ""
        lines += [(Fragment(each, style, f"row:{row}"),) for each in shown]
    return [*lines, *_lobby_chat(model, sheet)]


def _lobby_chat(model: Model, sheet: Sheet) -> list[Line]:
    said = [entry for entry in model.log if isinstance(entry, Said)][-5:]
    if not said:
        return []
    lines: list[Line] = [BLANK, sheet.rule(text("chat"))]
    for entry in said:
        name = clean(entry.name) or text("Server")
        lines += plain_lines(folded(f"{name}: {clean(entry.text)}", sheet.columns, "  "))
    return lines


def form_lines(form: Form, sheet: Sheet) -> list[Line]:
    """The form for a new table; the row that is filled in is marked."""
    starts = {
        "ready": text("when the seats are full and everybody is ready"),
        "full": text("as soon as the seats are full"),
        "manual": text("when you say start"),
    }
    rows = {
        "name": (text("Name"), f"{form.name}_" if form.field == "name" else form.name),
        "rules": (text("Rules"), form.rules or text("as this server plays")),
        "seats": (text("Seats"), str(form.seats)),
        "bots": (text("Bots"), str(form.bots)),
        "strategy": (text("They play"), form.strategy),
        "start": (text("Starts"), starts[form.start]),
        "open": (text("Open the table"), ""),
    }
    columns = max(text_width(title) for title, _ in rows.values())
    lines: list[Line] = []
    for place, (name, (title, value)) in enumerate(rows.items()):
        is_here = name == form.field
        turns = is_here and name not in ("name", "open")
        told = f"< {value} >" if turns else value
        start = f"{'>' if is_here else ' '} {filled(title, columns)}  "
        style = "strong" if is_here else ""
        shown = folded(start + told, sheet.columns, " " * (columns + 4))
        lines += [(Fragment(each, style, f"row:{place}"),) for each in shown]
    help_text = text("Up and down go through the rows, left and right change one.")
    return [*lines, BLANK, *plain_lines(folded(help_text, sheet.columns))]


# --- at a table -------------------------------------------------------------------------------


def waiting_page(model: Model, sheet: Sheet) -> list[Line]:
    """A table before its game: its seats, what is waited for, what was said."""
    if model.table is None:
        return []
    lines = rewrapped(seats_lines(model.table), sheet.columns)
    chat = _lobby_chat(model, sheet)
    return [*lines, *chat]


def summary_page(model: Model, sheet: Sheet) -> list[Line]:
    """The last round: every hand left with its sum, the totals, and who is ready for the next."""
    over = next((entry for entry in reversed(model.log) if isinstance(entry, RoundOver)), None)
    lines = _round_lines(over, model, sheet) if over is not None else _totals(model, sheet)
    return [*lines, BLANK, *gate_lines(model, sheet)]


def _totals(model: Model, sheet: Sheet) -> list[Line]:
    """The scores as they stand, for who has come after the round."""
    return rewrapped(scores_lines(model), sheet.columns)


def _round_lines(over: RoundOver, model: Model, sheet: Sheet) -> list[Line]:
    ellipsis = sheet.glyphs.ellipsis
    room = max(8, min(20, sheet.columns - 30))
    columns = min(room, max(text_width(who(seat, model)) for seat in range(len(over.hands))))
    titles = (text("points"), text("total"))
    wide = max(5, *(text_width(title) for title in titles))
    indent = " " * (columns + 2 * wide + 6)
    head = f"{'':<{columns}}  {titles[0]:>{wide}}  {titles[1]:>{wide}}  {text('left in hand')}"
    winner = (
        text("Round {round} is over. You win it.", round=over.round)
        if over.winner == model.seat
        else text(
            "Round {round} is over. {name} wins it.",
            round=over.round,
            name=clean(model.seat_name(over.winner)),
        )
    )
    lines: list[Line] = [
        *plain_lines(folded(winner, sheet.columns), "strong"),
        (Fragment(cut(head, sheet.columns, ellipsis), "title"),),
    ]
    by_score = sorted(range(len(over.hands)), key=lambda seat: (over.scores[seat], seat))
    for seat in by_score:
        tiles = " ".join(tile_text(tile) for tile in over.hands[seat]) or text("nothing")
        start = (
            f"{filled(shortened(who(seat, model), columns, ellipsis), columns)}  "
            f"{over.scores[seat]:>{wide}}  {over.totals[seat]:>{wide}}  "
        )
        lines += plain_lines(folded(start + tiles, sheet.columns, indent))
    return lines


def gate_lines(model: Model, sheet: Sheet) -> list[Line]:
    """Who is ready for the next round, and who is waited for."""
    table = model.table
    if table is None or table.state != "between":
        return []
    ready = [_named(seat, model) for seat in table.seats if seat.kind == "person" and seat.ready]
    rest = [
        _named(seat, model)
        for seat in table.seats
        if seat.kind == "person" and seat.present and not seat.ready
    ]
    told = []
    if ready:
        told.append(text("Ready: {names}.", names=joined(ready)))
    if rest:
        told.append(text("Not ready yet: {names}.", names=joined(rest)))
    told.append(text("The next round begins when everybody is ready, or after a pause."))
    return [
        line for each in told for line in plain_lines(folded(each, sheet.columns, "  "), "strong")
    ]


def _named(seat: SeatInfo, model: Model) -> str:
    return text("You") if seat.seat == model.seat else clean(seat.name)


def ranking_page(model: Model, sheet: Sheet) -> list[Line]:
    """The final ranking, ties shared, and the last round below; or that the game was broken off."""
    ended = next(
        (entry for entry in reversed(model.log) if isinstance(entry, GameOver | GameEnded)), None
    )
    lines: list[Line] = []
    if isinstance(ended, GameOver):
        lines += _places(ended, model, sheet)
    elif ended is not None:
        told = text("The game is ended before its time. Nobody wins.")
        lines += plain_lines(folded(told, sheet.columns), "strong")
    over = next((entry for entry in reversed(model.log) if isinstance(entry, RoundOver)), None)
    last = _round_lines(over, model, sheet) if over is not None else _totals(model, sheet)
    return [*lines, BLANK, *last]


def _places(ended: GameOver, model: Model, sheet: Sheet) -> list[Line]:
    order = ranking(ended.places)
    room = max(8, sheet.columns - 24)
    columns = min(room, max(text_width(who(seat, model)) for seat in order))
    lines: list[Line] = [(Fragment(text("Final ranking, the fewest points first"), "title"),)]
    for seat in order:
        name = filled(shortened(who(seat, model), columns, sheet.glyphs.ellipsis), columns)
        points = plural("{number} point", "{number} points", ended.totals[seat])
        told = f"{ended.places[seat]:>3}.  {name}  {points}"
        if ended.places.count(ended.places[seat]) > 1:
            told = text("{place} (shared)", place=told)
        style = "strong" if ended.places[seat] == 1 or seat == model.seat else ""
        lines.append((Fragment(cut(told, sheet.columns, sheet.glyphs.ellipsis), style),))
    return lines
