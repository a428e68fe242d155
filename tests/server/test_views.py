"""What each viewer may see: an allow-list, and a search for hidden tiles in every byte sent."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import msgspec
import pytest
from mexican_train import engine
from mexican_train.engine import Game, RuleSet, tile_ends, tile_text
from mexican_train.protocol import (
    EVENT_TYPES,
    Card,
    RoundOver,
    Update,
    WatchTable,
    decode_server,
    encode,
)
from mexican_train.server import views

ALL_EVENTS = {
    value
    for value in vars(engine).values()
    if isinstance(value, type) and issubclass(value, engine.Event) and value is not engine.Event
}


def test_every_event_of_the_engine_has_a_form() -> None:
    assert set(views._FORMS) == ALL_EVENTS
    # and two are the table's own
    assert len(ALL_EVENTS) == len(EVENT_TYPES) - 2


@pytest.mark.parametrize(
    ("event", "hidden"),
    [
        (engine.TileDrawn(1, engine.tile(5, 3)), "tile"),
        (engine.SearchDrew(1, engine.tile(5, 3)), "tile"),
        (engine.FoulCalled(1, 0, (engine.tile(5, 3),)), "tiles"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_drawn_tile_is_for_its_seat_alone(event: engine.Event, hidden: str) -> None:
    game = Game.start(RuleSet.preset("classic"), seats=3)
    game.begin_round(engine.Deal.from_seed(game.rules, 3, bytes(32), 1))
    seen = views.seen_event(7, event, game)
    for viewer in (0, 2, None):
        assert getattr(seen.seen_by(viewer), hidden) is None
    own = getattr(seen.seen_by(1), hidden)
    assert own in ((5, 3), [(5, 3)])
    assert {each.n for each in (seen.public, seen.seen_by(1))} == {7}


def test_the_found_engine_is_seen_by_all() -> None:
    game = Game.start(RuleSet.preset("classic"), seats=3)
    game.begin_round(engine.Deal.from_seed(game.rules, 3, bytes(32), 1))
    seen = views.seen_event(1, engine.SearchDrew(1, engine.tile(12, 12)), game)
    assert getattr(seen.seen_by(None), "tile", None) == (12, 12)


def test_an_event_without_a_form_is_shown_to_nobody() -> None:
    class Secret(engine.Event):
        """Not of the engine."""

    game = Game.start(RuleSet.preset("classic"), seats=3)
    with pytest.raises(KeyError):
        views.seen_event(1, Secret(), game)


def test_a_kept_part_is_never_an_old_one() -> None:
    """What is kept from view to view, and sent encoded, is what a view made afresh says."""
    random = Random(7)
    rules = RuleSet.preset("classic").with_options({"game.rounds": 2})
    game = Game.start(rules, seats=4)
    names = ["ann", "bob", "cleo", "dan"]
    kept, encoded = views.PublicViews(game, names), views.PublicViews(game, names, for_sending=True)
    while game.phase != "over":
        if game.turn is None:
            seed = random.randbytes(32)
            game.begin_round(engine.Deal.from_seed(rules, 4, seed, game.round_number + 1))
        else:
            game.apply(game.turn, random.choice(game.legal_moves(game.turn)))
        fresh = views.PublicViews(game, names).view({})
        assert kept.view({}) == fresh
        assert msgspec.msgpack.encode(encoded.view({})) == msgspec.msgpack.encode(fresh)


# --- canary -------------------------------------------------------------------------------


def pairs_in(value: Any) -> Iterator[tuple[int, int]]:
    """Everything in a decoded frame that could be a tile."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from pairs_in(inner)
    elif isinstance(value, list):
        if len(value) == 2 and all(type(each) is int for each in value):
            yield max(value), min(value)
        for inner in value:
            yield from pairs_in(inner)


def bytes_of(tile: int) -> tuple[bytes, bytes]:
    """A tile as it would stand in a frame, either end first."""
    high, low = tile_ends(tile)
    return bytes((0x92, high, low)), bytes((0x92, low, high))


class Canary:
    """Follows one table and checks every new frame against what its viewer may know."""

    def __init__(self, desk: Any, viewers: list[int]) -> None:
        self.desk = desk
        self.viewers = viewers
        self.checked = dict.fromkeys(viewers, 0)
        self.frames = 0

    def look(self) -> None:
        """Check what has been sent since the last look."""
        game = self.desk.lobby._tables["t"].progress.game
        state = game.round
        is_over = game.phase != "play"
        for viewer in self.viewers:
            seat = self.desk.update(viewer).seat
            hidden = set(state.boneyard_left)
            if not is_over:
                hidden |= {
                    tile
                    for other in range(game.seats)
                    if other != seat
                    for tile in state.hand(other)
                }
            new = self.desk.wire[viewer][self.checked[viewer] :]
            self.checked[viewer] += len(new)
            for payload in new:
                self.frames += 1
                shown = set(pairs_in(msgpack.unpackb(payload)))
                assert not shown & {tile_ends(tile) for tile in hidden}
                for tile in hidden:
                    assert not any(form in payload for form in bytes_of(tile))
                    assert tile_text(tile).encode() not in payload


@pytest.mark.parametrize("preset", ["classic", "spruce"])
def test_no_hidden_tile_is_in_any_byte_to_another_viewer(
    make_desk: Callable[..., Any], scale: Any, preset: str
) -> None:
    """Other hands and the boneyard stay out of frames, refusals, resumes and log lines."""
    rules = RuleSet.preset(preset).with_options({"game.rounds": 1})
    for number in range(scale(5, 50)):
        desk = make_desk(random_bytes=Random(number).randbytes)
        random = Random(f"canary {number}")
        desk.open(seats=4, rules=rules)
        watcher = desk.enter("looker", "watcher")
        desk.send(watcher, WatchTable, table="t")
        players = desk.seat_four()
        canary = Canary(desk, [*players, watcher])
        canary.look()
        seeds = [fact.seed for fact in desk.saved if hasattr(fact, "seed")]
        while (update := desk.update(players[0])).view.phase == "play":
            to_act = players[update.view.to_act]
            if random.random() < 0.1:
                stranger = random.choice(players)
                desk.act(stranger, desk.update(to_act).choices[0])
                if desk.update(players[0]) is not update:
                    canary.look()
                    continue
            if random.random() < 0.05:
                desk.drop(to_act)
                name = desk.lobby._players[to_act].name
                back = desk.hello(name, "bot", token=desk.token(to_act), last_event=0)
                assert back == to_act
            desk.act(to_act, random.choice(desk.update(to_act).choices))
            canary.look()
        assert canary.frames > 100
        assert any(
            isinstance(event, RoundOver)
            for message in desk.inbox[watcher]
            if isinstance(message, Update)
            for event in message.events
        )
        lines = " ".join(f"{each.event} {each.values}" for each in desk.reports)
        assert not any(seed.hex() in lines or str(seed) in lines for seed in seeds)
        assert "-" not in lines.replace("game-", "")


def test_the_search_finds_what_it_looks_for(desk: Any) -> None:
    """A frame to the owner of a hand, taken for one to somebody else, is found out."""
    desk.open()
    players = desk.seat_four()
    canary = Canary(desk, players)
    desk.wire[players[1]].append(desk.wire[players[0]][-1])
    with pytest.raises(AssertionError):
        canary.look()


def test_the_last_few_rule_cards_are_kept_encoded() -> None:
    """The same card is the same bytes, and whoever asks for many pushes out the oldest."""
    rules = RuleSet.preset("bernie")
    info, lines = views.rule_card(rules)
    assert views.rule_card(RuleSet.preset("bernie"))[1] is lines
    encoded = encode(Card(answers=1, rules=info, lines=lines))
    whole = Card(answers=1, rules=views.rules_info(rules), lines=views.card_lines(rules))
    assert decode_server(encoded) == whole
    for number in range(views.CARDS_KEPT):
        views.rule_card(RuleSet.from_mapping(dict(rules.options()), name=f"mine {number}"))
    assert len(views._cards) == views.CARDS_KEPT
    assert views.rule_card(rules)[1] is not lines
