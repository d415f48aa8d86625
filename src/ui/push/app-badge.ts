/** Shows on the icon of the installed app how many requests wait; nothing where browsers cannot. */
export function showBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return
  const shown = count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count)
  shown.catch(() => undefined)
}
