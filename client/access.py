"""From the options of a program to where it connects, with which password, believing whom."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from .address import Address
from .link import StreamOpener
from .passwords import PasswordFileError, read_password_file
from .pins import FilePins, read_fingerprint
from .texts import text
from .tls import stream_opener
from .wish import AccessOptions


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach a server and be let in."""

    address: Address
    fingerprint: str | None
    pins: FilePins
    password: str | None = field(default=None, repr=False)

    @property
    def open_stream(self) -> StreamOpener:
        """What a link makes its streams with."""
        return stream_opener(self.fingerprint, pins=self.pins)

    @property
    def wants_password(self) -> str:
        """What to say where a password is wanted, none was brought, and nobody can be asked."""
        return text(
            "the server at {address} wants a password: --password-file PATH", address=self.address
        )


def access_to(server: str, options: AccessOptions, *, program: str) -> Access:
    """The way to `server` that these options describe.

    Whoever lets others read a password is told so on standard error. Raises click's
    `BadParameter` for what cannot be used.
    """
    try:
        address = Address.parse(server)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="HOST") from None
    fingerprint = None
    if options.fingerprint is not None:
        try:
            fingerprint = read_fingerprint(options.fingerprint)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--fingerprint") from None
    wants_tls = address.tls or options.tls or fingerprint is not None
    return Access(
        replace(address, tls=wants_tls),
        fingerprint,
        FilePins.of_user(),
        _password(options.password_file, program),
    )


def _password(path: Path | None, program: str) -> str | None:
    if path is None:
        return None
    try:
        found = read_password_file(path)
    except PasswordFileError as error:
        raise click.BadParameter(str(error), param_hint="--password-file") from None
    if found.is_exposed:
        exposed = text("others may read the password in {path}: chmod 600 {path}", path=path)
        click.echo(f"{program}: {exposed}", err=True)
    return found.password
