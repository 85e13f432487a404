/** Notifications that the server pushes while no page is open. */

import { notificationFor, type Notice } from './notification-text'

/** Show a message of the server; a browser demands that every message shows something. */
export async function showPush(
  worker: ServiceWorkerGlobalScope,
  data: PushMessageData | null
): Promise<void> {
  if (!data) return
  const notice = data.json() as Notice
  await worker.registration.showNotification(...notificationFor(notice))
  if (notice.kind === 'turn') await setBadge(worker.navigator)
}

async function setBadge(navigator: WorkerNavigator): Promise<void> {
  if ('setAppBadge' in navigator)
    await (navigator.setAppBadge as () => Promise<void>)().catch(() => undefined)
}

/** Show the table of a notification, in a page that is open already if there is one. */
export async function openTable(
  worker: ServiceWorkerGlobalScope,
  notification: Notification
): Promise<void> {
  const { table } = notification.data as { table: string }
  const address = new URL(`/table/${table}`, worker.location.origin).href
  const windows = await worker.clients.matchAll({ type: 'window' })
  const shown = windows.find(({ url }) => url === address)
  const open = shown ?? windows[0]
  if (!open) {
    await worker.clients.openWindow(address)
    return
  }
  if (!shown) await open.navigate(address)
  await open.focus()
}
