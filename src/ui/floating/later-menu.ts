import type { ComponentType } from 'react'
import { later } from '../states/later.tsx'
import { showError } from '../states/show-error.ts'
import type { MenuOfButton } from './use-menu-button.ts'

/**
 * A menu whose script is loaded after its button is drawn. If the script does not load, the page
 * stays, and a message tells the person who opens the menu. The next opening tries again, in
 * browsers that load a script twice.
 */
export function laterMenu<Props extends { readonly menu: MenuOfButton }>(
  load: () => Promise<ComponentType<Props>>,
) {
  return later(load, () => null, {
    needOf: ({ menu }) => menu.isOpen,
    onFailure: ({ menu }) => {
      if (!menu.isOpen) return
      menu.onChange(false)
      showError('This menu could not be loaded. Reload the page when the service can be reached.')
    },
  })
}
