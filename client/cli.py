"""`mt-client`: the command line of the terminal client.

Only click is loaded before the options are read; trio and the rest come with the game itself.
"""

import getpass
import os
import unicodedata
from pathlib import Path

import click

from .asking import is_at_terminal
from .command import ExampleCommand
from .texts import LANGUAGES, choose_language, language_of, text
from .wish import NAME_CHARS_MAX, THEME_NAMES, AccessOptions, Look, OpenOptions, Wish

PROGRAM = "mt-client"
SEAT_CODE_CHARS_MAX = 40


@click.command(
    PROGRAM,
    cls=ExampleCommand,
    examples=("mt-client 192.0.2.7 --name ann", "mt-client --solo", "mt-client"),
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "MT_CLIENT",
        "max_content_width": 100,
    },
)
@click.argument("server", metavar="[[tls://]HOST[:PORT]]", required=False)
@click.option("--solo", is_flag=True, help="Play at once against bots, on a server of your own.")
@click.option(
    "--bots",
    type=click.IntRange(1, 13),
    metavar="N",
    help="With --solo: how many bots.  [default: 3; with --open-to-lan none]",
)
@click.option(
    "--strategy",
    default="planner",
    show_default=True,
    metavar="NAME",
    help="With --solo: how the bots play.",
)
@click.option(
    "--resume/--new",
    default=None,
    help="With --solo: go on with the game that was left, or give it up.  [default: ask]",
)
@click.option(
    "--open-to-lan",
    is_flag=True,
    help="A game on this machine that others may join: --solo with free seats.",
)
@click.option(
    "--seats",
    type=click.IntRange(2, 14),
    metavar="N",
    help="With --open-to-lan: yours and all others.  [default: 4, or two more than bots]",
)
@click.option(
    "--host",
    metavar="ADDR",
    help="With --open-to-lan: where to listen.  [default: every interface]",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="With --open-to-lan: likewise.  [default: 12012, or a free one]",
)
@click.option("--name", metavar="NAME", help="Your name at the table. [default: your login name]")
@click.option("--table", metavar="NAME", help="Sit down at this table at once.")
@click.option("--create", metavar="NAME", help="Open a table of this name and sit down at it.")
@click.option("--watch", is_flag=True, help="With --table: look on without a seat.")
@click.option("--rules", metavar="NAME", help="With --create or --solo: the rules to play by.")
@click.option(
    "--rule",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="With --create or --solo: a single option over the rules; may be repeated.",
)
@click.option(
    "--seat-code",
    metavar="CODE",
    help="With --name: take back a seat whose token is lost; the host of the table has the code.",
)
@click.option(
    "--password-file",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The server's password, one line. Asked for on a terminal.",
)
@click.option("--tls", is_flag=True, help="As tls:// in front of the host: speak TLS.")
@click.option(
    "--fingerprint",
    metavar="HEX",
    help="With TLS: the SHA-256 of the server's certificate, from its host; it is kept.",
)
@click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    default=lambda: language_of(os.environ),
    help="English or Norwegian Bokmål. [default: as your locale says]",
)
@click.option(
    "--plain",
    is_flag=True,
    help="Line mode: for screen readers; chosen by itself for pipes and plain terminals.",
)
@click.option(
    "--theme",
    type=click.Choice(THEME_NAMES),
    default="default",
    show_default=True,
    help="Colours of the full screen; NO_COLOR in the environment takes all of them away.",
)
@click.option(
    "--ascii",
    "is_ascii",
    is_flag=True,
    envvar="MT_CLIENT_ASCII",
    help="No characters beyond ASCII of our own.",
)
@click.option("--mouse/--no-mouse", help="The mouse from the start; m switches it. [default: off]")
@click.option("--bell/--no-bell", default=True, help="Bell and title at your turn. [default: on]")
@click.version_option(package_name="mexican-train", prog_name=PROGRAM)
def main(
    server: str | None,
    *,
    solo: bool,
    bots: int | None,
    strategy: str,
    resume: bool | None,
    open_to_lan: bool,
    seats: int | None,
    host: str | None,
    port: int | None,
    name: str | None,
    table: str | None,
    create: str | None,
    watch: bool,
    rules: str | None,
    options: tuple[str, ...],
    seat_code: str | None,
    password_file: Path | None,
    tls: bool,
    fingerprint: str | None,
    lang: str,
    plain: bool,
    theme: str,
    is_ascii: bool,
    mouse: bool,
    bell: bool,
) -> int:
    """Play Mexican Train on the server at HOST, port 12012 unless another is named.

    tls:// in front of HOST asks for TLS; whoever has a server with TLS says so.

    Without HOST it offers the seats that you hold, the servers on this network and a game here.

    Without --table or --create you come into the lobby. ? tells which keys do what; in line mode
    (--plain) type help. You stop by q, or by typing quit.
    """
    choose_language(lang)
    wish = Wish(
        server=server,
        name=(name or default_name(_login_name())).strip(),
        table=table,
        create=create,
        watch=watch,
        rules=rules,
        options=options,
        bots=bots,
        strategy=strategy,
        seat_code=seat_code,
        access=AccessOptions(password_file, tls, fingerprint),
        resume=resume,
        opened=OpenOptions(host, port, seats) if open_to_lan else None,
        look=Look(plain=plain, theme=theme, ascii=is_ascii, mouse=mouse, bell=bell),
    )
    if not open_to_lan and (seats, host, port) != (None, None, None):
        raise click.UsageError(text("--seats, --host and --port go with --open-to-lan"))
    solo = solo or open_to_lan
    _check(wish, solo=solo)
    from .start import (  # noqa: PLC0415 - loads trio, which --help must not
        play_anywhere,
        play_at,
        play_solo,
    )

    if solo:
        return play_solo(wish)
    return play_anywhere(wish) if server is None else play_at(wish)


def _check(wish: Wish, *, solo: bool) -> None:
    """Refuse what cannot be meant, with exit code 2."""
    if not 1 <= len(wish.name) <= NAME_CHARS_MAX:
        raise click.UsageError(text("a name has 1 to {number} characters", number=NAME_CHARS_MAX))
    if solo:
        given = {
            "HOST": wish.server,
            "--table": wish.table,
            "--create": wish.create,
            "--seat-code": wish.seat_code,
            "--tls": wish.access.tls or None,
            "--fingerprint": wish.access.fingerprint,
        }
        for option, value in given.items():
            if value is not None:
                raise click.UsageError(
                    text("{one} and {other} do not go together", one="--solo", other=option)
                )
        if wish.resume and (wish.rules or wish.options or wish.bots):
            raise click.UsageError(
                text("--resume goes on by the rules and with the bots of the game")
            )
        return
    if wish.resume is not None:
        raise click.UsageError(text("--resume and --new go with --solo or --open-to-lan"))
    if wish.server is None and not is_at_terminal():
        raise click.UsageError(text("name a server (HOST or HOST:PORT), or play here with --solo"))
    if wish.table is not None and wish.create is not None:
        raise click.UsageError(
            text("{one} and {other} do not go together", one="--table", other="--create")
        )
    if wish.seat_code is not None and not 1 <= len(wish.seat_code) <= SEAT_CODE_CHARS_MAX:
        raise click.UsageError(
            text("--seat-code wants a code as the host of the table reads it out")
        )
    if wish.watch and wish.table is None:
        raise click.UsageError(text("--watch wants --table NAME"))
    if (wish.rules or wish.options) and wish.create is None:
        raise click.UsageError(text("--rules and --rule want --create NAME or --solo"))


def default_name(login: str) -> str:
    """A login name as a player's name: printable, 1 to 20 characters."""
    plain = unicodedata.normalize("NFKC", login)
    kept = "".join(char for char in plain if char.isprintable()).strip()
    return kept[:NAME_CHARS_MAX].strip() or text("player")


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


if __name__ == "__main__":
    main(prog_name=PROGRAM)
