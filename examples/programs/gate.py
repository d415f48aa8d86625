"""Makes a dangerous call only after somebody else has approved it. Standard library only.

    from gate import gate
    gate("deploy", {"service": "shop", "version": "1.4.2"}, lambda call: deploy(**call))

COUNTERSIGN_URL and COUNTERSIGN_API_KEY name the service and a key with the scopes requests:write and requests:read.
"""

import hashlib
import json
import os
import socket
import sys
import time
import urllib.error
import urllib.request
import uuid


class NotAllowed(Exception):
    """Denied, expired, cancelled or blocked: nothing ran. `code` says which."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def canonical(value):
    """RFC 8785, for what has no fractions: their digits are another matter."""
    if isinstance(value, float):
        raise TypeError("use whole numbers or texts: fractions have no portable form here")
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def ask(method, path, body=None, again=True):
    """One question; asked again, ever more slowly, while the service is away."""
    pause = 0.2
    while True:
        request = urllib.request.Request(
            os.environ["COUNTERSIGN_URL"].rstrip("/") + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "authorization": "Bearer " + os.environ["COUNTERSIGN_API_KEY"],
                "content-type": "application/json",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 502, 503, 504) or not again:
                problem = json.loads(error.read() or b"{}")
                raise NotAllowed(problem.get("code", error.code), problem.get("detail", str(error)))
        except OSError:
            if not again:
                raise
        time.sleep(pause)
        pause = min(pause * 2, 10)


def here():
    """Where this program works, for its approvers: what it reports, and nothing that the service has looked at."""
    name = os.path.basename(sys.argv[0]) or "python"
    return {"program": name, "host": socket.gethostname(), "folder": os.path.realpath(".")}


def gate(tool, call, execute, external_id=None, **more):
    """Asks, waits, takes the permit, runs `execute(call)` once and reports what became of it."""
    asked = {"tool": tool, "input": call, "externalId": external_id or str(uuid.uuid4()), **more}
    request = ask("POST", "/v1/requests", asked)
    while request["state"] == "pending":
        request = ask("GET", f"/v1/requests/{request['id']}?wait=50")
    if request["state"] != "approved":
        reasons = [one["reason"] for one in request["decisions"] if one["decision"] == "deny"]
        raise NotAllowed(request["state"], (reasons or [request["cancelReason"]])[-1] or "")
    shown = {"tool": tool, "input": call, "toolHash": request["facts"]["toolHash"]}
    digest = "sha256:" + hashlib.sha256(canonical(shown).encode()).hexdigest()
    if digest != request["digest"]:
        raise NotAllowed("mismatch", "what was approved is not what was asked for")
    path = f"/v1/requests/{request['id']}"
    permit = ask("POST", path + "/consume", {"digest": digest})["permit"]
    if json.loads(permit["statement"])["digest"] != digest:
        raise NotAllowed("mismatch", "the permit is for another call")
    try:
        result = execute(call)
    except Exception as error:
        ask("POST", path + "/outcome", {"state": "failed", "summary": str(error)[:4000]}, again=False)
        raise
    ask("POST", path + "/outcome", {"state": "succeeded"}, again=False)
    return result


if __name__ == "__main__":
    try:
        gate(sys.argv[1], json.loads(sys.argv[2]), lambda call: print("ran", json.dumps(call)), origin=here())
    except NotAllowed as refused:
        sys.exit(f"{refused.code}: {refused}")
