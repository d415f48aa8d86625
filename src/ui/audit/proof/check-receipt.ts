import { bytesOfBase64, sha256, isSame } from './bytes.ts'
import { checkNote } from './check-note.ts'

/** The result of verifying a receipt in this page. */
export interface CheckedReceipt {
  /** signer of the checkpoint and its number of events; `null`: the signature is not valid */
  readonly checkpoint: { readonly signer: string; readonly size: number } | null
  /** the number of events, and the indexes of those that the log does not prove */
  readonly events: number
  readonly notIncluded: readonly number[]
  /** whether each event has the hash of the one before, without a gap */
  readonly isChained: boolean
  /** the number of events on the page that are not among those of the receipt */
  readonly notInReceipt: number
}

interface Receipt {
  readonly checkpoint: string
  readonly vkey: string
  readonly events: readonly {
    readonly index: number
    readonly event: string
    readonly proof: readonly string[]
  }[]
}

/**
 * Verifies a receipt with the browser's SHA-256 and Ed25519. `pageEvents`: those of the page. A
 * receipt that holds proves nothing about a page that shows other events.
 */
export async function checkReceipt(
  receipt: Receipt,
  pageEvents: readonly object[],
): Promise<CheckedReceipt> {
  const { events } = receipt
  const proven = new Set(events.map(({ event }) => JSON.stringify(eventIn(event))))
  const note = await checkNote(receipt.checkpoint, receipt.vkey)
  const results = await Promise.all(
    events.map(async ({ index, event, proof }) => {
      const path = proof.map(bytesOfBase64)
      if (note === null || path.includes(null)) return false
      return checkInclusion({
        event: new TextEncoder().encode(event),
        index,
        size: note.size,
        root: note.root,
        proof: path.filter((hash) => hash !== null),
      })
    }),
  )
  return {
    checkpoint: note === null ? null : { signer: note.signer, size: note.size },
    events: events.length,
    notIncluded: events.filter((_, index) => results[index] === false).map(({ index }) => index),
    isChained: await areChained(events.map(({ event }) => event)),
    notInReceipt: pageEvents.filter((event) => !proven.has(JSON.stringify(event))).length,
  }
}

/** The event that the text is; one without fields if it is none. */
function eventIn(document: string): { sequence?: unknown; previous?: unknown } {
  try {
    const value: unknown = JSON.parse(document)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

async function areChained(documents: readonly string[]): Promise<boolean> {
  let previous: string | null = null
  for (const [index, document] of documents.entries()) {
    const event = eventIn(document)
    if (event.sequence !== index + 1 || event.previous !== previous) return false
    const digest = await sha256(new TextEncoder().encode(document))
    previous = `sha256:${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
  }
  return documents.length > 0
}

/**
 * Whether an inclusion proof leads from an event's bytes at leaf `index` to the root of a tree with
 * `size` leaves (RFC 9162 2.1.3.2; the leaf is `SHA-256(0x00 || bytes)`). False for malformed
 * input.
 */
async function checkInclusion(claim: {
  readonly event: Uint8Array
  readonly index: number
  readonly size: number
  readonly root: Uint8Array
  readonly proof: readonly Uint8Array[]
}): Promise<boolean> {
  const { event, index, size, root, proof } = claim
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size)) return false
  if (index < 0 || index >= size) return false
  let hash = await sha256(Uint8Array.of(0), event)
  let [place, last] = [index, size - 1]
  for (const beside of proof) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      hash = await sha256(Uint8Array.of(1), beside, hash)
      // A node at the right edge has no sibling on these levels, so its hash moves up unchanged.
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)]
    } else {
      hash = await sha256(Uint8Array.of(1), hash, beside)
    }
    ;[place, last] = [half(place), half(last)]
  }
  return last === 0 && isSame(hash, root)
}

/** `>>` would cut numbers over 32 bits. */
function half(number: number): number {
  return Math.floor(number / 2)
}
