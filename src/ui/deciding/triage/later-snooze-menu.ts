import { laterMenu } from '../../floating/later-menu.ts'

/** `SnoozeMenu`, loaded after the first drawing of a page. */
export const SnoozeMenu = laterMenu(() =>
  import('./snooze-menu.tsx').then((module) => module.SnoozeMenu),
)
