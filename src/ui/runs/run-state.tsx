import type { RunStateName } from '#api/schemas/runs/runs.ts'

export const runStateWords: Record<RunStateName, string> = {
  running: 'running',
  waiting_for_approval: 'waits for approval',
  waiting_for_input: 'waits for a message',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

export function RunState({ state }: { state: RunStateName }) {
  return <span className={`state-badge state-badge-${state}`}>{runStateWords[state]}</span>
}
