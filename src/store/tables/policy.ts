import type { Generated } from 'kysely'
import type { Actor } from '#domain/actor.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { GeneratedTimestamp, Jsonb, Timestamp } from './columns.ts'

export interface PolicyActivationTable {
  sequence: number
  digest: string
  statement: string
  signature: string
  key_id: string
  actor: Jsonb<Actor>
  note: string | null
  activated_at: GeneratedTimestamp
}

export interface PolicyProposalTable {
  id: string
  digest: string
  previous_digest: string
  proposed_by: string
  note: string | null
  /** over the statement that the columns above make, with `expires_at` */
  statement: string
  signature: string
  key_id: string
  state: Generated<'open' | 'activated' | 'cancelled' | 'superseded' | 'expired'>
  proposed_at: GeneratedTimestamp
  expires_at: Timestamp
  ended_at: Timestamp | null
  ended_by: string | null
}

/** A rule that somebody proposes to pre-approve. It permits nothing. */
export interface PolicyChangeTable {
  number: Generated<number>
  worker: string
  rule_id: string
  rule_text: string
  /** counts of the 30 days before it was proposed */
  evidence: Jsonb<{
    readonly asked: number
    readonly approved: number
    readonly calls: number
    readonly wouldRunAlone: number
  }>
  proposed_by: string
  proposed_at: GeneratedTimestamp
  /** withdrawn, declined, or not needed because the rule no longer asks */
  ended_at: Timestamp | null
}

/** The tool definitions of an MCP server when a policy version was activated. */
export interface McpPinTable {
  activation: number
  worker: string
  server: string
  server_hash: string
  definitions_hash: string
  pinned_at: GeneratedTimestamp
  changed_at: Timestamp | null
  /** hash of the definitions that the server reported then */
  changed_hash: string | null
  statement: string
  signature: string
  key_id: string
}

export interface PolicyTables {
  policy_version: {
    digest: string
    document: Jsonb<JsonObject>
    created_at: GeneratedTimestamp
  }
  policy_activation: PolicyActivationTable
  policy_proposal: PolicyProposalTable
  policy_change: PolicyChangeTable
  worker_version: {
    digest: string
    name: string
    definition: string
    script: string | null
  }
  mcp_pin: McpPinTable
}
