"""Sentences with their parts."""

from mexican_train.client.texts import plural, text


def test_parts_are_put_in_and_braces_in_a_name_stay() -> None:
    """A name from another machine is a part, never a pattern."""
    assert text("{name} is away.", name="{seat}") == "{seat} is away."


def test_a_number_chooses_the_form() -> None:
    """One tile, two tiles, 0 tiles."""
    said = [plural("{number} tile", "{number} tiles", number) for number in (0, 1, 2)]
    assert said == ["0 tiles", "1 tile", "2 tiles"]
