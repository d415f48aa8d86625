"""Sends requests to the service, with retries while it is unreachable."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from .errors import CountersignError

# Statuses of a service that restarts or is busy: the request is retried.
_PASSING_STATUSES = frozenset({429, 502, 503, 504})
_FIRST_PAUSE = 0.2
_MAX_PAUSE = 10.0
# Seconds; longer than the service waits before it answers a request with `?wait=`.
_MAX_ANSWER = 90.0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would send the key to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


@dataclass(frozen=True)
class Service:
    """Address and key of a service; `timeout` is how many seconds it may be unreachable."""

    url: str
    api_key: str
    timeout: float


def send(
    service: Service,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    *,
    timeout: float | None = None,
    request_id: str | None = None,
) -> dict[str, Any]:
    """Sends a request and returns the JSON of its answer.

    While the service is unreachable or busy, retries with growing pauses; every request of this
    client can be repeated. Raises `CountersignError` with the service's refusal, or with `unavailable`
    if no answer came within `timeout` seconds.
    """
    limit = service.timeout if timeout is None else timeout
    ends_at = time.monotonic() + limit
    pause = _FIRST_PAUSE
    while True:
        left = ends_at - time.monotonic()
        cause: Exception
        try:
            return _send_once(service, method, path, body, min(max(left, 0.1), _MAX_ANSWER), request_id)
        except CountersignError as refusal:
            if refusal.status not in _PASSING_STATUSES:
                raise
            cause = refusal
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
            cause = error
        # Random pauses, so that the clients of a service that restarts do not all retry at once.
        this_pause = pause * (0.5 + random.random() / 2)
        if time.monotonic() + this_pause >= ends_at:
            message = f"{service.url} gave no answer within {limit:g} s: {getattr(cause, 'reason', cause)}"
            raise CountersignError("unavailable", message, request_id=request_id) from cause
        time.sleep(this_pause)
        pause = min(pause * 2, _MAX_PAUSE)


def _send_once(
    service: Service,
    method: str,
    path: str,
    body: dict[str, Any] | None,
    timeout: float,
    request_id: str | None,
) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {service.api_key}", "accept": "application/json"}
    data = None
    if body is not None:
        headers["content-type"] = "application/json"
        data = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    sent = urllib.request.Request(service.url.rstrip("/") + path, data, headers, method=method)
    try:
        with _opener.open(sent, timeout=timeout) as answer:
            read: dict[str, Any] = json.load(answer)
            return read
    except urllib.error.HTTPError as error:
        with error:
            problem = _read_problem(error)
        raise CountersignError(
            str(problem.get("code", "unavailable")),
            str(problem.get("detail", f"{service.url} answered with status {error.code}")),
            request_id=request_id,
            status=error.code,
            problem=problem,
        ) from None


def _read_problem(error: urllib.error.HTTPError) -> dict[str, Any]:
    try:
        problem = json.load(error)
    except (OSError, ValueError):
        return {}
    return problem if isinstance(problem, dict) else {}
