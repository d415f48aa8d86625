"""The client that blocks."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

from ._callback import Callback, verify_callback
from ._digest import canonical_json
from ._gate import check_permit, open_call, take_decided, try_report
from ._request import Allowed, Asked, Decision, Permit, read_asked, read_decision
from ._transport import Service, send

Result = TypeVar("Result")

# Seconds for which the service holds one answer; a lost answer costs no more.
_MAX_HOLD = 50
# The service's bound of a summary, in characters.
_MAX_SUMMARY = 4000


class Client:
    """A client of a Countersign service, for programs that are no runs of it.

    It holds no connection and no state: a program may ask, end, and go on later with the request's
    id, or by asking again under the same `external_id`.

    `url` is the service's address such as `http://localhost:4400`; `api_key` needs the scopes
    `requests:write` and `requests:read`; `timeout` is how many seconds an act waits for a service
    that is away. Every act raises `CountersignError`, whose `code` is the service's own, or
    `unavailable` when no answer came in time.
    """

    def __init__(self, *, url: str, api_key: str, timeout: float = 30.0) -> None:
        self._service = Service(url, api_key, timeout)

    def ask(
        self,
        tool: str,
        input: dict[str, Any],
        *,
        external_id: str | None = None,
        worker: str | None = None,
        title: str | None = None,
        presentation: dict[str, Any] | None = None,
        queue: str | None = None,
        on_behalf_of: str | None = None,
        callback_url: str | None = None,
        metadata: dict[str, Any] | None = None,
        edits: str | None = None,
        origin: dict[str, Any] | None = None,
    ) -> Asked:
        """Asks for an approval. Under the `external_id` of an earlier call it returns that request.

        Raises `policy_blocked` where policy never allows the call, and `ValueError` for an input
        that JSON cannot carry. With `edits="off"` nobody may change the call before it is approved.
        """
        canonical_json(input)
        body = {
            "tool": tool,
            "input": input,
            "externalId": external_id or str(uuid.uuid4()),
            "worker": worker,
            "title": title,
            "presentation": presentation,
            "queue": queue,
            "onBehalfOf": on_behalf_of,
            "callbackUrl": callback_url,
            "metadata": metadata,
            "edits": edits,
            "origin": origin,
        }
        present = {name: value for name, value in body.items() if value is not None}
        return read_asked(send(self._service, "POST", "/v1/requests", present))

    def find(self, external_id: str) -> Asked | None:
        """The request of this `external_id`, by any program of the key's owner; `None`: none."""
        answer = send(self._service, "GET", f"/v1/requests?q={quote(external_id, safe='')}")
        for request in answer["items"]:
            if (request["external"] or {}).get("externalId") == external_id:
                return read_asked(request)
        return None

    def decision(self, id: str, *, wait: float = 0) -> Decision:
        """What became of a request so far.

        With `wait` it returns when the request has ended, or after so many seconds; `math.inf` waits
        for its end.
        """
        ends_at = time.monotonic() + wait
        while True:
            left = max(0.0, ends_at - time.monotonic())
            hold = math.ceil(min(left, _MAX_HOLD))
            path = _path(id) if hold == 0 else f"{_path(id)}?wait={hold}"
            # While somebody waits, a service that is away is waited for as long.
            away = left + self._service.timeout
            answer = send(self._service, "GET", path, timeout=away, request_id=id)
            if answer["state"] != "pending" or time.monotonic() >= ends_at:
                return read_decision(answer)

    def consume(self, id: str, digest: str) -> Permit:
        """Takes the permit of an approved request, once: make the call once and at once.

        Raises `already_consumed` when it was taken before, `conflict` while nobody has decided,
        `already_decided` after a denial, `expired`, `cancelled` or `stale_digest`. The signature of
        the permit is not verified.
        """
        body = {"digest": digest}
        answer = send(self._service, "POST", f"{_path(id)}/consume", body, request_id=id)
        permit = Permit(
            permit_id=answer["permit"]["permitId"],
            request_id=answer["permit"]["requestId"],
            digest=answer["permit"]["digest"],
            expires_at=answer["permit"]["expiresAt"],
            statement=answer["permit"]["statement"],
            signature=answer["permit"]["signature"],
            key_id=answer["permit"]["keyId"],
        )
        check_permit(permit, id, digest)
        return permit

    def report(self, id: str, state: str, summary: str | None = None) -> None:
        """Reports what became of a call whose permit was taken, once.

        `state` is `succeeded`, `failed` or `unknown`.
        """
        body = {"state": state}
        if summary is not None:
            # A lone surrogate has no UTF-8 form.
            body["summary"] = summary[:_MAX_SUMMARY].encode(errors="replace").decode()
        send(self._service, "POST", f"{_path(id)}/outcome", body, request_id=id)

    def withdraw(self, id: str) -> None:
        """Withdraws a request that is pending: it leaves the queue."""
        send(self._service, "POST", f"{_path(id)}/withdraw", {}, request_id=id)

    def verify_callback(self, body: bytes | str, headers: Mapping[str, str]) -> Callback:
        """What a callback says, once its signature holds and it is at most five minutes old.

        Raises `bad_signature` otherwise. `body` is as it was received, before it is parsed. The same
        callback may come more than once.
        """
        return verify_callback(self._service.api_key, body, headers)

    def gate(
        self,
        tool: str,
        input: dict[str, Any],
        execute: Callable[[Allowed], Result],
        **more: Any,
    ) -> Result:
        """Asks, waits however long it takes, takes the permit, runs `execute` once and reports.

        `more` is what `ask` takes. A person may have changed the call: do what `allowed.input` says,
        or ask with `edits="off"`. Whatever `execute` returns or raises comes back. Raises without
        having run it `DeniedError`, `ExpiredError`, `CancelledError`, `BlockedError`,
        `MismatchError` or another `CountersignError`; `AlreadyTakenError` when the permit of this
        `external_id` was taken before.
        """
        allowed = self.take(tool, input, **more)
        try:
            result = execute(allowed)
        except Exception as error:
            try_report(self, allowed.request_id, "failed", str(error))
            raise
        try_report(self, allowed.request_id, "succeeded")
        return result

    def resume(
        self,
        tool: str,
        input: dict[str, Any],
        execute: Callable[[Allowed], Result],
        *,
        external_id: str,
        **more: Any,
    ) -> Result:
        """`gate` for a call that an earlier process may have asked about.

        Under the same `external_id` it continues to wait. Raises `AlreadyTakenError` if the earlier
        process may have run the call.
        """
        return self.gate(tool, input, execute, external_id=external_id, **more)

    def take(
        self, tool: str, input: dict[str, Any], *, wait: float = math.inf, **more: Any
    ) -> Allowed:
        """The first half of `gate`, for who makes the call elsewhere. Raises as `gate` does.

        `wait` is how many seconds the decision may take; after them it raises with the code
        `pending`.
        """
        id = open_call(self, tool, input, **more)
        request = self.decision(id, wait=wait).request
        return take_decided(self, request, tool, input, more)


def _path(id: str) -> str:
    """A part of a path is never more than one segment."""
    return f"/v1/requests/{quote(id, safe='')}"
