"""Callbacks, which are signed according to Standard Webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import CountersignError

_MAX_AGE_SECONDS = 5 * 60


@dataclass(frozen=True)
class Callback:
    """The content of a callback. Fetch the request for everything else."""

    request_id: str
    external_id: str
    state: str


def callback_secret(api_key: str) -> str:
    """The secret that signs callbacks for requests of this API key, in the form `whsec_…`."""
    return f"whsec_{base64.b64encode(_secret_bytes(api_key)).decode()}"


def verify_callback(api_key: str, body: bytes | str, headers: Mapping[str, str]) -> Callback:
    """Verifies signature and age; see `Client.verify_callback`."""
    content = body.encode() if isinstance(body, str) else body
    header = {name.lower(): value for name, value in headers.items()}
    timestamp = header.get("webhook-timestamp", "")
    is_recent = (
        re.fullmatch(r"[0-9]{1,12}", timestamp) is not None
        and abs(time.time() - int(timestamp)) <= _MAX_AGE_SECONDS
    )
    if not is_recent:
        raise _bad_signature("its time is more than 5 minutes off")
    signed = f"{header.get('webhook-id', '')}.{timestamp}.".encode() + content
    mac = base64.b64encode(hmac.new(_secret_bytes(api_key), signed, hashlib.sha256).digest())
    expected = b"v1," + mac
    signatures = header.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(expected, signature.encode()) for signature in signatures):
        raise _bad_signature("its signature is not valid")
    data = json.loads(content)["data"]
    return Callback(data["requestId"], data["externalId"], data["state"])


def _secret_bytes(api_key: str) -> bytes:
    return hmac.new(api_key.encode(), b"countersign/callback/v1", hashlib.sha256).digest()


def _bad_signature(why: str) -> CountersignError:
    return CountersignError("bad_signature", f"The service did not send this callback: {why}")
