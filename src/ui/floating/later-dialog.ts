import type { ComponentType } from 'react'
import { later } from '../states/later.tsx'
import { showError } from '../states/show-error.ts'

interface DialogProps {
  /** false: it is closed; absent: it is drawn only while it is open */
  readonly isOpen?: boolean
  readonly onClose: (isDone: false) => void
}

/**
 * A dialog over the page whose script is loaded when it opens, or when it is first drawn. If the
 * script does not load, the page stays as it is, and a message tells the person who opens it.
 */
export function laterDialog<Props extends DialogProps>(load: () => Promise<ComponentType<Props>>) {
  return later(load, () => null, {
    needOf: ({ isOpen }) => isOpen,
    onFailure: ({ isOpen, onClose }) => {
      if (isOpen === false) return
      onClose(false)
      showError(
        'This part of the dashboard could not be loaded. Reload the page when the service can be reached.',
      )
    },
  })
}
