"""Makes a dangerous call only after somebody else has approved it.

    pip install countersign_client-0.1.0-py3-none-any.whl
    python gate.py deploy '{"service": "shop", "version": "1.4.2"}'

COUNTERSIGN_URL and COUNTERSIGN_API_KEY name the service and a key with the scopes requests:write and requests:read.
"""

import json
import os
import socket
import sys

from countersign import AllowedCall, Client, CountersignError


def run(allowed: AllowedCall) -> None:
    """The dangerous call. `allowed.input` is what was approved: a person may have changed it."""
    print("ran", json.dumps(allowed.input))


if __name__ == "__main__":
    tool, call = sys.argv[1], json.loads(sys.argv[2])
    client = Client(url=os.environ["COUNTERSIGN_URL"], api_key=os.environ["COUNTERSIGN_API_KEY"])
    # Approvers see where this program works, as it reports it.
    origin = {"program": "gate.py", "host": socket.gethostname(), "folder": os.path.realpath(".")}
    try:
        client.gate(tool, call, run, origin=origin)
    except CountersignError as error:
        sys.exit(f"{error.code}: {error}")
