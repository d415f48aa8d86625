import type { GatewayRefusal } from '#domain/tools/tool-disposition.ts'
import type { Generated } from 'kysely'
import type { GeneratedTimestamp, Timestamp } from './columns.ts'

/** A program's call through `/mcp`, in addition to its request. */
export interface GatewayCallTable {
  request_id: string
  /** names it to the client as a task; nobody can guess it */
  task_id: string
  /** of the API key */
  owner_id: string
  server: string
  /** the identity of the call: `callKey` in services/gateway */
  call_key: string
  /** the client's own id of the call */
  client_call_id: string | null
  /** of the host that holds the server */
  task_queue: string
  /** whether it is carried out as soon as it is approved, or only when the caller asks for that */
  by_task: Generated<boolean>
  wanted_at: Timestamp | null
  /** when the caller first got the answer that the call waits */
  left_at: Timestamp | null
  /** when the caller first got the answer how the call ended */
  told_at: Timestamp | null
  refusal: GatewayRefusal | null
  refusal_reason: string | null
  /** hash of the server's answer, canonical JSON */
  result_hash: string | null
  /** the request that asks people how it ended */
  outcome_check_id: string | null
  created_at: GeneratedTimestamp
}

export interface GatewayTables {
  gateway_call: GatewayCallTable
}
