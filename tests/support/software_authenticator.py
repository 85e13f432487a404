"""An authenticator in software: it creates passkeys and signs challenges as a phone would."""

from __future__ import annotations

import hashlib
import json
import secrets
import struct
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url

Json = dict[str, Any]
USER_PRESENT, USER_VERIFIED, ATTESTED = 0x01, 0x04, 0x40


class SoftwareAuthenticator:
    """One discoverable passkey."""

    def __init__(self, origin: str, rp_id: str = "localhost") -> None:
        self.origin = origin
        self.rp_id = rp_id
        self.id = secrets.token_bytes(16)
        self.sign_count = 0
        self.user_handle: bytes | None = None
        self._key = ec.generate_private_key(ec.SECP256R1())

    def create(self, options: Json) -> Json:
        """Answer the options of a registration."""
        self.user_handle = base64url_to_bytes(options["user"]["id"])
        numbers = self._key.public_key().public_numbers()
        key = cbor2.dumps(
            {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        )
        credential = bytes(16) + struct.pack(">H", len(self.id)) + self.id + key
        attestation = {
            "fmt": "none",
            "attStmt": {},
            "authData": self._data(USER_PRESENT | USER_VERIFIED | ATTESTED) + credential,
        }
        return self._credential(
            clientDataJSON=self._client_data("webauthn.create", options),
            attestationObject=cbor2.dumps(attestation),
        )

    def sign(self, options: Json) -> Json:
        """Answer the options of a sign-in."""
        self.sign_count += 1
        client_data = self._client_data("webauthn.get", options)
        data = self._data(USER_PRESENT | USER_VERIFIED)
        signed = data + hashlib.sha256(client_data).digest()
        return self._credential(
            clientDataJSON=client_data,
            authenticatorData=data,
            signature=self._key.sign(signed, ec.ECDSA(hashes.SHA256())),
            userHandle=self.user_handle or b"",
        )

    def _client_data(self, kind: str, options: Json) -> bytes:
        data = {"type": kind, "challenge": options["challenge"], "origin": self.origin}
        return json.dumps(data | {"crossOrigin": False}).encode()

    def _data(self, flags: int) -> bytes:
        rp_hash = hashlib.sha256(self.rp_id.encode()).digest()
        return rp_hash + struct.pack(">BI", flags, self.sign_count)

    def _credential(self, **response: bytes) -> Json:
        id = bytes_to_base64url(self.id)
        encoded = {name: bytes_to_base64url(value) for name, value in response.items()}
        return {
            "id": id,
            "rawId": id,
            "type": "public-key",
            "response": encoded,
            "clientExtensionResults": {},
        }
