/** Shows on the icon of the installed app how many requests wait; nothing where browsers cannot. */
export function showBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return
  const badge = count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count)
  badge.catch(() => undefined)
}
