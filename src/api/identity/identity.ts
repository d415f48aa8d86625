import type { Request } from 'express'
import type { Caller } from '#services/core/context.ts'
import type { KeyIdentity } from '#services/access/api-keys/read-api-key.ts'
import type { Session } from '#services/access/sessions/read-session.ts'

/** Who a request was authenticated as. */
export type Identity =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'key'; readonly key: KeyIdentity }

/** The person behind it: who signed in, or who owns the key. */
export function personOf(identity: Identity): string {
  return identity.kind === 'key' ? identity.key.ownerId : identity.session.person.id
}

/** The session of a person's identity; empty for a key. */
export function sessionIdOf(identity: Identity): string {
  return identity.kind === 'session' ? identity.session.id : ''
}

/** The command line's name in its user agent: a recorded claim, which decides nothing. */
export function channelOf(request: Request): 'cli' | 'dashboard' {
  return request.get('user-agent')?.startsWith('countersign-cli') === true ? 'cli' : 'dashboard'
}

/** Whether a key may read the whole trail; for people their rights decide. */
export function keyReadsAudit(identity: Identity): boolean {
  return identity.kind === 'key' && identity.key.scopes.has('audit:read')
}

/** The caller of an identity. A machine acts for its owner and never decides (product.md 19). */
export function callerOf(identity: Identity, request: Request): Caller {
  if (identity.kind === 'key') {
    const { id, name, ownerId, proposedBy } = identity.key
    const proposed = proposedBy === null ? {} : { proposedBy }
    return { actor: { type: 'machine', id, name, ownerId, ...proposed }, channel: 'api' }
  }
  const { id, name } = identity.session.person
  return { actor: { type: 'person', id, name }, channel: channelOf(request) }
}
