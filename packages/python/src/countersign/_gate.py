"""The checks of `gate` and `take`, for both clients."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from ._digest import call_digest, canonical_json
from ._request import AllowedCall, Permit, RequestSummary
from ._transport import is_busy
from .errors import (
    AlreadyTakenError,
    BlockedError,
    CancelledError,
    CountersignError,
    DeniedError,
    ExpiredError,
    MismatchError,
)

if TYPE_CHECKING:
    from ._client import Client


# How many seconds it is tried, at most, to take a request back.
_TAKE_BACK = 10.0


def open_call(client: Client, tool: str, input: dict[str, Any], **more: Any) -> str:
    """Opens a request and returns its id. Raises `BlockedError` if policy never allows the call."""
    try:
        return client.ask(tool, input, **more).id
    except CountersignError as error:
        if error.code != "policy_blocked":
            raise
        raise BlockedError(error.code, str(error), status=error.status, problem=error.problem) from error


def take_decided(
    client: Client, request: dict[str, Any], tool: str, input: dict[str, Any], more: dict[str, Any]
) -> AllowedCall:
    """Takes the permit of an approved request, after checking that it is for exactly this call."""
    _refuse_undecided(request)
    _check_call(request, tool, input, more)
    try:
        permit = client.consume(request["id"], request["digest"])
    except CountersignError as error:
        raise _taken(error, request["id"]) from error
    is_changed = canonical_json(request["input"]) != canonical_json(input)
    return AllowedCall(request["input"], is_changed, request["id"], permit, request["revision"])


def try_report(client: Client, id: str, state: str, summary: str | None = None) -> None:
    """Reports an outcome. Ignores errors: the request then remains without an outcome."""
    try:
        client.report(id, state, summary)
    except CountersignError:
        pass


def is_unanswered(error: CountersignError) -> bool:
    """Whether no answer came in time, so that the service may have done what it was sent."""
    # What answered something else is no cause.
    cause = error.__cause__
    return error.code == "unavailable" and cause is not None and not is_busy(cause)


def take_back(client: Client, open_again: Callable[[Client], RequestSummary], limit: float) -> None:
    """Withdraws the request of a call whose opening was not answered. Ignores errors.

    It is opened under the same name once more, since the first message may still be on its way:
    whichever comes second finds the request, and opens none. `limit` is how many seconds the
    opening had; `math.inf` if something else ended it.
    """
    # One limit for both messages.
    ends_at = time.monotonic() + min(limit, _TAKE_BACK)
    try:
        id = open_again(client._with(timeout=ends_at - time.monotonic())).id
        client._with(timeout=ends_at - time.monotonic()).withdraw(id)
    except CountersignError:
        pass


def try_withdraw(client: Client, id: str) -> None:
    """Withdraws a request. Ignores errors: the service refuses this once the call is decided."""
    try:
        client._with(timeout=_TAKE_BACK).withdraw(id)
    except CountersignError:
        pass


def _refuse_undecided(request: dict[str, Any]) -> None:
    id, state, external = request["id"], request["state"], request["external"]
    if state == "pending":
        raise CountersignError(state, f"This waits as #{request['number']}", request_id=id)
    if external is not None and external["consumed"] is not None:
        outcome = external["outcome"]
        raise AlreadyTakenError(id, outcome["state"] if outcome else None)
    if state == "denied":
        denials = [one for one in request["decisions"] if one["decision"] == "deny"]
        name, reason = (
            (denials[-1]["person"]["name"], denials[-1]["reason"]) if denials else ("Somebody", None)
        )
        raise DeniedError(id, name, reason)
    if state == "expired":
        raise ExpiredError(state, "Nobody decided in time", request_id=id)
    if state == "cancelled":
        reason = request["cancelReason"] or "cancelled"
        raise CancelledError(state, f"This left the queue: {reason}", request_id=id)


def _check_call(
    request: dict[str, Any], tool: str, input: dict[str, Any], more: dict[str, Any]
) -> None:
    """Raises `MismatchError` unless the request is about this call.

    Its input must equal ours, unless a person changed it or a worker's tool added defaults.
    """
    id, is_changed = request["id"], request["revision"] > 1
    if is_changed and more.get("edits") == "off":
        raise MismatchError(id, f"Other arguments were approved: {request['input']}")
    is_same = request["tool"] == tool and (
        is_changed or more.get("worker") is not None or canonical_json(request["input"]) == canonical_json(input)
    )
    if not is_same:
        raise MismatchError(id, "The request is about another call")
    tool_hash = request["facts"].get("toolHash")
    if not isinstance(tool_hash, str) or call_digest(tool, request["input"], tool_hash) != request["digest"]:
        raise MismatchError(id, "The digest of the request is not that of its call")


def check_permit(permit: Permit, id: str, digest: str) -> None:
    """Raises `MismatchError` unless the statement of the permit allows exactly this call now."""
    statement = json.loads(permit.statement)
    # Python 3.10 does not parse "Z".
    expires_at = datetime.fromisoformat(statement["expiresAt"].replace("Z", "+00:00"))
    for is_wrong, what in (
        (statement["requestId"] != id, "it names another request"),
        (statement["digest"] != digest, "it names another digest"),
        (statement["decision"] != "approve", "it does not allow the call"),
        (expires_at <= datetime.now(timezone.utc), "it has expired"),
    ):
        if is_wrong:
            raise MismatchError(id, f"The permit is not for this call: {what}")


def _taken(error: CountersignError, id: str) -> CountersignError:
    """The error of a permit that could not be taken. Perhaps we took it and the answer was lost."""
    if error.code == "already_consumed":
        return AlreadyTakenError(id, None)
    if error.code == "expired":
        return ExpiredError(error.code, str(error), request_id=id)
    if error.code == "cancelled":
        return CancelledError(error.code, str(error), request_id=id)
    return error
