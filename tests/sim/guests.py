"""Who comes to a simulated server: players who keep to the protocol, and people who do not.

All of them speak through the real `ClientConnection`. `Honest` plays as a good client would, over
any number of cables; `Rogue` has a seat and tries everything in it; `Stranger` has none.
"""

import struct
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from mexican_train.protocol import (
    AskRules,
    BadMessage,
    Choice,
    ClientConnection,
    CreateTable,
    Declined,
    Done,
    Draw,
    Foul,
    Goodbye,
    Heartbeat,
    HeartbeatAnswer,
    Hello,
    JoinTable,
    Kick,
    Knock,
    LeaveTable,
    ListTables,
    Pass,
    Ping,
    Play,
    Ready,
    Refused,
    Rematch,
    RemoteProtocolError,
    Resync,
    Say,
    StartTable,
    State,
    TableNews,
    Update,
    WatchTable,
    Welcome,
)

from .laws import Laws, hold
from .shell import Shell
from .world import Cable, World

MOVES = (Play, Draw, Pass, Done, Knock, Foul)


class Guest:
    """One client: at most one cable at a time, and what it keeps between cables."""

    def __init__(self, street: "Street", name: str, kind: Any) -> None:
        self.street = street
        self.world = street.world
        self.name = name
        self.kind = kind
        self.cable: Cable | None = None
        self.connection = ClientConnection()

    # --- the cable ------------------------------------------------------------------------

    def connect(self) -> None:
        """Open a new cable, and say hello."""
        if self.cable is not None:
            return
        cable = self.street.lay_cable()
        self.cable = cable
        self.connection = ClientConnection()
        cable.down.on_bytes = lambda received: self._receive(cable, received)
        cable.down.on_end = lambda: self._ended(cable)
        self.on_cable(cable)

    def on_cable(self, cable: Cable) -> None:
        """Say the first words."""
        raise NotImplementedError

    def on_message(self, message: Any) -> None:
        """Take a message in."""
        raise NotImplementedError

    def on_lost(self) -> None:
        """The cable is gone."""

    def send(self, message: Any) -> None:
        """Send a message as the protocol says."""
        self.send_bytes(self.connection.send(message))

    def send_bytes(self, sent: bytes) -> None:
        """Send anything at all."""
        if self.cable is not None:
            self.cable.up.write(sent)

    def hang_up(self) -> None:
        """Cut the own cable."""
        cable, self.cable = self.cable, None
        if cable is not None:
            cable.cut()
            self.on_lost()

    def _receive(self, cable: Cable, received: bytes) -> None:
        if cable is not self.cable:
            return
        for message in self.connection.receive_data(received):
            hold(not isinstance(message, BadMessage), "the server keeps the protocol", message)
            if isinstance(message, Heartbeat):
                self.answer_heartbeat(cable, message.n)
            else:
                self.on_message(message)
            if cable is not self.cable:
                return

    def answer_heartbeat(self, cable: Cable, number: int) -> None:
        """Say that one is there, if the cable still is."""
        if cable is self.cable and self.connection.state is State.OPEN:
            self.send(HeartbeatAnswer(n=number))

    def _ended(self, cable: Cable) -> None:
        if cable is self.cable:
            self.hang_up()


class Honest(Guest):
    """A player who wants a seat and a game, and comes back after every loss.

    Attributes:
        token: what its disk holds.
        answered: ids whose answer has come.
    """

    def __init__(self, street: "Street", name: str, kind: Any, table: str) -> None:
        super().__init__(street, name, kind)
        self.table = table
        self.token: bytes | None = None
        self.spent: list[bytes] = []
        self.is_at_table = False
        self.is_over = False
        self.is_calm = False
        self.last_event = 0
        self.last_id = 0
        self.update: Update | None = None
        self.unanswered: dict[int, Any] = {}
        self.answered: dict[int, Any] = {}
        self.losses = 0
        self._asked: Counter[int] = Counter()
        self._told: Counter[int] = Counter()
        self._carried: frozenset[int] = frozenset()
        self._is_thinking = False
        self._is_my_turn_to_ask = False
        self._seen_to = 0

    @property
    def number(self) -> int:
        """How the server calls this player."""
        player = self.street.shell.lobby._players.named(self.name)
        assert player is not None
        return player.number

    def on_cable(self, cable: Cable) -> None:
        random = self.world.random
        if not self.is_calm:
            if random.random() < 0.3:
                cable.plan_cut()
            cable.down.is_slow = random.random() < 0.1
        self._asked.clear()
        self._told.clear()
        last_event = self.last_event if self.token else 0
        self.send(
            Hello(
                versions=(1, 1),
                kind=self.kind,
                name=self.name,
                token=self.token,
                last_event=last_event,
            )
        )
        self.world.after(15.0, self._lose_patience, cable)

    def _lose_patience(self, cable: Cable) -> None:
        """Too long without a welcome: hang up, and come again."""
        if cable is self.cable and self.connection.state is State.AWAIT_WELCOME:
            self.hang_up()

    def on_lost(self) -> None:
        self.losses += 1
        self.world.after(self.world.between(0.05, 2.0), self.connect)

    def on_message(self, message: Any) -> None:
        match message:
            case Welcome():
                self._come_in(message)
            case Refused(code=code):
                # without a token the first welcome was lost, and the old cable is not yet missed
                is_early = self.token is None and code == "name_taken"
                hold(is_early or code == "storage_full", "no lock-out", self.name, code)
                self.hang_up()
            case Goodbye(code=code):
                hold(code in {"slow_consumer", "shutdown"}, "no goodbye to the honest", code)
                self.hang_up()
            case Update():
                self._take_update(message)
            case TableNews():
                self.is_at_table = message.seat is not None
                self.on_news(message)
        if self.cable is not None:
            self._take_answer(message)
            self._ask_for_another()
            self.consider()

    def _come_in(self, welcome: Welcome) -> None:
        if not self.is_calm and self.world.chance(0.1):
            self.hang_up()  # it dies before the token is on the disk
            return
        if self.token is not None:
            self.spent.append(self.token)
        self.token = welcome.token
        if self.last_id == 0:
            self.last_id = welcome.last_id
        self.is_at_table = welcome.table == self.table
        if not self.is_at_table:
            self.last_event = self._seen_to = 0
        self._carried = frozenset(self.unanswered)
        for command in list(self.unanswered.values()):
            self._transmit(command)
        self._take_seat()
        self.consider()

    def _take_seat(self) -> None:
        """Ask for a seat, unless there is one, or that is being asked already."""
        is_asked = any(
            isinstance(each, JoinTable | WatchTable) for each in self.unanswered.values()
        )
        if not self.is_at_table and not is_asked:
            self.command(JoinTable, table=self.table)

    def _take_update(self, update: Update) -> None:
        self.street.laws.seen(update)
        numbers = [event.n for event in update.events]
        hold(numbers == sorted(set(numbers)), "events in order", numbers)
        if self._seen_to and numbers and not update.answers:
            # of games before the last nothing is left once a table was made from its log
            start = max(self._seen_to, self.street.laws.forgotten.get(self.table, 0))
            wanted = list(range(start + 1, update.last_event + 1))
            new = [number for number in numbers if number > start]
            hold(new == wanted, "no event missed", self.name, self._seen_to, numbers)
        self._seen_to = max(self._seen_to, update.last_event)
        self.last_event = self._seen_to
        self.update = update
        self.is_over = update.view.phase == "over"

    def _take_answer(self, message: Any) -> None:
        number = getattr(message, "answers", 0)
        if not number:
            return
        self._told[number] += 1
        # one that was asked on an earlier cable may be answered here before it is asked again
        allowed = self._asked[number] + (number in self._carried)
        hold(self._told[number] <= allowed, "answered once", number, type(message).__name__)
        command = self.unanswered.pop(number, None) or self.answered.get(number)
        self.answered[number] = command
        self.street.laws.answered(self.number, number, message)
        if isinstance(command, JoinTable | WatchTable) and isinstance(message, Declined):
            self.world.after(1.0, self._take_seat)  # as when there was no room to store it
        if isinstance(command, MOVES) and isinstance(message, Update):
            self.street.laws.acknowledged(self.number, number)
            self.street.acknowledged += 1

    def on_news(self, news: TableNews) -> None:
        """The table has changed."""
        is_waiting = news.table.state == "between" or (
            news.table.state == "waiting" and news.table.start == "ready"
        )
        me = news.table.seats[news.seat] if news.seat is not None else None
        if is_waiting and me is not None and not me.ready and not self.unanswered:
            self.command(Ready, on=True)
        self._is_my_turn_to_ask = (
            news.table.host == self.name and news.table.state == "over" and not self.is_calm
        )

    def _ask_for_another(self) -> None:
        """Have another game, if this one is over and there is a host to want it."""
        if self._is_my_turn_to_ask and self.street.rematches and not self.unanswered:
            self.street.rematches -= 1
            self.command(Rematch)

    # --- playing --------------------------------------------------------------------------

    def command(self, kind: type, **fields: Any) -> None:
        """Send a command under the next id, again and again until it is answered."""
        self.last_id += 1
        command = kind(id=self.last_id, **fields)
        self.unanswered[self.last_id] = command
        self._transmit(command)
        if not self.is_calm and self.world.chance(0.05):
            self._transmit(command)

    def _transmit(self, command: Any) -> None:
        if self.cable is None or self.connection.state is not State.OPEN:
            return
        self._asked[command.id] += 1
        self.send(command)

    def consider(self) -> None:
        """Think about what to do, if there is anything; only one thought at a time."""
        update = self.update
        if self._is_thinking or update is None or self.unanswered or not update.choices:
            return
        self._is_thinking = True
        slowest = 3.0 if self.kind == "person" else 0.3
        self.world.after(self.world.between(0.01, slowest), self._act)

    def _act(self) -> None:
        self._is_thinking = False
        update = self.update
        if update is None or self.unanswered or self.cable is None:
            return
        if self.connection.state is State.OPEN and update.choices:
            self.act(update)

    def act(self, update: Update) -> None:
        """Do one of the things that may be done."""
        self.choose(self.world.random.choice(update.choices), update.turn)

    def choose(self, choice: Choice, turn: int) -> None:
        """Do what a choice says."""
        match choice.do:
            case "play":
                self.command(Play, tile=choice.tile, train=choice.train, turn=turn)
            case "knock":
                self.command(Knock)
            case "foul":
                self.command(Foul, seat=choice.seat, event=choice.event)
            case "draw":
                self.command(Draw, turn=turn)
            case "pass":
                self.command(Pass, turn=turn)
            case "done":
                self.command(Done, turn=turn)

    def settle(self) -> None:
        """From now on no losses; all that was asked on this cable is to be answered."""
        self.is_calm = True
        if self.cable is not None:
            self.cable.up.cut_in = self.cable.down.cut_in = None
            self.cable.down.is_slow = False

    def check_settled(self) -> None:
        """Every command has its answer."""
        hold(not self.unanswered, "every command is answered", self.name, self.unanswered)
        missing = [number for number in self._asked if not self._told[number]]
        hold(not missing, "every command is answered", self.name, missing)


class Rogue(Honest):
    """Sits at the table and tries what a seat may not do, and what it has done already.

    It also answers heartbeats late, to be taken for far away and given time.
    """

    def answer_heartbeat(self, cable: Cable, number: int) -> None:
        late = self.world.random.choice((0, 0.4, 3, 30))
        self.world.after(late, super().answer_heartbeat, cable, number)

    def act(self, update: Update) -> None:
        random = self.world.random
        if self.is_calm or random.random() < 0.5:
            super().act(update)
            return
        random.choice(self._tricks())(random, update)

    def _tricks(self) -> list[Callable[[Random, Update], None]]:
        return [
            self._be_stale,
            self._play_anything,
            self._repeat,
            self._call_foul,
            self._jump,
            self._meddle,
            self._babble,
        ]

    def _be_stale(self, random: Random, update: Update) -> None:
        """A good choice under another turn."""
        wrong = update.turn + random.choice((-1, 1, -2, 1000))
        self.choose(random.choice(update.choices), max(0, wrong))

    def _play_anything(self, random: Random, update: Update) -> None:
        """A tile that is anywhere, to a train that may not be."""
        top = update.view.max_pip
        tile = (random.randint(0, top), random.randint(0, top))
        train = random.choice(("p0", "p1", "p3", "m0", "m1"))
        self.command(Play, tile=tile, train=train, turn=update.turn)

    def _repeat(self, random: Random, _update: Update) -> None:
        """A command that was answered, once more."""
        newest = [number for number in self.answered if number > self.last_id - 25]
        if newest and (command := self.answered[random.choice(newest)]) is not None:
            self._transmit(command)
        self.world.after(0.2, self.consider)

    def _call_foul(self, random: Random, update: Update) -> None:
        event = random.randint(1, max(1, update.last_event))
        self.command(Foul, seat=random.randrange(4), event=event)

    def _jump(self, random: Random, _update: Update) -> None:
        """Ids need not be next to one another."""
        self.last_id += random.choice((1, 7, 900))
        self.command(Ping)

    def _meddle(self, random: Random, _update: Update) -> None:
        """What is not for now, or not for this one."""
        kind, fields = random.choice(
            (
                (StartTable, {}),
                (Rematch, {}),
                (JoinTable, {"table": self.table}),
                (WatchTable, {"table": self.table}),
                (Kick, {"name": "guest 0"}),
                (CreateTable, {"name": "another"}),
                (Resync, {}),
                (ListTables, {}),
                (AskRules, {"name": "classic"}),
                (Say, {"text": "hello"}),
                (Knock, {}),
            )
        )
        self.command(kind, **fields)

    def _babble(self, random: Random, _update: Update) -> None:
        """Well framed, and no use."""
        payload = random.choice((b"\x81\xa4type\xa5dance", b"\x81\xa2no\x05", b"\x80"))
        self.send_bytes(struct.pack(">I", len(payload)) + payload)
        self.world.after(0.2, self.consider)

    def _take_answer(self, message: Any) -> None:
        if isinstance(message, Declined) and message.answers not in self._asked:
            return  # to the babble
        super()._take_answer(message)


class Watcher(Honest):
    """Looks on."""

    def command(self, kind: type, **fields: Any) -> None:
        super().command(WatchTable if kind is JoinTable else kind, **fields)

    def on_news(self, news: TableNews) -> None:
        self.is_at_table = news.table.name == self.table


class Stranger(Guest):
    """Has no seat; wants somebody's chair, or that the server falls over."""

    def __init__(self, street: "Street", number: int) -> None:
        super().__init__(street, f"stranger {number}", "person")
        self.answers = 0

    def on_cable(self, cable: Cable) -> None:
        random = self.world.random
        victim = random.choice([each for each in self.street.honest if each.kind != "watcher"])
        # any other one may still count: whoever shows it is its owner
        ended = [each for each in victim.spent if self.street.laws.is_ended(each)]
        spent = random.choice(ended or [bytes(32)])
        hello = {"versions": (1, 1), "kind": self.kind}
        tricks: list[Callable[[], None]] = [
            lambda: self.send(Hello(name=victim.name, token=random.randbytes(32), **hello)),
            lambda: self.send(Hello(name=victim.name.upper(), **hello)),
            lambda: self.send(Hello(name=victim.name, token=spent, **hello)),
            lambda: self.send(Hello(name=self.name, token=spent, **hello)),
            lambda: self.send(Hello(name=self.name, **hello)),
            lambda: self.send(Hello(name=self.name, **hello)),
            lambda: self.send_bytes(random.randbytes(random.randint(1, 2000))),
            lambda: self.send_bytes(struct.pack(">I", random.randint(900, 2**32 - 1)) + bytes(60)),
            lambda: self.send_bytes(ClientConnection().send(Hello(name="x", **hello))[:20]),
        ]
        random.choice(tricks)()
        self.world.after(self.world.between(0.5, 30), self._leave, cable)

    def _leave(self, cable: Cable) -> None:
        if cable is self.cable:
            self.hang_up()

    def on_lost(self) -> None:
        if not self.street.is_closing:
            self.world.after(self.world.between(0.5, 10), self.connect)

    def on_message(self, message: Any) -> None:
        self.answers += 1
        if not isinstance(message, Welcome):
            return
        hold(message.name == self.name, "nobody gets another's chair", message.name)
        random = self.world.random
        for number in range(message.last_id + 1, message.last_id + random.randint(2, 8)):
            command = random.choice(
                (
                    JoinTable(id=number, table="t"),
                    Play(id=number, tile=(6, 5), train="p0", turn=random.randint(0, 90)),
                    Foul(id=number, seat=0, event=random.randint(1, 90)),
                    Kick(id=number, name="guest 0"),
                    Say(id=number, text="x" * 500),
                    ListTables(id=number),
                    LeaveTable(id=number),
                    Ping(id=number),
                )
            )
            self.send(command)
        self.send_bytes(random.randbytes(random.choice((0, 0, 3, 50))))

    def _receive(self, cable: Cable, received: bytes) -> None:
        try:
            super()._receive(cable, received)
        except RemoteProtocolError as error:
            hold(False, "the server keeps the protocol", error)


class Street:
    """What all guests share: the world, the server, the laws.

    Attributes:
        acknowledged: moves that clients were told of.
        rematches: games that the host will still ask for.
    """

    def __init__(self, world: World, shell: Shell, laws: Laws) -> None:
        self.world = world
        self.shell = shell
        self.laws = laws
        self.honest: list[Honest] = []
        self.is_closing = False
        self.acknowledged = 0
        self.rematches = 0
        self._cables = 0

    def lay_cable(self) -> Cable:
        """A new cable to the server."""
        self._cables += 1
        cable = Cable(self.world, self._cables)
        self.shell.connect(cable)
        return cable
