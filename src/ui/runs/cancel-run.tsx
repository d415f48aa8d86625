import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RunDetail } from '../../api/schemas/runs.ts'
import { callApi } from '../api/call-api.ts'

/** Ends a run: its requests leave the queues, a running tool is told to stop. Asked twice. */
export function CancelRun({ run }: { run: RunDetail }) {
  const client = useQueryClient()
  const [asked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const cancel = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      const body = reason.trim() === '' ? {} : { reason: reason.trim() }
      await callApi(`/v1/runs/${run.id}/cancel`, { body })
      await client.invalidateQueries()
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }
  if (!asked) {
    return (
      <Button variant="default" onClick={() => setAsked(true)}>
        Cancel the run…
      </Button>
    )
  }
  return (
    <section className="card column" aria-labelledby="cancel-title">
      <h2 id="cancel-title">Cancel this run?</h2>
      <p className="small">
        Its requests leave the queues and what runs is told to stop. What has been carried out
        stays.
      </p>
      <Textarea
        label="Reason"
        autosize
        minRows={2}
        maxLength={4000}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {refusal !== null && <p role="alert">{refusal}</p>}
      <div className="row">
        <Button variant="default" onClick={() => setAsked(false)}>
          Let it go on
        </Button>
        <Button color="red" loading={busy} onClick={() => void cancel()}>
          Cancel the run
        </Button>
      </div>
    </section>
  )
}
