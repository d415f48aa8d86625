import type { GeneratedTimestamp } from './columns.ts'

export interface ContentTable {
  hash: string
  encoding: 'identity' | 'zstd' | 'removed'
  size: number
  bytes: Buffer
}

export interface ContentTables {
  content: ContentTable
  /** Contents whose bytes were erased on a person's order. */
  erased_content: {
    hash: string
    by_id: string
    at: GeneratedTimestamp
  }
  /** A run whose messages and results were removed. */
  cleared_run: {
    run_id: string
    rule: string
    cleared_at: GeneratedTimestamp
  }
  kept_stream: {
    call_id: string
    hash: string
  }
  released_content: {
    hash: string
  }
  removed_content: {
    hash: string
    encoding: 'identity' | 'zstd'
    bytes: Buffer
    removed_at: GeneratedTimestamp
  }
}
