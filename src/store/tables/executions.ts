import type { JsonObject } from '../../domain/json.ts'
import type { ExecutionState } from '../../domain/request.ts'
import type { Jsonb, Timestamp } from './columns.ts'

export interface ExecutionTable {
  call_id: string
  attempt: number
  state: ExecutionState
  reason: string | null
  request_id: string | null
  permit_id: string | null
  grant_id: string | null
  executed_digest: string | null
  executor: string | null
  exit_code: number | null
  output_hash: string | null
  detail: Jsonb<JsonObject | null>
  settled_by: string | null
  settled_then: string | null
  epoch: number
  started_at: Timestamp | null
  finished_at: Timestamp | null
}

/** The newest bytes of what a running command has written to one of its streams. */
export interface LiveOutputTable {
  call_id: string
  stream: 'stdout' | 'stderr'
  attempt: number
  /** bytes that were written before those that are here */
  skipped: number
  bytes: Buffer
}

/** Bytes that a call's result holds besides its text; the bytes are in `content`. */
export interface ResultFileTable {
  call_id: string
  position: number
  hash: string
  /** a picture's only where its bytes are that picture's */
  media_type: string
  bytes: number
}
