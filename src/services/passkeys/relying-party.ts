import type { Uint8Array_ } from '@simplewebauthn/server'

/**
 * For whom passkeys are made and asked for: the name in the address that people are sent to
 * (architecture.md).
 */
export interface RelyingParty {
  /** host name of the public address, `localhost` or `approvals.example.com` */
  readonly id: string
  /**
   * `https://approvals.example.com`: pages of no other origin get a passkey's answer that counts
   * here
   */
  readonly origin: string
}

/** The relying party of a public address. Passkeys made under another host name are none of it. */
export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}

/** A person's id as authenticators keep it, the user handle: no name or address is in it. */
export function userHandleOf(personId: string): Uint8Array_ {
  return new Uint8Array(Buffer.from(personId, 'utf8'))
}
