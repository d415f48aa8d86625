import type { Run, RunDetail, RunStateName } from '#api/schemas/runs/runs.ts'
import { needOfRun, waitedFor, type WaitingRun } from '#domain/runs/need-of-run.ts'

export const runStateWords: Record<RunStateName, string> = {
  running: 'running',
  waiting_for_approval: 'waits for approval',
  waiting_for_input: 'waits for a message',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

/** The state of a run in words. Without its requests, it waits for approval at most. */
export function runStateText(run: Pick<Run, 'state'> & WaitingRun): string {
  const need = run.state === 'waiting_for_approval' ? needOfRun(run) : 'decide'
  return need === 'decide' ? runStateWords[run.state] : `waits for ${waitedFor[need]}`
}

/** A child run with the requests of its parent's answer that are its own. */
export function childWithRequests(
  child: RunDetail['children'][number],
  waitsFor: RunDetail['waitsFor'],
): RunDetail['children'][number] & WaitingRun {
  const own = waitsFor.filter(({ runId }) => runId === child.runId)
  // The answer has no number for children; one without a request in it waits for approval at most.
  return { ...child, id: child.runId, pendingRequests: Math.max(1, own.length), waitsFor: own }
}

export function RunState({ run }: { run: Parameters<typeof runStateText>[0] }) {
  return <span className={`state-badge state-badge-${run.state}`}>{runStateText(run)}</span>
}
