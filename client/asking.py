"""Questions to a person at a terminal, with numbered answers. The end of the input is Ctrl-C."""

import sys
from collections.abc import Sequence
from datetime import datetime

import click

from .clean import clean
from .texts import text, typed


def is_at_terminal() -> bool:
    """Whether there is somebody to ask."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def choose(answers: Sequence[str], *, default: int = 1) -> int | None:
    """The number of the answer that a person chooses, from 1; None if they want to stop."""
    for number, words in enumerate(answers, 1):
        click.echo(f"{number:>3}  {clean(words)}")
    while True:
        asked = text("Type a number, or q to stop")
        answer: str = click.prompt(asked, default=str(default)).strip().lower()
        if answer in ("q", *typed("quit")):
            return None
        if answer.isascii() and answer.isdigit() and 1 <= int(answer[:4]) <= len(answers):
            return int(answer[:4])
        click.echo(text("There is no such number here."))


def when_words(moment: float) -> str:
    """A moment (seconds since the epoch) as it is written here; today's without the day."""
    when = datetime.fromtimestamp(moment).astimezone()
    is_today = when.date() == datetime.now().astimezone().date()
    return f"{when:%H:%M}" if is_today else f"{when:%Y-%m-%d %H:%M}"
