import type { GeneratedTimestamp, Timestamp } from './columns.ts'

export interface PersonTable {
  id: string
  email: string
  name: string
  disabled_at: Timestamp | null
  created_at: GeneratedTimestamp
}

export interface TeamMemberTable {
  team: string
  person_id: string
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
}
