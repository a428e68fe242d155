"""Server to client: the handshake, answers, the table, updates.

Every field is always present, so that a client in any language can read without defaults;
fields added later within a protocol version have defaults for older servers.
"""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from .secrecy import shown, shown_fields
from .values import (
    AnyEvent,
    CardLine,
    Choice,
    EventNumber,
    Limits,
    Milliseconds,
    Parameter,
    Reason,
    RulesInfo,
    SeatNumber,
    TableInfo,
    TableName,
    Tile,
    Turn,
    TurnClock,
    View,
)

Answers = Annotated[int, Meta(ge=0, description="the id of the command that this answers, or 0")]


class ServerMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", gc=False):
    """A message from the server."""

    secrets: ClassVar[frozenset[str]] = frozenset({"token"})

    def __repr__(self) -> str:
        return shown(self, self.secrets)

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return shown_fields(self, self.secrets)


class Welcome(ServerMessage, frozen=True, kw_only=True, tag="welcome"):
    """The connection is open."""

    version: Annotated[int, Meta(description="the protocol version spoken from now on")]
    features: Annotated[list[str], Meta(description="those that the server has")]
    limits: Limits
    token: Annotated[bytes, Meta(description="32 bytes: keep them to come back as this player")]
    last_id: Annotated[int, Meta(description="the highest command id seen from this player")]
    server: Annotated[str, Meta(description="the server's name")]
    server_version: Annotated[str, Meta(description="of the program")]
    name: Annotated[str, Meta(description="the player's name as the server writes it")]
    table: Annotated[str | None, Meta(description="where this player sits already")]


class Refused(ServerMessage, frozen=True, kw_only=True, tag="refused"):
    """The hello is not accepted; the connection closes."""

    code: Annotated[str, Meta(description="stable; see the table of codes")]
    text: Annotated[str, Meta(description="for people; programs never parse it")]
    params: Annotated[dict[str, Parameter], Meta(description="what programs may want to know")]


class Goodbye(ServerMessage, frozen=True, kw_only=True, tag="goodbye"):
    """The connection closes."""

    code: Annotated[str, Meta(description="stable; see the table of codes")]
    text: Annotated[str, Meta(description="for people; programs never parse it")]
    params: Annotated[dict[str, Parameter], Meta(description="what programs may want to know")]


class Heartbeat(ServerMessage, frozen=True, kw_only=True, tag="heartbeat"):
    """Answer with a `heartbeat` of the same number."""

    n: int


class ClosingSoon(ServerMessage, frozen=True, kw_only=True, tag="closing_soon"):
    """The server stops in so many seconds."""

    seconds: int


class Moved(ServerMessage, frozen=True, kw_only=True, tag="moved"):
    """Reserved: connect to this address instead, with the same token."""

    address: Annotated[str, Meta(description="`HOST:PORT`")]


class Ok(ServerMessage, frozen=True, kw_only=True, tag="ok"):
    """Done; there is nothing else to tell."""

    answers: Answers


class Pong(ServerMessage, frozen=True, kw_only=True, tag="pong"):
    """The answer to `ping`."""

    answers: Answers


class Declined(ServerMessage, frozen=True, kw_only=True, tag="declined"):
    """A command was not carried out, and nothing has changed."""

    answers: Answers
    code: Annotated[str, Meta(description="stable; see the table of codes")]
    option: Annotated[str | None, Meta(description="the rule option behind it")]
    params: Annotated[dict[str, Parameter], Meta(description="what programs may want to know")]
    retry: Annotated[bool, Meta(description="true if the same command may succeed later")]
    text: Annotated[str, Meta(description="for people; programs never parse it")]


class Tables(ServerMessage, frozen=True, kw_only=True, tag="tables"):
    """The answer to `list`."""

    answers: Answers
    tables: list[TableInfo]
    page: Annotated[int, Meta(description="the one asked for, from 0")]
    pages: Annotated[int, Meta(description="how many there are")]


class TableNews(ServerMessage, frozen=True, kw_only=True, tag="table"):
    """Your table: who sits there, who is ready, who is away. Sent on every change."""

    answers: Answers
    table: TableInfo
    seat: Annotated[SeatNumber | None, Meta(description="yours; null for a watcher")]


class TableLeft(ServerMessage, frozen=True, kw_only=True, tag="table_left"):
    """You are no longer at the table."""

    table: TableName
    code: Annotated[str, Meta(description="`kicked` or `closed`")]
    text: str


class Card(ServerMessage, frozen=True, kw_only=True, tag="card"):
    """A rule card."""

    answers: Answers
    rules: RulesInfo
    lines: list[CardLine]


class RecordPart(ServerMessage, frozen=True, kw_only=True, tag="record_part"):
    """A part of the record of a finished game: all parts in order are the file."""

    answers: Answers
    table: TableName
    part: Annotated[int, Meta(description="the one asked for, from 0")]
    parts: Annotated[int, Meta(description="how many there are")]
    text: Annotated[str, Meta(description="at most 12,288 bytes of UTF-8")]


class Said(ServerMessage, frozen=True, kw_only=True, tag="said"):
    """Chat."""

    name: Annotated[str, Meta(description="who said it; empty: the server")]
    text: str


class Nudged(ServerMessage, frozen=True, kw_only=True, tag="nudged"):
    """Somebody asks who is awaited to go on."""

    name: Annotated[str, Meta(description="who asks")]
    seats: Annotated[list[SeatNumber], Meta(description="who is awaited")]


class SeatCode(ServerMessage, frozen=True, kw_only=True, tag="seat_code"):
    """The answer to `seat_code`: hand it to the player, whose `hello` it lets in once."""

    secrets = frozenset({"code"})

    answers: Answers
    name: Annotated[str, Meta(description="the player's name, to say hello by")]
    code: Annotated[str, Meta(description="for `seat_code` of that `hello`")]


class Reasons(ServerMessage, frozen=True, kw_only=True, tag="reasons"):
    """The answer to `why`: one entry, or with a tile and no train one a train."""

    answers: Answers
    reasons: list[Reason]


class Hint(ServerMessage, frozen=True, kw_only=True, tag="hint"):
    """The answer to `hint`: what the planner would do with what this seat sees, and why."""

    answers: Answers
    turn: Annotated[Turn, Meta(description="the `turn` that it is for")]
    choice: Annotated[Choice, Meta(description="one of the present `choices`")]
    code: Annotated[str, Meta(description="the reason, stable; see the table of codes")]
    params: Annotated[
        dict[str, Parameter],
        Meta(
            description="`kept`: tiles that your own train will take later, in that order; "
            "`cover`: the tile for a double; `seat` and `name`: somebody else"
        ),
    ]
    text: Annotated[str, Meta(description="for people; programs never parse it")]


class Update(ServerMessage, frozen=True, kw_only=True, tag="update"):
    """What happened, how the table stands, and what this seat may do."""

    answers: Answers
    table: TableName
    events: Annotated[list[AnyEvent], Meta(description="since the last update, in order")]
    last_event: Annotated[EventNumber, Meta(description="the number of the newest event")]
    view: View
    seat: Annotated[SeatNumber | None, Meta(description="yours; null for a watcher")]
    hand: Annotated[list[Tile], Meta(description="your tiles; empty for a watcher")]
    turn: Annotated[Turn, Meta(description="send it back with play, draw, pass and done")]
    choices: Annotated[
        list[Choice],
        Meta(
            description="all that you may do now, never empty in your turn; out of turn at most "
            "`knock` and `foul`"
        ),
    ]
    deadline_ms: Annotated[
        Milliseconds | None, Meta(description="time left for the choice; null: no limit")
    ]
    unproven: Annotated[bool, Meta(description="true if the server deals from a fixed seed")]
    clock: Annotated[TurnClock | None, Meta(description="of the seat to act; null: no limit")] = (
        None
    )


AnyServerMessage = (
    Welcome
    | Refused
    | Goodbye
    | Heartbeat
    | ClosingSoon
    | Moved
    | Ok
    | Pong
    | Declined
    | Tables
    | TableNews
    | TableLeft
    | Card
    | RecordPart
    | Said
    | Nudged
    | SeatCode
    | Reasons
    | Hint
    | Update
)
