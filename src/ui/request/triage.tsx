import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { useAct } from '../states/use-act.ts'
import { Time } from '../text/time.tsx'
import { isOfQueue } from './is-of-queue.ts'
import { SnoozeMenu } from './snooze-menu.tsx'

/** What one does about a request that waits, without deciding it. */
export function Triage({ request }: { request: RequestDetail }) {
  const me = useMe()
  if (request.state !== 'pending') return null
  const isStarter = request.lineage.some(({ startedBy }) => startedBy?.id === me.person.id)
  return (
    <>
      {request.handedTo !== null && (
        <span className="small dim">
          {request.handedTo.person.id === me.person.id
            ? `handed over to you by ${request.handedTo.by.name}`
            : `handed over to ${request.handedTo.person.name}`}
        </span>
      )}
      {request.eligibility.canDecide && <Snooze request={request} />}
      {isOfQueue(me, request) && <HandOver request={request} />}
      {isStarter && !request.eligibility.canDecide && <Nudge request={request} />}
    </>
  )
}

function Snooze({ request }: { request: RequestDetail }) {
  const act = useAct(['request'])
  const [opened, setOpened] = useState(false)
  const keys = useAriaKeys('snooze')
  useShortcut('snooze', () => setOpened(true))
  const end = (): void => {
    const { id } = request
    const body = { until: null }
    void act(() => callApi('snoozeRequest', { params: { id }, body }), 'The snooze has ended')
  }
  return (
    <>
      {request.snoozedUntil !== null && (
        <span className="small dim">
          snoozed until <Time at={request.snoozedUntil} />{' '}
          <Button size="compact-sm" variant="default" onClick={end}>
            End the snooze
          </Button>
        </span>
      )}
      <SnoozeMenu request={request} opened={opened} onChange={setOpened}>
        <Button size="xs" variant="default" {...keys}>
          Snooze
        </Button>
      </SnoozeMenu>
    </>
  )
}

function HandOver({ request }: { request: RequestDetail }) {
  const me = useMe()
  const act = useAct(['request'])
  const [opened, setOpened] = useState(false)
  const colleagues = request.eligiblePeople.filter(({ id }) => id !== me.person.id)
  useShortcut('handOver', colleagues.length === 0 ? null : () => setOpened(true))
  if (colleagues.length === 0) return null
  const give = (to: string, name: string): void => {
    const { id } = request
    void act(
      () => callApi('handOverRequest', { params: { id }, body: { to } }),
      `Handed over to ${name}`,
    )
  }
  return (
    <Menu
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      returnFocus
      clickOutsideEvents={['mousedown', 'touchstart']}
    >
      <Menu.Target>
        <Button size="xs" variant="default">
          Hand over
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {colleagues.map(({ id, name, awayUntil }) => (
          <Menu.Item key={id} onClick={() => give(id, name)}>
            {name}
            {awayUntil !== null && (
              <span className="dim small">
                {' '}
                away until <Time at={awayUntil} />
              </span>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Reminds whom it waits for, once an hour. */
function Nudge({ request }: { request: RequestDetail }) {
  const act = useAct(['request'])
  const [busy, setBusy] = useState(false)
  const nudge = async (): Promise<void> => {
    setBusy(true)
    const { id } = request
    await act(() => callApi('nudgeRequest', { params: { id } }), 'The nudge is sent')
    setBusy(false)
  }
  useShortcut('nudge', () => void nudge())
  return (
    <>
      <span className="small dim">
        waits for {request.eligiblePeople.map(({ name }) => name).join(', ')}
      </span>
      <Button size="xs" variant="default" loading={busy} onClick={() => void nudge()}>
        Nudge
      </Button>
    </>
  )
}
