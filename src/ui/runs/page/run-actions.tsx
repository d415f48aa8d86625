import { Button } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useAct } from '../../states/use-act.ts'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { callApi } from '../../api/call-api.ts'
import { ConfirmButton } from '../../shell/confirm-button.tsx'
import { verbs } from '../../words/verbs.ts'

/** Actions on a run: close, fork, start again, cancel, discard its worktree. */
export function RunActions({ run }: { run: RunDetail }) {
  const act = useAct(['run', run.id])
  const navigate = useNavigate()
  const { close, cancel, discard } = run.allowed
  const closeIt = () => act(() => callApi('closeRun', { params: { id: run.id } }), 'Run closed')
  return (
    <div className="row run-actions">
      {close && (
        <Button variant="default" onClick={() => void closeIt()}>
          {verbs.closeRun}
        </Button>
      )}
      {run.turns > 0 && (
        <Button variant="default" onClick={() => void navigate(`/runs/${run.id}/fork`)}>
          {verbs.fork}
        </Button>
      )}
      <Button variant="default" onClick={() => void navigate(`/runs/${run.id}/fork?after=0`)}>
        {verbs.startAgain}
      </Button>
      {cancel && <CancelRun run={run} />}
      {discard && <DiscardWorktree run={run} />}
    </div>
  )
}

/** Cancels a run, once confirmed: its requests leave their queues, its tool stops. */
function CancelRun({ run }: { run: RunDetail }) {
  const cancel = async (reason: string): Promise<void> => {
    const body = reason === '' ? {} : { reason }
    await callApi('cancelRun', { params: { id: run.id }, body })
  }
  return (
    <ConfirmButton
      label="Cancel the run…"
      confirm={verbs.cancelRun}
      cancelLabel="Keep the run going"
      reason={{ isNeeded: false }}
      act={cancel}
      card={{
        title: 'Cancel this run?',
        text: 'Its requests leave the queues, and running calls are stopped. Completed calls are not undone.',
      }}
    />
  )
}

/** Removes an ended run's worktree, once confirmed, with all that is not merged. */
function DiscardWorktree({ run }: { run: RunDetail }) {
  const discard = async (): Promise<void> => {
    await callApi('discardRun', { params: { id: run.id } })
  }
  return (
    <ConfirmButton
      label="Discard the worktree…"
      confirm="Discard the worktree"
      cancelLabel="Keep the worktree"
      reason={null}
      act={discard}
      card={{
        title: 'Discard the worktree?',
        text: `Its folder and the branch ${run.workspace.branch ?? ''} are removed, with what is not merged or committed.`,
      }}
    />
  )
}
