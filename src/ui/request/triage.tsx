import { Button } from '@mantine/core'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useMe } from '../api/queries.ts'
import { laterMenu } from '../floating/later-menu.ts'
import { useMenuButton } from '../floating/use-menu-button.ts'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { peopleLeft } from '../deciding/facts/people-left.ts'
import { Snooze } from '../deciding/triage/snooze.tsx'
import { useNudge } from '../deciding/triage/use-nudge.ts'
import { isWaitingStarter } from '../deciding/triage/triage-state.tsx'
import { isOfQueue } from '../deciding/facts/is-of-queue.ts'
import { verbs } from '../words/verbs.ts'

const HandOverMenu = laterMenu(() =>
  import('./hand-over-menu.tsx').then((module) => module.HandOverMenu),
)

/** Actions on a pending request that do not decide it. `onSnoozed`: what follows a snooze. */
export function Triage(props: { request: RequestDetail; onSnoozed: () => void }) {
  const { request, onSnoozed } = props
  const me = useMe()
  if (request.state !== 'pending') return null
  return (
    <>
      {request.eligibility.canDecide && <Snooze request={request} onSnoozed={onSnoozed} />}
      {isOfQueue(me, request) && <HandOver request={request} />}
      {isWaitingStarter(request, me.person.id) && <Nudge request={request} />}
    </>
  )
}

function HandOver({ request }: { request: RequestDetail }) {
  const me = useMe()
  const { menu, button, open } = useMenuButton()
  const colleagues = peopleLeft(request).filter(({ id }) => id !== me.person.id)
  useShortcut('handOver', colleagues.length === 0 ? null : open)
  if (colleagues.length === 0) return null
  return (
    <>
      <Button size="xs" variant="default" {...button}>
        {verbs.handOver}
      </Button>
      <HandOverMenu request={request} colleagues={colleagues} menu={menu} />
    </>
  )
}

/** A button that reminds the people who can decide, once an hour. */
function Nudge({ request }: { request: RequestDetail }) {
  const nudge = useNudge(['request'])
  useShortcut('nudge', () => void nudge(request.id))
  return (
    <Button size="xs" variant="default" onClick={() => void nudge(request.id)}>
      {verbs.nudge}
    </Button>
  )
}
