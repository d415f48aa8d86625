import { Link } from 'react-router'
import type { TranscriptCall } from '#api/schemas/runs/transcript.ts'
import { useMe, useRun } from '../api/queries.ts'

/** Who may decide a call that waits: the way there for who may, names for everybody else. */
export function CallDecision({ call, runId }: { call: TranscriptCall; runId: string }) {
  const { person } = useMe()
  const run = useRun(runId)
  const asked = run.data?.waitsFor.find(({ requestId }) => requestId === call.requestId)
  if (asked === undefined) return null
  if (asked.people.some(({ id }) => id === person.id)) {
    return (
      <Link className="decide-button" to={`/requests/${asked.number}`}>
        Decide #{asked.number}
      </Link>
    )
  }
  const names = asked.people.map(({ name }) => name).join(', ')
  return (
    <span className="small dim">
      #{asked.number} · {names === '' ? 'nobody can decide it' : names}
    </span>
  )
}
