import { Button } from '@mantine/core'
import type { RequestDetail } from '../../../api/schemas/requests/requests.ts'
import { callApi } from '../../api/call-api.ts'
import { useMe } from '../../api/queries.ts'
import { useAct } from '../../api/use-act.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'

/** Tells colleagues that one is on it, for a while; nobody is kept from deciding. */
export function ClaimButton({ request }: { request: RequestDetail }) {
  const me = useMe()
  const act = useAct(['request'])
  const mine = request.claim?.person.id === me.person.id
  const toggle = () =>
    act(() => callApi(`/v1/requests/${request.id}/claim`, { method: mine ? 'DELETE' : 'POST' }))
  const usable = request.state === 'pending'
  useShortcut('claim', usable ? () => void toggle() : null)
  const keys = useAriaKeys('claim')
  if (!usable) return null
  return (
    <>
      {request.claim !== null && !mine && (
        <span className="small dim claim-by">{request.claim.person.name} is on it</span>
      )}
      <Button
        size="xs"
        variant={mine ? 'light' : 'default'}
        onClick={() => void toggle()}
        {...keys}
      >
        {mine ? 'Release' : 'Claim'}
      </Button>
    </>
  )
}
