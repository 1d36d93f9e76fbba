"""The search: attempts are drawn, judged by backend and host, and those that either accepts are run, many at once."""

import hashlib
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import ngxlab_policy
from definition.fuzzing.observed import FILLED, Observer, Seen
from definition.fuzzing.texts import Setting
from definition.test_nginx_document import AROUND, assembled
from ngxlab.definition.fragments import render_fragment
from ngxlab.definition.nginx.config import FRAGMENTS
from ngxlab_policy.document import problems
from ngxlab_policy.fragments import Fragment, violations
from ngxlab_policy.servers import place_of
from ngxlab_worker.nginx.config import PLACEHOLDER

TOGETHER = 24
"""Attempts in one nginx."""
_THREADS = 2
_MOST_DRAWN = 400
"""The most attempts for one setting, which may be one that nothing is accepted in."""
_TEXTS = dict.fromkeys(FRAGMENTS, "")


@dataclass(frozen=True)
class Attempt:
    """``place``: where requests for it begin."""

    field: str
    text: str
    place: str


@dataclass
class Fuzzed:
    """``beyond``: accepted configurations, each with what nginx asked for and had no business with."""

    drawn: int = 0
    accepted: int = 0
    served: int = 0
    beyond: list[tuple[str, list[str]]] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        return {
            "texts": self.drawn,
            "accepted": self.accepted,
            "served by nginx": self.served,
            "reach out": len(self.beyond),
        }


def seed_of_the_list() -> str:
    """The same as long as the list of directives is: a new list is tried with new texts."""
    sources = sorted(Path(ngxlab_policy.__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def fuzz(seed: str, seconds: float, enough: Callable[[Fuzzed], bool] = lambda _: False) -> Fuzzed:
    search = _Search(seed, time.monotonic() + seconds, enough)
    with ThreadPoolExecutor(_THREADS) as pool:
        for work in [pool.submit(search.work) for _ in range(_THREADS)]:
            work.result()
    return search.found


class _Search:
    """Shared by its threads."""

    def __init__(self, seed: str, ends: float, enough: Callable[[Fuzzed], bool]) -> None:
        self.found = Fuzzed()
        self._chance = random.Random(seed)
        self._ends = ends
        self._enough = enough
        self._drawing = threading.Lock()
        self._counting = threading.Lock()
        self._observer = Observer(assembled(_TEXTS))

    def work(self) -> None:
        while time.monotonic() < self._ends and not self._enough(self.found):
            with self._drawing:
                setting, attempts = self._drawn()
            if attempts:
                self._run(setting, attempts)

    def _drawn(self) -> tuple[Setting, list[Attempt]]:
        setting = Setting(self._chance)
        accepted: list[Attempt] = []
        if not self._accepts(setting, []):
            return setting, []
        for _ in range(_MOST_DRAWN):
            place = f"s{len(accepted)}"
            attempt = Attempt(*setting.attempt(place), place)
            self.found.drawn += 1
            if self._accepts(setting, [attempt]):
                accepted.append(attempt)
            if len(accepted) == TOGETHER or time.monotonic() > self._ends:
                break
        self.found.accepted += len(accepted)
        return setting, accepted

    def _accepts(self, setting: Setting, attempts: Sequence[Attempt]) -> bool:
        try:
            return accepted(fragments(setting, attempts)) is not None
        except Exception as error:  # noqa: BLE001 — a list that breaks at a text is a finding, whatever broke
            self.found.beyond.append((_as_text(setting, attempts), [f"the list itself fails: {error!r}"]))
            return False

    def _run(self, setting: Setting, attempts: list[Attempt]) -> None:
        """All together; where nginx refuses one, the others again; where one reaches out, each alone."""
        while attempts:
            seen = self._observed(setting, attempts)
            if seen.beyond:
                break
            if seen.started:
                with self._counting:
                    self.found.served += len(attempts)
                return
            refused = _at_line(setting, attempts, seen.refused_line) if seen.refused_line else attempts[-1]
            attempts = [attempt for attempt in attempts if attempt is not refused] if refused else []
        for attempt in attempts:
            alone = self._observed(setting, [attempt])
            if alone.beyond:
                with self._counting:
                    self.found.beyond.append((_as_text(setting, [attempt]), alone.beyond))

    def _observed(self, setting: Setting, attempts: Sequence[Attempt]) -> Seen:
        return self._observer.observe(_whole(setting, attempts), [attempt.place for attempt in attempts])


def fragments(setting: Setting, attempts: Sequence[Attempt]) -> dict[str, str]:
    texts = _TEXTS | {"http": setting.http, "server": setting.server}
    for attempt in attempts:
        texts[attempt.field] += f"{attempt.text}\n{_end(attempt)}\n"
    return texts


def accepted(texts: Mapping[str, str]) -> str | None:
    """The whole configuration, if backend or host accept it: each must hold alone. A host fills in what it knows."""
    try:
        rendered = {name: _rendered(name, text) for name, text in texts.items()}
    except ValueError:
        return None
    whole = assembled({name: fragment.text for name, fragment in rendered.items()})
    if set(PLACEHOLDER.findall(whole)) - FILLED or (violations(rendered, ["app"]) and problems(whole, AROUND)):
        return None
    return whole


@lru_cache(maxsize=16)
def _rendered(name: str, text: str) -> Fragment:
    return render_fragment(f"nginx.{name}", text, {"servers": _place})


def _place(key: str, **options: object) -> str:
    return place_of(key, options)


def _whole(setting: Setting, attempts: Sequence[Attempt]) -> str:
    return assembled({name: _rendered(name, text).text for name, text in fragments(setting, attempts).items()})


def _end(attempt: Attempt) -> str:
    return f"# end of {attempt.place}"


def _at_line(setting: Setting, attempts: Sequence[Attempt], line: int) -> Attempt | None:
    """Whose text has this line of the whole configuration."""
    after = _whole(setting, attempts).splitlines()[line - 1 :]
    ends = {_end(attempt): attempt for attempt in attempts}
    return next((ends[text.strip()] for text in after if text.strip() in ends), None)


def _as_text(setting: Setting, attempts: Sequence[Attempt]) -> str:
    """To print, and to try again by hand."""
    texts = fragments(setting, attempts)
    return "\n".join(f"nginx.{name}: {text.strip()}" for name, text in texts.items() if text)
