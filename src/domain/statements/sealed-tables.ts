/**
 * Who seals a table's rows: the API with its signing key, or API and Temporal workers with the key
 * that they share.
 */
export type Sealer = 'api' | 'service'

interface TableSeal {
  readonly by: Sealer
  /**
   * the columns that a seal covers: the primary key, and every column that a decision, a sign-in or
   * an execution depends on
   */
  readonly columns: readonly string[]
  /**
   * columns that a later version added: a seal leaves them out while they are null, so that older
   * seals stay valid
   */
  readonly added?: readonly string[]
  /**
   * columns that seals of earlier versions do not cover, by version, newest first: such a seal
   * stays valid, and does not protect the values of these columns
   */
  readonly laterColumns?: readonly (readonly string[])[]
}

/**
 * The sealed columns of each table, and who seals them (security.md 29). A seal covers the table's
 * name and all of these columns, so that no column can be changed and no row can replace another
 * one. A test changes each of them.
 */
export const sealedTables = {
  person: {
    by: 'api',
    columns: ['id', 'email', 'other_ids', 'disabled_at'],
    added: ['other_ids'],
  },
  membership: {
    by: 'api',
    columns: ['team', 'person_id', 'until', 'id'],
    added: ['id'],
  },
  session: {
    by: 'api',
    columns: ['token_hash', 'id', 'person_id', 'csrf_token', 'proof_hash', 'channel', 'expires_at'],
  },
  sign_in_link: {
    by: 'api',
    columns: ['token_hash', 'person_id', 'mailed', 'proof_hash', 'expires_at'],
  },
  api_key: {
    by: 'api',
    columns: [
      'id',
      'owner_id',
      'proposed_by',
      'scopes',
      'secret_hash',
      'previous_hash',
      'previous_until',
      'expires_at',
    ],
  },
  credential: {
    by: 'api',
    columns: ['id', 'person_id', 'webauthn_id', 'public_key', 'confirmed_at', 'confirmed_by'],
  },
  push_subscription: {
    by: 'api',
    columns: ['id', 'person_id', 'session_id', 'endpoint', 'p256dh', 'auth'],
  },
  passkey_challenge: {
    by: 'api',
    columns: ['challenge', 'purpose', 'session_hash', 'statement', 'salt', 'expires_at'],
  },
  sign_in_flow: {
    by: 'api',
    columns: ['state_hash', 'browser_hash', 'return_to', 'proof_hash', 'expires_at'],
  },
  api_key_proposal: {
    by: 'api',
    columns: ['id', 'name', 'owner_id', 'proposed_by', 'scopes', 'key_expires_at', 'expires_at'],
    laterColumns: [['expires_at']],
  },
  slack_link_code: {
    by: 'api',
    columns: ['code_hash', 'team', 'user_id', 'email', 'expires_at'],
  },
  identity: {
    by: 'api',
    columns: ['issuer', 'subject', 'person_id', 'groups', 'told_at', 'id'],
    added: ['groups', 'told_at', 'id'],
    laterColumns: [['groups', 'told_at']],
  },
  slack_link: { by: 'api', columns: ['id', 'team', 'user_id', 'person_id'] },
  external_request: {
    by: 'api',
    columns: [
      'request_id',
      'owner_id',
      'external_id',
      'api_key_id',
      'on_behalf_of',
      'verdict',
      'body_hash',
      'origin_hash',
      'origin_proved',
      'worker',
      'claim_hash',
      'metadata',
      'callback_url',
      'deployment',
    ],
    added: ['origin_hash', 'origin_proved'],
    laterColumns: [['claim_hash', 'metadata', 'callback_url', 'deployment'], ['worker']],
  },
  decision: {
    by: 'api',
    columns: [
      'id',
      'request_id',
      'revision',
      'person_id',
      'decision',
      'digest',
      'scope',
      'denied_then',
      'grant_bounds',
      'self_approved',
      'edited',
      'batch_decision_id',
      'credential_id',
    ],
  },
  slack_message: { by: 'service', columns: ['request_id', 'channel', 'ts'] },
  delivery: {
    by: 'service',
    columns: ['id', 'endpoint', 'event_id', 'recipient', 'type', 'request_id', 'body'],
  },
  request: {
    by: 'service',
    columns: [
      'id',
      'kind',
      'state',
      'revision',
      'queue',
      'team',
      'risk',
      'tool',
      'digest',
      'policy_digest',
      'routing',
      'run_id',
      'root_run_id',
      'call_id',
      'turn',
      'position',
      'attempt',
      'previous',
      'outcome_of',
      'expires_at',
      'denied_then',
      'epoch',
      'principals_digest',
      'title',
      'rule',
      'created_at',
    ],
    laterColumns: [['created_at'], ['title', 'rule']],
  },
  request_revision: {
    by: 'service',
    columns: [
      'request_id',
      'revision',
      'digest',
      'input_hash',
      'facts',
      'presentation_hash',
      'presentation_digest',
      'content_hash',
      'content_type',
      'editor_id',
      'effect',
      'cues',
    ],
    added: ['effect', 'cues'],
  },
} as const satisfies Readonly<Record<string, TableSeal>>

export type SealedTable = keyof typeof sealedTables

/**
 * The columns that a seal may leave out: in this version's seals, and in each earlier version's,
 * newest first.
 */
export function omittableColumns(table: SealedTable): readonly (readonly string[])[] {
  const { laterColumns = [] }: TableSeal = sealedTables[table]
  return [[], ...laterColumns.map((_, before) => laterColumns.slice(0, before + 1).flat())]
}

/**
 * Whether a seal covers a column with this value. A column of a later version is covered only if it
 * has a value.
 */
export function isSealed(table: SealedTable, column: string, value: unknown): boolean {
  const { added = [] }: TableSeal = sealedTables[table]
  return value !== null || !added.includes(column)
}
