"""Web Push: encrypted messages to a browser through its maker's push service.

The push service sees when and to whom a message goes, and not what it says (RFC 8291). This server
identifies itself with a key of its own (VAPID, RFC 8292), made when it starts for the first time.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import re
from collections.abc import Sequence
from typing import Final, Literal
from urllib.parse import urlsplit

import aiohttp
import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from manhattan.server.ops import metrics
from manhattan.server.storage import Store
from manhattan.server.storage.push_subscriptions import PushSubscription

log = logging.getLogger("manhattan.server")

PUSH_SERVICES: Final = (
    "https://fcm.googleapis.com",
    "https://*.push.services.mozilla.com",
    "https://*.notify.windows.com",
    "https://*.push.apple.com",
)
"""The push services of browsers. A client names the address of its own: without a list it could
make this server send requests anywhere."""
_TIMEOUT: Final = aiohttp.ClientTimeout(total=10)
_ATTEMPTS: Final = 3
_RETRY_S: Final = 5.0
_MAX_RETRY_S: Final = 60.0
_PUBLIC_KEY_BYTES: Final = 65
_AUTH_BYTES: Final = 16

Outcome = Literal["delivered", "gone", "failed"]


class WebPush:
    """Sends messages to subscribed browsers."""

    def __init__(self, key: Vapid02, contact: str, services: Sequence[str] = PUSH_SERVICES) -> None:
        self._key = key
        self._contact = contact
        self._services = re.compile("|".join(map(_pattern, services)))
        self._session: aiohttp.ClientSession | None = None

    @classmethod
    async def of(cls, store: Store, contact: str, services: Sequence[str]) -> WebPush:
        """Return the sender of a store, whose key is made on the first start."""
        secret = base64.urlsafe_b64encode(os.urandom(32)).decode()
        return cls(_key_of(await store.setting("vapid_key", secret)), contact, services)

    @property
    def public_key(self) -> str:
        """The key by which browsers and push services know this server, base64url."""
        raw = self._key.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")

    def accepts(self, endpoint: str) -> bool:
        """Return whether an address belongs to a known push service."""
        try:
            parts = urlsplit(endpoint)
        except ValueError:
            return False
        if parts.username or parts.password:
            return False
        return self._services.fullmatch(f"{parts.scheme}://{parts.netloc}") is not None

    async def send(
        self, subscription: PushSubscription, message: bytes, topic: str, ttl_s: int
    ) -> Outcome:
        """Send a message; a later one with the same topic replaces it if it wasn't delivered."""
        if not self.accepts(subscription.endpoint):
            return "gone"
        body = await asyncio.to_thread(_encrypt, subscription, message)
        for attempt in range(1, _ATTEMPTS + 1):
            retry_s = _RETRY_S * attempt
            try:
                async with self._client().post(
                    subscription.endpoint,
                    data=body,
                    headers=self._headers(subscription.endpoint, topic, ttl_s),
                    allow_redirects=False,
                ) as response:
                    if response.status < 300:
                        return "delivered"
                    if response.status in (404, 410):
                        return "gone"
                    if response.status < 500 and response.status != 429:
                        log.warning("a push service rejected a message: %d", response.status)
                        return "failed"
                    retry_s = _seconds(response.headers.get("Retry-After"), retry_s)
            except (aiohttp.ClientError, TimeoutError) as error:
                log.warning("a push service can't be reached: %s", type(error).__name__)
            if attempt < _ATTEMPTS:
                await asyncio.sleep(retry_s)
        return "failed"

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=_TIMEOUT)
        return self._session

    def _headers(self, endpoint: str, topic: str, ttl_s: int) -> dict[str, str]:
        parts = urlsplit(endpoint)
        claims = {"sub": self._contact, "aud": f"{parts.scheme}://{parts.netloc}"}
        return {
            **self._key.sign(claims),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(ttl_s),
            "Topic": topic,
            "Urgency": "normal",
        }


def check_keys(p256dh: str, auth: str) -> bool:
    """Return whether these are the keys of a browser: a point of the curve, and 16 bytes."""
    try:
        point, secret = _decode(p256dh), _decode(auth)
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError:
        return False
    return len(point) == _PUBLIC_KEY_BYTES and len(secret) == _AUTH_BYTES


def count_outcome(outcome: Outcome) -> None:
    metrics.PUSH_MESSAGES.labels(outcome).inc()


def _encrypt(subscription: PushSubscription, message: bytes) -> bytes:
    encrypted: bytes = http_ece.encrypt(
        message,
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=_decode(subscription.p256dh),
        auth_secret=_decode(subscription.auth),
        version="aes128gcm",
    )
    return encrypted


def _key_of(secret: str) -> Vapid02:
    number = int.from_bytes(base64.urlsafe_b64decode(secret)) % (_CURVE_ORDER - 1) + 1
    return Vapid02(ec.derive_private_key(number, ec.SECP256R1()))


_CURVE_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def _decode(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _pattern(service: str) -> str:
    """Return the pattern of an origin in which ``*`` stands for one or more labels."""
    return re.escape(service).replace(r"\*", r"[a-z0-9-]+(?:\.[a-z0-9-]+)*")


def _seconds(retry_after: str | None, otherwise: float) -> float:
    is_number = retry_after is not None and retry_after.isascii() and retry_after.isdigit()
    return min(_MAX_RETRY_S, float(retry_after)) if retry_after and is_number else otherwise
