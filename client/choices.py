"""Choices of the server as commands to send back, and as text."""

from mexican_train.protocol import AnyCommand, Choice, Done, Draw, Foul, Knock, Pass, Play


def command_for(choice: Choice, turn: int) -> AnyCommand:
    """The command that carries out `choice` of the update with this `turn`; its id is 0."""
    if choice.do == "play":
        if choice.tile is None or choice.train is None:
            raise ValueError("a choice to play names a tile and a train")
        return Play(id=0, turn=turn, tile=choice.tile, train=choice.train)
    if choice.do == "foul":
        if choice.seat is None or choice.event is None:
            raise ValueError("a choice to call a foul names a seat and an event")
        return Foul(id=0, seat=choice.seat, event=choice.event)
    if choice.do == "knock":
        return Knock(id=0)
    if choice.do == "draw":
        return Draw(id=0, turn=turn)
    return Pass(id=0, turn=turn) if choice.do == "pass" else Done(id=0, turn=turn)


def choice_text(choice: Choice) -> str:
    """The choice as moves are written: `12-7>p2`, `draw`, `foul:3`."""
    if choice.do == "play" and choice.tile is not None:
        return f"{max(choice.tile)}-{min(choice.tile)}>{choice.train}"
    return f"foul:{choice.seat}" if choice.do == "foul" else choice.do
