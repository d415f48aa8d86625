import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RequestDetail } from '../../api/schemas/requests/requests.ts'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { announce } from '../shell/announce.tsx'
import { isOfQueue } from './is-of-queue.ts'

const dayMs = 86_400_000

/** Gives people a day more for a pending request; its reminders and escalations keep their times. */
export function MoreTime({ request }: { request: RequestDetail }) {
  const me = useMe()
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  if (request.state !== 'pending' || !isOfQueue(me, request)) return null
  const extend = async (): Promise<void> => {
    setBusy(true)
    try {
      const expiresAt = new Date(Date.parse(request.expiresAt) + dayMs).toISOString()
      await callApi(`/v1/requests/${request.id}/extend`, { body: { expiresAt } })
      await client.invalidateQueries({ queryKey: ['request'] })
      announce('It waits a day more')
    } catch (error) {
      notifications.show({ color: 'red', message: (error as Error).message })
    }
    setBusy(false)
  }
  return (
    <Button size="xs" variant="default" loading={busy} onClick={() => void extend()}>
      A day more
    </Button>
  )
}
