import { notifications } from '@mantine/notifications'
import type { ComponentType } from 'react'
import { later } from '../states/later.tsx'

/**
 * A dialog over the page whose script is loaded when it opens. If the script does not load, the
 * page stays as it is, and a message tells the person.
 */
export function laterDialog<Props extends { readonly onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
) {
  return later(load, () => null, {
    needOf: () => null,
    onFailure: ({ onClose }) => {
      onClose()
      const message =
        'This part of the dashboard could not be loaded. Reload the page when the service can be reached.'
      notifications.show({ color: 'red', message })
    },
  })
}
