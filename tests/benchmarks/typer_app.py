"""The smallest application of typer: one command with one argument."""

from __future__ import annotations


def main() -> None:
    """Run it."""
    import typer  # inside, so that collecting this file as a test does not need it

    app = typer.Typer()

    @app.command()  # type: ignore[untyped-decorator]  # typer is not there as a rule
    def solve(problem: str) -> None:
        """Solve PROBLEM."""
        typer.echo(problem)

    app()


if __name__ == "__main__":
    main()
