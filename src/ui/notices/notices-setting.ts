const key = 'countersign.notices'

/** Whether this browser shows notifications; `off` until the person switches them on. */
export type NoticesState = 'unsupported' | 'denied' | 'off' | 'on'

/** The current state. Both the permission of the browser and the switch of the page are needed. */
export function noticesState(): NoticesState {
  if (!('Notification' in window)) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  return Notification.permission === 'granted' && localStorage.getItem(key) === 'on' ? 'on' : 'off'
}

/**
 * Switches notifications on or off, and returns the state. Asks the browser for permission, which
 * needs a click.
 */
export async function switchNotices(on: boolean): Promise<NoticesState> {
  if (on && Notification.permission !== 'granted') await Notification.requestPermission()
  if (on) localStorage.setItem(key, 'on')
  else localStorage.removeItem(key)
  return noticesState()
}
