"""Password files: how programs learn the server's password without it standing in a command line.

A password given as an option would be seen by everybody who may list processes.
"""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from .texts import system_reason, text

PASSWORD_BYTES_MAX = 200


class PasswordFileError(Exception):
    """There is no password to be had from the file; the text is one line that says why."""


@dataclass(frozen=True, slots=True)
class PasswordFile:
    """What a file holds, and whether everybody on the machine may read it.

    A group may: the credentials that systemd gives to a service look as if theirs did.
    """

    password: str = field(repr=False)
    is_exposed: bool


def read_password_file(path: Path) -> PasswordFile:
    """The one line of a file, without its line ending, 1 to 200 bytes of UTF-8.

    A pipe does as well. Raises `PasswordFileError`.
    """
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            content = file.read(PASSWORD_BYTES_MAX + 3)
    except OSError as error:
        reason = system_reason(error)
        raise PasswordFileError(
            text("cannot read the password in {path}: {reason}", path=path, reason=reason)
        ) from error
    line = content.removesuffix(b"\n").removesuffix(b"\r")
    if not line.strip():
        raise PasswordFileError(
            text("there is no password in {path}: its first line is empty", path=path)
        )
    if b"\n" in line:
        raise PasswordFileError(
            text("there is more than one line in {path}; a password is one line", path=path)
        )
    if len(line) > PASSWORD_BYTES_MAX:
        raise PasswordFileError(
            text(
                "the password in {path} is too long; {number} bytes is the most",
                path=path,
                number=PASSWORD_BYTES_MAX,
            )
        )
    try:
        password = line.decode()
    except UnicodeDecodeError:
        raise PasswordFileError(
            text("the password in {path} is no UTF-8 text", path=path)
        ) from None
    is_file = stat.S_ISREG(status.st_mode)
    return PasswordFile(password, is_file and bool(status.st_mode & 0o007))
