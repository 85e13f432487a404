"""Recovery codes: written down by people, and used once each to sign in elsewhere.

A code has 100 random bits. The server keeps a keyed hash of it; the key is not in the table of the
codes, and a slow hash would protect nothing more at that length.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import Final

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.events import PersonId
from manhattan.server.storage import RecoveryCode, Store

CODES: Final = 4
"""Codes that a person gets at once."""
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: without letters that look like digits, or like each other."""
_GROUP: Final = 4
_GROUPS: Final = 5
_MISREAD: Final = str.maketrans("OIL", "011")
_IGNORED: Final = re.compile(r"[^0-9A-Za-z]+")
_CODE: Final = re.compile(f"[{_ALPHABET}]{{{_GROUP * _GROUPS}}}")


class RecoveryCodes:
    """Creates recovery codes, and checks them."""

    def __init__(self, store: Store, key: str) -> None:
        self._store = store
        self._key = key.encode()

    @classmethod
    async def of(cls, store: Store) -> RecoveryCodes:
        """Return the recovery codes of a store, with its key."""
        return cls(store, await store.secret("recovery-codes"))

    async def replace(self, person: PersonId, now: Milliseconds) -> list[str]:
        """Return new codes for a person. The earlier ones become invalid."""
        codes = [_new_code() for _ in range(CODES)]
        stored = [RecoveryCode(self._digest(code), code[:_GROUP], person) for code in codes]
        await self._store.identities.replace_recovery_codes(person, stored, now)
        return [_grouped(code) for code in codes]

    async def find(self, text: str) -> RecoveryCode:
        """Return the unused code that a person has typed; raises if there is none."""
        code = _IGNORED.sub("", text).upper().translate(_MISREAD)
        if _CODE.fullmatch(code):
            digest = self._digest(code)
            for candidate in await self._store.identities.find_recovery_codes(code[:_GROUP]):
                if hmac.compare_digest(candidate.digest, digest):
                    return candidate
        raise CommandRejected(ErrorCode.WRONG_RECOVERY_CODE)

    async def use(self, code: RecoveryCode, now: Milliseconds) -> None:
        """Use a code up; raises if another request was quicker."""
        if not await self._store.identities.use_recovery_code(code, now):
            raise CommandRejected(ErrorCode.WRONG_RECOVERY_CODE)

    def _digest(self, code: str) -> str:
        return hmac.new(self._key, code.encode(), hashlib.sha256).hexdigest()


def _new_code() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(_GROUP * _GROUPS))


def _grouped(code: str) -> str:
    return "-".join(code[at : at + _GROUP] for at in range(0, len(code), _GROUP))
