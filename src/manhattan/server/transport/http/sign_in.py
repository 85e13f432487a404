"""Routes of passkeys and recovery codes: adding them to an account, and signing in with them."""

from __future__ import annotations

from typing import Final

from aiohttp import hdrs, web

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.events import PersonId
from manhattan.server.protocol.requests import (
    PasskeyRequest,
    PasskeySignInRequest,
    RecoveryCodeRequest,
)
from manhattan.server.protocol.responses import (
    Account,
    NewRecoveryCodes,
    PasskeyInfo,
    PasskeyList,
    PasskeyOptions,
    RecoveryCodeStatus,
)
from manhattan.server.service.account_data import give_seats
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.service.passkeys import (
    CHALLENGE_COOKIE,
    CHALLENGE_LIFETIME,
    Ceremony,
    RelyingParty,
)
from manhattan.server.storage import Identity, Person
from manhattan.server.transport.http.accounts import account_response
from manhattan.server.transport.http.routing import RouteTable, json_response
from manhattan.server.transport.request_context import (
    client_key,
    find_identity,
    label_of,
    require_person,
    services_of,
)

sign_in = RouteTable("accounts")

_CHALLENGE_PATH: Final = "/api"
_EXAMPLE_ID: Final = "q8Jr2mXwT0uVbC1dEfGhZk"
_NEW_PASSKEY: Final = {
    "credential": {
        "id": _EXAMPLE_ID,
        "rawId": _EXAMPLE_ID,
        "type": "public-key",
        "response": {"clientDataJSON": "eyJ0eXBlIjoi", "attestationObject": "o2NmbXRkbm9u"},
    }
}
_SIGNED_CHALLENGE: Final = {
    "credential": {
        "id": _EXAMPLE_ID,
        "rawId": _EXAMPLE_ID,
        "type": "public-key",
        "response": {
            "clientDataJSON": "eyJ0eXBlIjoi",
            "authenticatorData": "SZYN5YgOjGh0",
            "signature": "MEUCIQDx",
        },
    }
}


# Passkeys of an account.


@sign_in.route("GET", "/api/me/passkeys")
async def list_passkeys(request: web.Request) -> PasskeyList:
    """List your passkeys."""
    return await _list_passkeys(request, await require_person(request))


@sign_in.route("POST", "/api/me/passkey-options", response=PasskeyOptions)
async def begin_passkey(request: web.Request) -> web.Response:
    """Begin to add a passkey: the options for `navigator.credentials.create`. The answer is due
    within five minutes, from the same browser."""
    person = await require_person(request)
    services = services_of(request)
    services.rate_limiter.sign_ins.take(client_key(request))
    site = _relying_party(request)
    return _ceremony_response(
        request, await services.passkeys.begin_registration(person, site, now_ms())
    )


@sign_in.route(
    "POST", "/api/me/passkeys", response=PasskeyList, examples={"shortened": _NEW_PASSKEY}
)
async def add_passkey(request: web.Request, body: PasskeyRequest) -> web.Response:
    """Add the passkey that the browser has created."""
    person = await require_person(request)
    services = services_of(request)
    services.rate_limiter.sign_ins.take(client_key(request))
    await services.passkeys.finish_registration(
        person,
        _relying_party(request),
        request.cookies.get(CHALLENGE_COOKIE),
        body.credential,
        label_of(request),
        now_ms(),
    )
    response = json_response(await _list_passkeys(request, person))
    response.del_cookie(CHALLENGE_COOKIE, path=_CHALLENGE_PATH)
    return response


@sign_in.route("DELETE", "/api/me/passkeys/{passkey}")
async def remove_passkey(request: web.Request) -> PasskeyList:
    """Remove a passkey. Browsers that signed in with it stay signed in."""
    person = await require_person(request)
    identities = services_of(request).tables.store.identities
    if not await identities.remove_passkey(person.id, request.match_info["passkey"]):
        raise CommandRejected(ErrorCode.NO_SUCH_PASSKEY)
    return await _list_passkeys(request, person)


# Recovery codes of an account.


@sign_in.route("GET", "/api/me/recovery-codes")
async def show_recovery_codes(request: web.Request) -> RecoveryCodeStatus:
    """Show how many recovery codes you have left."""
    person = await require_person(request)
    identities = services_of(request).tables.store.identities
    left, created_at = await identities.recovery_codes_of(person.id)
    return RecoveryCodeStatus(left=left, created_at=created_at)


@sign_in.route("POST", "/api/me/recovery-codes")
async def replace_recovery_codes(request: web.Request) -> NewRecoveryCodes:
    """Create recovery codes. Each signs you in once. Earlier codes become invalid."""
    person = await require_person(request)
    services = services_of(request)
    services.rate_limiter.sign_ins.take(client_key(request))
    return NewRecoveryCodes(codes=await services.recovery_codes.replace(person.id, now_ms()))


# Signing in.


@sign_in.route("POST", "/api/sign-in/passkey-options", response=PasskeyOptions)
async def begin_passkey_sign_in(request: web.Request) -> web.Response:
    """Begin to sign in with a passkey: the options for `navigator.credentials.get`. The answer is
    due within five minutes, from the same browser."""
    services = services_of(request)
    services.rate_limiter.sign_ins.take(client_key(request))
    site = _relying_party(request)
    return _ceremony_response(request, await services.passkeys.begin_sign_in(site, now_ms()))


@sign_in.route(
    "POST", "/api/sign-in/passkey", response=Account, examples={"shortened": _SIGNED_CHALLENGE}
)
async def sign_in_with_passkey(request: web.Request, body: PasskeySignInRequest) -> web.Response:
    """Sign in with a passkey. A browser whose person has seats at tables is refused, unless that is
    confirmed or their games come along."""
    services = services_of(request)
    services.rate_limiter.sign_ins.take(client_key(request))
    current = await find_identity(request)
    challenge = request.cookies.get(CHALLENGE_COOKIE)
    person = await services.passkeys.finish_sign_in(
        _relying_party(request), challenge, body.credential, now_ms()
    )
    is_confirmed = body.confirmed or body.bring_games
    await services.accounts.check_replaceable(current, person, confirmed=is_confirmed)
    response = await _sign_in(request, current, person, bring_games=body.bring_games)
    response.del_cookie(CHALLENGE_COOKIE, path=_CHALLENGE_PATH)
    return response


@sign_in.route(
    "POST",
    "/api/sign-in/recovery-code",
    response=Account,
    examples={"a code": {"code": "7K2M-9QXC-4TRD-0V8N-6HJP"}},
)
async def sign_in_with_recovery_code(
    request: web.Request, body: RecoveryCodeRequest
) -> web.Response:
    """Sign in with a recovery code, which is used up. A browser whose person has seats at tables is
    refused, unless that is confirmed or their games come along."""
    services = services_of(request)
    services.rate_limiter.sign_ins.take(client_key(request))
    current = await find_identity(request)
    code = await services.recovery_codes.find(body.code)
    is_confirmed = body.confirmed or body.bring_games
    await services.accounts.check_replaceable(current, code.person, confirmed=is_confirmed)
    await services.recovery_codes.use(code, now_ms())
    return await _sign_in(request, current, code.person, bring_games=body.bring_games)


async def _sign_in(
    request: web.Request, current: Identity | None, person: PersonId, *, bring_games: bool
) -> web.Response:
    services = services_of(request)
    if bring_games and current is not None and current.person.id != person:
        # First: should it fail, this browser is still the old person's.
        await give_seats(services.tables, current.person, person)
    identity = await services.accounts.sign_in(person, current, label_of(request), now_ms())
    if current is not None and current.device.id != identity.device.id:
        services.tables.disconnect(current.device.id)
    return account_response(request, identity)


async def _list_passkeys(request: web.Request, person: Person) -> PasskeyList:
    identities = services_of(request).tables.store.identities
    return PasskeyList(
        passkeys=[
            PasskeyInfo(
                id=passkey.id,
                label=passkey.label,
                created_at=passkey.created_at,
                used_at=passkey.used_at,
            )
            for passkey in await identities.passkeys_of(person.id)
        ]
    )


def _relying_party(request: web.Request) -> RelyingParty:
    """Return the site as the browser sees it. A proxy passes the host on; the cross-origin check
    relies on that as well."""
    scheme = "https" if services_of(request).proxies.is_https(request) else "http"
    host = request.headers.get(hdrs.HOST, "").lower()
    return RelyingParty(f"{scheme}://{host}")


def _ceremony_response(request: web.Request, ceremony: Ceremony) -> web.Response:
    response = json_response(PasskeyOptions(options=dict(ceremony.options)))
    response.set_cookie(
        CHALLENGE_COOKIE,
        ceremony.challenge_id,
        max_age=CHALLENGE_LIFETIME // 1000,
        path=_CHALLENGE_PATH,
        httponly=True,
        samesite="Strict",
        secure=services_of(request).proxies.is_https(request),
    )
    return response
