"""Declines: a command that is not carried out, and why."""

from collections.abc import Mapping

from mexican_train.protocol import Declined, Parameter, declined


class Decline(Exception):
    """A command is not carried out; nothing has changed.

    Args:
        code: one of `DECLINED_CODES`, or a code of the rules that brings its own `text`.
    """

    def __init__(
        self,
        code: str,
        text: str | None = None,
        *,
        option: str | None = None,
        params: Mapping[str, Parameter] | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.text = text
        self.option = option
        self.params = params

    def message(self, answers: int) -> Declined:
        """The answer to the command."""
        return declined(answers, self.code, text=self.text, option=self.option, params=self.params)
