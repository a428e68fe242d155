"""Any command from anybody at any time: each is answered once, and nothing breaks."""

from random import Random
from typing import Any, get_args

import msgspec
import pytest
from mexican_train.protocol import (
    AnyCommand,
    Card,
    CreateTable,
    Declined,
    Foul,
    Hello,
    Hint,
    JoinTable,
    Ok,
    Play,
    Pong,
    Reasons,
    TableNews,
    Tables,
    Update,
)
from mexican_train.server.effects import MoveMade
from mexican_train.server.players import PENDING

COMMANDS = get_args(AnyCommand)
ANSWERS = (Ok, Pong, Declined, Tables, TableNews, Card, Reasons, Hint, Update)
NAMES = ["one", "two", "three"]
GUESTS = ["ann", "bob", "eve", "robot"]


def anything(random: Random, desk: Any, player: int) -> dict[str, Any]:
    """Values for whatever fields a command may have, right about half of the time."""
    last = [each for each in desk.inbox[player] if isinstance(each, Update)]
    choice = random.choice(last[-1].choices) if last and last[-1].choices else None
    return {
        "page": random.randrange(3),
        "name": random.choice([*NAMES, *GUESTS, "greedy-1", "random-1"]),
        "table": random.choice(NAMES),
        "seat": random.choice([0, 1, 2, 9]),
        "seats": random.choice([2, 3, 4, 14]),
        "first_seat": random.choice([0, 0, 0, 5]),
        "bots": random.choice([[], ["greedy"], ["greedy", "random"], ["clever"]]),
        "start": random.choice(["full", "ready", "manual"]),
        "rules": random.choice(["classic", "spruce", "bernie", "none"]),
        "options": random.choice([["game.rounds=1"], ["game.rounds=1", "nothing=1"]]),
        "strategy": random.choice(["greedy", "random", "clever"]),
        "on": random.random() < 0.8,
        "turn": last[-1].turn - random.choice([0, 0, 0, 1]) if last else 1,
        "tile": choice.tile if choice and choice.tile else (12, random.randrange(12)),
        "train": choice.train if choice and choice.train else random.choice(["p0", "m0", "p9"]),
        "do": random.choice(["play", "draw", "pass", "done", "knock", "foul"]),
        "hints": random.choice([None, True, False]),
        "event": random.randrange(100),
        "text": "hello",
        "watchers": random.choice(["none", "public"]),
        "choice": random.choice(["wait", "skip", "bot", "end"]),
        "turn_seconds": random.choice([None, 0, 20]),
        "bank_seconds": random.choice([None, 0, 60]),
        "on_timeout": random.choice([None, "skip", "bot"]),
        "on_absent": random.choice([None, "wait", "skip", "bot", "end"]),
    }


@pytest.mark.parametrize("seed", range(8))
def test_every_command_is_answered_once(desk: Any, scale: Any, seed: int) -> None:
    random = Random(seed)
    players = [desk.enter(name, "bot" if name == "robot" else "person") for name in GUESTS]
    players.append(desk.enter("looker", "watcher"))
    desk.open("one", seats=2, first_seat=seed % 2)
    for player in players[:2]:
        desk.send(player, JoinTable, table="one")
    likely = [CreateTable, JoinTable, JoinTable, Play, Play, Play, Foul]
    for number in range(10, scale(400, 4000)):
        player = random.choice(players)
        kind = random.choice([*COMMANDS, *likely])
        values = anything(random, desk, player)
        wanted = {field.name for field in msgspec.structs.fields(kind)} & values.keys()
        before = len(desk.inbox[player])
        command = kind(id=number, **{name: values[name] for name in wanted})
        desk.carry_out(desk.lobby.handle(player, command, desk.now))
        desk.start_bots()
        new = [each for each in desk.inbox[player][before:] if isinstance(each, ANSWERS)]
        answers = [each for each in new if each.answers == number]
        if desk.lobby._players[player].answers[number] is PENDING:
            assert not answers
        elif kind.__name__ == "Resync":
            assert answers
        else:
            assert len(answers) == 1, command
        if random.random() < 0.05:
            desk.drop(player)
            hello = Hello(
                versions=(1, 1),
                kind="person",
                name=desk.lobby._players[player].name,
                token=desk.token(player),
            )
            desk.carry_out(desk.lobby.hello(hello, desk.now).effects)
        if random.random() < 0.1:
            desk.wait(random.choice([0.5, 5, 40, 700]))
    played = [each for each in desk.saved if isinstance(each, MoveMade)]
    assert played
