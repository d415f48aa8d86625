import { Counter, type Registry } from 'prom-client'
import type { AnsweredRequest } from '#api/context/api.ts'
import { outageWords } from '#services/core/outage-problem.ts'
import type { DatabaseOutage } from '#store/connection/database-outage.ts'

/** The causes that are counted. `/readyz` checks Temporal itself, so `recent` leaves it out. */
const causes: ReadonlySet<string> = new Set([...Object.keys(outageWords), 'temporal_away'])

/** An outage counts as over when no request has failed because of it for this time. */
const lastsMs = 30_000

/** An outage as a problem of `/readyz`. */
export function sentenceOfOutage(outage: DatabaseOutage): string {
  const { what, remedy } = outageWords[outage]
  return `${what}: ${remedy}`
}

/** Outages that failed requests: counted by cause, and in `/readyz` while they last. */
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

  /** Records the outage of an answered request, if it had one. */
  recordAnswer({ outage }: AnsweredRequest): void {
    if (outage === null || !causes.has(outage)) return
    this.#met.set(outage, performance.now())
    this.#counter.inc({ cause: outage })
  }

  /** The outages of the last half minute, as sentences. */
  recent(): readonly string[] {
    const since = performance.now() - lastsMs
    const all = Object.keys(outageWords) as DatabaseOutage[]
    return all
      .filter((cause) => (this.#met.get(cause) ?? -Infinity) > since)
      .map((cause) => sentenceOfOutage(cause))
  }
}
