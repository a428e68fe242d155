"""Who is away and since when, votes, substitutes and pauses, in sentences. Pure."""

from mexican_train.protocol import AbsenceChoice, Nudged, SeatCode, SeatInfo, SeatVote, TableInfo

from .clean import clean
from .model import Model
from .texts import later, plural, text
from .words import joined

_DECIDED: dict[AbsenceChoice, str] = {
    "wait": later("The table waits for {name}."),
    "skip": later("The turns of {name} are skipped until they are back."),
    "bot": later("A substitute plays for {name} until they are back."),
    "end": later("The game is ended, since {name} is away."),
}


def minutes(milliseconds: int) -> str:
    """A span as on a clock: `0:45`, `12:05`."""
    seconds = milliseconds // 1000
    return f"{seconds // 60}:{seconds % 60:02}"


def away_sentence(seat: SeatInfo, later_ms: int = 0) -> str:
    """That somebody is away and for how long, so much later than it was told."""
    span, name = seat.away_ms + later_ms, clean(seat.name)
    if span < 1000:
        return text("{name} is away.", name=name)
    return text("{name} is away, {time}.", name=name, time=minutes(span))


def presence_lines(table: TableInfo, later_ms: int = 0) -> list[str]:
    """How the table stands but for the game: pause, who is away, what is done about it."""
    lines = [text("The game is paused.")] if table.paused else []
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
        lines.append(text("The game is paused.") if table.paused else text("The game goes on."))
    known = {vote.seat: vote for vote in before.votes}
    for vote in table.votes:
        old, seat = known.get(vote.seat), table.seats[vote.seat]
        if old is None:
            lines.append(away_sentence(seat))
            lines += [_ask()] if vote.open and model.seat is not None else []
        elif vote.open and _counts(old) != _counts(vote):
            lines += _tally(vote, seat)
        if vote.choice is not None and (old is None or old.choice != vote.choice):
            lines.append(_decided(vote.choice, seat))
    return lines


def nudge_line(nudged: Nudged, model: Model) -> str:
    """Who asks whom to go on."""
    asked = [
        text("you") if seat == model.seat else clean(model.seat_name(seat)) for seat in nudged.seats
    ]
    return text("{name} asks {names} to go on.", name=clean(nudged.name), names=joined(asked))


def seat_code_lines(given: SeatCode) -> list[str]:
    """A seat code, and what it is for."""
    name = clean(given.name)
    return [
        text("The seat code for {name} is {code}", name=name, code=clean(given.code)),
        text("It works once: {name} starts mt-client with --name and --seat-code.", name=name),
    ]


def _decided(choice: AbsenceChoice, seat: SeatInfo) -> str:
    return text(_DECIDED[choice], name=clean(seat.name))


def _ask() -> str:
    return text("Type vote wait, vote skip, vote bot (a substitute plays) or vote end (the game).")


def _counts(vote: SeatVote) -> dict[AbsenceChoice, int]:
    return {"wait": vote.wait, "skip": vote.skip, "bot": vote.bot, "end": vote.end}


def _tally(vote: SeatVote, seat: SeatInfo) -> list[str]:
    """The votes so far; nothing before the first."""
    cast = [_votes(choice, number) for choice, number in _counts(vote).items() if number]
    if not cast:
        return []
    voters = plural("{number} voter", "{number} voters", vote.voters)
    name, votes = clean(seat.name), joined(cast)
    return [text("For {name}: {votes}, of {voters}.", name=name, votes=votes, voters=voters)]


def _votes(choice: AbsenceChoice, number: int) -> str:
    """So many votes for `choice`."""
    if choice == "wait":
        return plural("{number} vote to wait", "{number} votes to wait", number)
    if choice == "skip":
        return plural("{number} vote to skip the turns", "{number} votes to skip the turns", number)
    if choice == "bot":
        return plural("{number} vote for a substitute", "{number} votes for a substitute", number)
    return plural("{number} vote to end the game", "{number} votes to end the game", number)
