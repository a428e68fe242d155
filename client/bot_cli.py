"""`mt-bot`: seats stock bots on a server and says what becomes of them, a line each."""

from pathlib import Path

import click

from .command import ExampleCommand
from .wish import AccessOptions

PROGRAM = "mt-bot"


@click.command(
    PROGRAM,
    cls=ExampleCommand,
    examples=("mt-bot 192.0.2.7 --strategy greedy",),
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "MT_BOT",
        "max_content_width": 100,
    },
)
@click.argument("server", metavar="[tls://]HOST[:PORT]")
@click.option(
    "--strategy",
    "strategy_name",
    required=True,
    metavar="NAME",
    help="How to play: planner, greedy or random (also hard, medium, easy).",
)
@click.option(
    "--table", metavar="NAME", help="Where to sit down. [default: the first table with a free seat]"
)
@click.option("--name", metavar="NAME", help="The player's name. [default: the strategy's]")
@click.option(
    "--count",
    type=click.IntRange(1, 14),
    default=1,
    show_default=True,
    metavar="K",
    help="How many bots; each sits down after the one before.",
)
@click.option(
    "--password-file",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The server's password, one line.",
)
@click.option("--tls", is_flag=True, help="As tls:// in front of the host: speak TLS.")
@click.option(
    "--fingerprint",
    metavar="HEX",
    help="With TLS: the SHA-256 of the server's certificate, from its host; it is kept.",
)
@click.option("--seed", type=int, metavar="N", help="Makes a bot that plays at random repeatable.")
@click.version_option(package_name="mexican-train", prog_name=PROGRAM)
def main(
    server: str,
    *,
    strategy_name: str,
    table: str | None,
    name: str | None,
    count: int,
    password_file: Path | None,
    tls: bool,
    fingerprint: str | None,
    seed: int | None,
) -> int:
    """Seat stock bots on the server at HOST and play one game with each.

    Without --table a bot takes the first table with a free seat and waits for one. One that was
    killed in a game goes on with it when it is started again under the same name.
    """
    from .bot_runner import play_all  # noqa: PLC0415 - loads trio, which --help must not

    access = AccessOptions(password_file, tls, fingerprint)
    return play_all(server, strategy_name, access, table=table, name=name, count=count, seed=seed)


if __name__ == "__main__":
    main(prog_name=PROGRAM)
