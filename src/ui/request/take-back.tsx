import type { RequestDetail } from '../../api/schemas/requests/requests.ts'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { announce } from '../shell/announce.tsx'
import { AskedTwice } from '../shell/asked-twice.tsx'
import { isOfQueue } from './is-of-queue.ts'

/** Takes back an approval whose call has not started. Asked twice, with a reason. */
export function TakeBack({ request }: { request: RequestDetail }) {
  const me = useMe()
  const waits = request.permit === 'live' && request.execution.state === 'not_started'
  if (!waits || !isOfQueue(me, request)) return null
  const revoke = async (reason: string): Promise<void> => {
    await callApi(`/v1/requests/${request.id}/revoke`, { body: { reason } })
    announce('The approval was taken back')
  }
  return (
    <div className="facts-line">
      <AskedTwice
        label="Take the approval back…"
        confirm="Take it back"
        leave="Leave it approved"
        reason={{ isNeeded: true, note: 'Kept with the request; needed.' }}
        act={revoke}
      />
    </div>
  )
}
