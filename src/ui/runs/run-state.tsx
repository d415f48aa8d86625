import type { Run, RunStateName } from '#api/schemas/runs/runs.ts'
import { needOfRun, type RunNeed } from '#domain/runs/need-of-run.ts'

export const runStateWords: Record<RunStateName, string> = {
  running: 'running',
  waiting_for_approval: 'waits for approval',
  waiting_for_input: 'waits for a message',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

const needWords: Record<RunNeed, string> = {
  decide: runStateWords.waiting_for_approval,
  answer: 'waits for an answer',
  settle: 'waits for an outcome check',
}

/** The state of a run in words. Without its requests, it waits for approval at most. */
export function runStateText(run: Pick<Run, 'state'> & Partial<Pick<Run, 'waitsFor'>>): string {
  const { state, waitsFor } = run
  return state === 'waiting_for_approval' && waitsFor !== undefined
    ? needWords[needOfRun(waitsFor)]
    : runStateWords[state]
}

export function RunState({ run }: { run: Parameters<typeof runStateText>[0] }) {
  return <span className={`state-badge state-badge-${run.state}`}>{runStateText(run)}</span>
}
