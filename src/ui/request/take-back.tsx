import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RequestDetail } from '../../api/schemas/requests.ts'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { announce } from '../shell/announce.tsx'
import { isOfQueue } from './is-of-queue.ts'

/** Takes back an approval whose call has not started. Asked twice, with a reason. */
export function TakeBack({ request }: { request: RequestDetail }) {
  const me = useMe()
  const client = useQueryClient()
  const [asked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const waits = request.permit === 'live' && request.execution.state === 'not_started'
  if (!waits || !isOfQueue(me, request)) return null
  const revoke = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      await callApi(`/v1/requests/${request.id}/revoke`, { body: { reason: reason.trim() } })
      await client.invalidateQueries()
      announce('The approval was taken back')
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }
  if (!asked) {
    return (
      <Button variant="default" onClick={() => setAsked(true)}>
        Take the approval back…
      </Button>
    )
  }
  return (
    <div className="column">
      <Textarea
        label="Reason"
        description="Kept with the request; needed."
        autosize
        minRows={2}
        maxLength={4000}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {refusal !== null && <p role="alert">{refusal}</p>}
      <div className="row">
        <Button variant="default" onClick={() => setAsked(false)}>
          Leave it approved
        </Button>
        <Button
          color="red"
          loading={busy}
          disabled={reason.trim() === ''}
          onClick={() => void revoke()}
        >
          Take it back
        </Button>
      </div>
    </div>
  )
}
