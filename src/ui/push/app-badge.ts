/** Shows the number of pending requests on the icon of the installed app, if the browser can. */
export function showBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return
  const badge = count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count)
  badge.catch(() => undefined)
}
