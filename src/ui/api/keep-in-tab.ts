/**
 * Keeps a text over reloads of this tab. If the browser has no room for it, the text lasts only
 * while the page is open. The older text is then removed: a reload must not bring it back.
 */
export function keepInTab(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text)
  } catch {
    sessionStorage.removeItem(key)
  }
}
