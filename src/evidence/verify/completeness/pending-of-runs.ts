import type { Findings } from '../findings/finding.ts'
import { referenceTo, type LoggedEvent } from '../findings/logged-event.ts'

/** The requests of each run that have no end yet: an end of a run ends all of them. */
export class PendingOfRuns {
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
