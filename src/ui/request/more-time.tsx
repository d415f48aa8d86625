import { Button } from '@mantine/core'
import { useState } from 'react'
import type { RequestDetail } from '../../api/schemas/requests/requests.ts'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { useAct } from '../api/use-act.ts'
import { isOfQueue } from './is-of-queue.ts'

const dayMs = 86_400_000

/** Gives people a day more for a pending request; its reminders and escalations keep their times. */
export function MoreTime({ request }: { request: RequestDetail }) {
  const me = useMe()
  const act = useAct(['request'])
  const [busy, setBusy] = useState(false)
  if (request.state !== 'pending' || !isOfQueue(me, request)) return null
  const extend = async (): Promise<void> => {
    setBusy(true)
    const expiresAt = new Date(Date.parse(request.expiresAt) + dayMs).toISOString()
    await act(
      () => callApi(`/v1/requests/${request.id}/extend`, { body: { expiresAt } }),
      'It waits a day more',
    )
    setBusy(false)
  }
  return (
    <Button size="xs" variant="default" loading={busy} onClick={() => void extend()}>
      A day more
    </Button>
  )
}
