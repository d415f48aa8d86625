"""The blocking client."""

from __future__ import annotations

import copy
import math
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import quote

from ._callback import Callback, verify_callback
from ._digest import canonical_json
from ._gate import check_permit, is_unanswered, open_call, take_back, take_decided, try_report
from ._request import AllowedCall, RequestSummary, Decision, Permit, read_summary, read_decision
from ._transport import Service, not_ours, send
from .errors import CountersignError

Result = TypeVar("Result")

# Longest wait for one HTTP response, in seconds, so that a lost connection is noticed by then.
_MAX_HOLD = 50
# A summary is cut to so many units of UTF-16: the service takes as many characters, which are never more.
_MAX_SUMMARY = 4000


class Client:
    """A client of a Countersign service, for programs that are not runs of the service.

    It holds no connection and no state: a program may open a request, end, and continue later with
    the id of the request, or by opening the request again under the same `external_id`.

    `url` is the service's address such as `http://localhost:4400`; `api_key` needs the scopes
    `requests:write` and `requests:read`; `timeout` is how many seconds a method waits for an
    unreachable service. Every method raises `CountersignError`. Its `code` is the service's, or
    `unavailable` if no answer came in time.
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
    ) -> RequestSummary:
        """Opens a request for the approval of a call, or finds the request of this `external_id`.

        Raises `policy_blocked` if policy never allows the call, and `ValueError` for an input that
        JSON cannot represent. With `edits="off"` nobody may change the call. If no answer came in
        time, this first tries to withdraw the request of a call without an `external_id`, for ten
        seconds at most; another call continues under its `external_id`.
        """
        canonical_json(input)
        body = {
            "tool": tool,
            "input": input,
            "externalId": str(uuid.uuid4()) if external_id is None else external_id,
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
        try:
            return self._open(present)
        except CountersignError as error:
            # Nobody else knows the name of that request.
            if external_id is None and is_unanswered(error):
                take_back(self, lambda patient: patient._open(present), self._service.timeout)
            raise

    def _open(self, body: dict[str, Any]) -> RequestSummary:
        answer = send(self._service, "POST", "/v1/requests", body)
        return read_summary(_request(self._service, answer))

    def find(self, external_id: str) -> RequestSummary | None:
        """Finds the request that a program of the key's owner opened under this `external_id`, or `None`."""
        answer = send(self._service, "GET", f"/v1/requests?externalId={quote(external_id, safe='')}")
        items = answer.get("items")
        if not isinstance(items, list):
            raise not_ours(self._service)
        for request in items:
            if (request["external"] or {}).get("externalId") == external_id:
                return read_summary(request)
        return None

    def decision(self, id: str, *, wait: float = 0) -> Decision:
        """Reads the state of a request.

        With `wait` it returns once the request has ended, at the latest after that many seconds;
        `math.inf` waits until it has ended.
        """
        ends_at = time.monotonic() + wait
        while True:
            left = max(0.0, ends_at - time.monotonic())
            hold = math.ceil(min(left, _MAX_HOLD))
            path = _path(id) if hold == 0 else f"{_path(id)}?wait={hold}"
            # A service that is unreachable is waited for as long as the decision may take.
            away = left + self._service.timeout
            answer = send(self._service, "GET", path, timeout=away, request_id=id)
            if _request(self._service, answer, id)["state"] != "pending" or time.monotonic() >= ends_at:
                return read_decision(answer)

    def consume(self, id: str, digest: str) -> Permit:
        """Takes the permit of an approved request. Make the call once, directly afterwards.

        Raises `already_consumed` if it was taken before, `conflict` while nobody has decided,
        `already_decided` after a denial, `expired`, `cancelled` or `stale_digest`. The signature of
        the permit is not verified.
        """
        body = {"digest": digest}
        answer = send(self._service, "POST", f"{_path(id)}/consume", body, request_id=id)
        read = answer.get("permit")
        if not isinstance(read, dict) or not isinstance(read.get("statement"), str):
            raise not_ours(self._service, id)
        permit = Permit(
            permit_id=read["permitId"],
            request_id=read["requestId"],
            digest=read["digest"],
            expires_at=read["expiresAt"],
            statement=read["statement"],
            signature=read["signature"],
            key_id=read["keyId"],
        )
        check_permit(permit, id, digest)
        return permit

    def report(self, id: str, state: str, summary: str | None = None) -> None:
        """Reports the outcome of a call whose permit was taken. It can be reported once;
        `unknown` can be followed by another outcome.

        `state` is `succeeded`, `failed` or `unknown`.
        """
        body = {"state": state}
        if summary is not None:
            # A lone surrogate cannot be encoded in UTF-8.
            units = summary.encode("utf-16-le", "surrogatepass")[: 2 * _MAX_SUMMARY]
            body["summary"] = units.decode("utf-16-le", "replace")
        send(self._service, "POST", f"{_path(id)}/outcome", body, request_id=id)

    def withdraw(self, id: str) -> None:
        """Withdraws a pending request: it leaves its queue."""
        send(self._service, "POST", f"{_path(id)}/withdraw", {}, request_id=id)

    def verify_callback(self, body: bytes | str, headers: Mapping[str, str]) -> Callback:
        """Verifies a callback and returns its content.

        Raises `bad_signature` if the signature is wrong or the callback is older than five minutes.
        `body` is the received body before parsing. The same callback may arrive more than once.
        """
        return verify_callback(self._service.api_key, body, headers)

    def gate(
        self,
        tool: str,
        input: dict[str, Any],
        execute: Callable[[AllowedCall], Result],
        **more: Any,
    ) -> Result:
        """Opens a request, waits without a limit, takes the permit, runs `execute` once and reports.

        `more` are arguments of `ask`. A person may have changed the call: use `allowed.input`, or pass
        `edits="off"`. Returns or raises what `execute` does. Before `execute` runs, raises
        `DeniedError`, `ExpiredError`, `CancelledError`, `BlockedError`, `MismatchError` or another
        `CountersignError`, and `AlreadyTakenError` if the permit of this `external_id` was taken
        before.
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
        execute: Callable[[AllowedCall], Result],
        *,
        external_id: str,
        **more: Any,
    ) -> Result:
        """`gate` for a call that an earlier process may have requested.

        Under the same `external_id` it continues to wait. Raises `AlreadyTakenError` if the earlier
        process may have run the call.
        """
        return self.gate(tool, input, execute, external_id=external_id, **more)

    def take(
        self, tool: str, input: dict[str, Any], *, wait: float = math.inf, **more: Any
    ) -> AllowedCall:
        """The first half of `gate`, for callers that make the call elsewhere. Raises as `gate` does.

        `wait` is how many seconds the decision may take. If nobody decided in time, raises with the
        code `pending`. Without it, a service that is away is waited for without a limit.
        """
        patient = self._with(timeout=math.inf) if wait == math.inf else self
        id = open_call(patient, tool, input, **more)
        request = patient.decision(id, wait=wait).request
        return take_decided(patient, request, tool, input, more)

    def _with(
        self, *, timeout: float | None = None, stop: threading.Event | None = None
    ) -> Client:
        """This client with another limit, or with an event that ends its attempts."""
        client, service = copy.copy(self), self._service
        limit = service.timeout if timeout is None else timeout
        client._service = replace(service, timeout=limit, stop=stop)
        return client


def _request(service: Service, answer: dict[str, Any], id: str | None = None) -> dict[str, Any]:
    """The answer, which is a request. Something else answered if there is no state."""
    if not isinstance(answer.get("state"), str):
        raise not_ours(service, id)
    return answer


def _path(id: str) -> str:
    """The path of a request. The id is encoded, so that it stays one segment."""
    return f"/v1/requests/{quote(id, safe='')}"
