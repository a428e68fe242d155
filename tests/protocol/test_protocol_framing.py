"""Frames are cut from a stream at the right places, whatever the pieces it comes in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mexican_train.protocol import (
    FrameDecoder,
    LocalProtocolError,
    RemoteProtocolError,
    frame,
)


def test_a_frame_is_four_bytes_of_length_and_the_payload() -> None:
    assert frame(b"abc") == b"\x00\x00\x00\x03abc"


def test_a_payload_over_the_limit_is_not_framed() -> None:
    assert frame(bytes(8), 8)
    with pytest.raises(LocalProtocolError, match="9 bytes; the limit is 8"):
        frame(bytes(9), 8)


@given(payloads=st.lists(st.binary(max_size=30), max_size=8), cuts=st.data())
def test_pieces_of_any_size_give_the_same_payloads(
    payloads: list[bytes], cuts: st.DataObject
) -> None:
    stream = b"".join(map(frame, payloads))
    decoder = FrameDecoder(30)
    found: list[bytes] = []
    at = 0
    while at < len(stream):
        size = cuts.draw(st.integers(1, 20))
        found += decoder.feed(stream[at : at + size])
        at += size
    assert found == payloads
    assert not decoder.is_mid_frame
    decoder.eof()


def test_a_length_over_the_limit_is_an_error_once_its_four_bytes_are_there() -> None:
    decoder = FrameDecoder(8)
    assert list(decoder.feed(b"\x00\x00\x00")) == []
    with pytest.raises(RemoteProtocolError) as caught:
        list(decoder.feed(b"\x09"))
    assert caught.value.code == "too_long"
    assert caught.value.params == {"bytes": 9, "limit": 8}
    assert caught.value.fatal


def test_the_frames_before_one_too_long_still_come_out() -> None:
    decoder = FrameDecoder(8)
    payloads = decoder.feed(frame(b"good") + b"\xff\xff\xff\xff")
    assert next(payloads) == b"good"
    with pytest.raises(RemoteProtocolError):
        next(payloads)


def test_a_frame_of_exactly_the_limit_is_read() -> None:
    assert list(FrameDecoder(8).feed(frame(bytes(8)))) == [bytes(8)]


def test_a_limit_set_between_two_frames_holds_for_the_next() -> None:
    decoder = FrameDecoder(2)
    payloads = decoder.feed(frame(b"ab") + frame(b"abcd"))
    next(payloads)
    decoder.limit = 4
    assert next(payloads) == b"abcd"


@pytest.mark.parametrize("kept", [1, 3, 4, 5, 7])
def test_a_stream_that_ends_inside_a_frame_is_cut(kept: int) -> None:
    decoder = FrameDecoder(8)
    assert list(decoder.feed(frame(b"abcd")[:kept])) == []
    assert decoder.is_mid_frame
    with pytest.raises(RemoteProtocolError) as caught:
        decoder.eof()
    assert caught.value.code == "cut"


def test_an_iteration_left_early_goes_on_with_the_next_feed() -> None:
    decoder = FrameDecoder(8)
    assert next(decoder.feed(frame(b"one") + frame(b"two"))) == b"one"
    assert list(decoder.feed(b"")) == [b"two"]
