"""A rendered piece of configuration that knows where its lines come from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fragment:
    """A rendered fragment: its lines, each with the number of the source line that it comes from."""

    field: str
    lines: tuple[tuple[str, int], ...]

    def indented(self, spaces: int) -> list[tuple[str, int]]:
        return [(" " * spaces + text if text else "", line) for text, line in self.lines]

    @property
    def text(self) -> str:
        return "\n".join(text for text, _ in self.lines)
