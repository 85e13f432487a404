/** The browser's part of passkeys (WebAuthn): create one, or sign a challenge with one. */

import { accountApi, type ConflictChoice } from '$/protocol/account-api'
import type { Account, PasskeyList, PasskeyOptions } from '$/protocol/types.gen'

/** The visitor has closed the browser's dialog, or has no passkey here. */
export class PasskeyCancelled extends Error {}
/** The authenticator holds a passkey of this account already. */
export class PasskeyExists extends Error {}

/** Passkeys need a secure connection and a host name: browsers allow none for an IP address. */
export function canUsePasskeys(): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname)
  return (
    isSecureContext &&
    !isAddress &&
    typeof PublicKeyCredential === 'function' &&
    'parseCreationOptionsFromJSON' in PublicKeyCredential
  )
}

export async function addPasskey(): Promise<PasskeyList> {
  const { options }: PasskeyOptions = await accountApi.beginPasskey()
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never)
  return accountApi.addPasskey(await ask(() => navigator.credentials.create({ publicKey })))
}

export async function signInWithPasskey(choice: ConflictChoice): Promise<Account> {
  const { options }: PasskeyOptions = await accountApi.beginSignIn()
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never)
  const credential = await ask(() => navigator.credentials.get({ publicKey }))
  return accountApi.signInWithPasskey(credential, choice)
}

/** Ask the browser for a credential, as JSON. */
async function ask(request: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await request()
    if (!(credential instanceof PublicKeyCredential)) throw new PasskeyCancelled()
    return credential.toJSON()
  } catch (error) {
    const name = error instanceof DOMException ? error.name : ''
    if (name === 'InvalidStateError') throw new PasskeyExists()
    if (name) throw new PasskeyCancelled()
    throw error
  }
}
