import type { SavedViewPage } from '#domain/saved-view.ts'
import type { GeneratedTimestamp, Seal, Timestamp } from './columns.ts'
import type { Generated } from 'kysely'

export interface PersonTable {
  id: string
  email: string
  name: string
  disabled_at: Timestamp | null
  created_at: GeneratedTimestamp
  /** other rows of the same human (`formerly` of the configuration); null: there are none */
  other_ids: string[] | null
  seal: Seal
}

export interface MembershipTable {
  team: string
  person_id: string
  /**
   * null: the configuration names the person; else a group of the person gives the membership until
   * this time
   */
  until: Timestamp | null
  /** of this membership; null: made by a version without ids */
  id: string | null
  seal: Seal
}

/** An account at an OpenID Connect provider. */
export interface IdentityTable {
  issuer: string
  subject: string
  person_id: string
  /** as the provider last reported it; no decision depends on it */
  email: string
  /** those that the configuration maps to teams */
  groups: string[]
  told_at: GeneratedTimestamp
  created_at: GeneratedTimestamp
  /** of this binding; null: made by a version without ids */
  id: string | null
  seal: Seal
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
  /** of the previous secret, which works until `previous_until` */
  previous_hash: string | null
  previous_until: Timestamp | null
  /** who proposed it to its owner; null: the owner made it */
  proposed_by: string | null
  seal: Seal
}

export interface CredentialTable {
  id: string
  person_id: string
  /** the authenticator's id of the passkey, base64url */
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
  seal: Seal
}

export interface PasskeyChallengeTable {
  /** base64url */
  challenge: string
  purpose: 'register' | 'sign_in' | 'decide'
  /** of the session that requested it; `null` for signing in */
  session_hash: string | null
  /** canonical JSON of what is to be signed; `null` unless a decision is */
  statement: string | null
  /** salt of the reason's commitment in the statement; `null` without a reason */
  salt: string | null
  expires_at: Timestamp
  seal: Seal
}

export interface PeopleTables {
  person: PersonTable
  /** A view: the memberships that hold now. */
  team_member: {
    team: string
    person_id: string
  }
  membership: MembershipTable
  identity: IdentityTable
  /** A sign-in that waits for the provider's answer. */
  sign_in_flow: {
    state_hash: string
    browser_hash: string
    return_to: string
    /** of the browser that began it; null: a program did */
    proof_hash: string | null
    expires_at: Timestamp
    seal: Seal
  }
  session: {
    token_hash: string
    id: string
    person_id: string
    csrf_token: string
    /** hash of the proof that its browser sends with the cookie; null: a program's session */
    proof_hash: string | null
    /** how it was started: a `SignInMethod` */
    channel: string
    /** in a few words: `Firefox on Linux` */
    device: string
    created_at: GeneratedTimestamp
    last_seen_at: GeneratedTimestamp
    expires_at: Timestamp
    seal: Seal
  }
  sign_in_link: {
    token_hash: string
    person_id: string
    created_at: GeneratedTimestamp
    expires_at: Timestamp
    used_at: Timestamp | null
    /** sent by mail: only a person's newest one works */
    mailed: Generated<boolean>
    /**
     * it completes a sign-in at a provider, for the browser that began it; null: anybody who has
     * the link can use it
     */
    proof_hash: string | null
    seal: Seal
  }
  credential: CredentialTable
  passkey_challenge: PasskeyChallengeTable
  /** Where a browser's session is pushed to, and what the messages are encrypted for. */
  push_subscription: {
    id: string
    person_id: string
    session_id: string
    endpoint: string
    /** public key of the browser, base64url */
    p256dh: string
    /** secret of the browser, base64url */
    auth: string
    created_at: GeneratedTimestamp
    seal: Seal
  }
  api_key: ApiKeyTable
  /** A key for somebody else, until its owner claims or declines it. */
  api_key_proposal: {
    id: string
    name: string
    owner_id: string
    proposed_by: string
    scopes: string[]
    key_expires_at: Timestamp | null
    created_at: GeneratedTimestamp
    expires_at: Timestamp
    seal: Seal
  }
  /** An absence of a person. */
  absence: {
    person_id: string
    until: Timestamp
    note: string | null
  }
  /** The filters of a page that a person keeps under a name. */
  saved_view: {
    id: string
    person_id: string
    page: SavedViewPage
    name: string
    /** of the page's address, without the `?` */
    query: string
  }
}
