"""`mt-server`: the command line.

Only click is loaded before the options are read; the rest comes when there is something to
serve. What is wrong is told in one line on standard error: exit code 2 for bad usage, 1 for a
failure.
"""

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from mexican_train.client import ExampleCommand, ExampleGroup, Failure

if TYPE_CHECKING:
    from mexican_train.engine import RuleSet
    from mexican_train.protocol import AbsenceChoice, TimeoutChoice

    from .certificates import Certificate
    from .config import Config
    from .lobby_settings import TablePlan

PROGRAM: Final = "mt-server"
PORT: Final = 12012
BOTS: Final = re.compile(r"(?:(\d{1,2}):)?([a-z].{0,19})")
SEED_HEX_MAX: Final = 64
MEMORY: Final = ":memory:"


class _Usage(click.ClickException):
    """What was asked for cannot be."""

    exit_code = 2


@click.group(
    PROGRAM,
    cls=ExampleGroup,
    examples=(f"{PROGRAM} --seats 4 --bots 3:greedy",),
    invoke_without_command=True,
    subcommand_metavar="[COMMAND]",
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "MT_SERVER",
        "max_content_width": 100,
        "show_default": True,
    },
)
@click.option("--host", metavar="ADDR", help="Where to listen.  [default: every interface]")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, help="0 takes a free one.")
@click.option(
    "--ready-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PATH",
    help="Written (JSON) once connections are accepted.",
)
@click.option("--table", metavar="NAME", help="Open a table at the start.")
@click.option(
    "--seats",
    type=int,
    metavar="N",
    help="Its seats; without --table it is called table-1.  [default: 4]",
)
@click.option(
    "--bots",
    multiple=True,
    metavar="[N:]STRATEGY",
    help="House bots at it, likewise; may be repeated.",
)
@click.option(
    "--start",
    type=click.Choice(["full", "ready", "manual"]),
    help="When it starts, likewise.  [default: full]",
)
@click.option("--first-seat", type=int, default=0, metavar="N", help="The seat that opens round 1.")
@click.option(
    "--rules",
    default="classic",
    metavar="NAME|FILE",
    help="The rules of the table opened here, and of new ones.",
)
@click.option(
    "--rule",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="A single option over them; may be repeated.",
)
@click.option("--seed", metavar="HEX", help="Fixed deals, for tests: nothing is secret.")
@click.option(
    "--pace",
    type=click.FloatRange(0, 60),
    metavar="SECONDS",
    help="Before each move of a bot.  [default: 1 when a person is seated, else 0]",
)
@click.option(
    "--between-seconds",
    type=click.FloatRange(0, 3600),
    default=30.0,
    metavar="N",
    help="How long the next round waits for who is not ready.",
)
@click.option(
    "--bot-seconds",
    type=click.IntRange(1, 3600),
    default=10,
    metavar="N",
    help="A bot's time for one choice; then a substitute makes it.",
)
@click.option(
    "--turn-seconds",
    type=click.IntRange(1, 86_400),
    metavar="N",
    help="A person's time for a turn, at tables that set none.  [default: no limit]",
)
@click.option(
    "--bank-seconds",
    type=click.IntRange(0, 86_400),
    default=0,
    metavar="N",
    help="What a person may need beyond that in a whole game.",
)
@click.option(
    "--on-timeout",
    type=click.Choice(["skip", "bot"]),
    default="skip",
    help="When that is spent: the turn is skipped, or a substitute plays it.",
)
@click.option(
    "--on-absent",
    type=click.Choice(["wait", "skip", "bot", "end"]),
    default="wait",
    help="For who is away longer than the grace; with wait the others may vote.",
)
@click.option(
    "--grace-seconds",
    type=click.FloatRange(0, 86_400),
    default=60.0,
    metavar="N",
    help="How long nothing is done about who is away.",
)
@click.option(
    "--hints/--no-hints",
    default=True,
    help="Whether persons may ask for a hint, at tables that do not say so themselves.",
)
@click.option(
    "--db",
    metavar="PATH|:memory:",
    help="Where the games are kept.  [default: server-PORT.db in the platform's data folder; "
    ":memory: with --port 0]",
)
@click.option(
    "--password-file",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Its one line is wanted from everybody who comes in.",
)
@click.option(
    "--tls-cert",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="TLS only, with this certificate (PEM, with those that vouch for it).",
)
@click.option("--tls-key", type=click.Path(path_type=Path), metavar="FILE", help="Its key (PEM).")
@click.option(
    "--tls",
    type=click.Choice(["self-signed"]),
    help="TLS only, with a certificate of the server's own; clients know it by its fingerprint.",
)
@click.option(
    "--announce/--no-announce",
    default=True,
    help="Whether mt-client finds the server on the local network; never with a loopback --host.",
)
@click.option(
    "--announce-as",
    metavar="NAME",
    help="What it is called there.  [default: the name of this machine]",
)
@click.option("--exit-when-done", is_flag=True, help="Stop when the table opened here is done.")
@click.option(
    "--exit-when-idle",
    type=click.FloatRange(0, min_open=True),
    metavar="MINUTES",
    help="Stop when no person has been connected for so long.",
)
@click.option(
    "--until-stdin-closes", is_flag=True, help="Stop when standard input ends (for a parent)."
)
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text")
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
)
@click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _parameter, path: _read_config(ctx, path),
    metavar="FILE",
    help="Settings by the names above.  [default: config.toml in the platform's config folder]",
)
@click.version_option(package_name="mexican-train", prog_name=PROGRAM)
@click.pass_context
def main(ctx: click.Context, /, **chosen: Any) -> int:
    """Serve Mexican Train over the network: a lobby, tables, and bots of the house.

    It prints what to type on other machines, and then a log on standard error. SIGTERM or Ctrl-C
    stops it.
    """
    if ctx.invoked_subcommand is not None:
        ctx.obj = chosen
        return 0
    config = _config(**chosen)
    from .program import StartError, serve  # noqa: PLC0415 - trio, once there is a server to run

    _raise_file_limit()
    try:
        return serve(config)
    except StartError as error:
        raise Failure(str(error)) from error
    except KeyboardInterrupt:
        return 1


SUB_SETTINGS: Final[dict[str, Any]] = {
    "help_option_names": ["-h", "--help"],
    "show_default": True,
    "default_map": {},  # the settings of the file are for serving
}


@main.command(
    cls=ExampleCommand,
    examples=(f"{PROGRAM} backup monday.db",),
    context_settings=SUB_SETTINGS,
)
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def backup(serving: dict[str, Any], path: Path) -> None:
    """Copy the games of a server, running or not, to a new file.

    Which ones is told by the options before: mt-server --port 12013 backup PATH, or --db.
    """
    from .sqlite_store import back_up  # noqa: PLC0415 - not for --help
    from .store import StoreError  # noqa: PLC0415 - likewise

    database = _database(serving["db"], serving["port"])
    if database is None:
        raise _Usage("there is nothing to copy: name the store with --db PATH.")
    try:
        back_up(database, path)
    except StoreError as error:
        raise Failure(str(error)) from error
    click.echo(f"{database} is copied to {path}.")


@main.command(
    cls=ExampleCommand,
    examples=(f"{PROGRAM} rules bernie --diff classic",),
    context_settings=SUB_SETTINGS,
)
@click.argument("name", default="classic", metavar="[NAME|FILE]")
@click.option("--diff", metavar="NAME|FILE", help="Only what differs between the two.")
@click.option("--toml", is_flag=True, help="The file that makes these rules.")
def rules(name: str, diff: str | None, toml: bool) -> None:
    """Print the card of a rule set in plain words: one sentence an option."""
    from .rule_card import card_lines, difference_lines  # noqa: PLC0415 - not for --help

    if toml and diff is not None:
        raise _Usage("--toml and --diff do not go together.")
    rule_set = _rule_set(name, ())
    if toml:
        click.echo(rule_set.to_toml(), nl=False)
    elif diff is not None:
        click.echo("\n".join(difference_lines(rule_set, _rule_set(diff, ()))))
    else:
        click.echo("\n".join(card_lines(rule_set)))


def _database(db: str | None, port: int) -> Path | None:
    """The file of the store; None: in memory."""
    if db == MEMORY or (db is None and port == 0):
        return None
    if db is not None:
        return Path(db)
    return _data_folder() / f"server-{port}.db"


def _data_folder() -> Path:
    """The platform's, for this project."""
    import platformdirs  # noqa: PLC0415 - not needed where files are named

    return platformdirs.user_data_path("mexican-train", appauthor=False)


def _config(
    *,
    table: str | None,
    seats: int | None,
    bots: tuple[str, ...],
    start: str | None,
    first_seat: int,
    rules: str,
    options: tuple[str, ...],
    bot_seconds: int,
    turn_seconds: int | None,
    bank_seconds: int,
    on_timeout: "TimeoutChoice",
    on_absent: "AbsenceChoice",
    seed: str | None,
    **rest: Any,
) -> "Config":
    """The configuration that these options make; `_Usage` if there is none."""
    import msgspec  # noqa: PLC0415 - 31 ms that --help does not need

    from .clocks import Terms  # noqa: PLC0415 - likewise
    from .config import LIMITS, Config  # noqa: PLC0415 - likewise

    rule_set = _rule_set(rules, options)
    wants_table = table is not None or seats is not None or bool(bots) or start is not None
    if not wants_table and rest["exit_when_done"]:
        raise _Usage("--exit-when-done needs a table: add --table NAME.")
    if bank_seconds and turn_seconds is None:
        raise _Usage("--bank-seconds goes with --turn-seconds.")
    idle_minutes = rest["exit_when_idle"]
    database = _database(rest["db"], rest["port"])
    plan = _plan(
        table or "table-1",
        rule_set,
        seats=4 if seats is None else seats,
        first_seat=first_seat,
        bots=bots,
        start=start or "full",
    )
    return Config(
        host=rest["host"],
        port=rest["port"],
        limits=msgspec.structs.replace(LIMITS, bot_choice_seconds=bot_seconds),
        tables=(plan,) if wants_table else (),
        rules={rule_set.name: rule_set},
        own_rules=rule_set,
        pace_seconds=rest["pace"],
        between_seconds=rest["between_seconds"],
        grace_seconds=rest["grace_seconds"],
        terms=Terms(
            turn_seconds=turn_seconds,
            bank_seconds=bank_seconds,
            on_timeout=on_timeout,
            on_absent=on_absent,
        ),
        hints=rest["hints"],
        fixed_seed=_seed(seed),
        password_digest=_password_digest(rest["password_file"]),
        tls=_certificate(rest["tls"], rest["tls_cert"], rest["tls_key"], database),
        exits_when_done=rest["exit_when_done"],
        exits_with_stdin=rest["until_stdin_closes"],
        idle_seconds=None if idle_minutes is None else 60 * idle_minutes,
        announces=rest["announce"],
        announced_name=rest["announce_as"],
        ready_file=rest["ready_file"],
        database=database,
        log_format=rest["log_format"],
        log_level=rest["log_level"],
    )


def _password_digest(path: Path | None) -> bytes | None:
    """Of the password in this file; None without a file."""
    if path is None:
        return None
    from mexican_train.client import (  # noqa: PLC0415 - not for --help
        PasswordFileError,
        read_password_file,
    )

    from .door import digest_of  # noqa: PLC0415 - likewise

    try:
        found = read_password_file(path)
    except PasswordFileError as error:
        raise Failure(str(error)) from error
    if found.is_exposed:
        _warn(f"others may read the password in {path}: chmod 600 {path}")
    return digest_of(found.password)


def _certificate(
    tls: str | None, chain: Path | None, key: Path | None, database: Path | None
) -> "Certificate | None":
    """What to serve TLS with, if it is asked for."""
    if tls is not None and (chain or key):
        raise _Usage("--tls self-signed and --tls-cert do not go together.")
    if (chain is None) != (key is None):
        raise _Usage("--tls-cert and --tls-key go together.")
    if tls is None and chain is None:
        return None
    from .certificates import (  # noqa: PLC0415 - not for --help
        OWN_FILE,
        CertificateError,
        certificate_of,
        may_others_read,
        own_certificate,
    )

    try:
        if chain is None or key is None:
            folder = _data_folder() if database is None else database.parent
            found, key = own_certificate(folder), folder / OWN_FILE
        else:
            found = certificate_of(chain, key)
        if may_others_read(key):
            _warn(f"others may read the key in {key}: chmod 600 {key}")
    except CertificateError as error:
        raise Failure(str(error)) from error
    return found


def _warn(text: str) -> None:
    click.echo(f"{PROGRAM}: {text}", err=True)


def _rule_set(name: str, options: tuple[str, ...]) -> "RuleSet":
    """The rules of a preset or of a file, with single options over them."""
    from mexican_train.engine import (  # noqa: PLC0415 - not needed for --help
        RuleSet,
        RuleSetError,
        parse_option,
        preset_names,
    )

    try:
        if name not in preset_names() and (name.endswith(".toml") or Path(name).is_file()):
            text = Path(name).read_text(encoding="utf-8")
            stem = Path(name).stem
            shown = f"{stem} (file)" if stem in preset_names() else stem
            rules = RuleSet.from_toml(text, name=shown)
        else:
            rules = RuleSet.preset(name)
        return rules.with_options(dict(parse_option(each) for each in options))
    except RuleSetError as error:
        raise _Usage(str(error)) from error
    except (OSError, UnicodeError) as error:
        raise _Usage(f"cannot read the rules in {name}: {error}") from error


def _plan(
    name: str,
    rules: "RuleSet",
    *,
    seats: int,
    first_seat: int,
    bots: tuple[str, ...],
    start: str,
) -> "TablePlan":
    """The table to open; `_Usage` if it cannot be."""
    from mexican_train.engine import RuleSetError, check_table  # noqa: PLC0415 - as above

    from .lobby_settings import TablePlan  # noqa: PLC0415
    from .players import BadName, clean_name  # noqa: PLC0415

    try:
        name = clean_name(name)
        check_table(rules, seats)
    except BadName as error:
        raise _Usage(f"--table {name}: {error}.") from error
    except RuleSetError as error:
        raise _Usage(str(error)) from error
    strategies = _strategies(bots)
    if len(strategies) > seats:
        raise _Usage(f"{len(strategies)} bots do not fit {seats} seats.")
    if not 0 <= first_seat < seats:
        raise _Usage(f"--first-seat {first_seat}: the seats are 0 to {seats - 1}.")
    return TablePlan(
        name=name,
        rules=rules,
        seats=seats,
        first_seat=first_seat,
        bots=strategies,
        start="ready" if start == "ready" else "manual" if start == "manual" else "full",
    )


def _strategies(bots: tuple[str, ...]) -> tuple[str, ...]:
    """One strategy a bot: `3:random` is three."""
    if not bots:
        return ()
    from mexican_train.client import UnknownStrategyError, strategy  # noqa: PLC0415 - brings trio

    strategies: list[str] = []
    for text in bots:
        match = BOTS.fullmatch(text.strip())
        if match is None:
            raise _Usage(f"--bots {text}: write STRATEGY, or N:STRATEGY for N of them.")
        try:
            name = strategy(match[2]).name
        except UnknownStrategyError as error:
            raise _Usage(str(error)) from error
        strategies += [name] * int(match[1] or 1)
    return tuple(strategies)


def _seed(text: str | None) -> bytes | None:
    """The fixed seed: up to 256 bits in hexadecimal, filled up with zeros in front."""
    if text is None:
        return None
    if not re.fullmatch(rf"[0-9a-fA-F]{{1,{SEED_HEX_MAX}}}", text):
        raise _Usage(f"--seed {text}: write 1 to {SEED_HEX_MAX} hexadecimal digits.")
    return bytes.fromhex(text.zfill(SEED_HEX_MAX))


def _read_config(ctx: click.Context, path: Path | None) -> None:
    """Take settings from a file as defaults, below the environment and the command line."""
    if path is None:
        import platformdirs  # noqa: PLC0415 - not needed where a file is named

        path = platformdirs.user_config_path("mexican-train", appauthor=False) / "config.toml"
        if not path.is_file():
            return
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise _Usage(f"cannot read {path}: {error}") from error
    # the file is for all programs: ours stand at the top or under [server]
    ours = {key: value for key, value in settings.items() if not isinstance(value, dict)}
    settings = {**ours, **settings.get("server", {})}
    names = {
        option.removeprefix("--"): parameter.name
        for parameter in ctx.command.params
        for option in parameter.opts
        if option.startswith("--")
    }
    for key in settings:
        if key not in names:
            raise _Usage(f"{path}: there is no setting {key!r}.")
    ctx.default_map = {str(names[key]): value for key, value in settings.items()}


def _raise_file_limit() -> None:
    """As many connections as the machine allows: the soft limit of open files to the hard one."""
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):
            return


if __name__ == "__main__":
    main(prog_name=PROGRAM)
