import { Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { callApi } from '../../api/call-api.ts'
import { KeyMenu } from '../../floating/key-menu.tsx'
import type { MenuOfButton } from '../../floating/use-menu-button.ts'
import { useAct } from '../../states/use-act.ts'
import { useNowMs } from '../../text/time.tsx'
import { snoozeTimes } from './snooze-times.ts'
import { verbs } from '../../words/verbs.ts'

/**
 * The menu that snoozes a request for this person; digits choose too. `onDone` is called once the
 * service has accepted a choice, with whether the request is snoozed now.
 */
export function SnoozeMenu(props: {
  request: Pick<RequestItem, 'id' | 'snoozedUntil'>
  menu: MenuOfButton
  onDone?: (isSnoozed: boolean) => void
}) {
  const { request, menu, onDone } = props
  const client = useQueryClient()
  const act = useAct(['request'])
  const times = snoozeTimes(new Date(useNowMs()))
  const choose = async (until: string | null, message: string): Promise<void> => {
    const params = { id: request.id }
    if (!(await act(() => callApi('snoozeRequest', { params, body: { until } }), message))) return
    onDone?.(until !== null)
    // A snooze is private, so the stream has no event for it.
    void client.invalidateQueries({ queryKey: ['requests'] })
    void client.invalidateQueries({ queryKey: ['queues'] })
  }
  const chooseByKey = (key: string): boolean => {
    const time = times[Number(key) - 1]
    if (time !== undefined) void choose(time.at.toISOString(), `Snoozed: ${time.label}`)
    return time !== undefined
  }
  return (
    <KeyMenu menu={menu} onKey={chooseByKey}>
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
          {verbs.endSnooze}
        </Menu.Item>
      )}
    </KeyMenu>
  )
}
