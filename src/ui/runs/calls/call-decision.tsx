import { Link } from 'react-router'
import type { TranscriptCall } from '#api/schemas/runs/transcript.ts'
import { useMe, useRun } from '../../api/queries.ts'

/** Who may decide a call that waits: the way there for who may, names for everybody else. */
export function CallDecision({ call, runId }: { call: TranscriptCall; runId: string }) {
  const { person } = useMe()
  const run = useRun(runId)
  const request = run.data?.waitsFor.find(({ requestId }) => requestId === call.requestId)
  if (request === undefined) return null
  if (request.people.some(({ id }) => id === person.id)) {
    return (
      <Link className="decide-button" to={`/requests/${request.number}`}>
        {call.tool === 'ask_person' ? 'Answer' : 'Decide'} #{request.number}
      </Link>
    )
  }
  const names = request.people.map(({ name }) => name).join(', ')
  return (
    <span className="small dim">
      #{request.number} · {names === '' ? 'nobody can decide it' : names}
    </span>
  )
}
