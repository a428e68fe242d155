"""The stable codes: what a program may tell apart, with the sentence that a person reads.

Codes never change their meaning; new ones may come, so a client treats an unknown code by its
`retry` and shows the text. Four tables, one a way of saying no.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from .server_messages import Declined, Goodbye, Refused, TableLeft
from .values import Parameter


class Code(NamedTuple):
    """A code, its sentence for people, and whether trying again may help.

    `retry` means for `goodbye` and `refused`: a new connection later may be welcomed; for
    `declined`: the same command, with a new id, may succeed later without anything being mended.
    """

    code: str
    sentence: str
    retry: bool = False


def _table(*codes: Code) -> Mapping[str, Code]:
    return MappingProxyType({code.code: code for code in codes})


REFUSED_CODES: Mapping[str, Code] = _table(
    Code("version", "Client and server share no protocol version."),
    Code("bad_field", "A field of the hello is missing, out of bounds or of the wrong type."),
    Code("unknown_field", "The hello has a field that this version does not know (`strict`)."),
    Code("unsupported", "The server does not offer a feature that the client cannot do without."),
    Code("bad_name", "This name cannot be used: 1 to 20 printable characters."),
    Code("name_taken", "Another player uses this name or one that looks like it."),
    Code("bad_token", "This resume token is not, or no longer, valid."),
    Code("bad_seat_code", "This seat code is not, or no longer, valid."),
    Code("bad_password", "The server wants another password."),
    Code("too_many_tries", "Too many wrong passwords from your address; wait a bit.", retry=True),
    Code("tls", "The server speaks TLS only: put tls:// in front of its address."),
    Code("server_full", "The server has no room for another connection.", retry=True),
    Code("storage_full", "The server has no room to store anything now.", retry=True),
    Code("shutdown", "The server is stopping.", retry=True),
    Code("banned", "The server does not let this player or address in."),
    Code("internal", "The server made a mistake; it has been noted.", retry=True),
)

GOODBYE_CODES: Mapping[str, Code] = _table(
    Code("too_long", "A frame is longer than the limit."),
    Code("not_msgpack", "A frame does not hold exactly one msgpack map within the limits."),
    Code("cut", "The connection ended inside a frame.", retry=True),
    Code("before_hello", "The first message must be a hello."),
    Code("before_welcome", "A message came after the hello and before the welcome."),
    Code("protocol", "This message is not allowed at this point of the connection."),
    Code("slow", "The hello, or the rest of a frame, did not come in time.", retry=True),
    Code("silent", "Nothing came for too long, not even an answer to a heartbeat.", retry=True),
    Code("slow_consumer", "The client did not read what was sent to it in time.", retry=True),
    Code("too_many_faults", "Too many messages of bad form in one minute."),
    Code("flood", "Too many messages for too long."),
    Code("replaced", "A newer connection has taken this player over."),
    Code("kicked", "The administrator ended this connection."),
    Code("banned", "The administrator shut this player or address out."),
    Code("shutdown", "The server is stopping.", retry=True),
    Code("internal", "The server made a mistake; it has been noted.", retry=True),
)

DECLINED_CODES: Mapping[str, Code] = _table(
    # the form of the message
    Code("unknown_type", "There is no message of this type."),
    Code("bad_field", "A field is missing, out of bounds or of the wrong type."),
    Code("unknown_field", "There is no field of this name in this message (`strict`)."),
    Code("unsupported", "This server does not do this."),
    # the command as such
    Code("too_old", "The answer to this command id is no longer kept."),
    Code("slow_down", "Too many messages; wait a moment.", retry=True),
    Code("wrong_state", "This cannot be done in the present state of the table."),
    Code("server_full", "The server has no room for another table.", retry=True),
    Code("storage_full", "The server could not store this; nothing has changed.", retry=True),
    Code("internal", "The server made a mistake; it has been noted.", retry=True),
    # the lobby
    Code("no_such_table", "There is no table of this name."),
    Code("name_in_use", "A table of this name exists already."),
    Code("bad_name", "This name cannot be used: 1 to 20 printable characters."),
    Code("bad_rules", "There are no such rules, or these options do not fit together."),
    Code("bad_seats", "These rules cannot be played by so many seats."),
    Code("bad_password", "The table wants another password."),
    Code("table_full", "Every seat at this table is taken.", retry=True),
    Code("seat_taken", "This seat is taken.", retry=True),
    Code("no_such_seat", "The table has no such seat."),
    Code("already_at_table", "You are at a table already; leave it first."),
    Code("not_at_table", "You are not at a table."),
    Code("not_seated", "You have no seat at this table."),
    Code("not_host", "Only the host of the table may do this."),
    Code("already_started", "The game has started already."),
    Code("not_started", "The game has not started yet.", retry=True),
    Code("gone", "This table is closed."),
    Code("not_over", "The game is not over yet.", retry=True),
    Code("no_such_part", "The record has no such part."),
    Code("no_watchers", "This table wants no watchers."),
    Code("no_such_player", "Nobody of this name is at the table."),
    Code("not_away", "This player is not away."),
    Code("no_vote", "There is nothing to vote on, or only the persons with a seat may vote."),
    Code("no_such_strategy", "The server has no bot of this name."),
    Code("no_hints", "This table gives no hints."),
    Code("chat_limit", "Too much chat; wait a moment.", retry=True),
    # the game
    Code("paused", "The game is paused.", retry=True),
    Code("stale", "The table has moved on since the update that this command answers."),
    Code("out_of_turn", "It is another seat's turn.", retry=True),
    Code("illegal", "The rules of this table do not allow this."),
    Code("not_held", "You do not hold this tile."),
    Code("no_such_train", "There is no such train on this table."),
    Code("does_not_fit", "The tile does not fit the end of this train."),
    Code("not_open", "This train is closed to you."),
    Code("must_cover", "An open double must be covered first."),
    Code("must_play", "You hold a tile that fits, so you must play."),
    Code("own_first", "You must start your own train first."),
    Code("drawn_only", "After drawing only the drawn tile may be played."),
    Code("no_draw", "You may not draw now."),
    Code("no_pass", "You may not pass now."),
    Code("not_done", "You may not end your turn now."),
    Code("no_knock", "There is nothing to knock for."),
    Code("no_foul", "There is no foul to call."),
)

LEFT_CODES: Mapping[str, Code] = _table(
    Code("kicked", "The host has sent you away."),
    Code("closed", "The table has closed."),
)


def refused(
    code: str, *, text: str | None = None, params: Mapping[str, Parameter] | None = None
) -> Refused:
    """The message `refused` with this code; the sentence is the table's unless `text` is given.

    A code outside of `REFUSED_CODES` is a `KeyError`, unless it brings its own text.
    """
    sentence = REFUSED_CODES[code].sentence if text is None else text
    return Refused(code=code, text=sentence, params=dict(params or {}))


def goodbye(
    code: str, *, text: str | None = None, params: Mapping[str, Parameter] | None = None
) -> Goodbye:
    """The message `goodbye` with this code; the sentence is the table's unless `text` is given.

    A code outside of `GOODBYE_CODES` is a `KeyError`, unless it brings its own text.
    """
    sentence = GOODBYE_CODES[code].sentence if text is None else text
    return Goodbye(code=code, text=sentence, params=dict(params or {}))


def declined(
    answers: int,
    code: str,
    *,
    text: str | None = None,
    option: str | None = None,
    params: Mapping[str, Parameter] | None = None,
) -> Declined:
    """The message `declined` for command `answers`; sentence and `retry` are the table's.

    Codes of the rules are passed through: one outside of `DECLINED_CODES` never allows a retry,
    and must bring its own text (otherwise a `KeyError`).
    """
    entry = DECLINED_CODES.get(code)
    if text is None:
        text = DECLINED_CODES[code].sentence
    return Declined(
        answers=answers,
        code=code,
        option=option,
        params=dict(params or {}),
        retry=entry is not None and entry.retry,
        text=text,
    )


def table_left(table: str, code: str) -> TableLeft:
    """The message `table_left` with this code of `LEFT_CODES` and its sentence."""
    return TableLeft(table=table, code=code, text=LEFT_CODES[code].sentence)
