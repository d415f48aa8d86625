import type { Generated } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import type { DecisionVerb, DenialThen, PermitState } from '#domain/requests/request.ts'
import type { Scope } from '#domain/policy/verdict.ts'
import type { GeneratedTimestamp, Jsonb, Seal, Timestamp } from './columns.ts'

export interface DecisionTable {
  id: string
  request_id: string
  revision: number
  person_id: string
  decision: DecisionVerb
  digest: string
  scope: Scope | null
  denied_then: DenialThen | null
  grant_bounds: Jsonb<JsonObject | null>
  /** of a salted text: read with `getSaltedText` (services/requests/words) */
  reason_hash: string | null
  self_approved: Generated<boolean>
  edited: Generated<boolean>
  batch_decision_id: string | null
  /** of the passkey that signed it */
  credential_id: string | null
  channel: string
  at: GeneratedTimestamp
  seal: Seal
}

export interface PermitTable {
  id: string
  request_id: string
  revision: number
  attempt: number
  run_id: string | null
  call_id: string | null
  state: Generated<PermitState>
  statement: string
  signature: string
  key_id: string
  epoch: number
  issued_at: GeneratedTimestamp
  expires_at: Timestamp
  ended_at: Timestamp | null
}

export interface ApprovalGrantTable {
  id: string
  root_run_id: string
  tool: string
  scope: Scope
  digest: string
  path: string | null
  queue: string
  team: string
  granted_by: string
  request_id: string
  uses_allowed: number | null
  uses: Generated<number>
  expires_at: Timestamp | null
  revoked_at: Timestamp | null
  revoked_by: string | null
  ended_at: Timestamp | null
  statement: string
  signature: string
  key_id: string
  created_at: GeneratedTimestamp
}

export interface DecisionTables {
  decision: DecisionTable
  permit: PermitTable
  approval_grant: ApprovalGrantTable
  idempotency: {
    principal: string
    key: string
    route: string
    body_hash: string
    status: number
    response: Jsonb<JsonObject>
    created_at: GeneratedTimestamp
  }
}
