"""What a client knows after which messages."""

from mexican_train.client.model import LOG_MAX, Model
from mexican_train.protocol import (
    AnyEvent,
    Passed,
    Said,
    TableLeft,
    Tables,
    TileDrawn,
    TileLaid,
)

from .peers import plays, seat_info, table_info, table_news, update, view, welcome

OTHERS: list[AnyEvent] = [Passed(n=5, seat=1), TileDrawn(n=6, seat=2, tile=None)]


def playing() -> Model:
    model = Model()
    model.take(welcome())
    model.take(table_news(seats=[seat_info(0, "Me")], state="playing"))
    model.take(update([TileLaid(n=4, seat=0, tile=(12, 7), train="p0")], on=view(to_act=1)))
    return model


def test_every_event_is_known_once() -> None:
    """A resume repeats what may be known; the log has it once."""
    model = playing()
    again = update([TileLaid(n=4, seat=0, tile=(12, 7), train="p0"), *OTHERS])
    assert model.new_events(again) == OTHERS
    model.take(again)
    assert [getattr(entry, "n", 0) for entry in model.log] == [4, 5, 6]


def test_an_older_update_changes_nothing() -> None:
    model = playing()
    model.take(update(OTHERS))
    before = (model.update, list(model.log))
    model.take(update([Passed(n=3, seat=2)], turn=99))
    assert (model.update, model.log) == before


def test_the_recap_begins_after_the_own_last_move() -> None:
    model = playing()
    assert model.recap == []
    model.take(update(OTHERS))
    model.take(Said(name="Ann", text="hm"))
    assert model.recap == OTHERS


def test_whose_turn() -> None:
    model = playing()
    turns = [model.is_my_turn]
    model.take(update(OTHERS, plays("12-7>p0")))
    turns.append(model.is_my_turn)
    assert model.playable == {(12, 7)}
    model.take(update(on=view(phase="round_over", to_act=None), last_event=7))
    assert [*turns, model.is_my_turn] == [False, True, False]
    assert not model.is_playing


def test_a_watcher_has_no_turn() -> None:
    model = Model()
    model.take(update(seat=None, hand=[]))
    assert model.seat is None
    assert not model.is_my_turn


def test_leaving_forgets_the_table() -> None:
    model = playing()
    model.take(TableLeft(table="t", code="closed", text="The table is closed."))
    assert (model.table, model.seat, model.update, model.log) == (None, None, None, [])


def test_another_table_is_not_mixed_with_the_last() -> None:
    """Its events may have lower numbers."""
    model = playing()
    model.take(table_news(name="other"))
    model.take(update([Passed(n=1, seat=1)], table="other"))
    assert model.log == [Passed(n=1, seat=1)]


def test_a_rematch_starts_without_an_update() -> None:
    model = playing()
    model.take(table_news(seats=[seat_info(0, "Me")], state="waiting"))
    assert model.update is None
    assert list(model.names) == ["Me"]


def test_pages_of_tables_are_put_together() -> None:
    model = Model()
    for page, name in enumerate(["a", "b"]):
        model.take(Tables(answers=1, tables=[table_info(name)], page=page, pages=2))
    assert [table.name for table in model.tables] == ["a", "b"]
    model.take(Tables(answers=2, tables=[], page=0, pages=1))
    assert model.tables == []


def test_a_lost_seat_is_learned_from_the_welcome() -> None:
    model = playing()
    model.take(welcome(table="t"))
    assert model.table is not None
    model.take(welcome(table=None))
    assert model.table is None


def test_the_log_is_bounded() -> None:
    model = playing()
    for number in range(LOG_MAX + 10):
        model.take(Said(name="Ann", text=str(number)))
    assert len(model.log) == LOG_MAX
    assert model.log[-1] == Said(name="Ann", text=str(LOG_MAX + 9))
