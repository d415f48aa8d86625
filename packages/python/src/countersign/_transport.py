"""Sends requests to the service, with retries while it is unreachable."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any

from .errors import CountersignError

_FIRST_PAUSE = 0.2
_MAX_PAUSE = 10.0
# The longest pause that an answer may demand by `retry-after`.
_MAX_DEMANDED = 60.0
# Seconds; longer than the service waits before it answers a request with `?wait=`.
_MAX_ANSWER = 90.0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would send the key to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


class _Busy(Exception):
    """A passing refusal, with the pause that it demands."""

    def __init__(self, cause: CountersignError, pause: float) -> None:
        super().__init__(str(cause))
        self.cause, self.pause = cause, pause


@dataclass(frozen=True)
class Service:
    """Address and key of a service; `timeout` is how many seconds it may be unreachable.

    `stop` ends the attempts early: nobody waits for the answer any more.
    """

    url: str
    api_key: str
    timeout: float
    stop: threading.Event | None = None


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

    While the service is unreachable or busy, or an answer is incomplete, retries with growing pauses;
    every request of this client can be repeated. Raises `CountersignError` with the service's refusal,
    or with `unavailable` if no answer came within `timeout` seconds, and `ValueError` for a request
    that cannot be sent.
    """
    limit = service.timeout if timeout is None else timeout
    ends_at = time.monotonic() + limit
    pause = _FIRST_PAUSE
    unsure: Exception | None = None
    while service.stop is None or not service.stop.is_set():
        left = ends_at - time.monotonic()
        cause: Exception
        demanded = 0.0
        try:
            return _send_once(service, method, path, body, min(max(left, 0.1), _MAX_ANSWER), request_id)
        except _Busy as busy:
            cause, demanded = busy.cause, busy.pause
        except http.client.InvalidURL as error:
            raise ValueError(str(error)) from error
        except (OSError, http.client.HTTPException, json.JSONDecodeError, RecursionError) as error:
            cause = error
        # What one attempt may have done is not undone by the refusal of a later one.
        unsure = unsure if is_busy(cause) else cause
        # Random pauses, so that the clients of a service that restarts do not all retry at once.
        this_pause = max(demanded, pause * (0.5 + random.random() / 2))
        if time.monotonic() + this_pause >= ends_at:
            message = f"{service.url} gave no answer within {limit:g} s: {getattr(cause, 'reason', cause)}"
            raise CountersignError("unavailable", message, request_id=request_id) from (unsure or cause)
        _sleep(this_pause, service.stop)
        pause = min(pause * 2, _MAX_PAUSE)
    raise CountersignError("unavailable", "nobody waits for the answer", request_id=request_id)


def _sleep(seconds: float, stop: threading.Event | None) -> None:
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)


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
    address = urllib.parse.urljoin(service.url, path)
    _refuse_unsendable(service.url, urllib.parse.urlsplit(address))
    sent = urllib.request.Request(address, data, headers, method=method)
    ends_at = time.monotonic() + timeout
    try:
        with _opener.open(sent, timeout=timeout) as answer:
            if not _is_foreign(answer.status, answer.headers):
                return _as_object(_read(answer, ends_at))
            status, headers_read, problem = answer.status, answer.headers, {}
    except urllib.error.HTTPError as error:
        with error:
            status, headers_read = error.code, error.headers
            problem = {} if _is_foreign(status, headers_read) else _read_problem(error, ends_at)
    code, detail = problem.get("code"), problem.get("detail")
    foreign = f"{service.url} answered with {status}, but not as Countersign does"
    refusal = CountersignError(
        code if isinstance(code, str) else "unavailable",
        detail if isinstance(detail, str) else foreign,
        request_id=request_id,
        status=status,
        problem=problem,
    )
    # Statuses of a service, or of a proxy before it, that restarts or is busy.
    if status in (408, 429) or status > 501:
        raise _Busy(refusal, _demanded_pause(headers_read.get("retry-after", "")))
    raise refusal


def _refuse_unsendable(url: str, address: urllib.parse.SplitResult) -> None:
    """Raises `ValueError` for an address to which no attempt can send, also for a wrong port."""
    if address.scheme not in ("http", "https") or not address.hostname or address.port == 0:
        raise ValueError(f"{url} is not the HTTP address of a service")
    if address.username is not None:
        raise ValueError("the address of the service has a user name, which cannot be sent")


def is_busy(error: BaseException) -> bool:
    """Whether the service refused for the moment and did nothing.

    Other failures, and the passing statuses of a proxy that got no answer, do not say so.
    """
    if not isinstance(error, CountersignError):
        return False
    return error.status == 429 or (error.problem or {}).get("nothingChanged") is True


def not_ours(service: Service, request_id: str | None = None) -> CountersignError:
    """The error about an answer that is not the service's."""
    message = f"{service.url} answered, but not as Countersign does"
    return CountersignError("unavailable", message, request_id=request_id)


def _read(answer: Any, ends_at: float) -> Any:
    """The JSON of an answer. A timeout of a socket does not end a body that comes byte by byte."""
    body = b""
    while chunk := answer.read1(1 << 16):
        body += chunk
        if time.monotonic() > ends_at:
            raise TimeoutError("the answer did not end in time")
    if answer.length:
        raise http.client.IncompleteRead(body, answer.length)
    return json.loads(body.decode("utf-8-sig", "replace"))


def _read_problem(error: urllib.error.HTTPError, ends_at: float) -> dict[str, Any]:
    try:
        return _as_object(_read(error.fp, ends_at))
    except (OSError, http.client.HTTPException, ValueError, RecursionError):
        return {}


def _as_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_foreign(status: int, headers: Message) -> bool:
    """Whether another server answered, or a proxy that wants a sign-in: with a page or nothing."""
    return status == 204 or "html" in headers.get("content-type", "").lower()


def _demanded_pause(text: str) -> float:
    """The pause of a `retry-after` in seconds or as a date; 0: there is none."""
    try:
        pause = float(text) if text.isdecimal() else parsedate_to_datetime(text).timestamp() - time.time()
    except (TypeError, ValueError):
        return 0.0
    return min(max(pause, 0.0), _MAX_DEMANDED)
