const works = new Set<() => void>()

/**
 * Runs a function in the next frame, once, together with those of all others. React then draws what
 * they change in one step: it ends a page that more than fifty of them change one after the other.
 */
export function inNextFrame(work: () => void): void {
  if (works.size === 0) requestAnimationFrame(runAll)
  works.add(work)
}

/** The function does not run, unless it is given to `inNextFrame` again. */
export function notInNextFrame(work: () => void): void {
  works.delete(work)
}

/** Each runs, also after one that throws, which is reported as an error of the page. */
function runAll(): void {
  const all = [...works]
  works.clear()
  for (const work of all) {
    try {
      work()
    } catch (error) {
      reportError(error)
    }
  }
}
