import type { TranscriptMessage } from './load-transcript.ts'

/** The oldest turns of a run, as they were read. */
export interface KnownTurns {
  readonly throughTurn: number
  /** of their rows, by which the database says whether they are still the same */
  readonly digest: string
  readonly messages: readonly TranscriptMessage[]
}

/** `whole`: the run is read whole each time, since its rows are not all its own. */
export type KnownRun = KnownTurns | 'whole'

/** What all runs may take here, in characters of their transcripts. */
const mostCharacters = 16 * 1024 * 1024

/**
 * What this process has read of its runs, so that a turn reads what is new. It says nothing by
 * itself: who uses it has the database say that the rows are as they were. The run that was used
 * longest ago goes first.
 */
export class TranscriptCache {
  readonly #runs = new Map<string, { readonly known: KnownRun; readonly size: number }>()
  readonly #most: number
  #size = 0

  constructor(most: number = mostCharacters) {
    this.#most = most
  }

  /** What is known of a run; `undefined`: nothing. */
  get(runId: string): KnownRun | undefined {
    return this.#runs.get(runId)?.known
  }

  /** Keeps what was read of a run, in place of what was known. */
  set(runId: string, run: KnownRun): void {
    this.#forget(runId)
    const size = run === 'whole' ? 100 : sizeOf(run.messages)
    if (size > this.#most / 4) return
    this.#runs.set(runId, { known: run, size })
    this.#size += size
    for (const oldest of this.#runs.keys()) {
      if (this.#size <= this.#most) break
      this.#forget(oldest)
    }
  }

  #forget(runId: string): void {
    this.#size -= this.#runs.get(runId)?.size ?? 0
    this.#runs.delete(runId)
  }
}

/** What a message or a call takes besides its words. */
const frame = 500

function sizeOf(messages: readonly TranscriptMessage[]): number {
  return messages.reduce(
    (sum, { text, calls }) =>
      calls.reduce(
        // The output says about the same as the text once more.
        (all, { result }) => all + frame + 2 * (result?.text.length ?? 0),
        sum + frame + text.length,
      ),
    0,
  )
}
