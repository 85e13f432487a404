/** The texts of notifications in all languages: a service worker can't ask the page for them. */

import de from '$/i18n/notifications/de.json'
import en from '$/i18n/notifications/en.json'
import fr from '$/i18n/notifications/fr.json'
import nl from '$/i18n/notifications/nl.json'
import pl from '$/i18n/notifications/pl.json'

const TEXTS: Record<string, typeof en> = { de, en, fr, nl, pl }

export type NotificationKind = 'turn' | 'start' | 'offer' | 'end'

/** A message of the server about a table; it holds nothing hidden. */
export interface Notice {
  kind: NotificationKind
  table: string
  /** The other players. */
  names: string[]
  language: string
}

/** The title and the options of a notification. */
export function notificationFor(notice: Notice): [string, NotificationOptions] {
  const texts = TEXTS[notice.language] ?? en
  const names = new Intl.ListFormat(notice.language, { type: 'conjunction' }).format(notice.names)
  return [
    texts[`${notice.kind}.title`],
    {
      body: texts[`${notice.kind}.text`].replace('{names}', () => names),
      tag: notice.table, // a later notification about the table replaces this one
      icon: '/icon-192.png',
      lang: notice.language,
      data: { table: notice.table }
    }
  ]
}
