"""A person in front of the full screen, but for the terminal: keys in, a stage to paint.

It is the face of a `Person` on a stage. Keys become the same entries that line mode reads, so
that both modes send the same commands. Whoever shows it asks `paint` after `on_change`.
"""

from collections.abc import Callable, Sequence

import trio
from mexican_train.protocol import (
    AnyServerMessage,
    AskRules,
    Card,
    Choice,
    Declined,
    Hint,
    ListTables,
    MarkerSet,
    Reasons,
    Said,
    TableInfo,
    TableNews,
)

from .bots.strategies import high_low
from .clean import clean, wrapped
from .discovery import FindServers, find_servers
from .entries import Topic
from .entry_line import EntryLine
from .fragments import UNICODE, Glyphs, Line
from .hand_order import HandKeeper
from .hints import REFUSALS, hint_sentence, reason_sentences, refusal_sentence
from .keys import DIGITS, Deed, deed_of, focus_of
from .layout import are_told_whole, paint, scroll_max
from .link import Link, LinkError
from .model import Model
from .panes import Sheet
from .person import Change, Opening, Person, message_lines
from .presence import away_sentence, presence_news
from .render import COLUMNS, news_lines
from .stage import (
    Form,
    Stage,
    arranged_hand,
    chosen,
    deeds_of,
    favourite,
    own_end,
    targets_of,
    ticks,
    train_order,
)
from .texts import text, typed
from .words import choice_words, event_sentence, tile_text

MOVING = frozenset(
    {
        *("up", "down", "left", "right", "next", "last", "order", "earlier", "later"),
        *("line_up", "line_down", "page_up", "page_down"),
    }
)
"""What only moves leaves the notices where they are."""
LOBBY_SECONDS = 10.0
"""So often the list of tables is read again while somebody looks at it."""
GATE_SECONDS = 1.0


class StageMode:
    """A person at an open link, shown on a stage."""

    def __init__(
        self,
        link: Link,
        opening: Opening | None = None,
        *,
        keeper: HandKeeper | None = None,
        on_change: Callable[[], None] = lambda: None,
        on_ring: Callable[[], None] = lambda: None,
        glyphs: Glyphs = UNICODE,
        find: FindServers = find_servers,
    ) -> None:
        self.person = Person(link, self, opening, find)
        self.model: Model = self.person.model
        self.stage = Stage(keeps_seat=opening is None or opening.keeps_seat)
        self.parting: list[str] = []
        """What is to be said when the screen is gone."""
        self.sheet = Sheet(80, 24, glyphs)
        self._link = link
        self._keeper = keeper or HandKeeper(None)
        self._on_change = on_change
        self._on_ring = on_ring
        self._line = EntryLine()
        self._row_name = ""
        self._is_parting = False
        self._wants_card = False
        self._state_at = 0.0
        self._stopped = trio.Event()
        self._wakened = trio.Event()

    # --- running --------------------------------------------------------------------------

    async def run(self) -> None:
        """Play until the person stops. Raises `LinkError` when the link ends."""
        self._tick()
        self.person.open()
        self.stage.notices = self.stage.notices[2:]
        self._on_change()
        failure: LinkError | None = None
        async with trio.open_nursery() as nursery:
            scope = nursery.cancel_scope
            nursery.start_soon(self._part_when_stopped, scope)
            nursery.start_soon(self._keep_time)
            nursery.start_soon(self.person.look_for_servers)
            try:
                while not scope.cancel_called:
                    arrival = await self._link.receive()
                    self._tick()
                    self.stage.drop_old()
                    self.person.take(arrival)
                    self._after()
            except LinkError as error:
                failure = error
            nursery.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _part_when_stopped(self, scope: trio.CancelScope) -> None:
        await self._stopped.wait()
        self._is_parting = True
        await self.person.part()
        scope.cancel()

    async def _keep_time(self) -> None:
        """Count the seconds while some are shown, and read the lobby again from time to time."""
        while True:
            self._wakened = trio.Event()
            if ticks(self.model):
                await trio.sleep(1)
                self._tick()
                self._on_change()
            elif self._is_in_lobby():
                with trio.move_on_after(LOBBY_SECONDS) as waited:
                    await self._wakened.wait()
                if waited.cancelled_caught and self._is_in_lobby() and not self.person.waits:
                    self.person.do(ListTables(id=0))
            else:
                await self._wakened.wait()

    def _is_in_lobby(self) -> bool:
        return self.model.table is None and self.model.update is None

    def _tick(self) -> None:
        self.stage.now = trio.current_time()

    def _after(self) -> None:
        """What is the same after whatever has come in."""
        self.stage.is_cut = self.person.is_cut
        self.stage.news_at = self.person.news_at
        self.stage.update_at = self.person.update_at
        if not self.person.is_cut:
            self.stage.waiting = ""
        self._wakened.set()
        self._on_change()

    def paint(self, columns: int, rows: int) -> list[Line]:
        """The screen as it is now, in a terminal of this size."""
        self.sheet = Sheet(columns, rows, self.sheet.glyphs)
        return paint(self.model, self.stage, self.sheet)

    # --- what is shown --------------------------------------------------------------------

    def say(self, lines: Sequence[str]) -> None:
        """A notice; after the screen what is said in parting."""
        sentence = " ".join(lines)
        if self._is_parting:
            self.parting.append(sentence)
        elif sentence:
            self.stage.notice(sentence)

    def show(self, topic: Topic) -> None:
        """A page over the trains."""
        self.stage.cover = "keys" if topic == "help" else topic
        self.stage.said = ["all"] if topic == "card" else []
        self.stage.scroll = 0
        if topic == "log":  # the newest is at its end
            self.stage.scroll = scroll_max(self.model, self.stage, self.sheet)

    def changed(self, change: Change) -> None:
        """Keep the hand in order and the choice sound; tell of trains that have opened."""
        model, stage = self.model, self.stage
        update, view = model.update, model.view
        if update is None or view is None:
            return
        if change.is_first:
            stage.order = self._keeper.load(update.table)
        is_new_round = view.round != stage.order.round
        stage.order.note(update.hand, view.round)
        self._keeper.save(update.table, stage.order)
        if not model.is_playing or is_new_round:
            stage.uncover()
            stage.clear_choice()
        if stage.selected is not None and stage.selected not in stage.order.own:
            stage.clear_choice()
        if model.is_my_turn:
            self._drop_refused_early()
        for event in change.events:
            if isinstance(event, MarkerSet) and not change.is_first:
                stage.notice(event_sentence(event, model) or "")

    def _drop_refused_early(self) -> None:
        """That it is not this person's turn is no longer told once it is."""
        stage = self.stage
        early = tuple(text(REFUSALS["out_of_turn"], name=clean(name)) for name in self.model.names)
        stage.notices = [each for each in stage.notices if not each.sentence.startswith(early)]

    def seated(self, before: TableInfo | None, news: TableNews) -> None:
        """What is new at the table, where it does not open a page of its own."""
        if before is None or before.name != news.table.name:
            self.stage.uncover()
            self.stage.form = None
            self.stage.notices = []
        elif before.state == news.table.state:
            lasting = self._lasting(before, news.table)
            for line in news_lines(before, news, self.model):
                if line not in lasting:
                    self.stage.notice(line)
        else:
            self.stage.uncover()
            self.stage.notices = []
            self._state_at = self.stage.now

    def _lasting(self, before: TableInfo, table: TableInfo) -> set[str]:
        """The news that have a line of their own for as long as they are true."""
        sentences = presence_news(before, table, self.model)
        if before.paused and not table.paused:
            del sentences[:1]  # that the game goes on is told once
        sentences += [away_sentence(seat, -seat.away_ms) for seat in table.seats]
        return {line for sentence in sentences for line in wrapped(sentence, COLUMNS)}

    def listed(self) -> None:
        """The list is painted as it is; the table that was selected stays so."""
        names = [table.name for table in self.model.tables]
        row = names.index(self._row_name) if self._row_name in names else self.stage.row
        self._select_row(max(0, min(row, len(names) - 1)))

    def told(self, message: AnyServerMessage) -> None:
        """A card gets a page, chat its place, the rest a notice or a page if it is long."""
        if isinstance(message, Said):
            return
        if isinstance(message, Card):
            if self.model.is_playing and not self._wants_card:
                self.stage.notice(text("The rules are not those of classic; v shows them."))
            else:
                self.stage.cover, self.stage.said, self.stage.scroll = "card", [], 0
            self._wants_card = False
            return
        if isinstance(message, Declined):
            self.stage.joining = None
            self._tell([refusal_sentence(message, self.model)])
        elif isinstance(message, Hint):
            self._tell([hint_sentence(message, self.model)])
            self._point_at(message.choice)
        elif isinstance(message, Reasons):
            self._tell(reason_sentences(message.reasons, self.model))
        else:
            self._tell(message_lines(message, self.model))

    def found(self, lines: Sequence[str]) -> None:
        """Notices, or a page if there are many."""
        self._tick()
        self._tell(lines)
        self._on_change()

    def _tell(self, sentences: Sequence[str]) -> None:
        """Notices; a page where they are too long for the rows that the hand leaves."""
        stage, before = self.stage, self.stage.notices
        for sentence in sentences:
            stage.notice(sentence)
        if not are_told_whole(sentences, self.model, stage, self.sheet):
            stage.notices = before
            stage.cover, stage.said, stage.scroll = "said", [*sentences], 0

    def _point_at(self, choice: Choice) -> None:
        """Select what was advised, so that Enter does it; nothing under a half-typed line."""
        if choice.tile is not None and choice in self.model.offers and self.stage.typed is None:
            self._select(choice.tile)
            self.stage.target = choice.train

    def forget_shown(self) -> None:
        """At another table, or none, nothing of what was selected or open means anything."""
        self.stage.clear_choice()
        self.stage.uncover()

    def ring(self) -> None:
        """Ring, once."""
        self._on_ring()

    # --- the entry line -------------------------------------------------------------------

    def open_line(self, typed: str = "") -> None:
        """Open the entry line with `typed` in it."""
        self._line.start(typed)
        self._show_line()

    def paste(self, pasted: str) -> None:
        """Put what was pasted into the entry line, which opens for it; only its first line."""
        if self.stage.form is not None:
            self.stage.form.type(pasted.partition("\n")[0])
        else:
            if self.stage.typed is None:
                self._line.start()
            self._line.insert(pasted)
            self._show_line()
        self._on_change()

    def _show_line(self) -> None:
        self.stage.typed, self.stage.cursor = self._line.text, self._line.cursor

    def _type(self, key: str) -> None:
        """A key while the line is open."""
        if key == "enter":
            self.stage.typed = None
            self.stage.notices = []
            self.stage.clear_choice()
            self.enter(self._line.finish())
        elif key == "escape" or (key == "backspace" and not self._line.text):
            self.stage.typed = None
        elif self._line.press(key):
            self._show_line()

    def enter(self, line: str) -> None:
        """Do what an entry asks for, as line mode does."""
        self._tick()
        before = self.stage.cover
        waited = self.person.waits
        self._wants_card = line.partition(" ")[0].lower() in typed("rules")
        if not self.person.enter(line):
            self.stop()
        elif line.strip() and self.stage.cover is before and before is not None:
            self.stage.uncover()
        if self.person.is_cut and self.person.waits > waited:
            choice = chosen(self.model, self.stage)
            for deed in deeds_of(self.model):
                choice = deed if line in typed(deed.do) else choice
            self.stage.waiting = choice_words(choice, self.model) if choice is not None else line
        self._on_change()

    def _enter(self, line: str) -> None:
        """An entry of our own, in the words of the person's language."""
        self.enter(" ".join(typed(word)[0] for word in line.split()))

    def stop(self) -> None:
        """Stop: part from the table, then end."""
        self._stopped.set()

    # --- keys -----------------------------------------------------------------------------

    def press(self, key: str) -> None:
        """Do what a key does now: a character, or a name such as `left`, `enter`, `c-l`."""
        stage = self.stage
        self._tick()
        if stage.asks_quit:
            stage.asks_quit = False
            if key in ("q", "enter", "y"):
                self.stop()
            self._on_change()
            return
        focus = focus_of(self.model, stage)
        if focus == "line":
            self._type(key)
        elif focus == "form" and self._fill_in(key):
            pass
        elif key in DIGITS and focus != "form":
            self.open_line(key)
        elif not self._do(key):
            return
        self._on_change()

    def _do(self, key: str) -> bool:
        """What a key does while nothing is typed; whether it does anything."""
        stage = self.stage
        deed = deed_of(key, self.model, stage)
        if deed is not None:
            if deed not in MOVING:
                stage.notices = []
            self._deeds()[deed]()
        return deed is not None

    def touch(self, what: str) -> None:
        """A click on what painting named so; the second one on the same does it."""
        kind, _, name = what.partition(":")
        stage = self.stage
        if kind == "key":
            self.press(name)
        elif kind == "row" and stage.form is not None:
            stage.form.row = int(name)
            if stage.form.field == "open":
                self.press("enter")
        elif kind == "row" and self.model.table is None and stage.cover is None:
            if stage.row == int(name):
                self.press("enter")
            self._select_row(int(name))
        elif kind == "tile":
            self._touch_tile(name)
        elif kind == "train":
            self._touch_train(name)
        self._on_change()

    def _touch_tile(self, name: str) -> None:
        high, _, low = name.partition("-")
        tile = high_low((int(high), int(low)))
        if tile == self.stage.selected and chosen(self.model, self.stage) is not None:
            self.press("enter")
        else:
            self._select(tile)

    def _touch_train(self, name: str) -> None:
        if self.stage.selected is None:
            return
        if name in targets_of(self.model, self.stage.selected):
            self.stage.target = name
            self.press("enter")
        else:
            self.stage.target = name

    def _deeds(self) -> dict[Deed, Callable[[], None]]:
        enter = self._enter
        return {
            "left": lambda: self._sideways(-1),
            "right": lambda: self._sideways(1),
            "next": lambda: self._select_playable(1),
            "last": lambda: self._select_playable(-1),
            "up": lambda: self._vertically(-1),
            "down": lambda: self._vertically(1),
            "line_up": lambda: self._scroll(-1),
            "line_down": lambda: self._scroll(1),
            "page_up": lambda: self._scroll(-self.sheet.rows // 2),
            "page_down": lambda: self._scroll(self.sheet.rows // 2),
            "play": self._play,
            "back": self._back,
            "take_back": self._take_back,
            "draw": lambda: enter("draw"),
            "pass": lambda: enter("pass"),
            "knock": lambda: enter("knock"),
            "foul": self._foul,
            "order": self._turn_order,
            "earlier": lambda: self._move(-1),
            "later": lambda: self._move(1),
            "why": self._why,
            "help": lambda: self.show("help"),
            "scores": lambda: self._toggle("scores"),
            "log": lambda: self._toggle("log"),
            "hint": lambda: enter("hint"),
            "chat": lambda: self.open_line(f"{typed('say')[0]} "),
            "mouse": self._turn_mouse,
            "redraw": self._on_change,
            "quit": self._quit,
            "type": self.open_line,
            "join": self._look_before_joining,
            "watch": lambda: enter(f"watch {self.stage.row + 1}"),
            "new": self._new_table,
            "rules": self._rules,
            "tables": lambda: enter("tables"),
            "ready": self._ready,
            "start": lambda: enter("start"),
            "bot": lambda: enter("bot add planner"),
            "leave": lambda: enter("leave"),
            "rematch": lambda: enter("rematch"),
            "record": lambda: enter("record"),
            "open": self._open_table,
            "sit": self._sit_down,
        }

    # --- tiles and trains -----------------------------------------------------------------

    def _select(self, tile: tuple[int, int]) -> None:
        self.stage.clear_choice()
        self.stage.selected = high_low(tile)

    def _sideways(self, by: int) -> None:
        if self.stage.form is not None:
            self.stage.form.change(by)
            return
        tiles = [high_low(tile) for tile in arranged_hand(self.model, self.stage)]
        self._select_among(tiles, by)

    def _select_playable(self, by: int) -> None:
        playable = self.model.playable
        tiles = [high_low(tile) for tile in arranged_hand(self.model, self.stage)]
        self._select_among([tile for tile in tiles if tile in playable] or tiles, by)

    def _select_among(self, tiles: list[tuple[int, int]], by: int) -> None:
        if not tiles:
            return
        selected = self.stage.selected
        if selected in tiles:
            self._select(tiles[(tiles.index(selected) + by) % len(tiles)])
        else:
            self._select(tiles[0 if by > 0 else -1])

    def _vertically(self, by: int) -> None:
        stage, model = self.stage, self.model
        if stage.form is not None:
            stage.form.move(by)
        elif model.table is None:
            self._select_row((stage.row + by) % max(1, len(model.tables)))
        else:
            if stage.selected is None:
                self._select_playable(1)
                return
            trains = targets_of(model, stage.selected) or train_order(model)
            if stage.target in trains:
                stage.target = trains[(trains.index(stage.target) + by) % len(trains)]
            elif trains:
                stage.target = trains[0 if by > 0 else -1]

    def _play(self) -> None:
        """Play the selected tile; with several trains to choose from, the first is offered.

        With none selected, one that can be played is: Enter pressed twice plays no second tile.
        """
        stage, model = self.stage, self.model
        if stage.selected is None and model.playable:
            self._select_playable(1)
            return
        choice = chosen(model, stage)
        if choice is None:
            targets = targets_of(model, stage.selected)
            if targets:
                stage.target, stage.asks_target = favourite(model, targets), True
            return
        if choice.tile is not None:
            self._enter(f"{tile_text(choice.tile)} {choice.train}")
        stage.clear_choice()

    def _take_back(self) -> None:
        """Undo one step of a choice that is not sent: the train, the tile, what waits."""
        stage = self.stage
        if stage.target is not None:
            stage.target, stage.asks_target = None, False
        elif stage.selected is not None:
            stage.clear_choice()
        elif self.person.take_back() is not None:
            stage.waiting = ""
            stage.notice(text("Taken back; it was not sent."))

    def _foul(self) -> None:
        fouls = [choice for choice in deeds_of(self.model) if choice.do == "foul"]
        if len(fouls) > 1:
            self.open_line(f"{typed('foul')[0]} ")
        else:
            self._enter("foul")

    def _why(self) -> None:
        """Why the selected tile cannot be played, on the train that is looked at or on any.

        Help where it can, or none is selected.
        """
        stage, model = self.stage, self.model
        if stage.selected is None or targets_of(model, stage.selected):
            self.show("help")
            return
        self._enter(f"why {tile_text(stage.selected)} {stage.target or ''}")

    # --- the hand -------------------------------------------------------------------------

    def _turn_order(self) -> None:
        self.stage.order.turn()
        self._keep_order()

    def _move(self, by: int) -> None:
        tile = self.stage.selected
        if tile is not None and tile in self.stage.order.own:
            self.stage.order.move(tile, by, own_end(self.model))
            self._keep_order()

    def _keep_order(self) -> None:
        if self.model.update is not None:
            self._keeper.save(self.model.update.table, self.stage.order)

    # --- pages ----------------------------------------------------------------------------

    def _toggle(self, topic: Topic) -> None:
        if self.stage.cover == topic:
            self.stage.uncover()
        else:
            self._enter(topic)

    def _back(self) -> None:
        if self.stage.form is not None:
            self.stage.form = None
        else:
            self.stage.uncover()

    def _scroll(self, by: int) -> None:
        """So many lines on, within the page."""
        most = scroll_max(self.model, self.stage, self.sheet)
        self.stage.scroll = max(0, min(most, self.stage.scroll + by))

    def _turn_mouse(self) -> None:
        self.stage.has_mouse = not self.stage.has_mouse
        on = text("The mouse is on; it cannot select text now.")
        self.stage.notice(on if self.stage.has_mouse else text("The mouse is off."))

    def _quit(self) -> None:
        """Ask where a game would go on without this person."""
        if self.person.is_idle or self.person.is_cut:
            self.stop()
        else:
            self.stage.asks_quit = True

    # --- lobby and table ------------------------------------------------------------------

    def _select_row(self, row: int) -> None:
        self.stage.row = row
        table = self._selected_table()
        self._row_name = table.name if table is not None else ""

    def _selected_table(self) -> TableInfo | None:
        tables = self.model.tables
        return tables[self.stage.row] if self.stage.row < len(tables) else None

    def _look_before_joining(self) -> None:
        """Sit down; where the rules are not those of `classic`, their card comes first."""
        table = self._selected_table()
        if table is None:
            return
        if not table.rules.changed:
            self._enter(f"join {self.stage.row + 1}")
            return
        self.stage.joining, self.stage.cover, self.stage.scroll = table.name, "card", 0
        self.model.card = None
        self.person.do(AskRules(id=0, table=table.name))

    def _sit_down(self) -> None:
        table = self._selected_table()
        self.stage.uncover()
        if table is not None:
            self.person.note_rules(table)
            self._enter(f"join {self.stage.row + 1}")

    def _rules(self) -> None:
        if self.model.table is None:
            self._enter(f"rules {self.stage.row + 1}")
        else:
            self._enter("rules")

    def _new_table(self) -> None:
        self.stage.form = Form(name=clean(self.model.name))

    def _fill_in(self, key: str) -> bool:
        """Take a character of a row that is typed; whether the key was one."""
        form = self.stage.form
        if form is None or form.field not in ("name", "rules"):
            return False
        if key == "backspace":
            form.erase()
        elif len(key) == 1 and key.isprintable():
            form.type(key)
        else:
            return False
        return True

    def _open_table(self) -> None:
        form = self.stage.form
        if form is None:
            return
        if not form.name.strip():
            form.row = 0
            self.stage.notice(text("Give the table a name."))
            return
        self.person.do(form.command())

    def _ready(self) -> None:
        """Ready; pressed again before the start, not any more.

        A round may end under the finger that was to play: that Enter does not wave it through.
        """
        if self.model.update is not None and self.stage.now < self._state_at + GATE_SECONDS:
            return
        table, seat = self.model.table, self.model.seat
        is_ready = table is not None and seat is not None and table.seats[seat].ready
        if not is_ready:
            self._enter("ready")
        elif table is not None and table.state == "waiting":
            self._enter("ready no")
