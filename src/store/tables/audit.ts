import type { Generated, GeneratedAlways } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import type { GeneratedTimestamp, Jsonb, Timestamp } from './columns.ts'

export interface AuditTables {
  audit_event: {
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
  refused_attempt: {
    key: string
    /** hash of who tried */
    actor: string
    /** the recorded event */
    entry: Jsonb<JsonObject>
    repeated: Generated<number>
    until: Timestamp
  }
  audit_leaf: {
    index: string
    event_id: string
  }
  audit_tile: {
    level: number
    index: string
    root: Buffer
    hashes: Buffer
  }
  audit_checkpoint: {
    size: string
    note: string
    at: GeneratedTimestamp
  }
  audit_cosignature: {
    size: string
    witness: string
    line: string
    cosigned_at: Timestamp
    at: GeneratedTimestamp
  }
  audit_witness: {
    witness: string
    name: string
    leased_until: Timestamp | null
    next_at: GeneratedTimestamp
    failures: Generated<number>
    problem: string | null
    contradicted_at: Timestamp | null
  }
  audit_unsequenced: {
    place: GeneratedAlways<string>
    event_id: string
  }
}
