export interface ContentTable {
  hash: string
  encoding: 'identity' | 'zstd'
  size: number
  bytes: Buffer
}
