import { Button } from '@mantine/core'
import { useNavigate } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { callApi } from '../api/call-api.ts'
import { useAct } from '../states/use-act.ts'
import { CancelRun } from './cancel-run.tsx'

/** What one can do with a run as a whole: close it, start its task again, cancel it. */
export function RunActions({ run }: { run: RunDetail }) {
  const act = useAct(['run', run.id])
  const navigate = useNavigate()
  const { close, cancel } = run.allowed
  const closeIt = () => act(() => callApi('closeRun', { params: { id: run.id } }), 'Run closed')
  const again = new URLSearchParams({
    worker: run.worker,
    ...(typeof run.input === 'string' ? { task: run.input } : {}),
  })
  return (
    <div className="column">
      {close && (
        <Button variant="default" onClick={() => void closeIt()}>
          Close the run
        </Button>
      )}
      <Button variant="default" onClick={() => void navigate(`/runs/new?${again.toString()}`)}>
        Start again
      </Button>
      {cancel && <CancelRun run={run} />}
    </div>
  )
}
