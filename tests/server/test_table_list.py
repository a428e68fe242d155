"""The list of tables: whatever people call themselves, a page of it can be sent."""

from mexican_train.protocol import (
    SERVER_FRAME_BYTES_MAX,
    RulesInfo,
    SeatInfo,
    SeatVote,
    TableInfo,
    Tables,
    encode,
)
from mexican_train.server.commands import TABLES_A_PAGE

LONGEST = "\N{DESERET CAPITAL LETTER LONG I}"
"""Four bytes in UTF-8, as many as a letter can have."""
SEATS = range(14)


def test_a_page_of_the_largest_tables_fits_a_frame() -> None:
    """Anybody may bring such tables about, and every client asks for the list at once."""
    seats = [
        SeatInfo(
            seat=seat,
            kind="person",
            name=LONGEST * 20,
            ready=False,
            present=False,
            away_ms=2**40,
            substitute=True,
            bank_ms=2**40,
        )
        for seat in SEATS
    ]
    votes = [
        SeatVote(seat=seat, wait=9, skip=9, bot=9, end=9, voters=14, choice="skip", open=False)
        for seat in SEATS
    ]
    largest = TableInfo(
        name=LONGEST * 20,
        state="waiting",
        host=LONGEST * 20,
        start="manual",
        rules=RulesInfo(name=LONGEST * 40, hash="f" * 64, changed=99),
        seats=seats,
        watchers=2000,
        locked=False,
        round=19,
        rounds=19,
        turn_seconds=86400,
        bank_seconds=86400,
        votes=votes,
    )
    page = Tables(answers=2**32 - 1, tables=[largest] * TABLES_A_PAGE, page=1000, pages=1000)
    assert len(encode(page)) <= SERVER_FRAME_BYTES_MAX
