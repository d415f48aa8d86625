import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { callApi } from '../../api/call-api.ts'
import { ConfirmButton } from '../../shell/confirm-button.tsx'

/** Ends a run: its requests leave the queues, a running tool is told to stop. Asked twice. */
export function CancelRun({ run }: { run: RunDetail }) {
  const cancel = async (reason: string): Promise<void> => {
    const body = reason === '' ? {} : { reason }
    await callApi('cancelRun', { params: { id: run.id }, body })
  }
  return (
    <ConfirmButton
      label="Cancel the run…"
      confirm="Cancel the run"
      leave="Let it go on"
      reason={{ isNeeded: false }}
      act={cancel}
      card={{
        title: 'Cancel this run?',
        text: 'Its requests leave the queues and what runs is told to stop. What has been carried out stays.',
      }}
    />
  )
}
