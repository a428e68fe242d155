"""The record of a game: rules, seats, deals, moves and scores, as one JSON file.

Every entry stands on a line of its own and carries a checksum over itself and all before it,
so that a changed byte is found at its line. `Game.replay` then holds each move against the rules.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .deal import Deal
from .moves import Move
from .ruleset import RuleSet, preset_names
from .tiles import parse_tile, tile_text, tiles_in

FORMAT: Final = 1
_SUM_DIGITS: Final = 16
_NAME_MAX: Final = 60
_NUMBER_END: Final = 1 << 53
"""Whole numbers below this are the same in every JSON reader."""
_OPENING: Final = f'{{"format":{FORMAT},"lines":['
_CLOSING: Final = "]}"


class RecordError(ValueError):
    """A record that does not fit.

    Attributes:
        line: the first line of the file that does not fit, from 1.
    """

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}")
        self.line = line


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """A move with its seat and time; `move` None is the table's `skip`."""

    seat: int
    move: Move | None
    at_ms: int = 0


@dataclass(frozen=True, slots=True)
class RecordedRound:
    """One round: the deal, the moves, and the scores once it is over (else None)."""

    deal: Deal
    moves: tuple[RecordedMove, ...]
    scores: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Record:
    """A whole game, finished or not.

    `record.to_text()` and `Record.parse` are a pair. `names` are the seats' names.
    """

    rules: RuleSet
    names: tuple[str, ...]
    first_seat: int
    rounds: tuple[RecordedRound, ...]

    def to_text(self) -> str:
        """The file: JSON, one entry a line, each with its checksum."""
        written, checksum = [], ""
        for entry in self._entries():
            checksum = _checksum(checksum, entry)
            written.append(_canonical({**entry, "sum": checksum}))
        return "\n".join([_OPENING, ",\n".join(written), _CLOSING]) + "\n"

    def line_of(self, round_index: int, move_index: int | None) -> int:
        """The line on which a move, or with None the scores of a round, stands."""
        line = 3 + sum(
            1 + len(each.moves) + (each.scores is not None) for each in self.rounds[:round_index]
        )
        moves = len(self.rounds[round_index].moves)
        return line + 1 + (moves if move_index is None else move_index)

    def _entries(self) -> Iterable[dict[str, object]]:
        yield {
            "game": {
                "rules": self.rules.name,
                "hash": self.rules.hash,
                "options": self.rules.options(),
                "names": list(self.names),
                "first_seat": self.first_seat,
            }
        }
        for number, each in enumerate(self.rounds, 1):
            deal = each.deal
            yield {
                "deal": {
                    "round": number,
                    "engine": tile_text(deal.engine_tile),
                    "hands": [[tile_text(tile) for tile in tiles_in(hand)] for hand in deal.hands],
                    "boneyard": [tile_text(tile) for tile in deal.boneyard],
                }
            }
            for move in each.moves:
                yield {
                    "seat": move.seat,
                    "move": "skip" if move.move is None else str(move.move),
                    "at_ms": move.at_ms,
                }
            if each.scores is not None:
                yield {"scores": list(each.scores)}

    @staticmethod
    def parse(text: str) -> "Record":
        """Read a record as `to_text` writes it, byte for byte.

        Raises:
            RecordError: at the first line that does not fit.
        """
        lines = text.split("\n")
        if lines[0] != _OPENING:
            raise RecordError(1, f"a record of format {FORMAT} begins with {_OPENING}")
        if len(lines) < 4 or lines[-2:] != [_CLOSING, ""]:
            raise RecordError(len(lines), f"a record ends with {_CLOSING} and a line feed")
        reader = _Reader()
        checksum = ""
        for number, line in enumerate(lines[1:-2], 2):
            wants_comma = number < len(lines) - 2
            entry = _read_line(number, line, wants_comma)
            claimed = entry.pop("sum", None)
            checksum = _checksum(checksum, entry)
            if claimed != checksum:
                raise RecordError(number, "the checksum does not fit: it was changed")
            reader.take(number, entry)
        record = reader.record()
        for number, expected in enumerate(record.to_text().split("\n"), 1):
            if number > len(lines) or lines[number - 1] != expected:
                raise RecordError(number, "it is not written as records are")
        return record


class _Reader:
    """Puts the entries of a file together, in their order."""

    def __init__(self) -> None:
        self._game: tuple[RuleSet, tuple[str, ...], int] | None = None
        self._rounds: list[RecordedRound] = []
        self._deal: Deal | None = None
        self._moves: list[RecordedMove] = []

    def take(self, line: int, entry: Mapping[str, object]) -> None:
        """Add one entry; RecordError if it cannot stand here."""
        try:
            self._take(entry)
        except RecordError:
            raise
        except (ValueError, TypeError, KeyError) as error:
            raise RecordError(line, f"{type(error).__name__}: {error}") from error

    def _take(self, entry: Mapping[str, object]) -> None:
        if self._game is None:
            self._game = _read_game(_mapping(entry["game"]))
        elif "deal" in entry:
            self._close(None)
            self._deal = _read_deal(_mapping(entry["deal"]), len(self._rounds) + 1)
        elif self._deal is None:
            raise ValueError("a deal is missing here")
        elif "scores" in entry:
            self._close(tuple(_number(each) for each in _sequence(entry["scores"])))
        else:
            written = str(entry["move"])
            self._moves.append(
                RecordedMove(
                    _number(entry["seat"]),
                    None if written == "skip" else Move.parse(written),
                    _number(entry["at_ms"]),
                )
            )

    def _close(self, scores: tuple[int, ...] | None) -> None:
        if self._deal is None:
            return
        if scores is None:
            raise ValueError("the scores of the round before are missing")
        self._rounds.append(RecordedRound(self._deal, tuple(self._moves), scores))
        self._deal, self._moves = None, []

    def record(self) -> Record:
        """All that was read; a last round without scores is one still in play."""
        if self._game is None:
            raise RecordError(2, "there is no game in it")
        if self._deal is not None:
            self._rounds.append(RecordedRound(self._deal, tuple(self._moves), None))
        rules, names, first_seat = self._game
        return Record(rules, names, first_seat, tuple(self._rounds))


def _canonical(entry: Mapping[str, object]) -> str:
    return json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _checksum(before: str, entry: Mapping[str, object]) -> str:
    return hashlib.sha256((before + _canonical(entry)).encode()).hexdigest()[:_SUM_DIGITS]


def _read_line(number: int, line: str, wants_comma: bool) -> dict[str, object]:
    body = line.removesuffix(",") if wants_comma else line
    if wants_comma and body == line:
        raise RecordError(number, "the comma at the end is missing")
    try:
        entry = json.loads(body)
        is_canonical = isinstance(entry, dict) and _canonical(entry) == body
    except (ValueError, RecursionError) as error:
        raise RecordError(number, "it is no JSON") from error
    if not is_canonical:
        raise RecordError(number, "it is not written as records are")
    return dict(entry)


def _read_game(game: Mapping[str, object]) -> tuple[RuleSet, tuple[str, ...], int]:
    rules = RuleSet.from_mapping(_mapping(game["options"]), name=_name(game["rules"]))
    if rules.hash != game["hash"]:
        raise ValueError("the hash is not that of the options")
    if rules.name in preset_names() and rules != RuleSet.preset(rules.name):
        raise ValueError(f"these are not the rules called {rules.name}")
    names = tuple(_name(name) for name in _sequence(game["names"]))
    return rules, names, _number(game["first_seat"])


def _read_deal(deal: Mapping[str, object], number: int) -> Deal:
    if deal["round"] != number:
        raise ValueError(f"this must be the deal of round {number}")
    hands = [
        [parse_tile(str(tile)) for tile in _sequence(hand)] for hand in _sequence(deal["hands"])
    ]
    boneyard = [parse_tile(str(tile)) for tile in _sequence(deal["boneyard"])]
    return Deal.fixed(hands, boneyard, parse_tile(str(deal["engine"])))


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError("an object belongs here")
    return value


def _sequence(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise TypeError("a list belongs here")
    return value


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.isprintable() or not 1 <= len(value) <= _NAME_MAX:
        raise ValueError(f"a name is 1 to {_NAME_MAX} printable characters")
    return value


def _number(value: object) -> int:
    if type(value) is not int or not 0 <= value < _NUMBER_END:
        raise TypeError("a whole number belongs here")
    return value
