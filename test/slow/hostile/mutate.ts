import type { Choices } from '../../shell/seeded.ts'

/**
 * A copy of bytes with one to four changes: a flipped bit, bytes taken out, put in, written twice
 * or moved, an end cut off.
 */
export function mutateBytes(choose: Choices, bytes: Buffer, pieces: readonly string[]): Buffer {
  let mutated: Buffer = Buffer.from(bytes)
  for (let change = choose.number(4); change >= 0; change -= 1) {
    mutated = changed(choose, mutated, pieces)
  }
  return mutated
}

function changed(choose: Choices, bytes: Buffer, pieces: readonly string[]): Buffer {
  const at = choose.number(bytes.length + 1)
  const end = Math.min(bytes.length, at + 1 + choose.number(choose.percent(80) ? 4 : 200))
  const [before, middle, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, end),
    bytes.subarray(end),
  ]
  switch (choose.number(6)) {
    case 0: {
      const flipped = Buffer.from(bytes)
      if (at < flipped.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << choose.number(8))
      return flipped
    }
    case 1:
      return Buffer.concat([before, after])
    case 2:
      return Buffer.concat([before, Buffer.from(choose.one(pieces)), middle, after])
    case 3:
      return Buffer.concat([before, middle, middle, after])
    case 4: {
      const to = choose.number(after.length + 1)
      return Buffer.concat([before, after.subarray(0, to), middle, after.subarray(to)])
    }
    default:
      return choose.percent(20) ? Buffer.from(before) : Buffer.from(bytes)
  }
}
