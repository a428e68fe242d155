"""The log: readable lines, and no word that is not ours."""

import json

import pytest
from mexican_train.server import logs


def test_a_line_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    logs.make_log().info("round over", table="table-1", scores=[3, 0])
    line = capsys.readouterr().err
    assert line.endswith(" round over  table=table-1 scores=3,0\n")


def test_what_is_no_plain_news_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    logs.make_log().warning("no descriptors left")
    assert " WARNING: no descriptors left\n" in capsys.readouterr().err


def test_a_line_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    logs.make_log("json").info("round over", round=3)
    line = json.loads(capsys.readouterr().err)
    assert (line["event"], line["level"], line["round"]) == ("round over", "info", 3)


def test_lines_below_the_level_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    logs.make_log(level="error").info("round over")
    assert capsys.readouterr().err == ""


def test_an_error_is_told_without_its_message() -> None:
    told = logs.told(ExceptionGroup("a peer's words", [ValueError("a peer's words")]))
    assert told["error"] == "ValueError"
    assert "words" not in str(told)


def test_a_log_that_nobody_reads_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        """A pipe whose reader has gone."""

        def write(self, _text: str) -> None:
            raise BrokenPipeError

    monkeypatch.setattr("sys.stderr", Closed())
    logs.make_log().info("round over")
