import { hexOf, sha256 } from '../../api/digests.ts'
import { bytesOfBase64, isSame } from './bytes.ts'
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
  /** the number of events that the page shows otherwise than the receipt, leaves out or adds */
  readonly differing: number
  /** the number of events after the last one on the page */
  readonly newer: number
  /** the number of events before the first one on the page, which it can still load */
  readonly older: number
}

interface Receipt {
  readonly checkpoint: string
  readonly vkey: string
  readonly events: readonly {
    readonly index: number
    readonly event: string
    readonly proof: readonly string[]
  }[]
  /** the number of newer events, which are not signed yet */
  readonly waiting: number
}

/** The members of an event that this reads. */
interface ChainedEvent {
  readonly sequence?: unknown
  readonly previous?: unknown
}

/**
 * Verifies a receipt with the browser's SHA-256 and Ed25519. `pageEvents`: those of the page;
 * `hasOlder`: it can load older ones. A receipt that holds proves nothing about a page that shows
 * other events.
 */
export async function checkReceipt(
  receipt: Receipt,
  pageEvents: readonly ChainedEvent[],
  hasOlder = false,
): Promise<CheckedReceipt> {
  const { events } = receipt
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
    ...comparePage(receipt, pageEvents, hasOlder),
  }
}

/** The page loads the newest events first, and the log may have newer ones by now. */
function comparePage(receipt: Receipt, pageEvents: readonly ChainedEvent[], hasOlder: boolean) {
  const proven = receipt.events.map(({ event }) => eventIn(event))
  const places = pageEvents.map(({ sequence }) => Number(sequence))
  const last = Math.max(0, ...places)
  const first = hasOlder ? Math.min(last, ...places) : 0
  const missing = without(proven, pageEvents)
  const newer = missing.filter(({ sequence }) => Number(sequence) > last).length
  const older = missing.filter(({ sequence }) => Number(sequence) < first).length
  const others = without(pageEvents, proven)
  const unsigned = others.filter(({ sequence }) => Number(sequence) > proven.length).length
  const added = others.length - Math.min(unsigned, receipt.waiting)
  return { differing: Math.max(missing.length - newer - older, added), newer, older }
}

/** The events that are not among others. */
function without(events: readonly ChainedEvent[], others: readonly ChainedEvent[]): ChainedEvent[] {
  const texts = new Set(others.map((event) => JSON.stringify(event)))
  return events.filter((event) => !texts.has(JSON.stringify(event)))
}

/** The event that the text is; one without fields if it is none. */
function eventIn(document: string): ChainedEvent {
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
    previous = `sha256:${hexOf(await sha256(new TextEncoder().encode(document)))}`
  }
  return documents.length > 0
}

/**
 * Whether an inclusion proof leads from an event's bytes at leaf `index` to the root of a tree with
 * `size` leaves (RFC 9162 2.1.3.2; the leaf is `SHA-256(0x00 || bytes)`). False for malformed
 * input.
 */
async function checkInclusion(claim: {
  readonly event: Uint8Array<ArrayBuffer>
  readonly index: number
  readonly size: number
  readonly root: Uint8Array
  readonly proof: readonly Uint8Array<ArrayBuffer>[]
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
