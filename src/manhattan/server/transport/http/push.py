"""Routes of Web Push: notifications for a browser while the page is closed."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.protocol.requests import PushEndpoint, PushSubscriptionRequest
from manhattan.server.protocol.responses import PushKey, PushStatus
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.service.web_push import check_keys
from manhattan.server.storage.push_subscriptions import PushSubscription
from manhattan.server.transport.http.routing import RouteTable
from manhattan.server.transport.request_context import (
    require_identity,
    require_person,
    services_of,
)

push = RouteTable("push")


@push.route("GET", "/api/push")
async def show_push_key(request: web.Request) -> PushKey:
    """Show the key with which a browser subscribes to this server (VAPID)."""
    return PushKey(key=services_of(request).push.public_key)


_ENDPOINT: Final = "https://fcm.googleapis.com/fcm/send/abc"


@push.route(
    "PUT",
    "/api/me/push-subscription",
    examples={
        "a browser": {
            "endpoint": _ENDPOINT,
            "keys": {  # the receiver of RFC 8291's example
                "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8"
                "pZGH6SRpkNtoIAiw4",
                "auth": "BTBZMqHH6r4Tts7J_aSIgg",
            },
            "language": "en",
            "kinds": ["turn", "end"],
        }
    },
)
async def subscribe_to_push(request: web.Request, body: PushSubscriptionRequest) -> PushStatus:
    """Add a browser, or change which notices it wants. Only the push services of browsers are
    accepted."""
    identity = await require_identity(request)
    services = services_of(request)
    if not services.push.accepts(body.endpoint):
        raise CommandRejected(ErrorCode.BAD_REQUEST, what="This push service isn't known here.")
    if not check_keys(body.keys.p256dh, body.keys.auth):
        raise CommandRejected(ErrorCode.BAD_REQUEST, what="These aren't the keys of a browser.")
    await services.push_subscriptions.add(
        PushSubscription(
            endpoint=body.endpoint,
            person=identity.person.id,
            p256dh=body.keys.p256dh,
            auth=body.keys.auth,
            language=body.language,
            kinds=frozenset(body.kinds),
            device=identity.device.id,
        ),
        now_ms(),
    )
    return PushStatus(kinds=sorted(set(body.kinds)))


@push.route("DELETE", "/api/me/push-subscription", examples={"a browser": {"endpoint": _ENDPOINT}})
async def unsubscribe_from_push(request: web.Request, body: PushEndpoint) -> PushStatus:
    """Remove one of your browsers."""
    person = await require_person(request)
    subscriptions = services_of(request).push_subscriptions
    if body.endpoint in {
        subscription.endpoint for subscription in await subscriptions.of(person.id)
    }:
        await subscriptions.remove(body.endpoint)
    return PushStatus(kinds=[])
