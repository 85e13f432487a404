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
  signInWithPasskey: (credential: unknown, confirmed: boolean) =>
    request<Account>('POST', '/sign-in/passkey', { credential, confirmed }),
  signInWithCode: (code: string, confirmed: boolean) =>
    request<Account>('POST', '/sign-in/recovery-code', { code, confirmed }),
  deleteAccount: () => request<Account>('DELETE', '/me')
}
