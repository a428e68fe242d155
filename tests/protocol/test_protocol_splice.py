"""An update put together from shared and private parts is the update that it would be whole."""

from collections.abc import Sequence
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import msgspec
from hypothesis import given
from hypothesis import strategies as st
from mexican_train.protocol import (
    AnyEvent,
    SharedUpdate,
    TileDrawn,
    Update,
    decode_server,
    encode,
    encode_own,
    encode_update_shared,
    preencoded,
    splice,
)


def shared_of(update: Update, events: Sequence[AnyEvent]) -> SharedUpdate:
    return encode_update_shared(
        table=update.table,
        view=update.view,
        events=events,
        last_event=update.last_event,
        turn=update.turn,
        deadline_ms=update.deadline_ms,
        unproven=update.unproven,
        clock=update.clock,
    )


def spliced(
    shared: SharedUpdate, update: Update, events: Sequence[AnyEvent] | None = None
) -> bytes:
    return splice(
        shared,
        encode_own(update.seat, update.hand),
        answers=update.answers,
        choices=update.choices,
        events=events,
    )


@given(data=st.data())
def test_a_spliced_update_is_the_whole_one(
    data: st.DataObject, updates: st.SearchStrategy[Update]
) -> None:
    """Whether its events are the shared ones or a private form."""
    update = data.draw(updates)
    payload = spliced(shared_of(update, update.events), update)
    assert decode_server(payload) == decode_server(encode(update)) == update
    assert msgpack.unpackb(payload) == msgpack.unpackb(encode(update))
    private = spliced(shared_of(update, []), update, update.events)
    assert decode_server(private) == update


@given(data=st.data())
def test_parts_that_are_encoded_already_make_the_same_update(
    data: st.DataObject, updates: st.SearchStrategy[Update]
) -> None:
    """Byte for byte, wherever they stand."""
    update = data.draw(updates)
    view = msgspec.structs.replace(
        update.view,
        trains=[preencoded(train) for train in update.view.trains],
        names=preencoded(update.view.names),
    )
    twin = msgspec.structs.replace(
        update,
        view=view,
        hand=preencoded(update.hand),
        choices=[preencoded(choice) for choice in update.choices],
        events=[preencoded(event) for event in update.events],
    )
    assert encode(twin) == encode(update)
    assert spliced(shared_of(twin, twin.events), twin) == spliced(
        shared_of(update, update.events), update
    )


def test_no_private_part_of_one_viewer_is_in_another_ones_update(
    vectors: dict[str, Any],
) -> None:
    vector = next(each for each in vectors["messages"] if each["name"] == "update")
    update = decode_server(bytes.fromhex(vector["hex"])[4:])
    assert isinstance(update, Update)
    shared = shared_of(update, [TileDrawn(n=9, seat=1, tile=None)])
    own = spliced(shared, update, [TileDrawn(n=9, seat=1, tile=(6, 5))])
    other = splice(shared, encode_own(0, []))
    assert b"\x92\x06\x05" in own
    assert b"\x92\x06\x05" not in other


def test_an_update_has_few_enough_fields_for_a_header_of_one_byte() -> None:
    """Splicing writes the header by itself; a sixteenth entry would need another form."""
    assert len(Update.__struct_fields__) + 1 <= 15
