import { Button } from '@mantine/core'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { callApi } from '../../api/call-api.ts'
import { useMenuButton } from '../../floating/use-menu-button.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { useAct } from '../../states/use-act.ts'
import { SnoozeMenu } from './later-snooze-menu.ts'
import { verbs } from '../../words/verbs.ts'

/**
 * The button and the key that snooze a pending request or end the snooze, for a person who may
 * decide it.
 */
export function Snooze({ request }: { request: RequestDetail }) {
  const act = useAct(['request'])
  const { menu, button, open } = useMenuButton()
  const keys = useAriaKeys('snooze')
  useShortcut('snooze', open)
  const end = (): void => {
    const { id } = request
    const body = { until: null }
    void act(() => callApi('snoozeRequest', { params: { id }, body }), 'The snooze has ended')
  }
  return (
    <>
      {request.snoozedUntil !== null && (
        <Button size="xs" variant="default" onClick={end}>
          {verbs.endSnooze}
        </Button>
      )}
      <Button size="xs" variant="default" {...keys} {...button}>
        {verbs.snooze}
      </Button>
      <SnoozeMenu request={request} menu={menu} />
    </>
  )
}
