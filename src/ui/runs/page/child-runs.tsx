import { Link } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { useRun } from '../../api/queries.ts'
import { childWithRequests, RunState } from '../run-state.tsx'
import './child-runs.css'

type Children = RunDetail['children']
type WaitsFor = RunDetail['waitsFor']

/** The largest number of runs of one call whose children are loaded. */
const maxRunsWithChildren = 20

/** The child runs of a run, each with its own children. */
export function ChildRuns({ items, waitsFor }: { items: Children; waitsFor: WaitsFor }) {
  return (
    <ul className="child-runs">
      {items.map((child, index) => (
        <li key={child.runId}>
          <div className="row">
            <Link to={`/runs/${child.runId}`}>{child.worker}</Link>{' '}
            <RunState run={childWithRequests(child, waitsFor)} />
          </div>
          {index < maxRunsWithChildren && <Below runId={child.runId} />}
        </li>
      ))}
    </ul>
  )
}

/** Delegation has a depth limit, so this recursion ends. */
function Below({ runId }: { runId: string }) {
  const { children: items = [], waitsFor = [] } = useRun(runId).data ?? {}
  return items.length === 0 ? null : <ChildRuns items={items} waitsFor={waitsFor} />
}
