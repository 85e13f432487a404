"""Routes of devices: the browsers in which a person is signed in."""

from __future__ import annotations

from aiohttp import web

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.protocol.responses import DeviceInfo, DeviceList
from manhattan.server.service.accounts import COOKIE
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.storage import Identity
from manhattan.server.transport.http.routing import RouteTable, json_response
from manhattan.server.transport.request_context import require_identity, services_of

devices = RouteTable("accounts")


@devices.route("GET", "/api/me/devices")
async def list_devices(request: web.Request) -> DeviceList:
    """List the browsers in which you are signed in."""
    return await _list_devices(request, await require_identity(request))


@devices.route("DELETE", "/api/me/devices")
async def revoke_other_devices(request: web.Request) -> DeviceList:
    """Sign out everywhere but here. The websockets of the other devices are closed."""
    identity = await require_identity(request)
    tables = services_of(request).tables
    revoked = await tables.store.identities.revoke_devices(
        identity.person.id, now_ms(), keep=identity.device.id
    )
    for device in revoked:
        tables.disconnect(device)
    return await _list_devices(request, identity)


@devices.route("DELETE", "/api/me/devices/{device}", response=DeviceList)
async def revoke_device(request: web.Request) -> web.Response:
    """Sign out a device, at once: its websockets are closed. After signing out this device, you
    see no devices."""
    identity, device = await require_identity(request), request.match_info["device"]
    tables = services_of(request).tables
    is_revoked = await tables.store.identities.revoke_device(identity.person.id, device, now_ms())
    if not is_revoked:
        raise CommandRejected(ErrorCode.NO_SUCH_DEVICE)
    tables.disconnect(device)
    if device == identity.device.id:
        response = json_response(DeviceList(devices=[]))
        response.del_cookie(COOKIE)
        return response
    return json_response(await _list_devices(request, identity))


async def _list_devices(request: web.Request, identity: Identity) -> DeviceList:
    store = services_of(request).tables.store
    return DeviceList(
        devices=[
            DeviceInfo(
                id=device.id,
                label=device.label,
                created_at=device.created_at,
                seen_at=device.seen_at,
                current=device.id == identity.device.id,
            )
            for device in await store.identities.devices_of(identity.person.id)
        ]
    )
