import type { TranscriptMessage } from './load-transcript.ts'

/** The oldest turns of a run, as they were read. */
export interface KnownTurns {
  readonly throughTurn: number
  /** of their rows; the database compares it with the present rows */
  readonly digest: string
  readonly messages: readonly TranscriptMessage[]
}

/** `whole`: the run is read whole each time, since it has rows of other runs. */
export type KnownRun = KnownTurns | 'whole'

/** The most characters of all cached transcripts together. */
const maxCharacters = 16 * 1024 * 1024

/**
 * The turns that this process has read, so that a later turn reads only new ones. The cache is not
 * trusted by itself: its users compare the digest with the database. The run that was used longest
 * ago is dropped first.
 */
export class TranscriptCache {
  readonly #runs = new Map<string, { readonly known: KnownRun; readonly size: number }>()
  readonly #maxSize: number
  #size = 0

  constructor(maxSize: number = maxCharacters) {
    this.#maxSize = maxSize
  }

  /** The cached turns of a run; `undefined`: none. */
  get(runId: string): KnownRun | undefined {
    return this.#runs.get(runId)?.known
  }

  /** Caches turns of a run, in place of earlier ones. */
  set(runId: string, run: KnownRun): void {
    this.#forget(runId)
    const size = run === 'whole' ? 100 : sizeOf(run.messages)
    if (size > this.#maxSize / 4) return
    this.#runs.set(runId, { known: run, size })
    this.#size += size
    for (const oldest of this.#runs.keys()) {
      if (this.#size <= this.#maxSize) break
      this.#forget(oldest)
    }
  }

  #forget(runId: string): void {
    this.#size -= this.#runs.get(runId)?.size ?? 0
    this.#runs.delete(runId)
  }
}

/** The size of a message or a call besides its text. */
const frame = 500

function sizeOf(messages: readonly TranscriptMessage[]): number {
  return messages.reduce(
    (sum, { text, calls }) =>
      calls.reduce(
        // The output has about the same text once more.
        (all, { result }) => all + frame + 2 * (result?.text.length ?? 0),
        sum + frame + text.length,
      ),
    0,
  )
}
