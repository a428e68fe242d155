"""The sentences of the client in the person's language.

A sentence stands whole in the code, in English, with `{name}` for what changes; a catalogue
translates it as it stands (`scripts/docs/catalogue.py` finds what it lacks). What another room
says in English is translated by its stable code. A process speaks one language, chosen once,
before anything is said.
"""

import errno
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gettext import GNUTranslations

LANGUAGES: Final = ("en", "nb")
DOMAIN: Final = "mexican_train"
_LOCALES: Final[Mapping[str, str]] = {"nb": "nb", "no": "nb", "nn": "nb", "norwegian": "nb"}


@dataclass(slots=True)
class _Spoken:
    """The chosen language; English needs no catalogue."""

    language: str = "en"
    catalogue: "GNUTranslations | None" = None


_spoken = _Spoken()


def choose_language(language: str) -> None:
    """Speak `language`, one of `LANGUAGES`, from now on."""
    catalogue = None
    if language != "en":
        from gettext import GNUTranslations  # noqa: PLC0415 - who speaks English need not load it
        from importlib import resources  # noqa: PLC0415 - likewise

        folder = resources.files(__package__).joinpath("locale", language, "LC_MESSAGES")
        with folder.joinpath(f"{DOMAIN}.mo").open("rb") as file:
            catalogue = GNUTranslations(file)
    _spoken.language, _spoken.catalogue = language, catalogue


def language() -> str:
    """The language that was chosen."""
    return _spoken.language


def language_of(environment: Mapping[str, str]) -> str:
    """The language for the messages of programs in this environment; English in doubt."""
    told = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, told), "").lower()
    return _LOCALES.get(locale.partition(".")[0].partition("@")[0].partition("_")[0], "en")


def text(message: str, **parts: object) -> str:
    """`message` in the chosen language with `parts` put in: `text("{name} is away.", name=…)`."""
    catalogue = _spoken.catalogue
    return (message if catalogue is None else catalogue.gettext(message)).format(**parts)


def plural(one: str, many: str, number: int, **parts: object) -> str:
    """As `text`; `number` chooses the form and is a part: `plural("{number} tile", …)`."""
    if _spoken.catalogue is not None:
        message = _spoken.catalogue.ngettext(one, many, number)
    else:
        message = one if number == 1 else many
    return message.format(number=number, **parts)


def later(message: str) -> str:
    """`message` as it stands: a sentence in a table, for which `text` is called with it later."""
    return message


def coded(context: str, code: str, spoken: str, *numbers: object, **parts: object) -> str:
    """What another room says in English as `spoken`, in the chosen language by its code.

    It stays `spoken` in English, for an unknown code, and where a part is missing that the
    translation names.
    """
    if _spoken.catalogue is None:
        return spoken
    message = _spoken.catalogue.pgettext(context, code)
    if message == code:
        return spoken
    try:
        return message.format(*numbers, **parts)
    except LookupError:
        return spoken


def system_reason(error: OSError) -> str:
    """Why the system did not do something, in the chosen language where that is known."""
    code = errno.errorcode.get(error.errno or 0, "")
    return coded("system", code, error.strerror or str(error))


def typed(word: str) -> tuple[str, ...]:
    """How `word` of an entry may be typed in the chosen language, first as it is shown.

    The English word, which is always understood, stands last, or alone.
    """
    if _spoken.catalogue is None:
        return (word,)
    return (*_spoken.catalogue.pgettext("typed", word).split(), word)
