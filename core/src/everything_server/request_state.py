"""How `requestState` is sealed where time or chance are not those of the machine.

The SDK's boundary seals with a codec, and stamps what it seals with the machine's time. On a clock of another kind its
state would neither expire when that says so nor be the same from run to run; these codecs see to both.
"""

import base64
import hashlib
import hmac
import json
import os
import time
from typing import Final

from mcp.server.request_state import (
    AESGCMRequestStateCodec,
    InvalidRequestState,
    RequestStateCodec,
    RequestStateSecurity,
)

from everything_server.clock import Clock, SystemClock
from everything_server.randomness import Randomness

LIFETIME: Final = 600.0
"""Seconds in which the state of a call can be sent back."""

_PREFIX: Final = "seeded1."


class ClockedCodec:
    """Seals as another codec does, but by the time of a clock.

    Args:
        codec: Seals what has been stamped.
        clock: Says when the state expires.
    """

    def __init__(self, codec: RequestStateCodec, clock: Clock) -> None:
        self._codec = codec
        self._clock = clock

    def seal(self, payload: bytes) -> str:
        """Seal the boundary's claims, with this clock's time in place of the machine's."""
        now = self._clock.now().timestamp()
        return self._codec.seal(_stamped(payload, now))

    def unseal(self, token: str) -> bytes:
        """The claims, stamped so that the boundary accepts them.

        Raises:
            InvalidRequestState: The token was altered, or has expired by this clock.
        """
        payload = self._codec.unseal(token)
        if not self._clock.now().timestamp() < json.loads(payload)["exp"]:
            raise InvalidRequestState("expired")
        return _stamped(payload, time.time())


class SeededCodec:
    """Seals the same state into the same token, under a key that a seed decides; for tests, as anyone can guess it.

    Args:
        randomness: Where the key comes from.
    """

    def __init__(self, randomness: Randomness) -> None:
        self._key = randomness.random.randbytes(32)

    def seal(self, payload: bytes) -> str:
        """The payload, and a code that only the key makes."""
        return _PREFIX + base64.urlsafe_b64encode(self._code(payload) + payload).decode().rstrip("=")

    def unseal(self, token: str) -> bytes:
        """The payload that was sealed.

        Raises:
            InvalidRequestState: No seal of this key, unaltered, is around it.
        """
        text = token.removeprefix(_PREFIX)
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        except ValueError:
            raise InvalidRequestState("malformed") from None
        payload = raw[32:]
        if not hmac.compare_digest(raw[:32], self._code(payload)) or self.seal(payload) != token:
            raise InvalidRequestState("seal")
        return payload

    def _code(self, payload: bytes) -> bytes:
        return hmac.digest(self._key, payload, hashlib.sha256)


def sealing_by(clock: Clock) -> RequestStateSecurity:
    """Protection under a key of this process; the state expires by `clock`."""
    if isinstance(clock, SystemClock):
        return RequestStateSecurity.ephemeral(ttl=LIFETIME)
    codec = ClockedCodec(AESGCMRequestStateCodec([os.urandom(32)]), clock)
    return RequestStateSecurity(codec=codec, ttl=LIFETIME)


def repeatable_sealing(randomness: Randomness, clock: Clock) -> RequestStateSecurity:
    """Protection that is the same from run to run; the state expires by `clock`."""
    return RequestStateSecurity(codec=ClockedCodec(SeededCodec(randomness), clock), ttl=LIFETIME)


def _stamped(payload: bytes, now: float) -> bytes:
    claims = json.loads(payload)
    claims["exp"] = now + round(claims["exp"] - claims["iat"], 3)  # the difference of two times is not exact
    claims["iat"] = now
    return json.dumps(claims, separators=(",", ":")).encode()
