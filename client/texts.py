"""The sentences of the client in the person's language.

A sentence stands whole in the code, in English, with `{name}` for what changes; a catalogue
translates it as it stands. A process speaks one language, chosen once, before anything is said.
"""

from collections.abc import Callable

_translated: Callable[[str], str] = str
_numbered: Callable[[str, str, int], str] | None = None


def text(message: str, **parts: object) -> str:
    """`message` in the chosen language with `parts` put in: `text("{name} is away.", name=…)`."""
    return _translated(message).format(**parts)


def plural(one: str, many: str, number: int, **parts: object) -> str:
    """As `text`; `number` chooses the form and is a part: `plural("{number} tile", …)`."""
    if _numbered is not None:
        message = _numbered(one, many, number)
    else:
        message = one if number == 1 else many
    return message.format(number=number, **parts)
