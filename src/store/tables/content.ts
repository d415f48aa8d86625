import type { GeneratedTimestamp } from './columns.ts'

export interface ContentTable {
  hash: string
  encoding: 'identity' | 'zstd' | 'removed'
  size: number
  bytes: Buffer
}

/** Contents whose bytes a person had erased. */
export interface ErasedContentTable {
  hash: string
  by_id: string
  at: GeneratedTimestamp
}
