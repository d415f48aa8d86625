import { useState } from 'react'
import { useRunPreamble } from '../../api/queries.ts'
import { LinesView } from '../../effect/lines-view.tsx'
import { Failure } from '../../states/failure.tsx'
import { Loading } from '../../states/loading.tsx'

/** The preamble of a run, loaded when it is opened. */
export function Preamble({ runId }: { runId: string }) {
  const [isOpen, setOpen] = useState(false)
  const preamble = useRunPreamble(runId, isOpen)
  return (
    <details className="turns" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Preamble of the model</summary>
      {preamble.isLoading && <Loading what="the preamble" lines={4} />}
      <Failure query={preamble} />
      {preamble.data?.text === '' && (
        <p className="dim small">None: the run began before models got a preamble.</p>
      )}
      {preamble.data !== undefined && preamble.data.text !== '' && (
        <LinesView text={preamble.data.text} showFinalNewline={false} />
      )}
    </details>
  )
}
