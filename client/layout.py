"""The whole screen as lines of styled fragments, from the model, the stage and the size. Pure.

From the top: the head; the trains and what happened, or a page in their place; the hand; what is
told; what is awaited; the keys. The hand and what is awaited are laid out first and get all the
rows that they need, so that nothing that is told can cover them.
"""

from collections.abc import Sequence

from mexican_train.protocol import Done, Draw, Pass, Play

from .clean import clean
from .entries import Ask, EntryError, read_entry
from .fragments import (
    BLANK,
    Fragment,
    Line,
    clipped,
    cut,
    folded,
    padded_line,
    plain_lines,
    plain_text,
    text_width,
)
from .keys import focus_of, help_page, keys_line
from .model import Model
from .pages import page_lines, page_title
from .panes import (
    Sheet,
    chat_lines,
    event_lines,
    hand_lines,
    hand_title,
    head_lines,
    notice_lines,
    owed_lines,
    score_lines,
    standing_lines,
    train_lines,
)
from .render import turn_sentence
from .stage import Stage, chosen, targets_of
from .texts import text
from .words import choice_words, either, joined, tile_text, train_words

COLUMNS_MIN, ROWS_MIN = 20, 8
"""For less nothing is laid out: what is painted is cut off at the right and above."""
SIDE_COLUMNS_MAX = 46
PAGE_ROWS = 2
STANDING_ROWS = 4
STATUS_ROWS = 12
"""With fewer rows the hand needs the second line of the status."""


def paint(model: Model, stage: Stage, sheet: Sheet) -> list[Line]:
    """Exactly as many lines as the sheet has rows, none wider than its columns."""
    columns, rows = sheet.columns, sheet.rows
    if columns < COLUMNS_MIN or rows < ROWS_MIN:  # made smaller while it runs
        sheet = Sheet(max(COLUMNS_MIN, columns), max(ROWS_MIN, rows), sheet.glyphs)
    above, below = _edges(model, stage, sheet)
    middle = _middle(model, stage, sheet, sheet.rows - len(above) - len(below))
    lines = [*above, *middle, *below]
    return [clipped(line, columns) for line in lines[-rows:]]


def scroll_max(model: Model, stage: Stage, sheet: Sheet) -> int:
    """How many lines of the page that is shown do not fit."""
    above, below = _edges(model, stage, sheet)
    lines = page_lines(model, stage, sheet, lambda inner: help_page(model, stage, inner))
    return max(0, len(lines) - _page_room(sheet.rows - len(above) - len(below)))


def _page_room(rows: int) -> int:
    """The lines of a page that so many rows show; where there are but two, it has no title."""
    return rows - 1 if rows > PAGE_ROWS else rows


def _edges(model: Model, stage: Stage, sheet: Sheet) -> tuple[list[Line], list[Line]]:
    """What stands above and below the trains. What is told takes its rows from theirs."""
    above = head_lines(model, stage, sheet)
    if has_page(model, stage):
        above += owed_lines(model, sheet)
    last = [*status_lines(model, stage, sheet), last_line(model, stage, sheet)]
    hand = _hand(model, stage, sheet, sheet.rows - len(above) - len(last))
    left = sheet.rows - len(above) - len(last) - len(hand)
    standing = standing_lines(model, stage, sheet, max(0, min(STANDING_ROWS, left - 1)))
    told = notice_lines(stage, sheet, max(0, min(3, left - len(standing) - 1)))
    return above, [*standing, *told, *hand, *last]


def are_told_whole(sentences: Sequence[str], model: Model, stage: Stage, sheet: Sheet) -> bool:
    """Whether these notices have all the rows that they need."""
    _, below = _edges(model, stage, sheet)
    shown = {plain_text(line) for line in below}
    wanted = {line for each in sentences for line in folded(each, sheet.columns, "  ")}
    return wanted <= shown


def has_page(model: Model, stage: Stage) -> bool:
    """Whether a page stands in place of the trains."""
    return stage.cover is not None or stage.form is not None or not model.is_playing


def _hand(model: Model, stage: Stage, sheet: Sheet, rows: int) -> list[Line]:
    """The hand with its title, which goes where rows are scarce."""
    if not model.is_playing or model.seat is None:
        return []
    lines = hand_lines(model, stage, sheet)
    title = hand_title(model, stage, sheet)
    return [title, *lines] if len(lines) + 4 <= rows else lines


def _middle(model: Model, stage: Stage, sheet: Sheet, rows: int) -> list[Line]:
    if rows <= 0:
        return []
    if has_page(model, stage):
        return _page(model, stage, sheet, rows)
    if not sheet.is_full:
        return _table(model, stage, sheet, rows, with_chat=True)
    side = min(SIDE_COLUMNS_MAX, sheet.columns * 2 // 7)
    main = Sheet(sheet.columns - side - 3, sheet.rows, sheet.glyphs)
    beside = Sheet(side, sheet.rows, sheet.glyphs)
    left = _table(model, stage, main, rows, with_chat=False)
    right = score_lines(model, beside)[:rows]
    right += chat_lines(model, beside, rows - len(right))
    bar = Fragment(f" {sheet.glyphs.bar} ")
    right += [BLANK] * (rows - len(right))
    return [
        [*padded_line(one, main.columns), bar, *clipped(other, side)]
        for one, other in zip(left, right, strict=True)
    ]


def _table(model: Model, stage: Stage, sheet: Sheet, rows: int, *, with_chat: bool) -> list[Line]:
    """The trains and below them what happened, in exactly so many rows."""
    view = model.view
    count = len(view.trains) if view is not None else 0
    spare = rows - count
    keep = 0 if spare >= 4 or sheet.is_list else min(3, rows // 3)
    trains = train_lines(model, stage, sheet, max(1, rows - keep))
    left = rows - len(trains)
    lines = [*trains]
    if left >= 3:
        lines.append(sheet.rule())
    events = event_lines(model, sheet, rows - len(lines), with_chat=with_chat)
    if left >= 3 and events and is_rule(events[0], sheet):
        lines.pop()
        events = event_lines(model, sheet, rows - len(lines), with_chat=with_chat)
    lines += events
    return lines + [BLANK] * (rows - len(lines))


def is_rule(line: Line, sheet: Sheet) -> bool:
    """Whether `line` is drawn across."""
    return bool(line) and line[0].text.startswith(sheet.glyphs.rule * 2)


def _page(model: Model, stage: Stage, sheet: Sheet, rows: int) -> list[Line]:
    """The part of a page that `stage.scroll` says, or that holds the selected row."""
    lines = page_lines(model, stage, sheet, lambda inner: help_page(model, stage, inner))
    room = _page_room(rows)
    over = max(0, len(lines) - room)
    start = min(stage.scroll, over)
    if over and focus_of(model, stage) == "lobby":
        start = _following(lines, stage.row, room)
    shown = lines[start : start + room]
    shown = [*shown, *[BLANK] * (room - len(shown))]
    if room == rows:
        return shown
    title = page_title(model, stage)
    if over:
        told = text(
            "lines {first} to {last} of {all}",
            first=start + 1,
            last=min(len(lines), start + room),
            all=len(lines),
        )
        title = f"{title}: {told}" if title else told
    return [sheet.rule(title), *shown]


def _following(lines: list[Line], row: int, room: int) -> int:
    """Where to start so that the lines of the selected table are shown."""
    touch = f"row:{row}"
    places = [place for place, line in enumerate(lines) if line and line[0].touch == touch]
    return max(0, places[-1] + 1 - room) if places else 0


# --- the two last lines -----------------------------------------------------------------------


def status_lines(model: Model, stage: Stage, sheet: Sheet) -> list[Line]:
    """What is awaited, or what the selection or the typed line would do: a line or two."""
    lines = folded(_status(model, stage), sheet.columns, "  ")
    rows = 1 if sheet.rows < STATUS_ROWS else 2
    if len(lines) > rows:
        rest = " ".join(line.strip() for line in lines[rows - 1 :])
        lines = [*lines[: rows - 1], cut(f"  {rest}", sheet.columns, sheet.glyphs.ellipsis)]
    return plain_lines(lines, "turn" if model.is_my_turn else "")


def _status(model: Model, stage: Stage) -> str:
    if stage.asks_quit and not stage.keeps_seat:
        return text("Leave the game? q leaves it, Esc stays.")
    if stage.asks_quit:
        return text("The game goes on without you, your seat is kept. q stops, Esc stays.")
    if stage.typed is not None:
        return preview(stage.typed, model)
    if stage.joining is not None:
        return text("Enter sits down at {table}, Esc goes back.", table=clean(stage.joining))
    if stage.waiting:
        return text("{choice}: waits for the connection; u takes it back.", choice=stage.waiting)
    if stage.selected is not None and model.is_playing:
        return _selection(model, stage)
    if model.seat is None and model.is_playing:
        return text("{turn} You are watching.", turn=turn_sentence(model) or "")
    if focus_of(model, stage) in ("waiting", "between"):
        return _before_play(model)
    if not model.is_my_turn:
        return turn_sentence(model) or ""
    if not model.playable:
        return _without_tile(model)
    return text("{turn} Tab selects a tile that fits.", turn=turn_sentence(model) or "")


def _before_play(model: Model) -> str:
    """What this person may do for the game, or the next round, to begin."""
    table, seat = model.table, model.seat
    if table is None or seat is None:
        return ""
    if table.state == "waiting" and table.start == "manual" and model.is_host:
        return text("Enter starts the game; bots take the empty seats.")
    if table.state == "waiting" and table.start != "ready":
        return ""
    if not table.seats[seat].ready:
        return text("Press Enter when you are ready.")
    return text("You are ready.")


def _without_tile(model: Model) -> str:
    """What this player may do who has no tile that fits."""
    rest = either([choice_words(choice, model) for choice in model.offers])
    return text("{turn} No tile fits: {choices}.", turn=turn_sentence(model) or "", choices=rest)


def _selection(model: Model, stage: Stage) -> str:
    tile = tile_text(stage.selected) if stage.selected is not None else ""
    choice = chosen(model, stage)
    if choice is not None:
        return text("{choice}: Enter plays it.", choice=choice_words(choice, model))
    targets = targets_of(model, stage.selected)
    if targets:
        names = joined([train_words(train, model) for train in targets], "or")
        return text("{tile} fits {trains}: choose with up and down.", tile=tile, trains=names)
    if not model.is_my_turn:
        return text("{turn} You look at {tile}.", turn=turn_sentence(model) or "", tile=tile)
    if not model.playable and stage.target is None:
        return _without_tile(model)
    if stage.target is not None:
        train = train_words(stage.target, model)
        return text(
            "{tile} cannot be played now; ? says why not on {train}.", tile=tile, train=train
        )
    return text("{tile} does not fit now; ? says why.", tile=tile)


def preview(typed: str, model: Model) -> str:
    """What a line would do, or why it means nothing yet."""
    try:
        entry = read_entry(typed, model)
    except EntryError as error:
        return str(error)
    if isinstance(entry, Ask) and isinstance(entry.command, Play):
        play = entry.command
        return text(
            "Enter plays {tile} on {train}.",
            tile=tile_text(play.tile),
            train=train_words(play.train, model),
        )
    if isinstance(entry, Ask) and isinstance(entry.command, Draw):
        return text("Enter draws a tile.")
    if isinstance(entry, Ask) and isinstance(entry.command, Pass | Done):
        return text("Enter ends your turn.")
    return text("Enter sends this, Esc closes the line.")


def last_line(model: Model, stage: Stage, sheet: Sheet) -> Line:
    """The entry line while it is open, else the keys."""
    if stage.typed is None:
        return keys_line(model, stage, sheet)
    shown, _ = entry_window(stage, sheet)
    return (Fragment(": ", "key"), Fragment(shown))


def entry_window(stage: Stage, sheet: Sheet) -> tuple[str, int]:
    """The part of the typed line that is shown, and the column of the cursor on the screen."""
    typed = clean_typed(stage.typed or "")
    before = typed[: stage.cursor]
    room = sheet.columns - 3
    while text_width(before) > room:
        before, typed = before[1:], typed[1:]
    return cut(typed, room, ""), 2 + text_width(before)


def clean_typed(typed: str) -> str:
    """A typed line as it can be drawn: of the same length, so that the cursor keeps its place."""
    return "".join(char if clean(char) == char else "?" for char in typed)


def cursor_of(stage: Stage, sheet: Sheet) -> tuple[int, int] | None:
    """Column and row of the cursor while something is typed."""
    if stage.typed is None:
        return None
    return entry_window(stage, sheet)[1], sheet.rows - 1
