import { expect, it, vi } from 'vitest'
import type { Notice } from './notification-text'
import { openTable, showPush } from './push'

/** What a service worker knows of its browser; a headless one shows no notifications. */
function fakeWorker(addresses: string[] = []) {
  const windows = addresses.map((url) => ({ url, navigate: vi.fn(), focus: vi.fn() }))
  const showNotification = vi.fn(async () => undefined)
  const openWindow = vi.fn()
  const worker = {
    registration: { showNotification },
    navigator: {},
    location: { origin: 'https://example.org' },
    clients: { matchAll: async () => windows, openWindow }
  }
  return { worker: worker as never, windows, showNotification, openWindow }
}

const pushed = (notice: Partial<Notice>) => ({
  json: () => ({ kind: 'turn', table: 'abc', names: ['Bob', 'Cat'], language: 'en', ...notice })
})

it.each([
  [{}, 'Your turn', 'Manhattan with Bob and Cat'],
  [{ language: 'de' }, 'Du bist am Zug', 'Manhattan mit Bob und Cat'],
  [{ language: 'xx' }, 'Your turn', 'Manhattan with Bob'],
  [{ kind: 'end', names: ['$&'] }, 'The game is over', 'See how it ended with $&.']
] as const)('shows %j', async (notice, title, body) => {
  const { worker, showNotification } = fakeWorker()
  await showPush(worker, pushed(notice as Partial<Notice>) as never)
  const options = { tag: 'abc', data: { table: 'abc' }, body: expect.stringContaining(body) }
  expect(showNotification).toHaveBeenCalledExactlyOnceWith(title, expect.objectContaining(options))
})

it('shows nothing for a message without data', async () => {
  const { worker, showNotification } = fakeWorker()
  await showPush(worker, null)
  expect(showNotification).not.toHaveBeenCalled()
})

const notification = { data: { table: 'abc' } } as never

it('opens a window for the table of a notification', async () => {
  const { worker, openWindow } = fakeWorker()
  await openTable(worker, notification)
  expect(openWindow).toHaveBeenCalledExactlyOnceWith('https://example.org/table/abc')
})

it('uses a window that is open, preferably at that table', async () => {
  const table = 'https://example.org/table/abc'
  const { worker, windows, openWindow } = fakeWorker(['https://example.org/', table])
  await openTable(worker, notification)
  expect(windows[1]!.focus).toHaveBeenCalled()
  expect(windows[0]!.navigate).not.toHaveBeenCalled()
  const other = fakeWorker(['https://example.org/'])
  await openTable(other.worker, notification)
  expect(other.windows[0]!.navigate).toHaveBeenCalledWith(table)
  expect(openWindow).not.toHaveBeenCalled()
})
