import { isCovered, type Check, type Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { PendingOfRuns } from './pending-of-runs.ts'
import { RequestChain } from './request-chain.ts'

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
      findings.note(`${chains.size} requests, ${open} of them pending`)
    },
  }
}
