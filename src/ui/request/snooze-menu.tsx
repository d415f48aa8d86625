import { Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { KeyboardEvent, ReactNode } from 'react'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { callApi } from '../api/call-api.ts'
import { useAct } from '../states/use-act.ts'
import { useNowMs } from '../text/time.tsx'
import { snoozeTimes } from './snooze-times.ts'

/**
 * Until when to put a request off, for oneself alone; the digits choose too. `children` is what it
 * opens at; `onDone` is called after a choice that the service has taken.
 */
export function SnoozeMenu(props: {
  request: Pick<RequestItem, 'id' | 'snoozedUntil'>
  opened: boolean
  onChange: (opened: boolean) => void
  onDone?: () => void
  children: ReactNode
}) {
  const { request, opened, onChange, onDone } = props
  const client = useQueryClient()
  const act = useAct(['request'])
  const times = snoozeTimes(new Date(useNowMs()))
  const choose = async (until: string | null, message: string): Promise<void> => {
    const params = { id: request.id }
    if (!(await act(() => callApi('snoozeRequest', { params, body: { until } }), message))) return
    onDone?.()
    // It is nobody else's, so that no event tells of it.
    void client.invalidateQueries({ queryKey: ['requests'] })
    void client.invalidateQueries({ queryKey: ['queues'] })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const time = times[Number(event.key) - 1]
    if (time === undefined) return
    event.preventDefault()
    onChange(false)
    void choose(time.at.toISOString(), `Snoozed: ${time.label}`)
  }
  return (
    <Menu
      opened={opened}
      onChange={onChange}
      position="bottom-end"
      returnFocus
      // Not by a key: the press that opens it would close it.
      clickOutsideEvents={['mousedown', 'touchstart']}
    >
      <Menu.Target>{props.children}</Menu.Target>
      <Menu.Dropdown onKeyDown={onKeyDown}>
        <Menu.Label>Snooze for you only</Menu.Label>
        {times.map(({ label, at }, index) => (
          <Menu.Item
            key={label}
            rightSection={<kbd aria-hidden>{index + 1}</kbd>}
            onClick={() => void choose(at.toISOString(), `Snoozed: ${label}`)}
          >
            {label}
          </Menu.Item>
        ))}
        {request.snoozedUntil !== null && (
          <Menu.Item onClick={() => void choose(null, 'The snooze has ended')}>
            End the snooze
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
