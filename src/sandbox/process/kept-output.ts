import type { Readable } from 'node:stream'

/** One stream of a command: its first bytes as they came, and how many there were. */
export interface KeptOutput {
  readonly bytes: Buffer
  readonly total: number
}

/** Reads a stream to its end, keeping at most `most` bytes, of which `on.kept` is told; `on.flood` once for more. */
export function keepOutput(
  stream: Readable,
  most: number,
  on: { readonly kept: (bytes: Uint8Array) => void; readonly flood: () => void },
): () => KeptOutput {
  const kept: Buffer[] = []
  let [size, total] = [0, 0]
  stream.on('data', (chunk: Buffer) => {
    const room = chunk.subarray(0, Math.max(0, most - size))
    if (room.length > 0) {
      kept.push(room)
      size += room.length
      on.kept(room)
    }
    const before = total
    total += chunk.length
    if (before <= most && total > most) on.flood()
  })
  // A stream that breaks has ended: what came until then counts.
  stream.on('error', () => undefined)
  return () => ({ bytes: Buffer.concat(kept), total })
}
