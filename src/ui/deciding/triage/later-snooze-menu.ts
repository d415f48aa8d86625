import { later } from '../../states/later.tsx'

/** `SnoozeMenu`, loaded after the first drawing of a page. */
export const SnoozeMenu = later(() =>
  import('./snooze-menu.tsx').then((module) => module.SnoozeMenu),
)
