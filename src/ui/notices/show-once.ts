const key = 'countersign.noticed'
const mostKept = 200
/** A tab that is looked at goes first: then the others are silent. */
const hiddenWaitsMs = 400

/**
 * Whether this tab is the one that tells of a request: one of all tabs of the browser is, once. A tab that is visible
 * takes it at once, and shows it on the page as ever.
 */
export async function isFirstToTell(requestId: string): Promise<boolean> {
  if (document.visibilityState !== 'visible') {
    await new Promise((resolve) => setTimeout(resolve, hiddenWaitsMs))
  }
  return navigator.locks.request(key, () => {
    const told = read()
    if (told.includes(requestId)) return false
    localStorage.setItem(key, JSON.stringify([...told, requestId].slice(-mostKept)))
    return true
  })
}

function read(): readonly unknown[] {
  try {
    const told: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(told) ? told : []
  } catch {
    return []
  }
}
