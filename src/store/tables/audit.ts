import type { Generated, GeneratedAlways } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import type { GeneratedTimestamp, Jsonb, Timestamp } from './columns.ts'

export interface AuditEventTable {
  id: string
  at: Timestamp
  type: string
  actor_type: string
  actor_id: string | null
  run_id: string | null
  request_id: string | null
  call_id: string | null
  sequence: number | null
  document: string
}

/** A refused attempt of the last minute. Repetitions are counted here instead of recorded. */
export interface RefusedAttemptTable {
  key: string
  /** hash of who tried */
  actor: string
  /** the recorded event */
  entry: Jsonb<JsonObject>
  repeated: Generated<number>
  until: Timestamp
}

export interface AuditLeafTable {
  index: string
  event_id: string
}

export interface AuditTileTable {
  level: number
  index: string
  root: Buffer
  hashes: Buffer
}

export interface AuditCheckpointTable {
  size: string
  note: string
  at: GeneratedTimestamp
}

export interface AuditCosignatureTable {
  size: string
  witness: string
  line: string
  cosigned_at: Timestamp
  at: GeneratedTimestamp
}

export interface AuditWitnessTable {
  witness: string
  name: string
  leased_until: Timestamp | null
  next_at: GeneratedTimestamp
  failures: Generated<number>
  problem: string | null
  contradicted_at: Timestamp | null
}

export interface AuditUnsequencedTable {
  place: GeneratedAlways<string>
  event_id: string
}
