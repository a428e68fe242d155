"""A person at a link: what is typed becomes commands, what arrives becomes knowledge and words.

Line mode and the full screen share it, so that the same entries do the same in both. Each of them
is a `Face`: it shows what a `Person` tells it, in the order of the calls, and decides nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import trio
from mexican_train.protocol import (
    AnyCommand,
    AnyEvent,
    AnyServerMessage,
    AskRules,
    Card,
    ClosingSoon,
    CreateTable,
    Declined,
    Hint,
    JoinTable,
    LeaveTable,
    ListTables,
    Nudged,
    Ok,
    Reasons,
    RecordPart,
    Said,
    SeatCode,
    TableInfo,
    TableLeft,
    TableNews,
    Tables,
    Update,
    WatchTable,
)

from .clean import clean, wrapped
from .discovery import FindServers, find_servers, found_lines
from .entries import Ask, EntryError, LookForServers, Quit, Show, Topic, read_entry
from .hints import hint_sentences, reason_sentences, refusal_sentence
from .link import Arrival, Link, LinkError, LinkNotice
from .model import Model, MoveMade
from .presence import nudge_line, presence_lines, seat_code_lines
from .records import RecordReader, save_record
from .render import COLUMNS, card_lines, said_lines
from .texts import system_reason, text
from .words import left_sentence

PARTING_SECONDS = 2.0
"""How long quitting waits for answers that are under way, and again for that to its own command."""
LAST_WORDS_SECONDS = 0.5
"""How long it waits at the last where nothing was answered: enough to get its command away."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What to do first, in place of showing the lobby, and how to speak of coming back."""

    command: CreateTable | JoinTable | WatchTable | None = None
    keeps_seat: bool = True
    """Whether the same command line would find the seat again."""
    hands: Path | None = None
    """Where the hand's order is kept for a game that has no address of its own."""


@dataclass(frozen=True, slots=True)
class Change:
    """What an update has changed in what this person knows."""

    events: Sequence[AnyEvent]
    """Those that are new."""
    is_first: bool
    """Whether nothing was known of this game before."""
    before: int | None
    """Whose turn it was."""


class Face(Protocol):
    """How a mode shows what a person is told. The model is up to date when one is called."""

    def say(self, lines: Sequence[str]) -> None:
        """Sentences that are told once."""

    def show(self, topic: Topic) -> None:
        """Something that was asked for and that the model knows."""

    def changed(self, change: Change) -> None:
        """An update was taken."""

    def seated(self, before: TableInfo | None, news: TableNews) -> None:
        """News of the table were taken; `before` is how it was."""

    def listed(self) -> None:
        """The list of tables is whole."""

    def told(self, message: AnyServerMessage) -> None:
        """A message that only tells something; `message_lines` has it in words."""

    def found(self, lines: Sequence[str]) -> None:
        """The servers on the local network that were looked for, in words."""

    def forget_shown(self) -> None:
        """What was shown of the turn is no longer where the person would look for it."""

    def ring(self) -> None:
        """It has become this person's turn, or somebody asks them to go on."""


class Person:
    """A person at an open link, shown by `face`."""

    def __init__(
        self,
        link: Link,
        face: Face,
        opening: Opening | None = None,
        find: FindServers = find_servers,
    ) -> None:
        self.model = Model()
        self.is_cut = False
        """Whether the connection is lost at the moment."""
        self.news_at = 0.0
        """When the newest news of the table came."""
        self.update_at = 0.0
        """When the newest update of the game came."""
        self._link = link
        self._face = face
        self._opening = opening or Opening()
        self._sent: dict[int, AnyCommand] = {}
        self._record = RecordReader()
        self._answered = trio.Event()
        self._find = find
        self._wanted = trio.Event()
        """Set while servers are looked for."""
        self._found = trio.Event()
        self._told_unproven = False
        self._is_parting = False
        self._rules_seen: dict[str, str] = {}
        """By table, the hash of the rules that this person has been told of."""

    def open(self) -> None:
        """Say where the link leads, and do what comes first."""
        welcome = self._link.welcome
        self.model.take(welcome)
        self.say(
            text(
                "Connected to {server} at {address} as {name}.",
                server=clean(welcome.server),
                address=self._link.address,
                name=clean(welcome.name),
            )
        )
        self.say(text("Type help to see what you can type."))
        if welcome.table is not None:
            self.say(text("You are back at {table}.", table=clean(welcome.table)))
        elif self._opening.command is not None:
            self._send(self._opening.command)
        else:
            self._send(ListTables(id=0))

    def say(self, sentence: str) -> None:
        """Have the face say a sentence, wrapped."""
        self._face.say(wrapped(clean(sentence), COLUMNS))

    # --- what is typed --------------------------------------------------------------------

    def enter(self, line: str) -> bool:
        """Do what a typed line asks for. False if the person wants to stop."""
        try:
            entry = read_entry(line, self.model)
        except EntryError as error:
            self.say(str(error))
            return True
        if isinstance(entry, Ask):
            self.do(entry.command)
        elif isinstance(entry, Show):
            self._face.show(entry.topic)
        elif isinstance(entry, LookForServers):
            self.say(text("Looking for servers on this network…"))
            self._wanted.set()
        return not isinstance(entry, Quit)

    def do(self, command: AnyCommand) -> None:
        """Send what was asked for; whoever goes on from a finished game leaves it first."""
        if _goes_on(command) and self.model.table is not None:
            self._send(LeaveTable(id=0))
        if isinstance(command, JoinTable | WatchTable):
            for table in self.model.tables:
                if table.name == command.table:
                    self._show_rules(table)
        self._send(command)

    def presence(self) -> list[str]:
        """Who is away by now, and what is done about it, a sentence each."""
        table = self.model.table
        if table is None or table.state == "waiting":
            return []
        return presence_lines(table, round((trio.current_time() - self.news_at) * 1000))

    def note_rules(self, table: TableInfo) -> None:
        """This person has seen the rules of `table`: they are not shown again on sitting down."""
        self._rules_seen[table.name] = table.rules.hash

    def take_back(self) -> AnyCommand | None:
        """Take back the newest command that still waits for a connection; None if none does."""
        for number in reversed(self._sent):
            if self._link.take_back(number):
                self._answered.set()
                return self._sent.pop(number)
        return None

    @property
    def waits(self) -> int:
        """How many commands of this person have not been answered yet."""
        return len(self._sent)

    def _show_rules(self, table: TableInfo) -> None:
        """Ask for the card of unusual rules, once, and tell of rules that are others now."""
        seen = self._rules_seen.get(table.name)
        self.note_rules(table)
        if seen == table.rules.hash:
            return
        if seen is not None:
            self.say(
                text(
                    "The rules of {table} are not those that you were told of.",
                    table=clean(table.name),
                )
            )
        if table.rules.changed or seen is not None:
            self._send(AskRules(id=0, table=table.name))

    def _send(self, command: AnyCommand) -> None:
        try:
            number = self._link.send(command)
        except LinkError as error:
            self.say(error.text)
        else:
            self._sent[number] = command
            if self.is_cut and not self._is_parting:
                self.say(text("There is no connection now; this waits until there is one."))

    async def until_answered(self, seconds: float) -> bool:
        """Wait for the answers that are still to come; whether they came in time."""
        with trio.move_on_after(seconds):
            while self._sent:
                self._answered = trio.Event()
                await self._answered.wait()
        return not self._sent

    async def look_for_servers(self) -> None:
        """Look for servers on the local network whenever somebody wants to know; never ends."""
        while True:
            await self._wanted.wait()
            servers = await self._find()
            found, self._found, self._wanted = self._found, trio.Event(), trio.Event()
            self._face.found(found_lines(servers))
            found.set()

    async def until_found(self) -> None:
        """Wait until the servers that are looked for have been told."""
        if self._wanted.is_set():
            await self._found.wait()

    async def part(self) -> None:
        """Free a seat that no game needs, and let answers come in.

        Nothing is waited for, and nothing promised, without a connection.
        """
        self._is_parting = True
        is_answered = self.is_cut or await self.until_answered(PARTING_SECONDS)
        table = self.model.table
        if self.is_cut:
            if table is not None and not self.is_idle and self._opening.keeps_seat:
                self.say(
                    text(
                        "If the server comes back with this game, look for your seat at {table} "
                        "under the same name, {name}.",
                        table=clean(table.name),
                        name=clean(self.model.name),
                    )
                )
            return
        if table is not None and self.is_idle:
            self._send(LeaveTable(id=0))
        elif table is not None and self._opening.keeps_seat:
            self.say(
                text(
                    "Your seat at {table} is kept: come back under the same name, {name}.",
                    table=clean(table.name),
                    name=clean(self.model.name),
                )
            )
        await self.until_answered(PARTING_SECONDS if is_answered else LAST_WORDS_SECONDS)

    @property
    def is_idle(self) -> bool:
        """Whether no game needs this person: it waits, is over, or is only looked at."""
        table = self.model.table
        return self.model.seat is None or (
            table is not None and table.state in ("waiting", "over") and not self.model.is_playing
        )

    # --- what comes in --------------------------------------------------------------------

    def take(self, arrival: Arrival) -> None:
        """Learn from a message or notice and have the face show what it tells."""
        if isinstance(arrival, LinkNotice):
            self._take_notice(arrival)
            return
        answers: int = getattr(arrival, "answers", 0)
        command = self._sent.pop(answers, None)
        if isinstance(arrival, Update):
            self._take_update(arrival)
        elif isinstance(arrival, TableNews):
            before = self.model.table
            self.news_at = trio.current_time()
            self.model.take(arrival)
            self._face.seated(before, arrival)
            self._show_rules(arrival.table)
        elif isinstance(arrival, Ok) and isinstance(command, LeaveTable):
            self._leave()
        elif isinstance(arrival, Tables):
            self._take_tables(arrival)
        elif isinstance(arrival, RecordPart):
            self._take_record(arrival)
        elif isinstance(arrival, TableLeft):
            self.say(left_sentence(arrival))
            self._leave()
        else:
            self.model.take(arrival)
            self._face.told(arrival)
            if isinstance(arrival, Nudged) and self.model.seat in arrival.seats:
                self._face.ring()
        if answers:
            self._answered.set()

    def _take_notice(self, notice: LinkNotice) -> None:
        is_lost = notice.kind == "lost"
        self.is_cut = is_lost or (self.is_cut and notice.kind != "back")
        trying = text("Trying to come back; quit stops.")
        self.say(f"{notice.text} {trying}" if is_lost else notice.text)
        if notice.kind == "back":
            was_at_table = self.model.table is not None
            self.model.take(self._link.welcome)
            self._face.forget_shown()
            if was_at_table and self.model.table is None:
                self.say(text("You are in the lobby now."))

    def _take_update(self, update: Update) -> None:
        model = self.model
        if model.is_stale(update):
            return
        was_my_turn = model.is_my_turn
        change = Change(model.new_events(update), model.update is None, model.to_act)
        model.take(update)
        self.update_at = trio.current_time()
        if update.unproven and not self._told_unproven:
            self._told_unproven = True
            self.say(text("This server deals from a fixed seed: a test or a demonstration."))
        others_acted = any(
            isinstance(event, MoveMade) and event.seat != model.seat for event in change.events
        )
        if model.is_my_turn and (others_acted or not was_my_turn):
            self._face.ring()
        self._face.changed(change)

    def _take_tables(self, listed: Tables) -> None:
        self.model.take(listed)
        if listed.page + 1 < listed.pages:
            self._send(ListTables(id=0, page=listed.page + 1))
        else:
            self._face.listed()

    def _take_record(self, part: RecordPart) -> None:
        """Ask for the next part, or save the whole."""
        whole = self._record.take(part)
        if not isinstance(whole, str):
            self._send(whole)
            return
        try:
            path = save_record(whole, part.table)
        except OSError as error:
            self.say(text("The record cannot be saved: {reason}.", reason=system_reason(error)))
        else:
            # whole, so that it can be copied: a path is not wrapped
            self._face.say([text("The record is saved in {path}", path=path)])

    def _leave(self) -> None:
        self.model.leave()
        self._face.forget_shown()
        self._told_unproven = False
        if not any(map(_goes_on, self._sent.values())) and not self._is_parting:
            self.say(text("You are in the lobby."))
            self._send(ListTables(id=0))


def _goes_on(command: AnyCommand) -> bool:
    """Whether `command` leads to a table."""
    return isinstance(command, JoinTable | CreateTable | WatchTable)


def message_lines(message: AnyServerMessage, model: Model) -> list[str]:
    """The lines of a message that only tells something; none for the person's own chat."""
    if isinstance(message, Said):
        return [] if message.name and message.name == model.name else said_lines(message)
    if isinstance(message, Declined):
        return wrapped(refusal_sentence(message, model), COLUMNS)
    if isinstance(message, Hint):
        return _lines(hint_sentences(message, model))
    if isinstance(message, Reasons):
        return _lines(reason_sentences(message.reasons, model))
    if isinstance(message, Card):
        return card_lines(message)
    if isinstance(message, Nudged):
        return wrapped(nudge_line(message, model), COLUMNS)
    if isinstance(message, SeatCode):
        return seat_code_lines(message)
    if isinstance(message, ClosingSoon):
        return [text("The server stops in {seconds} s.", seconds=message.seconds)]
    return []


def _lines(sentences: Sequence[str]) -> list[str]:
    """Sentences, each from the start of a line."""
    return [line for each in sentences for line in wrapped(each, COLUMNS)]
