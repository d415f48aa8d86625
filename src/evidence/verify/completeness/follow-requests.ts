import { countWords } from '#domain/text/quantities/count-words.ts'
import { isCovered, type Check, type Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { RequestChain } from './request-chain.ts'
import { referenceTo, type LoggedEvent } from '../findings/logged-event.ts'

/**
 * Follows the chain of each request: no gap, each event names the one before, and only legal
 * transitions. A run that ends leaves none of its requests without an end.
 */
export function followRequests(findings: Findings, extent: Extent): Check {
  const chains = new Map<string, RequestChain>()
  const pending = new PendingOfRuns(findings)
  return {
    take(event) {
      const { requestId, runId, type } = event
      pending.judgeEnds(event.at)
      if (requestId !== null && isCovered(extent, requestId)) {
        const chain = chains.get(requestId)
        if (chain === undefined) {
          chains.set(requestId, new RequestChain(findings, event))
          if (runId !== null) pending.open(runId, requestId)
        } else if (chain.follow(event) && runId !== null) pending.end(runId, requestId)
      }
      if (runId !== null && (type === 'run.ended' || type === 'run.cancelled')) {
        pending.endRun(event)
      }
    },
    end() {
      pending.judgeEnds(null)
      for (const requestId of extent.requestIds) {
        if (!chains.has(requestId))
          findings.fail('there is no event of this request', { requestId })
      }
      const open = [...chains.values()].filter(({ state }) => state === 'pending').length
      findings.describe(`${countWords(chains.size, 'request')}, ${open} of them pending`)
    },
  }
}

/** The requests of each run that have no end yet: an end of a run ends all of them. */
class PendingOfRuns {
  readonly #findings: Findings
  readonly #requests = new Map<string, Set<string>>()
  /** ends of runs, whose transactions may have further events */
  #ends: LoggedEvent[] = []

  constructor(findings: Findings) {
    this.#findings = findings
  }

  open(runId: string, requestId: string): void {
    const requests = this.#requests.get(runId) ?? new Set()
    this.#requests.set(runId, requests.add(requestId))
  }

  end(runId: string, requestId: string): void {
    this.#requests.get(runId)?.delete(requestId)
  }

  endRun(event: LoggedEvent): void {
    this.#ends.push(event)
  }

  /**
   * Judges the ends of runs that were recorded at other times than `at`. All events of one
   * transaction have the same time. In a log that was begun over an older trail, the end of a run
   * may come before the ends of its requests.
   */
  judgeEnds(at: string | null): void {
    if (at !== null && at === this.#ends[0]?.at) return
    for (const event of this.#ends) {
      const runId = event.runId ?? ''
      for (const requestId of this.#requests.get(runId) ?? []) {
        const problem = `the run has ended, and request ${requestId} of it has no end`
        this.#findings.fail(problem, { ...referenceTo(event), requestId })
      }
      this.#requests.delete(runId)
    }
    this.#ends = []
  }
}
