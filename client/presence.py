"""Who is away and since when, votes, substitutes and pauses, in sentences. Pure."""

from mexican_train.protocol import AbsenceChoice, Nudged, SeatCode, SeatInfo, SeatVote, TableInfo

from .clean import clean
from .model import Model
from .words import count, joined

_WISHES: dict[AbsenceChoice, str] = {
    "wait": "to wait",
    "skip": "to skip the turns",
    "bot": "for a substitute",
    "end": "to end the game",
}
_ASK = "Type vote and wait, skip, bot (a substitute plays) or end (the game)."


def minutes(milliseconds: int) -> str:
    """A span as on a clock: `0:45`, `12:05`."""
    seconds = milliseconds // 1000
    return f"{seconds // 60}:{seconds % 60:02}"


def away_sentence(seat: SeatInfo, later_ms: int = 0) -> str:
    """That somebody is away and for how long, so much later than it was told."""
    span = seat.away_ms + later_ms
    return f"{clean(seat.name)} is away{f', {minutes(span)}' if span >= 1000 else ''}."


def presence_lines(table: TableInfo, later_ms: int = 0) -> list[str]:
    """How the table stands but for the game: pause, who is away, what is done about it."""
    lines = ["The game is paused."] if table.paused else []
    votes = {vote.seat: vote for vote in table.votes}
    for seat in table.seats:
        if seat.away_ms and not seat.present:
            lines.append(away_sentence(seat, later_ms))
            vote = votes.get(seat.seat)
            if vote is not None and vote.choice is not None:
                lines.append(_decided(vote.choice, seat))
            if vote is not None and vote.open:
                lines += _tally(vote, seat)
    return lines


def presence_news(before: TableInfo, table: TableInfo, model: Model) -> list[str]:
    """What has changed of all that, but for who has come and gone."""
    lines: list[str] = []
    if before.paused != table.paused:
        lines.append("The game is paused." if table.paused else "The game goes on.")
    known = {vote.seat: vote for vote in before.votes}
    for vote in table.votes:
        old, seat = known.get(vote.seat), table.seats[vote.seat]
        if old is None:
            lines.append(away_sentence(seat))
            lines += [_ASK] if vote.open and model.seat is not None else []
        elif vote.open and _counts(old) != _counts(vote):
            lines += _tally(vote, seat)
        if vote.choice is not None and (old is None or old.choice != vote.choice):
            lines.append(_decided(vote.choice, seat))
    return lines


def nudge_line(nudged: Nudged, model: Model) -> str:
    """Who asks whom to go on."""
    asked = ["you" if seat == model.seat else clean(model.seat_name(seat)) for seat in nudged.seats]
    return f"{clean(nudged.name)} asks {joined(asked)} to go on."


def seat_code_lines(given: SeatCode) -> list[str]:
    """A seat code, and what it is for."""
    name = clean(given.name)
    return [
        f"The seat code for {name} is {clean(given.code)}",
        f"It works once: {name} starts mt-client with --name and --seat-code.",
    ]


def _decided(choice: AbsenceChoice, seat: SeatInfo) -> str:
    name = clean(seat.name)
    return {
        "wait": f"The table waits for {name}.",
        "skip": f"The turns of {name} are skipped until they are back.",
        "bot": f"A substitute plays for {name} until they are back.",
        "end": f"The game is ended, since {name} is away.",
    }[choice]


def _counts(vote: SeatVote) -> dict[AbsenceChoice, int]:
    return {"wait": vote.wait, "skip": vote.skip, "bot": vote.bot, "end": vote.end}


def _tally(vote: SeatVote, seat: SeatInfo) -> list[str]:
    """The votes so far; nothing before the first."""
    cast = [
        f"{count(number, 'vote')} {_WISHES[choice]}"
        for choice, number in _counts(vote).items()
        if number
    ]
    if not cast:
        return []
    return [f"For {clean(seat.name)}: {joined(cast)}, of {count(vote.voters, 'voter')}."]
