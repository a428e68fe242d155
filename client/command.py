"""What the client's programs have in common: help that opens with an example, and their errors."""

from typing import Any, NoReturn

import click


class ExampleCommand(click.Command):
    """A command whose `--help` opens with examples, one a line."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then what click writes."""
        if self.examples:
            formatter.write("Example:\n" if len(self.examples) == 1 else "Examples:\n")
            formatter.write("".join(f"  {example}\n" for example in self.examples))
            formatter.write_paragraph()
        super().format_help(ctx, formatter)


def fail(program: str, text: str) -> NoReturn:
    """End with exit code 1 and one line on standard error."""
    click.echo(f"{program}: {' '.join(text.split())}", err=True)
    raise SystemExit(1)
