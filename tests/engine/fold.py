"""The state of a round made again from its deal and its events alone.

If the events tell everything that happened, the fold of them is the table as the round has it.
"""

from mexican_train.engine import (
    Deal,
    DoubleCovered,
    DoubleLapsed,
    DoubleOpened,
    EngineLaid,
    Event,
    FoulCalled,
    MarkerRemoved,
    MarkerSet,
    Round,
    RoundEnded,
    SearchDrew,
    TileDrawn,
    TileLaid,
)


class Folded:
    """Hands, boneyard, trains, markers and open doubles, kept up by events only."""

    def __init__(self, deal: Deal) -> None:
        self.hands = [{t for t in range(mask.bit_length()) if mask >> t & 1} for mask in deal.hands]
        self.boneyard = list(deal.boneyard)
        self.engine: int | None = None
        self.lines: dict[int, list[int]] = {}
        self.markers: set[int] = set()
        self.doubles: list[tuple[int, int]] = []
        self.scores: tuple[int, ...] | None = None

    def take(self, event: Event) -> None:
        """Do what the event says; AssertionError if it cannot be true."""
        match event:
            case EngineLaid(seat, tile, _):
                if seat is not None:
                    self.hands[seat].remove(tile)
                self.engine = tile
            case SearchDrew(seat, tile) | TileDrawn(seat, tile):
                self._draw(seat, tile)
            case FoulCalled(seat, _, tiles):
                for tile in tiles:
                    self._draw(seat, tile)
            case TileLaid(seat, tile, train, _):
                self.hands[seat].remove(tile)
                self.lines.setdefault(train, []).append(tile)
            case MarkerSet(seat):
                assert seat not in self.markers
                self.markers.add(seat)
            case MarkerRemoved(seat):
                self.markers.remove(seat)
            case DoubleOpened(_, train, tile):
                assert self.lines[train][-1] == tile
                self.doubles.append((train, tile))
            case DoubleCovered(_, train, tile) | DoubleLapsed(train, tile, _):
                self.doubles.remove((train, tile))
            case RoundEnded(_, _, hands, scores):
                assert [set(hand) for hand in hands] == self.hands
                self.scores = scores

    def _draw(self, seat: int, tile: int) -> None:
        assert self.boneyard.pop(0) == tile
        self.hands[seat].add(tile)

    def tiles(self) -> list[int]:
        """Every tile that lies or is held, the engine once it lies, in order."""
        everywhere = [tile for hand in self.hands for tile in hand] + self.boneyard
        everywhere += [tile for line in self.lines.values() for tile in line]
        return sorted(everywhere if self.engine is None else [*everywhere, self.engine])

    def assert_is(self, state: Round) -> None:
        """AssertionError unless the round has the table like this."""
        assert [set(state.hand(seat)) for seat in range(state.seats)] == self.hands
        assert list(state.boneyard_left) == self.boneyard
        assert {train.train for train in state.trains if train.marked} == self.markers
        assert [(each.train, each.tile) for each in state.open_doubles] == self.doubles
        lines = {each.train: [_tile(ends) for ends in each.line] for each in state.trains}
        assert {train: line for train, line in lines.items() if line} == self.lines


def _tile(ends: tuple[int, int]) -> int:
    high, low = max(ends), min(ends)
    return high * (high + 1) // 2 + low
