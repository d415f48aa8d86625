import type { Generated } from 'kysely'
import type { GeneratedTimestamp, Timestamp } from './columns.ts'

export interface PersonTable {
  id: string
  email: string
  name: string
  disabled_at: Timestamp | null
  created_at: GeneratedTimestamp
}

/** A view: the memberships that hold now. */
export interface TeamMemberTable {
  team: string
  person_id: string
}

export interface MembershipTable {
  team: string
  person_id: string
  /** null: the configuration names them; else a group of theirs did, until then */
  until: Timestamp | null
}

/** An account at an OpenID Connect provider. */
export interface IdentityTable {
  issuer: string
  subject: string
  person_id: string
  /** as the provider last said; it decides nothing */
  email: string
  /** of the mapped ones */
  groups: string[]
  told_at: GeneratedTimestamp
  created_at: GeneratedTimestamp
}

/** A sign-in that has left for the provider. */
export interface SignInFlowTable {
  state_hash: string
  browser_hash: string
  return_to: string
  expires_at: Timestamp
}

export interface SessionTable {
  token_hash: string
  id: string
  person_id: string
  csrf_token: string
  /** how it was started: a `SignInMethod` */
  channel: string
  /** in a few words: `Firefox on Linux` */
  device: string
  created_at: GeneratedTimestamp
  last_seen_at: GeneratedTimestamp
  expires_at: Timestamp
}

export interface SignInLinkTable {
  token_hash: string
  person_id: string
  created_at: GeneratedTimestamp
  expires_at: Timestamp
  used_at: Timestamp | null
  /** it went out by mail: only the newest of a person's works */
  mailed: Generated<boolean>
}

export interface ApiKeyTable {
  id: string
  name: string
  owner_id: string
  secret_hash: string
  scopes: string[]
  created_at: GeneratedTimestamp
  last_used_at: Timestamp | null
  revoked_at: Timestamp | null
  expires_at: Timestamp | null
  rotated_at: Timestamp | null
  /** of the secret before, which works until then */
  previous_hash: string | null
  previous_until: Timestamp | null
}
