import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { Time } from '../../text/time.tsx'

/** The end of the conversation: whether the run waits for people, works, or has ended. */
export function RunStatus({ run }: { run: RunDetail }) {
  if (run.state === 'running') {
    return (
      <p className="standing" role="status">
        <span className="standing-dot" aria-hidden /> The model is at work.
      </p>
    )
  }
  if (run.state === 'waiting_for_approval') {
    const people = [...new Set(run.waitsFor.flatMap((one) => one.people.map(({ name }) => name)))]
    return (
      <p className="standing" role="status">
        Waits for {people.length === 0 ? 'a decision' : people.join(', ')}.
      </p>
    )
  }
  if (run.rest !== 'answered' || typeof run.restsUntil !== 'string') return null
  return (
    <p className="standing">
      <span>
        It waits for the next message. It ends by itself <Time at={run.restsUntil} />.
      </span>
    </p>
  )
}
