import type { Uint8Array_ } from '@simplewebauthn/server'

/** The site that passkeys belong to: the host name in the public address (architecture.md). */
export interface RelyingParty {
  /** host name of the public address, `localhost` or `approvals.example.com` */
  readonly id: string
  /** `https://approvals.example.com`: answers from pages of other origins do not count */
  readonly origin: string
}

/** The relying party of a public address. Passkeys of another host name do not belong to it. */
export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}

/** A person's id as authenticators store it, the user handle, without a name or address. */
export function userHandleOf(personId: string): Uint8Array_ {
  return new Uint8Array(Buffer.from(personId, 'utf8'))
}
