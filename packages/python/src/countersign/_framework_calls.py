"""Functions that the adapters of frameworks share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from ._client import Client
from ._gate import try_report
from ._request import AllowedCall, RequestSummary
from .errors import CountersignError, MismatchError

Item = TypeVar("Item")


@dataclass(frozen=True)
class Refusal:
    """The reason why a call is not made, as a sentence for the model."""

    words: str


def call_name(framework: str, scope: str | None, id: str) -> str:
    """The `external_id` of a model's call. `scope` names the conversation or run, if call ids need it."""
    return ":".join(part for part in (framework, scope, id) if part is not None)


def ask_about(
    client: Client, items: Iterable[Item], call_of: Callable[[Item], dict[str, Any]]
) -> list[tuple[Item, RequestSummary]]:
    """Opens a request for each call for which a framework pauses; returns the pending ones, in order.

    `call_of` returns the arguments of `ask`. A refused call is not among the results; `settle` returns
    its refusal. Raises only if the service is unreachable.
    """
    waiting = []
    for item in items:
        request = _or_refusal(lambda item=item: client.ask(**call_of(item)))
        if isinstance(request, RequestSummary) and request.state == "pending":
            waiting.append((item, request))
    return waiting


def settle(client: Client, call_of: Callable[[], dict[str, Any]]) -> AllowedCall | Refusal:
    """Takes the permit of a decided call, or returns why the call must not be made.

    A call with `edits="off"` is refused if its input was changed. Raises only if the service is
    unreachable.
    """

    def take() -> AllowedCall:
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
