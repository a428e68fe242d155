"""Which key does what, by what has the focus. Pure.

One table serves for pressing, for the help and for the last line of the screen.
Letters are keys while the entry line is closed; `:` opens it, and so does a digit, since a tile
begins with one.
"""

from dataclasses import dataclass
from typing import Literal

from .fragments import Fragment, Line, filled, folded, plain_lines, text_width
from .model import Model
from .panes import Sheet
from .render import help_lines
from .stage import Stage, chosen, deeds_of, targets_of
from .texts import later, text, typed
from .words import choice_words

Focus = Literal["line", "form", "rules", "lobby", "waiting", "play", "between", "over", "watch"]
Deed = Literal[
    "left",
    "right",
    "next",
    "last",
    "up",
    "down",
    "line_up",
    "line_down",
    "page_up",
    "page_down",
    "play",
    "back",
    "take_back",
    "draw",
    "pass",
    "knock",
    "foul",
    "order",
    "earlier",
    "later",
    "why",
    "help",
    "scores",
    "log",
    "hint",
    "chat",
    "mouse",
    "redraw",
    "quit",
    "type",
    "join",
    "watch",
    "new",
    "rules",
    "tables",
    "ready",
    "start",
    "bot",
    "leave",
    "rematch",
    "record",
    "open",
    "sit",
]
DIGITS = "0123456789"


@dataclass(frozen=True, slots=True)
class Binding:
    """Keys that do the same."""

    keys: tuple[str, ...]
    deed: Deed
    sentence: str
    """What it does, for the help."""
    label: str = ""
    """In a word or two, for the last line; empty: not there."""
    shown: str = ""
    """How the keys are written; empty: as the first of them."""

    @property
    def name(self) -> str:
        """The keys as they are written."""
        return self.shown or KEY_NAMES.get(self.keys[0], self.keys[0])


KEY_NAMES = {
    "enter": "Enter",
    "escape": "Esc",
    "tab": "Tab",
    "pageup": "PgUp",
    "f1": "F1",
    "c-l": "Ctrl-L",
}


def focus_of(model: Model, stage: Stage) -> Focus:
    """What the keys act on now."""
    if stage.typed is not None:
        return "line"
    if stage.form is not None:
        return "form"
    if stage.joining is not None:
        return "rules"
    if model.table is None and model.view is None:
        return "lobby"
    if model.table is not None and model.table.state == "over":
        return "over"
    if model.is_playing:
        return "play" if model.seat is not None else "watch"
    if model.view is not None:
        return "between" if model.seat is not None else "watch"
    return "waiting" if model.seat is not None else "watch"


def bindings(model: Model, stage: Stage) -> list[Binding]:
    """What the keys do now; of two bindings of one key the first counts."""
    if stage.asks_quit:
        return [
            Binding(("q",), "quit", text("stop"), text("stop")),
            Binding(("escape",), "back", text("stay"), text("stay")),
        ]
    focus = focus_of(model, stage)
    if focus == "line":
        return []
    table = {
        "form": _form,
        "rules": _rules,
        "lobby": _lobby,
        "waiting": _waiting,
        "play": _play,
        "between": _between,
        "over": _over,
        "watch": _watch,
    }[focus]
    if focus in ("form", "rules"):
        return table(model, stage)
    covered = _covered() if stage.cover is not None else []
    return [*covered, *table(model, stage), *_everywhere(model)]


def deed_of(key: str, model: Model, stage: Stage) -> Deed | None:
    """What `key` does now; None for nothing."""
    for binding in bindings(model, stage):
        if key in binding.keys:
            return binding.deed
    return None


def _play(model: Model, stage: Stage) -> list[Binding]:
    can = {choice.do: choice for choice in deeds_of(model)}
    found: list[Binding] = []
    if stage.asks_target or (stage.selected is not None and chosen(model, stage) is not None):
        found.append(Binding(("enter",), "play", text("play the selected tile"), text("plays")))
    elif stage.selected is not None and targets_of(model, stage.selected):
        found.append(Binding(("enter",), "play", text("play the selected tile"), text("choose")))
    for do, key in (("draw", "d"), ("pass", "p"), ("done", "p"), ("knock", "k"), ("foul", "f")):
        if do in can:
            label = {
                "draw": typed("draw")[0],
                "pass": typed("pass")[0],
                "done": text("end the turn"),
                "knock": typed("knock")[0],
                "foul": text("call a foul"),
            }[do]
            deed: Deed = "pass" if do == "done" else do
            found.append(Binding((key,), deed, choice_words(can[do], model), label))
    return [
        *found,
        Binding(("left", "h"), "left", text("the tile before"), text("tile"), "← →"),
        Binding(("right", "l"), "right", text("the next tile"), "", "→ l"),
        Binding(("s-tab",), "last", text("the last one before"), "", "Shift-Tab"),
        Binding(("up", "k"), "up", text("the train above"), text("train"), "↑ ↓"),
        Binding(("down", "j"), "down", text("the train below"), "", "↓ j"),
        Binding(("?",), "why", text("why a tile cannot be played; this help"), text("help")),
        Binding((":", "/"), "type", text("type an entry, as in line mode"), text("type")),
        Binding(("tab",), "next", text("the next tile that can be played"), text("playable")),
        Binding(
            ("escape", "u"),
            "take_back",
            text("take the choice back, if it is not sent"),
            text("take back") if stage.selected is not None or stage.waiting else "",
            "u",
        ),
        Binding(
            ("o",), "order", text("order the hand: own, planned train, by number"), text("order")
        ),
        Binding(("+",), "later", text("move the tile to the right in your own order")),
        Binding(("-",), "earlier", text("move the tile to the left")),
        *_hint(model),
        Binding(("d",), "draw", text("draw a tile")),
        Binding(("p",), "pass", text("pass, or end a turn of several tiles")),
        Binding(("f",), "foul", text("call the foul of who did not knock")),
        Binding(("enter",), "play", text("play the selected tile; select one")),
    ]


def _hint(model: Model) -> list[Binding]:
    hint = Binding(("H",), "hint", text("a hint with its reason"), text("hint"))
    return [hint] if model.has_hints else []


def _between(model: Model, stage: Stage) -> list[Binding]:
    del model, stage
    return [
        Binding(("enter",), "ready", text("you are ready for the next round"), text("ready")),
        *_scrolling(),
    ]


def _waiting(model: Model, stage: Stage) -> list[Binding]:
    del stage
    table = model.table
    is_manual = table is not None and table.start == "manual"
    found = []
    if table is not None and table.start == "ready":
        found.append(Binding(("enter",), "ready", text("ready, or not any more"), text("ready")))
    if model.is_host:
        keys = ("enter", "g") if is_manual else ("g",)
        found += [
            Binding(("b",), "bot", text("seat a bot"), text("add a bot")),
            Binding(keys, "start", text("start; bots take the empty seats"), text("start")),
        ]
    return [*found, *_leaving(), *_scrolling()]


def _over(model: Model, stage: Stage) -> list[Binding]:
    del stage
    rematch = Binding(("r",), "rematch", text("play again with the same seats"), text("rematch"))
    keep = Binding(("w",), "record", text("keep the game in a file"), text("keep the game"))
    return [*([rematch] if model.is_host else []), keep, *_leaving(), *_scrolling()]


def _watch(model: Model, stage: Stage) -> list[Binding]:
    del model, stage
    return [*_leaving(), *_scrolling()]


def _leaving() -> list[Binding]:
    return [Binding(("x",), "leave", text("leave the table"), text("leave"))]


def _lobby(model: Model, stage: Stage) -> list[Binding]:
    del stage
    found = []
    if model.tables:
        found = [
            Binding(("enter",), "join", text("sit down at the selected table"), text("sit down")),
            Binding(("up", "k"), "up", text("the table above"), text("table"), "↑ ↓"),
            Binding(("down", "j", "tab"), "down", text("the table below"), "", "↓ j"),
            Binding(("w",), "watch", text("look on at it"), text("watch")),
            Binding(("v",), "rules", text("its rules"), text("rules")),
        ]
    return [
        *found,
        Binding(("n",), "new", text("open a new table"), text("new table")),
        Binding(("r",), "tables", text("read the list again"), text("refresh")),
    ]


def _form(model: Model, stage: Stage) -> list[Binding]:
    del model, stage
    return [
        Binding(("enter",), "open", text("open the table"), text("open it")),
        Binding(("up", "s-tab"), "up", text("the row above"), text("row"), "↑ ↓"),
        Binding(("down", "tab"), "down", text("the row below")),
        Binding(("left",), "left", text("the value before"), text("change"), "← →"),
        Binding(("right",), "right", text("the next value")),
        Binding(("escape",), "back", text("no new table"), text("back")),
    ]


def _rules(model: Model, stage: Stage) -> list[Binding]:
    del model, stage
    return [
        Binding(("enter",), "sit", text("sit down"), text("sit down")),
        Binding(("escape", "q"), "back", text("back to the tables"), text("back")),
        *_scrolling(),
    ]


def _covered() -> list[Binding]:
    return [
        Binding(("escape", "enter", "q"), "back", text("close this"), text("close")),
        *_scrolling(text("scroll")),
    ]


def _scrolling(label: str = "") -> list[Binding]:
    return [
        Binding(("up", "k"), "line_up", text("up"), label, "↑ ↓"),
        Binding(("down", "j"), "line_down", text("down"), "", "↓"),
        Binding(("pageup",), "page_up", text("a page up")),
        Binding(("pagedown", " "), "page_down", text("a page down")),
    ]


def _everywhere(model: Model) -> list[Binding]:
    at_table = [
        Binding(("s",), "scores", text("the scores"), text("scores")),
        Binding(("L",), "log", text("what has happened"), text("log")),
        Binding(("v",), "rules", text("the rules of this table")),
    ]
    return [
        Binding((":", "/"), "type", text("type an entry, as in line mode"), text("type")),
        Binding(("?", "f1"), "help", text("this help"), text("help")),
        Binding(("q",), "quit", text("stop"), text("quit")),
        Binding(("c",), "chat", text("say something"), text("chat")),
        *(at_table if model.table is not None else []),
        Binding(("m",), "mouse", text("mouse on or off")),
        Binding(("c-l",), "redraw", text("draw the screen anew")),
        Binding(("escape", "u"), "take_back", text("back")),
        Binding(("enter",), "type", text("open the entry line")),
    ]


# --- shown ------------------------------------------------------------------------------------


def keys_line(model: Model, stage: Stage, sheet: Sheet) -> Line:
    """The last line: what can be pressed now, as far as there is room."""
    dot = "  "
    line: list[Fragment] = []
    left = sheet.columns
    seen: set[str] = set()
    for binding in bindings(model, stage):
        key = binding.keys[0]
        if key in seen:
            continue
        seen.update(binding.keys)
        if not binding.label:
            continue
        name = _spelled(binding.name, sheet)
        told = f"{name} {binding.label}"
        wide = text_width(told) + (len(dot) if line else 0)
        if wide > left:
            continue
        left -= wide
        touch = f"key:{key}"
        line += [Fragment(dot)] if line else []
        line += [Fragment(name, "key", touch), Fragment(f" {binding.label}", "", touch)]
    return line


def _spelled(name: str, sheet: Sheet) -> str:
    """The name of a key in the letters of the sheet."""
    if sheet.glyphs.ellipsis.isascii():
        for arrow, word in _ARROWS.items():
            name = name.replace(arrow, text(word))
    return name


_ARROWS = {
    "← →": "<>",
    "↑ ↓": "^v",
    "←": later("Left"),
    "→": later("Right"),
    "↑": later("Up"),
    "↓": later("Down"),
}


def help_page(model: Model, stage: Stage, sheet: Sheet) -> list[Line]:
    """What the keys do where this person is now, then what can be typed."""
    shown = Stage(selected=stage.selected, joining=stage.joining)
    rows: list[tuple[str, str]] = []
    seen: set[str] = set()
    for binding in bindings(model, shown):
        keys = [key for key in binding.keys if key not in seen]
        seen.update(keys)
        if keys:
            names = " ".join(_key_name(key, sheet) for key in keys)
            rows.append((names, binding.sentence))
    columns = max(text_width(names) for names, _ in rows)
    lines: list[Line] = []
    for names, sentence in rows:
        told = folded(f"{filled(names, columns)}  {sentence}", sheet.columns, " " * (columns + 2))
        lines += plain_lines(told)
    note = text("A digit opens the entry line too: 12-7 Ann plays 12-7 on Ann's train.")
    lines += [(), *plain_lines(folded(note, sheet.columns), "strong"), ()]
    if model.is_playing:
        lines += plain_lines(folded(_marks_told(), sheet.columns))
        lines.append(())
    lines += plain_lines(folded(text("After : you can type:"), sheet.columns), "title")
    for line in help_lines(model):
        lines += plain_lines(folded(line, sheet.columns, "    "))
    return lines


def _marks_told() -> str:
    """What the line of a train means, from its start to its end."""
    return text(
        "The line of a train: > whose turn it is, * where a tile of yours fits, = where the"
        " selected one goes, the number of tiles in the player's hand, {open} to all or"
        " {closed} to the others, its end, and a double that is to be covered with who must do it.",
        open=text("OPEN"),
        closed=text("closed"),
    )


def _key_name(key: str, sheet: Sheet) -> str:
    arrows = {"left": "←", "right": "→", "up": "↑", "down": "↓"}
    named = {"s-tab": "Shift-Tab", "pagedown": "PgDn", " ": text("Space"), **KEY_NAMES, **arrows}
    return _spelled(named.get(key, key), sheet)
