import type { GeneratedTimestamp } from './columns.ts'

/** A run whose messages and results were removed. */
export interface ClearedRunTable {
  run_id: string
  rule: string
  cleared_at: GeneratedTimestamp
}

export interface ReleasedContentTable {
  hash: string
}

export interface RemovedContentTable {
  hash: string
  encoding: 'identity' | 'zstd'
  bytes: Buffer
  removed_at: GeneratedTimestamp
}

export interface KeptStreamTable {
  call_id: string
  hash: string
}
