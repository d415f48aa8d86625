import { Link } from 'react-router'
import type { RunDetail, RunStateName } from '#api/schemas/runs/runs.ts'

const doing: Partial<Record<RunStateName, string>> = {
  running: 'is at work',
  waiting_for_approval: 'waits for an approval',
  waiting_for_input: 'waits for a message',
}

/** The child runs that a run waits for, and what these wait for. */
export function WaitsFor({ run }: { run: RunDetail }) {
  const open = run.children.filter((child) => doing[child.state] !== undefined)
  if (open.length === 0) return null
  return (
    <p className="banner" role="status">
      Waits for{' '}
      {open.map((child, index) => (
        <span key={child.runId}>
          {index > 0 && ' and '}
          <Link to={`/runs/${child.runId}`}>{child.worker}</Link>, which {doing[child.state]}
        </span>
      ))}
      .
    </p>
  )
}
