import { useEffect, useState } from 'react'
import { read } from './api.ts'
import type { Run } from './history.ts'

/**
 * The people who can decide the requests of a run. They decide in Countersign, not on this page.
 */
export function WaitsFor({ runId }: { runId: string }) {
  const [waitsFor, setWaitsFor] = useState<Run['waitsFor']>([])
  useEffect(() => {
    void read<Run>(`/api/runs/${runId}`).then((run) => setWaitsFor(run.waitsFor))
  }, [runId])
  const names = new Set(waitsFor.flatMap(({ people }) => people.map(({ name }) => name)))
  return (
    <p className="waits">
      Waits for {names.size === 0 ? 'a decision' : [...names].join(' or ')}
      {waitsFor.map(({ number }) => ` #${number}`).join('')}.
    </p>
  )
}
