const works = new Set<() => void>()

/**
 * Runs a function in the next frame, once, together with those of all others. React then draws all
 * their changes in one step. If each function had a frame of its own, React would end a page with
 * more than fifty of them with an error.
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
