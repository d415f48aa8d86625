import { Button } from '@mantine/core'
import { useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { callApi } from '../../api/call-api.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { useAct } from '../../states/use-act.ts'
import { SnoozeMenu } from './snooze-menu.tsx'
import { verbs } from '../../words/verbs.ts'

/** The button and the key that snooze a pending request for who may decide it, or end that. */
export function Snooze({ request }: { request: RequestDetail }) {
  const act = useAct(['request'])
  const [isOpen, setIsOpen] = useState(false)
  const keys = useAriaKeys('snooze')
  useShortcut('snooze', () => setIsOpen(true))
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
      <SnoozeMenu request={request} isOpen={isOpen} onChange={setIsOpen}>
        <Button size="xs" variant="default" {...keys}>
          {verbs.snooze}
        </Button>
      </SnoozeMenu>
    </>
  )
}
