import { Link } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { useRun } from '../../api/queries.ts'
import { RunState } from '../run-state.tsx'
import './child-runs.css'

type Children = RunDetail['children']

/** The largest number of runs of one call whose children are loaded. */
const maxRunsWithChildren = 20

/** The child runs of a run, each with its own children. */
export function ChildRuns({ items }: { items: Children }) {
  return (
    <ul className="child-runs">
      {items.map((child, index) => (
        <li key={child.runId}>
          <div className="row">
            <Link to={`/runs/${child.runId}`}>{child.worker}</Link> <RunState run={child} />
          </div>
          {index < maxRunsWithChildren && <Below runId={child.runId} />}
        </li>
      ))}
    </ul>
  )
}

/** Delegation has a depth limit, so this recursion ends. */
function Below({ runId }: { runId: string }) {
  const items = useRun(runId).data?.children ?? []
  return items.length === 0 ? null : <ChildRuns items={items} />
}
