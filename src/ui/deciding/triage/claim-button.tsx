import { Button } from '@mantine/core'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { callApi } from '../../api/call-api.ts'
import { useMe } from '../../api/queries.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { useAct } from '../../states/use-act.ts'
import { verbs } from '../../words/verbs.ts'
import { isOfQueue } from '../facts/is-of-queue.ts'

/**
 * Claims a request for a while, which tells colleagues and prevents nobody from deciding. Only for
 * people of its queue: the service refuses others.
 */
export function ClaimButton({ request }: { request: RequestDetail }) {
  const me = useMe()
  const act = useAct(['request'])
  const mine = request.claim?.person.id === me.person.id
  const toggle = () =>
    act(
      () => callApi(mine ? 'releaseRequest' : 'claimRequest', { params: { id: request.id } }),
      `${mine ? 'Released' : 'Claimed'} #${request.number}`,
    )
  const usable = request.state === 'pending' && isOfQueue(me, request)
  useShortcut('claim', usable ? () => void toggle() : null)
  const keys = useAriaKeys('claim')
  if (!usable) return null
  return (
    <Button size="xs" variant={mine ? 'light' : 'default'} onClick={() => void toggle()} {...keys}>
      {mine ? verbs.release : verbs.claim}
    </Button>
  )
}
