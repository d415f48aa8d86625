/**
 * Keeps a text over reloads of this tab. If the browser has no room for it, the text lasts only
 * while the page is open, and an older one is removed, so that it does not come back instead.
 */
export function keepInTab(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text)
  } catch {
    sessionStorage.removeItem(key)
  }
}
