import type { GeneratedTimestamp } from './columns.ts'

export interface ContentTable {
  hash: string
  encoding: 'identity' | 'zstd' | 'removed'
  size: number
  bytes: Buffer
}

/** Contents whose bytes were erased on a person's order. */
export interface ErasedContentTable {
  hash: string
  by_id: string
  at: GeneratedTimestamp
}

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
