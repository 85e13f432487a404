/** Notifications: in the tab, by the system while the page is in the background, and by Web Push
 * while it is closed. */

import { language } from '$/i18n/language.svelte'
import { api } from '$/protocol/http'
import {
  notificationFor,
  type Notice,
  type NotificationKind
} from '$/service-worker/notification-text'
import { settings } from './settings.svelte'

export const NOTIFICATION_KINDS = ['turn', 'start', 'end'] as const
export type NotificationCategory = (typeof NOTIFICATION_KINDS)[number]

const ICON = '/icon.svg'
const ICON_WITH_BADGE = '/icon-badge.svg'

class Notifications {
  permission = $state<NotificationPermission>(
    typeof Notification === 'undefined' ? 'denied' : Notification.permission
  )

  get isSupported(): boolean {
    return typeof Notification !== 'undefined' && 'serviceWorker' in navigator
  }

  get kinds(): readonly NotificationCategory[] {
    return this.permission === 'granted' ? settings.get('notifications') : []
  }

  /** Switch a kind on or off; the first one asks the user for the permission. */
  async toggle(kind: NotificationCategory, isOn: boolean): Promise<void> {
    if (isOn && this.permission !== 'granted')
      this.permission = await Notification.requestPermission()
    if (isOn && this.permission !== 'granted') return
    const others = settings.get('notifications').filter((other) => other !== kind)
    settings.set('notifications', isOn ? [...others, kind] : others)
    await this.synchronize()
  }

  /** Notify the user of something at a table, if the page is in the background. */
  async show(kind: NotificationKind, table: string, names: string[]): Promise<void> {
    const category = kind === 'offer' ? 'start' : kind
    if (!document.hidden || !this.kinds.includes(category)) return
    const registration = await navigator.serviceWorker.getRegistration()
    const notice: Notice = { kind, table, names, language: language.code }
    await registration?.showNotification(...notificationFor(notice))
  }

  /** Mark the tab and the installed app, because it is the user's turn, or no longer. */
  setBadge(isOn: boolean): void {
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (icon) icon.href = isOn ? ICON_WITH_BADGE : ICON
    if (!('setAppBadge' in navigator)) return
    void (isOn ? navigator.setAppBadge() : navigator.clearAppBadge()).catch(() => undefined)
  }

  /** Tell the server which notices this browser wants while the page is closed: after a change of
   * the settings, or of the person who is signed in here. Where the browser has no push service,
   * only an open page notifies. */
  async synchronize(): Promise<void> {
    if (!this.isSupported) return
    const registration = await navigator.serviceWorker.getRegistration()
    const manager = registration?.pushManager
    if (!manager) return
    const { kinds } = this
    try {
      const existing = await manager.getSubscription()
      if (!kinds.length) {
        if (existing) await api.unsubscribePush(existing.endpoint)
        await existing?.unsubscribe()
        return
      }
      const applicationServerKey = (await api.pushKey()).key
      const options = { userVisibleOnly: true, applicationServerKey }
      const { endpoint, keys } = (existing ?? (await manager.subscribe(options))).toJSON()
      await api.subscribePush({
        endpoint: endpoint!,
        keys: { p256dh: keys!.p256dh!, auth: keys!.auth! },
        language: language.code,
        kinds: [...kinds]
      })
    } catch {
      // No push service, or no server: an open page still notifies.
    }
  }
}

export const notifications = new Notifications()
