import { Link } from 'react-router'
import { useTranscript } from '../api/queries.ts'
import { TurnView } from '../runs/turns/turn-view.tsx'
import { Failure } from '../states/failure.tsx'

const maxTurns = 3

/** The turns of a run before a request, loaded on request. */
export function LastTurns({ runId, turn }: { runId: string; turn: number }) {
  const transcript = useTranscript(runId)
  if (transcript.isPending) return <p className="dim">Loading the turns…</p>
  if (transcript.isLoadingError) return <Failure query={transcript} />
  const items = transcript.data.items.filter(
    (item) => item.turn <= turn && item.turn > turn - maxTurns,
  )
  return (
    <div className="column">
      {items.map((item, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a transcript only grows at its end
        <TurnView key={index} item={item} runId={runId} showsEffects={false} isSummarised={false} />
      ))}
      <Link to={`/runs/${runId}`}>The whole run</Link>
    </div>
  )
}
