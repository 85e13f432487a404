/** HTTP client of the account page: passkeys, recovery codes, devices and the account itself. */

import { request } from './http'
import type {
  Account,
  DeviceList,
  FeedAddress,
  NewRecoveryCodes,
  PasskeyList,
  PasskeyOptions,
  RecoveryCodeStatus
} from './types.gen'

const id = encodeURIComponent

/** What becomes of the games of the person who was signed in here. */
export interface ConflictChoice {
  confirmed?: boolean
  bring_games?: boolean
}

export const accountApi = {
  devices: () => request<DeviceList>('GET', '/me/devices'),
  revokeDevice: (device: string) => request<DeviceList>('DELETE', `/me/devices/${id(device)}`),
  revokeOtherDevices: () => request<DeviceList>('DELETE', '/me/devices'),
  passkeys: () => request<PasskeyList>('GET', '/me/passkeys'),
  beginPasskey: () => request<PasskeyOptions>('POST', '/me/passkey-options'),
  addPasskey: (credential: unknown) => request<PasskeyList>('POST', '/me/passkeys', { credential }),
  removePasskey: (passkey: string) => request<PasskeyList>('DELETE', `/me/passkeys/${id(passkey)}`),
  recoveryCodes: () => request<RecoveryCodeStatus>('GET', '/me/recovery-codes'),
  replaceRecoveryCodes: () => request<NewRecoveryCodes>('POST', '/me/recovery-codes'),
  feed: () => request<FeedAddress>('GET', '/me/feed'),
  beginSignIn: () => request<PasskeyOptions>('POST', '/sign-in/passkey-options'),
  signInWithPasskey: (credential: unknown, choice: ConflictChoice) =>
    request<Account>('POST', '/sign-in/passkey', { credential, ...choice }),
  signInWithCode: (code: string, choice: ConflictChoice) =>
    request<Account>('POST', '/sign-in/recovery-code', { code, ...choice }),
  deleteAccount: () => request<Account>('DELETE', '/me')
}
