import { Counter, type Registry } from 'prom-client'
import type { AnsweredRequest } from '#api/context/api.ts'
import { outageWords } from '#services/core/outage-problem.ts'

/** Temporal has a sentence of its own in `/readyz`, whether an answer met it or not. */
const causes: ReadonlySet<string> = new Set([...Object.keys(outageWords), 'temporal_away'])

/** An outage is over when no answer met it for this time. */
const lastsMs = 30_000

/** Outages that answers met: counted by cause, and reported by `/readyz` while they last. */
export class Outages {
  readonly #met = new Map<string, number>()
  readonly #counter: Counter<'cause'>

  constructor(registry: Registry) {
    this.#counter = new Counter({
      name: 'countersign_outages_total',
      help: 'Answers that failed because something that this process needs was full, slow or away',
      labelNames: ['cause'],
      registers: [registry],
    })
    for (const cause of causes) this.#counter.inc({ cause }, 0)
  }

  /** Records the outage that an answer met. */
  answered({ outage }: AnsweredRequest): void {
    if (outage === null || !causes.has(outage)) return
    this.#met.set(outage, performance.now())
    this.#counter.inc({ cause: outage })
  }

  /** Those of the last half minute, in sentences. */
  recent(): readonly string[] {
    const since = performance.now() - lastsMs
    return Object.entries(outageWords).flatMap(([cause, { what, remedy }]) => {
      const metAt = this.#met.get(cause)
      return metAt !== undefined && metAt > since ? [`${what}: ${remedy}`] : []
    })
  }
}
