"""The record of a finished game, put together from its parts and kept in a file."""

from pathlib import Path

import pytest
from mexican_train.client.records import RecordReader, save_record
from mexican_train.protocol import AskRecord, RecordPart


def part(number: int, text: str, parts: int = 2) -> RecordPart:
    return RecordPart(answers=1, table="t", part=number, parts=parts, text=text)


def test_parts_in_order_are_the_record() -> None:
    reader = RecordReader()
    assert reader.take(part(0, "one ")) == AskRecord(id=0, table="t", part=1)
    assert reader.take(part(1, "two")) == "one two"
    assert reader.take(part(0, "alone", parts=1)) == "alone"


def test_a_part_that_comes_again_counts_once() -> None:
    """After a resume the last part may be repeated, or somebody begins anew."""
    reader = RecordReader()
    for number in (0, 1, 1, 0, 1):
        reader.take(part(number, str(number), parts=3))
    assert reader.take(part(2, "2", parts=3)) == "012"


def test_it_is_kept_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    first = save_record("{}", "Ann's ../table 1")
    assert first.parent == tmp_path / "mexican-train" / "games"
    assert "-ann-s-table-1-" in first.name
    assert first.read_text() == "{}"
    assert save_record("{}", "Ann's ../table 1") == first
    assert save_record("[]", "\N{CJK UNIFIED IDEOGRAPH-4E00}").name.endswith(".json")
    assert len(list(first.parent.iterdir())) == 2
