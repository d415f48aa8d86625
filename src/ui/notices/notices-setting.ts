const key = 'countersign.notices'

/** Whether this browser shows notices: `off` until somebody switches them on. */
export type NoticesState = 'unsupported' | 'denied' | 'off' | 'on'

/** How it stands now: both the browser's permission and our own switch must say yes. */
export function noticesState(): NoticesState {
  if (!('Notification' in window)) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  return Notification.permission === 'granted' && localStorage.getItem(key) === 'on' ? 'on' : 'off'
}

/** Switches notices, asking the browser for permission, which needs a click; the state after it. */
export async function switchNotices(on: boolean): Promise<NoticesState> {
  if (on && Notification.permission !== 'granted') await Notification.requestPermission()
  if (on) localStorage.setItem(key, 'on')
  else localStorage.removeItem(key)
  return noticesState()
}
