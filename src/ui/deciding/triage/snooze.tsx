import { Button } from '@mantine/core'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useMenuButton } from '../../floating/use-menu-button.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { SnoozeMenu } from './later-snooze-menu.ts'
import { verbs } from '../../words/verbs.ts'

/**
 * The button and the key of the menu that snoozes a pending request or ends the snooze, for a
 * person who may decide it. `onSnoozed` is called once the service has snoozed it.
 */
export function Snooze(props: { request: RequestDetail; onSnoozed?: () => void }) {
  const { request, onSnoozed } = props
  const { menu, button, open } = useMenuButton()
  const keys = useAriaKeys('snooze')
  useShortcut('snooze', open)
  return (
    <>
      <Button size="xs" variant="default" {...keys} {...button}>
        {request.snoozedUntil === null ? verbs.snooze : 'Snoozed'}
      </Button>
      <SnoozeMenu
        request={request}
        menu={menu}
        onDone={(isSnoozed) => isSnoozed && onSnoozed?.()}
      />
    </>
  )
}
