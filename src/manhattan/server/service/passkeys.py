"""Passkeys (WebAuthn): adding one to an account, and signing in with it.

Both are a ceremony of two steps. The server creates a challenge, which an authenticator signs; the
answer is verified against the challenge. A challenge is kept in the database, so that any process
can verify the answer, and is used once. Its id is in a cookie, which binds it to the browser.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from webauthn import (
    base64url_to_bytes,
    generate_authentication_options,
    generate_registration_options,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import bytes_to_base64url
from webauthn.helpers.options_to_json_dict import options_to_json_dict
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.events import PersonId
from manhattan.server.storage import Passkey, Person, Store

log = logging.getLogger("manhattan.server.passkeys")

CHALLENGE_COOKIE: Final = "manhattan-challenge"
CHALLENGE_LIFETIME: Final[Milliseconds] = 5 * 60 * 1000
MAX_PASSKEYS: Final = 20
"""Passkeys of one person."""
_MAX_PASSKEY_ID: Final = 1400
"""Characters of a credential's id in base64url; the standard allows 1023 bytes."""
_RP_NAME: Final = "Manhattan"
_SIGN_IN: Final = "sign-in"

Credential = Mapping[str, Any]
"""A ``PublicKeyCredential`` of the browser, as JSON."""


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """The site as browsers see it: passkeys belong to its host."""

    origin: str

    @property
    def id(self) -> str:
        """The host of the site; raises if browsers allow no passkeys there."""
        try:
            parts = urlsplit(self.origin)
            host = parts.hostname or ""
        except ValueError:
            host = ""
        is_secure = self.origin.startswith("https://") or _is_localhost(host)
        if not is_secure or not host or _is_address(host):
            raise CommandRejected(ErrorCode.PASSKEYS_UNAVAILABLE)
        return host


@dataclass(frozen=True, slots=True)
class Ceremony:
    """The first step of a ceremony: options for the browser, and the id of the challenge."""

    options: Mapping[str, Any]
    challenge_id: str


class Passkeys:
    """The passkeys of all people."""

    def __init__(self, store: Store, key: str) -> None:
        self._identities = store.identities
        self._key = key.encode()

    @classmethod
    async def of(cls, store: Store) -> Passkeys:
        """Return the passkeys of a store, with its key for user handles."""
        return cls(store, await store.secret("passkeys"))

    # Adding a passkey.

    async def begin_registration(
        self, person: Person, site: RelyingParty, now: Milliseconds
    ) -> Ceremony:
        """Ask a person's browser for a new passkey."""
        rp_id = site.id
        known = await self._identities.passkeys_of(person.id)
        if len(known) >= MAX_PASSKEYS:
            raise CommandRejected(ErrorCode.TOO_MANY, what="passkeys")
        challenge = secrets.token_bytes(32)
        options = generate_registration_options(
            rp_id=rp_id,
            rp_name=_RP_NAME,
            user_id=self._user_handle(person.id),
            user_name=person.name,
            user_display_name=person.name,
            challenge=challenge,
            timeout=CHALLENGE_LIFETIME,
            authenticator_selection=AuthenticatorSelectionCriteria(
                # Discoverable, so that nobody has to type a name to sign in.
                resident_key=ResidentKeyRequirement.REQUIRED,
                user_verification=UserVerificationRequirement.PREFERRED,
            ),
            exclude_credentials=[
                PublicKeyCredentialDescriptor(id=base64url_to_bytes(passkey.id))
                for passkey in known
                if passkey.rp_id == rp_id
            ],
        )
        challenge_id = await self._keep(challenge, _registration_of(person), now)
        return Ceremony(options_to_json_dict(options), challenge_id)

    async def finish_registration(
        self,
        person: Person,
        site: RelyingParty,
        challenge_id: str | None,
        credential: Credential,
        label: str,
        now: Milliseconds,
    ) -> None:
        """Add the passkey that a person's browser has created."""
        challenge = await self._take(challenge_id, _registration_of(person), now)
        try:
            verified = verify_registration_response(
                credential=dict(credential),
                expected_challenge=challenge,
                expected_rp_id=site.id,
                expected_origin=site.origin,
            )
        except Exception as error:  # a hostile credential fails in many ways
            raise _rejected(error) from None
        id = bytes_to_base64url(verified.credential_id)
        passkey = Passkey(
            id=id,
            person=person.id,
            public_key=bytes_to_base64url(verified.credential_public_key),
            sign_count=verified.sign_count,
            rp_id=site.id,
            label=label,
            created_at=now,
        )
        if len(id) > _MAX_PASSKEY_ID or not await self._identities.add_passkey(passkey):
            raise CommandRejected(ErrorCode.PASSKEY_REJECTED)

    # Signing in.

    async def begin_sign_in(self, site: RelyingParty, now: Milliseconds) -> Ceremony:
        """Ask a browser for any passkey of this site."""
        challenge = secrets.token_bytes(32)
        options = generate_authentication_options(
            rp_id=site.id,
            challenge=challenge,
            timeout=CHALLENGE_LIFETIME,
            user_verification=UserVerificationRequirement.PREFERRED,
        )
        challenge_id = await self._keep(challenge, _SIGN_IN, now)
        return Ceremony(options_to_json_dict(options), challenge_id)

    async def finish_sign_in(
        self,
        site: RelyingParty,
        challenge_id: str | None,
        credential: Credential,
        now: Milliseconds,
    ) -> PersonId:
        """Return the person whose passkey has signed the challenge."""
        challenge = await self._take(challenge_id, _SIGN_IN, now)
        id = credential.get("id")
        passkey = await self._identities.find_passkey(id) if isinstance(id, str) else None
        if passkey is None or passkey.rp_id != site.id:
            raise CommandRejected(ErrorCode.PASSKEY_REJECTED)
        try:
            verified = verify_authentication_response(
                credential=dict(credential),
                expected_challenge=challenge,
                expected_rp_id=passkey.rp_id,
                expected_origin=site.origin,
                credential_public_key=base64url_to_bytes(passkey.public_key),
                credential_current_sign_count=passkey.sign_count,
            )
            handle = credential["response"].get("userHandle")
            is_owner = handle is None or hmac.compare_digest(
                base64url_to_bytes(handle), self._user_handle(passkey.person)
            )
        except Exception as error:  # a hostile credential fails in many ways
            raise _rejected(error) from None
        if not is_owner:
            raise CommandRejected(ErrorCode.PASSKEY_REJECTED)
        await self._identities.use_passkey(passkey.id, verified.new_sign_count, now)
        return passkey.person

    # Challenges.

    async def _keep(self, challenge: bytes, purpose: str, now: Milliseconds) -> str:
        id = secrets.token_urlsafe(24)
        expires_at = now + CHALLENGE_LIFETIME
        text = bytes_to_base64url(challenge)
        await self._identities.add_challenge(id, purpose, text, expires_at, now)
        return id

    async def _take(self, id: str | None, purpose: str, now: Milliseconds) -> bytes:
        challenge = await self._identities.take_challenge(id, purpose, now) if id else None
        if challenge is None:
            raise CommandRejected(ErrorCode.CHALLENGE_EXPIRED)
        return base64url_to_bytes(challenge)

    def _user_handle(self, person: PersonId) -> bytes:
        """Return the id of a person for authenticators: the ids of people stay on the server."""
        return hmac.new(self._key, person.encode(), hashlib.sha256).digest()


def _registration_of(person: Person) -> str:
    return f"register {person.id}"


def _rejected(error: Exception) -> CommandRejected:
    log.info("a passkey was rejected", extra={"why": type(error).__name__})
    return CommandRejected(ErrorCode.PASSKEY_REJECTED)


def _is_localhost(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
