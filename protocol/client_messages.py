"""Client to server: the hello, the commands, the answer to a heartbeat.

One struct a message; the type field names it. Bounds stand beside the fields and are checked
before anything else sees the message.
"""

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from .secrecy import shown, shown_fields
from .values import (
    AbsenceChoice,
    ClientKind,
    CommandId,
    Deed,
    EventNumber,
    OptionText,
    PlayerName,
    RulesName,
    SeatNumber,
    StartRule,
    StrategyName,
    TableName,
    Tile,
    TimeoutChoice,
    TrainName,
    Turn,
)

Password = Annotated[str, Meta(max_length=200)]
Seconds = Annotated[int, Meta(ge=0, le=86_400)]
ShortText = Annotated[str, Meta(max_length=40)]


class ClientMessage(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True
):
    """A message from a client. Fields with a default may be left out."""

    secrets: ClassVar[frozenset[str]] = frozenset({"password", "token", "seat_code"})

    def __repr__(self) -> str:
        return shown(self, self.secrets)

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return shown_fields(self, self.secrets)


class Hello(ClientMessage, frozen=True, kw_only=True, tag="hello"):
    """The first message of every connection."""

    versions: Annotated[
        tuple[Annotated[int, Meta(ge=0, le=2**16)], Annotated[int, Meta(ge=0, le=2**16)]],
        Meta(description="lowest and highest protocol version that the client speaks"),
    ]
    kind: Annotated[
        ClientKind, Meta(description="a `bot` chooses in a bounded time, a `watcher` looks on")
    ]
    name: Annotated[PlayerName, Meta(description="the player's name")]
    program: Annotated[ShortText, Meta(description="the client's name")] = ""
    program_version: Annotated[ShortText, Meta(description="of the client")] = ""
    features: Annotated[
        list[ShortText],
        Meta(
            max_length=32,
            description="a `+` in front: cannot do without. `strict`: unknown fields are errors",
        ),
    ] = []
    token: Annotated[
        Annotated[bytes, Meta(max_length=32)] | None,
        Meta(description="the resume token of the last welcome: back to the same player"),
    ] = None
    last_event: Annotated[
        EventNumber, Meta(description="with a token: the last event seen at the table")
    ] = 0
    password: Annotated[Password | None, Meta(description="the server's password")] = None
    seat_code: Annotated[
        ShortText | None,
        Meta(description="without a token: back to the player whose token is lost"),
    ] = None
    lang: Annotated[
        str, Meta(max_length=8, description="wanted for texts, as far as the server has it")
    ] = "en"


class HeartbeatAnswer(ClientMessage, frozen=True, kw_only=True, tag="heartbeat"):
    """The answer to the server's heartbeat: the same number."""

    n: Annotated[int, Meta(ge=0, le=2**32 - 1, description="of the heartbeat")]


class Command(ClientMessage, frozen=True, kw_only=True):
    """A message that is answered, once, by its id."""

    id: Annotated[
        CommandId,
        Meta(description="higher than any id that this player used before (`last_id`)"),
    ]


# --- lobby --------------------------------------------------------------------------------


class ListTables(Command, frozen=True, kw_only=True, tag="list"):
    """Ask for the tables. Answered by `tables`."""

    page: Annotated[int, Meta(ge=0, le=1000, description="from 0")] = 0


class CreateTable(Command, frozen=True, kw_only=True, tag="create"):
    """Open a table, sit down at it and be its host. Answered by `table`."""

    name: Annotated[TableName, Meta(description="the table's")]
    rules: Annotated[
        RulesName | None, Meta(description="a preset; null: what this server plays")
    ] = None
    options: Annotated[
        list[OptionText], Meta(max_length=64, description="single options over these rules")
    ] = []
    seats: Annotated[int, Meta(ge=2, le=14, description="places, bots included")] = 4
    first_seat: Annotated[SeatNumber, Meta(description="the seat that opens round 1")] = 0
    bots: Annotated[
        list[StrategyName], Meta(max_length=13, description="house bots to seat at once")
    ] = []
    start: Annotated[
        StartRule,
        Meta(
            description="`full`: when every seat is taken; `ready`: when besides every person "
            "is ready; `manual`: by the host's `start`"
        ),
    ] = "ready"
    watchers: Annotated[
        Literal["none", "public"], Meta(description="`public`: see what everybody sees")
    ] = "public"
    password: Annotated[Password | None, Meta(description="wanted from who joins")] = None
    turn_seconds: Annotated[
        Seconds | None,
        Meta(description="a person's time for a turn; 0: no limit; null: as on this server"),
    ] = None
    bank_seconds: Annotated[
        Seconds | None,
        Meta(description="what a person may need beyond that in a whole game; null: likewise"),
    ] = None
    on_timeout: Annotated[
        TimeoutChoice | None,
        Meta(description="when that is spent: skip, or a substitute plays the turn"),
    ] = None
    on_absent: Annotated[
        AbsenceChoice | None,
        Meta(description="for who is away for long; `wait`: the others may vote"),
    ] = None
    hints: Annotated[
        bool | None,
        Meta(description="whether persons may ask for a `hint`; null: as on this server"),
    ] = None


class JoinTable(Command, frozen=True, kw_only=True, tag="join"):
    """Sit down. Answered by `table`, and by an `update` if the game runs."""

    table: TableName
    seat: Annotated[SeatNumber | None, Meta(description="null: the first free one")] = None
    password: Annotated[Password | None, Meta(description="the table's")] = None


class WatchTable(Command, frozen=True, kw_only=True, tag="watch"):
    """Look on without a seat. Answered by `table`, and by an `update` if the game runs."""

    table: TableName
    password: Annotated[Password | None, Meta(description="the table's")] = None


class LeaveTable(Command, frozen=True, kw_only=True, tag="leave"):
    """Leave the table, or stop watching. Answered by `ok`.

    Before the start the seat becomes free; in a running game it is kept for its owner, who may
    `join` again.
    """


class Ready(Command, frozen=True, kw_only=True, tag="ready"):
    """Ready to start, or for the next round. Answered by `table`."""

    on: Annotated[bool, Meta(description="false: not any more")] = True


class StartTable(Command, frozen=True, kw_only=True, tag="start"):
    """The host starts; empty seats are taken by house bots. Answered by `table`."""


class AddBot(Command, frozen=True, kw_only=True, tag="bot_add"):
    """The host seats a house bot before the start. Answered by `table`."""

    strategy: StrategyName


class RemoveBot(Command, frozen=True, kw_only=True, tag="bot_remove"):
    """The host takes a house bot away before the start. Answered by `table`."""

    name: PlayerName


class Kick(Command, frozen=True, kw_only=True, tag="kick"):
    """The host sends a player or watcher away before the start. Answered by `table`."""

    name: PlayerName


class PassHost(Command, frozen=True, kw_only=True, tag="host"):
    """The host makes another person at the table the host. Answered by `table`.

    Who has lost the role by being away gets it back by naming itself.
    """

    name: PlayerName


class Rematch(Command, frozen=True, kw_only=True, tag="rematch"):
    """The host sets a finished table up again with the same seats. Answered by `table`."""


class AskSeatCode(Command, frozen=True, kw_only=True, tag="seat_code"):
    """The host asks for a code for a player who is away and has lost the token.

    Answered by `seat_code`. The code works once, until the player returns or another is asked for.
    """

    name: PlayerName


class AskRules(Command, frozen=True, kw_only=True, tag="rules"):
    """Ask for a rule card: of a table, or of a preset. Answered by `card`."""

    table: Annotated[
        TableName | None, Meta(description="null without a `name`: the one where you are")
    ] = None
    name: Annotated[RulesName | None, Meta(description="a preset; null: see `table`")] = None


# --- game ---------------------------------------------------------------------------------


class Play(Command, frozen=True, kw_only=True, tag="play"):
    """Lay a tile. Answered by `update`."""

    turn: Annotated[Turn, Meta(description="the `turn` of the update that this answers")]
    tile: Annotated[Tile, Meta(description="either end first")]
    train: Annotated[TrainName, Meta(description="where it goes")]


class Draw(Command, frozen=True, kw_only=True, tag="draw"):
    """Draw a tile. Answered by `update`."""

    turn: Annotated[Turn, Meta(description="as in `play`")]


class Pass(Command, frozen=True, kw_only=True, tag="pass"):
    """End a turn without a tile. Answered by `update`."""

    turn: Annotated[Turn, Meta(description="as in `play`")]


class Done(Command, frozen=True, kw_only=True, tag="done"):
    """End a turn of several tiles. Answered by `update`."""

    turn: Annotated[Turn, Meta(description="as in `play`")]


class Knock(Command, frozen=True, kw_only=True, tag="knock"):
    """Tell everybody that one tile is left. Answered by `update`."""


class Foul(Command, frozen=True, kw_only=True, tag="foul"):
    """Call a seat that did not knock. Answered by `update`."""

    seat: Annotated[SeatNumber, Meta(description="who did not knock")]
    event: Annotated[EventNumber, Meta(description="the `event` of the choice")]


class Vote(Command, frozen=True, kw_only=True, tag="vote"):
    """Say what is to be done for a seat whose owner is away for long. Answered by `table`."""

    choice: Annotated[AbsenceChoice, Meta(description="may be changed by voting again")]
    seat: Annotated[
        SeatNumber | None, Meta(description="null: every seat that may be voted on")
    ] = None


class Pause(Command, frozen=True, kw_only=True, tag="pause"):
    """The host stops the game and all clocks, or lets them go on. Answered by `table`."""

    on: Annotated[bool, Meta(description="false: go on")] = True


class Why(Command, frozen=True, kw_only=True, tag="why"):
    """Ask why this seat may not make a move now, or whether it may. Answered by `reasons`.

    It is about the moves of your own seat, in turn or out of it, and changes nothing.
    """

    do: Annotated[Deed, Meta(description="the move asked about")] = "play"
    tile: Annotated[Tile | None, Meta(description="play: the tile, either end first")] = None
    train: Annotated[
        TrainName | None, Meta(description="play: where it would go; null: every train")
    ] = None
    seat: Annotated[SeatNumber | None, Meta(description="foul: the seat that would be called")] = (
        None
    )


class AskHint(Command, frozen=True, kw_only=True, tag="hint"):
    """A person asks what to do now. Answered by `hint`, at tables that give them."""


class AskRecord(Command, frozen=True, kw_only=True, tag="record"):
    """Ask for the record of a finished game, part by part. Answered by `record_part`."""

    table: Annotated[TableName, Meta(description="where you are, or have a seat")]
    part: Annotated[int, Meta(ge=0, le=10_000, description="from 0")] = 0


# --- always -------------------------------------------------------------------------------


class Say(Command, frozen=True, kw_only=True, tag="say"):
    """Chat to the table, or to the lobby without one. Answered by `ok`."""

    text: Annotated[str, Meta(min_length=1, max_length=500)]


class Nudge(Command, frozen=True, kw_only=True, tag="nudge"):
    """Ask who is awaited to go on; once in 30 s. Answered by `ok`."""


class Mute(Command, frozen=True, kw_only=True, tag="mute"):
    """Hear no chat and no nudge of a player any more. Answered by `ok`."""

    name: PlayerName
    on: Annotated[bool, Meta(description="false: hear the player again")] = True


class Ping(Command, frozen=True, kw_only=True, tag="ping"):
    """Ask for a sign of life. Answered by `pong`."""


class Resync(Command, frozen=True, kw_only=True, tag="resync"):
    """Ask for the whole state again. Answered by `table` and `update`, or `ok` in the lobby."""


AnyCommand = (
    ListTables
    | CreateTable
    | JoinTable
    | WatchTable
    | LeaveTable
    | Ready
    | StartTable
    | AddBot
    | RemoveBot
    | Kick
    | PassHost
    | Rematch
    | AskSeatCode
    | AskRules
    | Play
    | Draw
    | Pass
    | Done
    | Knock
    | Foul
    | Vote
    | Pause
    | Why
    | AskHint
    | AskRecord
    | Say
    | Nudge
    | Mute
    | Ping
    | Resync
)
AnyClientMessage = Hello | HeartbeatAnswer | AnyCommand
