import { Button } from '@mantine/core'
import { useNavigate } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { callApi } from '../../api/call-api.ts'
import { useAct } from '../../states/use-act.ts'
import { CancelRun } from './cancel-run.tsx'

/** What one can do with a run as a whole: close it, fork it, start it again, cancel it. */
export function RunActions({ run }: { run: RunDetail }) {
  const act = useAct(['run', run.id])
  const navigate = useNavigate()
  const { close, cancel } = run.allowed
  const closeIt = () => act(() => callApi('closeRun', { params: { id: run.id } }), 'Run closed')
  return (
    <div className="column">
      {close && (
        <Button variant="default" onClick={() => void closeIt()}>
          Close the run
        </Button>
      )}
      {run.turns > 0 && (
        <Button variant="default" onClick={() => void navigate(`/runs/${run.id}/fork`)}>
          Fork the run
        </Button>
      )}
      <Button variant="default" onClick={() => void navigate(`/runs/${run.id}/fork?after=0`)}>
        Start again
      </Button>
      {cancel && <CancelRun run={run} />}
    </div>
  )
}
