import { useEffect, useState } from 'react'
import { read } from './api.ts'
import type { Run } from './history.ts'

/** Who can decide what a run waits for. Nobody decides here: they do, where they were asked. */
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
