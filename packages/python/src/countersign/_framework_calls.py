"""What the adapters of frameworks share: they ask about calls, and take their permits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from ._client import Client
from ._gate import try_report
from ._request import Allowed, Asked
from .errors import CountersignError, MismatchError

Item = TypeVar("Item")


@dataclass(frozen=True)
class Refusal:
    """Why a call is not made: a sentence for the model."""

    words: str


def call_name(framework: str, scope: str | None, id: str) -> str:
    """The `external_id` of a call that a model made: its id, within what makes the id unique."""
    return ":".join(part for part in (framework, scope, id) if part is not None)


def ask_about(
    client: Client, items: Iterable[Item], call_of: Callable[[Item], dict[str, Any]]
) -> list[tuple[Item, Asked]]:
    """Asks about the calls for which a framework pauses, and returns those that wait, in order.

    `call_of` makes what `ask` takes. A call that is refused does not wait: `settle` says why. Raises
    only while the service is away.
    """
    waiting = []
    for item in items:
        asked = _or_refusal(lambda item=item: client.ask(**call_of(item)))
        if isinstance(asked, Asked) and asked.state == "pending":
            waiting.append((item, asked))
    return waiting


def settle(client: Client, call_of: Callable[[], dict[str, Any]]) -> Allowed | Refusal:
    """Takes the permit of a call that is decided, or says why nothing is to be made.

    A call with `edits="off"` is made as it was asked about or not at all. Raises only while the
    service is away.
    """

    def take() -> Allowed:
        call = call_of()
        allowed = client.take(**call, wait=0)
        if allowed.is_changed and call.get("edits") == "off":
            try_report(client, allowed.request_id, "failed", "Not run: other input")
            raise MismatchError(allowed.request_id, f"Other arguments were approved: {allowed.input}")
        return allowed

    return _or_refusal(take)


def _or_refusal(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except (CountersignError, ValueError) as error:
        if getattr(error, "code", None) == "unavailable":
            raise
        return Refusal(f"Countersign: not run. {error}")
