"""Where ids and random choices come from, as a value that can be made the same from run to run."""

import base64
import random
import uuid


class Randomness:
    """What the server lets chance decide. Everything random that a client gets to see goes through one of these.

    Args:
        seed: Makes everything the same for everyone who asks in the same order, and therefore easy to guess; by default
            it comes from the system, and cannot be guessed.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.random = random.SystemRandom() if seed is None else random.Random(seed)
        """For choices, such as `random.choice(…)`."""

    def uuid(self) -> str:
        """A new UUID of version 4 (RFC 9562, section 5.4)."""
        return str(uuid.UUID(bytes=self.random.randbytes(16), version=4))

    def token(self) -> str:
        """A new handle of 192 random bits, in characters that a URL may have."""
        return base64.urlsafe_b64encode(self.random.randbytes(24)).decode()
