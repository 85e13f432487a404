/** The account: how the visitor can sign in, on which devices they are, and what was just done. */

import { accountApi, type ConflictChoice } from '$/protocol/account-api'
import { api, ApiError } from '$/protocol/http'
import type { Account, DeviceInfo, PasskeyInfo } from '$/protocol/types.gen'
import { notifications } from '$/state/notifications.svelte'
import { session } from '$/state/session.svelte'
import { errorText } from '$/text/error-text'
import { a } from './messages.svelte'
import { addPasskey, PasskeyCancelled, PasskeyExists, signInWithPasskey } from './passkey-ceremony'

/** A sign-in that would take the browser from a person with games: they decide what becomes of the
 * games. */
interface Conflict {
  name: string
  tables: number
  bringGames: () => Promise<void>
  confirm: () => Promise<void>
}

export class AccountStore {
  isLoaded = $state(false)
  isBusy = $state(false)
  devices = $state.raw<DeviceInfo[]>([])
  passkeys = $state.raw<PasskeyInfo[]>([])
  codesLeft = $state(0)
  /** New recovery codes, until the visitor has written them down. */
  newCodes = $state.raw<string[] | null>(null)
  /** The address of the visitor's feed, once they have asked for it. */
  feed = $state<string | null>(null)
  conflict = $state.raw<Conflict | null>(null)
  /** What was done, and what went wrong; one of them at a time. */
  notice = $state<string | null>(null)
  problem = $state<string | null>(null)

  /** Can the visitor come back after signing out here? */
  readonly isRecoverable = $derived(this.passkeys.length > 0 || this.codesLeft > 0)

  async load(): Promise<void> {
    await this.#run(async () => {
      session.adopt((await api.me()).name)
      await this.#loadDetails()
    })
    this.isLoaded = true
  }

  /** Look whether this device is still signed in, when the visitor comes back to the page. */
  async check(): Promise<void> {
    const before = session.name
    try {
      session.adopt((await api.me()).name)
      if (before !== session.name) {
        this.#forget()
        await this.#loadDetails()
      }
      if (before !== null && session.name === null) this.problem = a('revoked')
    } catch {
      // Unreachable for the moment: the next action reports it.
    }
  }

  rename = (): Promise<void> =>
    this.#run(async () => {
      const isNew = session.name === null
      if (!session.nameInput.trim()) return
      await session.saveName('')
      if (isNew) await this.#loadDetails()
      this.notice = a('name_saved')
    })

  addPasskey = (): Promise<void> =>
    this.#run(async () => {
      this.passkeys = (await addPasskey()).passkeys
      this.notice = a('passkey_added')
    })

  removePasskey = (passkey: string): Promise<void> =>
    this.#run(async () => {
      this.passkeys = (await accountApi.removePasskey(passkey)).passkeys
      this.notice = a('passkey_removed')
    })

  showFeed = (): Promise<void> =>
    this.#run(async () => {
      this.feed = location.origin + (await accountApi.feed()).path
    })

  createCodes = (): Promise<void> =>
    this.#run(async () => {
      this.newCodes = (await accountApi.replaceRecoveryCodes()).codes
      this.codesLeft = this.newCodes.length
    })

  signInWithPasskey = (): Promise<void> => this.#signIn(signInWithPasskey)

  signInWithCode = (code: string): Promise<void> =>
    this.#signIn((choice) => accountApi.signInWithCode(code, choice))

  revokeDevice = (device: DeviceInfo): Promise<void> =>
    this.#run(async () => {
      this.devices = (await accountApi.revokeDevice(device.id)).devices
      if (device.current) this.#leave('signed_out')
      else this.notice = a('device_revoked')
    })

  revokeOtherDevices = (): Promise<void> =>
    this.#run(async () => {
      this.devices = (await accountApi.revokeOtherDevices()).devices
      this.notice = a('devices_revoked')
    })

  deleteAccount = (): Promise<void> =>
    this.#run(async () => {
      await accountApi.deleteAccount()
      this.#leave('deleted')
    })

  #signIn(
    signIn: (choice: ConflictChoice) => Promise<Account>,
    choice: ConflictChoice = {}
  ): Promise<void> {
    return this.#run(async () => {
      try {
        const { name } = await signIn(choice)
        this.#forget()
        session.adopt(name)
        void notifications.synchronize()
        await this.#loadDetails()
        this.notice = a('signed_in', { name: name ?? '' })
      } catch (error) {
        if (!(error instanceof ApiError) || error.problem.reason !== 'identity_in_use') throw error
        const { name, tables } = error.problem.params
        this.conflict = {
          name: String(name),
          tables: Number(tables),
          bringGames: () => this.#signIn(signIn, { bring_games: true }),
          confirm: () => this.#signIn(signIn, { confirmed: true })
        }
      }
    })
  }

  async #loadDetails(): Promise<void> {
    if (session.name === null) return
    const [devices, passkeys, codes] = await Promise.all([
      accountApi.devices(),
      accountApi.passkeys(),
      accountApi.recoveryCodes()
    ])
    this.devices = devices.devices
    this.passkeys = passkeys.passkeys
    this.codesLeft = codes.left
  }

  #leave(what: 'signed_out' | 'deleted'): void {
    this.#forget()
    session.adopt(null)
    this.notice = a(what)
  }

  #forget(): void {
    this.devices = []
    this.passkeys = []
    this.codesLeft = 0
    this.newCodes = this.conflict = null
    this.feed = null
  }

  /** Run one action at a time, and show what went wrong. */
  async #run(action: () => Promise<void>): Promise<void> {
    if (this.isBusy) return
    this.isBusy = true
    this.notice = this.problem = null
    this.conflict = null
    try {
      await action()
    } catch (error) {
      if (error instanceof PasskeyCancelled) this.notice = a('passkey_cancelled')
      else if (error instanceof PasskeyExists) this.notice = a('passkey_exists')
      else if (error instanceof ApiError && error.problem.reason === 'no_identity') {
        this.#forget()
        session.adopt(null)
        this.problem = a('revoked')
      } else this.problem = errorText(error)
    } finally {
      this.isBusy = false
    }
  }
}
