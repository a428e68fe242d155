"""What messages are made of: tiles, trains, choices, events, the view and the table.

Each type here is the wire form. Shapes, bounds and meanings stand beside each field and are
printed from here into `docs/protocol.md`. Nothing here knows the rules of the game.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A value inside a message: a msgpack map with the field names below.

    Values, events and messages are trees, so the garbage collector need not look for circles.
    """


Pip = Annotated[int, Meta(ge=0, le=18)]
Tile = tuple[Pip, Pip]
"""A tile as `[high, low]`; on a train `[toward the engine, open end]`."""
TrainName = Annotated[str, Meta(pattern=r"^(p[0-9]|p1[0-3]|m[0-9]|m1[0-7])$(?!\n)")]
"""`p0` to `p13`: the personal train of that seat. `m0`, `m1`, …: the Mexican Trains."""
SeatNumber = Annotated[int, Meta(ge=0, le=13)]
PlayerName = Annotated[str, Meta(min_length=1, max_length=20)]
TableName = Annotated[str, Meta(min_length=1, max_length=20)]
StrategyName = Annotated[
    str, Meta(min_length=1, max_length=20, pattern=r"^[a-z0-9][a-z0-9:._-]*$(?!\n)")
]
RulesName = Annotated[str, Meta(min_length=1, max_length=40)]
OptionText = Annotated[
    str, Meta(min_length=3, max_length=80, description="`KEY=VALUE`, as on the command line")
]
CommandId = Annotated[int, Meta(ge=1, le=2**32 - 1)]
Turn = Annotated[int, Meta(ge=0, le=2**32 - 1)]
EventNumber = Annotated[int, Meta(ge=0, le=2**32 - 1)]
Milliseconds = Annotated[int, Meta(ge=0, le=2**40)]
OptionValue = bool | int | str | list[int | str]
Parameter = str | int | bool | list[str | int | list[int]] | None

ClientKind = Literal["person", "bot", "watcher"]
StartRule = Literal["full", "ready", "manual"]
TableState = Literal["waiting", "playing", "between", "over"]
SeatKind = Literal["empty", "person", "bot"]
Awaited = Literal["", "play", "cover", "extra", "go_on"]
Deed = Literal["play", "draw", "pass", "done", "knock", "foul"]
AbsenceChoice = Literal["wait", "skip", "bot", "end"]
"""What is done for a seat whose owner is away: `bot` has a substitute play, `end` ends the game."""
TimeoutChoice = Literal["skip", "bot"]


class Choice(Value, frozen=True, kw_only=True):
    """One thing that this seat may do now. Send it back as the command of the same name."""

    do: Annotated[Deed, Meta(description="the command to send")]
    tile: Annotated[Tile | None, Meta(description="play: the tile")] = None
    train: Annotated[TrainName | None, Meta(description="play: where it goes")] = None
    seat: Annotated[SeatNumber | None, Meta(description="foul: the seat that did not knock")] = None
    event: Annotated[
        EventNumber | None, Meta(description="foul: the event to name in the command")
    ] = None


class Reason(Value, frozen=True, kw_only=True):
    """A move of this seat, and what `declined` would say to it now."""

    do: Annotated[Deed, Meta(description="the move")]
    tile: Annotated[Tile | None, Meta(description="play: the tile")] = None
    train: Annotated[TrainName | None, Meta(description="play: where it would go")] = None
    seat: Annotated[SeatNumber | None, Meta(description="foul: the seat")] = None
    code: Annotated[
        str | None, Meta(description="as in `declined`; null: the move can be made now")
    ]
    option: Annotated[str | None, Meta(description="the rule option behind it")]
    params: Annotated[dict[str, Parameter], Meta(description="what programs may want to know")]
    text: Annotated[str, Meta(description="for people; programs never parse it")]


class Train(Value, frozen=True, kw_only=True):
    """One train on the table."""

    train: TrainName
    owner: Annotated[SeatNumber | None, Meta(description="null for a Mexican Train")]
    open_end: Annotated[Pip, Meta(description="the number that the next tile must have")]
    tiles: Annotated[
        list[Tile],
        Meta(description="as laid: the first number of each touches the tile before it"),
    ]
    marked: Annotated[bool, Meta(description="true while the owner's marker stands on it")]


class OpenDouble(Value, frozen=True, kw_only=True):
    """A double that nobody has covered yet."""

    train: TrainName
    tile: Tile
    seat: Annotated[SeatNumber, Meta(description="who laid it")]
    binding: Annotated[
        bool, Meta(description="true if the next seat must cover it before anything else")
    ]


class KnockOwed(Value, frozen=True, kw_only=True):
    """A seat that holds one tile and has not knocked."""

    seat: SeatNumber
    event: Annotated[EventNumber, Meta(description="the event that left it with one tile")]
    foul: Annotated[bool, Meta(description="true while a foul may be called")]


class TurnClock(Value, frozen=True, kw_only=True):
    """What the seat to act was given for its turn, or a bot for its choice, when that began."""

    budget_ms: Annotated[
        Milliseconds, Meta(description="for the turn or choice itself; grows once if it returns")
    ]
    bank_ms: Annotated[Milliseconds, Meta(description="saved then, for when that is spent")]
    credit_ms: Annotated[
        Milliseconds,
        Meta(
            description="on top, for the way there and back: `rtt_ms`, but at most "
            "`limits.lag_credit_ms_max`. No part of `deadline_ms`"
        ),
    ]
    rtt_ms: Annotated[
        Milliseconds | None,
        Meta(description="the round trip as the server measured it; null: not yet"),
    ]


class View(Value, frozen=True, kw_only=True):
    """The table as everybody may see it."""

    round: Annotated[int, Meta(ge=1, description="the round being played, from 1")]
    rounds: Annotated[int, Meta(ge=1, description="rounds in this game")]
    phase: Annotated[
        Literal["play", "round_over", "over"], Meta(description="`over`: the game has ended")
    ]
    max_pip: Annotated[int, Meta(description="the highest number of the set: 12 in a double-12")]
    engine: Tile
    to_act: Annotated[SeatNumber | None, Meta(description="whose turn it is")]
    awaited: Annotated[
        Awaited,
        Meta(
            description="`cover`: it owes the cover of an open double; `extra`: the tile after "
            "its own double; `go_on`: it may play on or end its turn"
        ),
    ]
    lap: Annotated[int, Meta(ge=1, description="1 until every seat has had its first turn")]
    names: Annotated[list[str], Meta(description="by seat")]
    hand_counts: Annotated[list[int], Meta(description="tiles in hand, by seat")]
    boneyard: Annotated[int, Meta(ge=0, description="tiles left to draw")]
    trains: list[Train]
    open_doubles: Annotated[list[OpenDouble], Meta(description="oldest first")]
    knocks: Annotated[list[KnockOwed], Meta(description="only with `announce.mode` knock")]
    scores: Annotated[list[list[int]], Meta(description="a row a finished round, by seat")]
    totals: Annotated[list[int], Meta(description="by seat; the lowest wins")]


# --- events -------------------------------------------------------------------------------


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", gc=False):
    """Something that happened at the table, with its number there."""

    n: Annotated[EventNumber, Meta(description="rises by one with each event of the table")]


class RoundStarted(Event, frozen=True, kw_only=True, tag="round_started"):
    """The tiles are dealt."""

    round: int
    engine: Tile
    hand_counts: list[int]
    boneyard: int


class SearchDrew(Event, frozen=True, kw_only=True, tag="search_drew"):
    """Nobody held the engine: a seat drew one tile in search of it."""

    seat: SeatNumber
    tile: Annotated[Tile | None, Meta(description="only to that seat, or if it is the engine")]


class EngineLaid(Event, frozen=True, kw_only=True, tag="engine_laid"):
    """The engine lies in the middle; the round begins."""

    seat: Annotated[SeatNumber | None, Meta(description="its holder; null if it was set aside")]
    tile: Tile
    first: Annotated[SeatNumber, Meta(description="who moves first")]


class TileLaid(Event, frozen=True, kw_only=True, tag="tile_laid"):
    """A seat laid a tile."""

    seat: SeatNumber
    tile: Annotated[Tile, Meta(description="`[toward the engine, open end]`")]
    train: TrainName


class TileDrawn(Event, frozen=True, kw_only=True, tag="tile_drawn"):
    """A seat drew a tile from the boneyard."""

    seat: SeatNumber
    tile: Annotated[Tile | None, Meta(description="only to that seat")]


class Passed(Event, frozen=True, kw_only=True, tag="passed"):
    """A seat passed."""

    seat: SeatNumber


class TurnSkipped(Event, frozen=True, kw_only=True, tag="turn_skipped"):
    """The table ended a turn for a seat that was away or out of time."""

    seat: SeatNumber


class TimeUp(Event, frozen=True, kw_only=True, tag="time_up"):
    """A seat's time was spent, and this is where it went. What the table did follows."""

    seat: SeatNumber
    budget_ms: Annotated[Milliseconds, Meta(description="for the turn, or a bot's choice")]
    bank_ms: Annotated[Milliseconds, Meta(description="taken from the bank in this turn")]
    credit_ms: Annotated[Milliseconds, Meta(description="on top, for the connection")]
    rtt_ms: Annotated[
        Milliseconds | None, Meta(description="the round trip that was measured; null: none was")
    ]


class MarkerSet(Event, frozen=True, kw_only=True, tag="marker_set"):
    """A train is open to everybody from now on."""

    seat: SeatNumber


class MarkerRemoved(Event, frozen=True, kw_only=True, tag="marker_removed"):
    """A train is closed again."""

    seat: SeatNumber


class DoubleOpened(Event, frozen=True, kw_only=True, tag="double_opened"):
    """A double lies uncovered."""

    seat: SeatNumber
    train: TrainName
    tile: Tile


class DoubleCovered(Event, frozen=True, kw_only=True, tag="double_covered"):
    """An open double is covered."""

    seat: SeatNumber
    train: TrainName
    tile: Annotated[Tile, Meta(description="the double")]


class DoubleLapsed(Event, frozen=True, kw_only=True, tag="double_lapsed"):
    """An open double binds nobody any more."""

    train: TrainName
    tile: Tile
    reason: Literal["dead_number", "boneyard_empty"]


class OneTileLeft(Event, frozen=True, kw_only=True, tag="one_tile_left"):
    """A seat is down to one tile (announced by the server where the rules say so)."""

    seat: SeatNumber


class Knocked(Event, frozen=True, kw_only=True, tag="knocked"):
    """A seat with one tile knocked."""

    seat: SeatNumber


class FoulCalled(Event, frozen=True, kw_only=True, tag="foul_called"):
    """A seat had not knocked in time and drew the penalty."""

    seat: Annotated[SeatNumber, Meta(description="who had not knocked")]
    by: Annotated[SeatNumber, Meta(description="who called it")]
    drawn: Annotated[int, Meta(description="penalty tiles drawn")]
    tiles: Annotated[list[Tile] | None, Meta(description="only to the seat that drew them")]


class WentOut(Event, frozen=True, kw_only=True, tag="went_out"):
    """A seat laid its last tile."""

    seat: SeatNumber


class RoundBlocked(Event, frozen=True, kw_only=True, tag="round_blocked"):
    """Nobody can play on: the round ends with tiles in every hand."""


class RoundOver(Event, frozen=True, kw_only=True, tag="round_over"):
    """A round has ended."""

    round: int
    winner: Annotated[
        SeatNumber, Meta(description="first to go out; after a block the lowest score")
    ]
    hands: Annotated[list[list[Tile]], Meta(description="what each seat still held")]
    scores: Annotated[list[int], Meta(description="of this round, by seat")]
    totals: Annotated[list[int], Meta(description="so far, by seat")]


class GameOver(Event, frozen=True, kw_only=True, tag="game_over"):
    """The game has ended."""

    totals: Annotated[list[int], Meta(description="by seat; the lowest wins")]
    places: Annotated[list[int], Meta(description="by seat, from 1; equal totals may share one")]


class GameEnded(Event, frozen=True, kw_only=True, tag="game_ended"):
    """The game has ended before its time, since a seat's owner stayed away. Nobody has won."""

    seat: Annotated[SeatNumber, Meta(description="whose owner was away")]
    totals: Annotated[list[int], Meta(description="of the rounds played, by seat")]


class UnknownEvent(Event, frozen=True, kw_only=True, tag="unknown"):
    """Stands for an event that this version of the client does not know; harmless."""

    raw: Annotated[dict[str, object], Meta(description="the event as it came")]


AnyEvent = (
    RoundStarted
    | SearchDrew
    | EngineLaid
    | TileLaid
    | TileDrawn
    | Passed
    | TurnSkipped
    | TimeUp
    | MarkerSet
    | MarkerRemoved
    | DoubleOpened
    | DoubleCovered
    | DoubleLapsed
    | OneTileLeft
    | Knocked
    | FoulCalled
    | WentOut
    | RoundBlocked
    | RoundOver
    | GameOver
    | GameEnded
    | UnknownEvent
)


# --- the lobby ----------------------------------------------------------------------------


class SeatInfo(Value, frozen=True, kw_only=True):
    """One place at a table."""

    seat: SeatNumber
    kind: SeatKind
    name: Annotated[str, Meta(description="empty for an empty seat")]
    ready: bool
    present: Annotated[bool, Meta(description="false while its connection is lost")]
    away_ms: Annotated[
        Milliseconds, Meta(description="for how long the owner has been away; 0: is not")
    ] = 0
    substitute: Annotated[
        bool, Meta(description="true while a substitute plays, until the owner returns")
    ] = False
    bank_ms: Annotated[
        Milliseconds | None,
        Meta(description="saved for when a turn's seconds are spent; null: no clock"),
    ] = None


class SeatVote(Value, frozen=True, kw_only=True):
    """What the persons present want done for a seat whose owner is away.

    More than half of the voters decide; the host may, where all have voted and the choices are
    even. It holds until the owner returns, but to `wait` can be thought over.
    """

    seat: Annotated[SeatNumber, Meta(description="whose owner is away")]
    wait: Annotated[int, Meta(description="votes to wait")]
    skip: Annotated[int, Meta(description="votes to end each of its turns without a tile")]
    bot: Annotated[int, Meta(description="votes for a substitute")]
    end: Annotated[int, Meta(description="votes to end the game")]
    voters: Annotated[int, Meta(description="how many may vote")]
    choice: Annotated[AbsenceChoice | None, Meta(description="what is decided; null: nothing yet")]
    open: Annotated[bool, Meta(description="true while `vote` is possible")]


class RulesInfo(Value, frozen=True, kw_only=True):
    """Which rules a table plays."""

    name: RulesName
    hash: Annotated[str, Meta(description="SHA-256 of all options, hexadecimal")]
    changed: Annotated[int, Meta(description="options that differ from `classic`")]


class TableInfo(Value, frozen=True, kw_only=True):
    """A table as the lobby shows it."""

    name: TableName
    state: Annotated[
        TableState,
        Meta(
            description="`waiting` for its start; `playing` a round; `between` two rounds; "
            "`over`: the game has ended"
        ),
    ]
    host: Annotated[str, Meta(description="the player who may start; empty if nobody")]
    start: Annotated[
        StartRule,
        Meta(
            description="`full`: starts when every seat is taken; `ready`: when the seats are "
            "full and every person is ready; `manual`: when the host says so"
        ),
    ]
    rules: RulesInfo
    seats: list[SeatInfo]
    watchers: int
    locked: Annotated[bool, Meta(description="true if joining wants the table's password")]
    round: Annotated[int, Meta(description="0 before the start")]
    rounds: int
    paused: Annotated[bool, Meta(description="true while nobody may move and no clock runs")] = (
        False
    )
    turn_seconds: Annotated[
        int | None, Meta(description="a person's time for a turn; null: no limit")
    ] = None
    bank_seconds: Annotated[
        int, Meta(description="what a person may need beyond that in a whole game")
    ] = 0
    on_timeout: Annotated[
        TimeoutChoice, Meta(description="what is done when a person's time is spent")
    ] = "skip"
    on_absent: Annotated[
        AbsenceChoice,
        Meta(description="what is done for who is away for long; `wait`: the others may vote"),
    ] = "wait"
    votes: Annotated[list[SeatVote], Meta(description="one a seat whose owner is away")] = []
    hints: Annotated[
        bool, Meta(description="true if persons with a seat here may ask for a `hint`")
    ] = False


class CardLine(Value, frozen=True, kw_only=True):
    """One option on a rule card."""

    option: str
    value: OptionValue
    differs: Annotated[bool, Meta(description="true if `classic` has another value")]
    text: Annotated[str, Meta(description="what it means, for people")]
    idle_since: Annotated[
        str, Meta(description="the option, as `name = value`, that leaves it without effect")
    ] = ""


class Limits(Value, frozen=True, kw_only=True):
    """Every limit that the server holds a client to."""

    hello_seconds: Annotated[int, Meta(description="from connecting to `hello`")]
    hello_bytes_max: Annotated[int, Meta(description="a frame before the welcome")]
    frame_bytes_max: Annotated[int, Meta(description="a client's frame after the welcome")]
    frame_seconds: Annotated[int, Meta(description="from the first to the last byte of a frame")]
    messages_per_second: Annotated[int, Meta(description="in the long run")]
    messages_burst: Annotated[int, Meta(description="at once, after a rest")]
    chat_messages: Annotated[int, Meta(description="in `chat_seconds`")]
    chat_seconds: Annotated[int, Meta(description="the span that `chat_messages` is for")]
    chat_chars_max: int
    outbox_bytes_max: Annotated[int, Meta(description="unread bytes before the server cuts")]
    outbox_frames_max: Annotated[int, Meta(description="unread frames before it cuts")]
    outbox_seconds: Annotated[int, Meta(description="without reading before it cuts")]
    heartbeat_seconds: Annotated[int, Meta(description="between two heartbeats of the server")]
    silence_seconds: Annotated[int, Meta(description="without any frame before the server cuts")]
    faults_per_minute: Annotated[int, Meta(description="`declined` for bad form before goodbye")]
    create_seconds: Annotated[int, Meta(description="between two tables of one connection")]
    bot_choice_seconds: Annotated[int, Meta(description="a bot's time for one choice")]
    lag_credit_ms_max: Annotated[
        int, Meta(description="the most that a turn is given on top for a slow connection")
    ] = 0
