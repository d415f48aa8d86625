export interface ContentTable {
  hash: string
  encoding: 'identity' | 'zstd' | 'removed'
  size: number
  bytes: Buffer
}
