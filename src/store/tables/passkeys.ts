import type { GeneratedTimestamp, Timestamp } from './columns.ts'

export interface CredentialTable {
  id: string
  person_id: string
  /** the authenticator's own id of it, base64url */
  webauthn_id: string
  /** COSE, base64url */
  public_key: string
  counter: string | number
  transports: string[]
  name: string
  /** the authenticator may copy it to other devices of its owner */
  synced: boolean
  registered_at: GeneratedTimestamp
  last_used_at: Timestamp | null
  confirmed_at: Timestamp | null
  confirmed_by: string | null
  removed_at: Timestamp | null
}

export interface PasskeyChallengeTable {
  /** base64url */
  challenge: string
  purpose: 'register' | 'sign_in' | 'decide'
  /** of the session that asked for it; `null` for signing in */
  session_hash: string | null
  /** canonical JSON of what is to be signed; `null` unless a decision is */
  statement: string | null
  /** of the reason's commitment in the statement; `null` without a reason */
  salt: string | null
  expires_at: Timestamp
}
