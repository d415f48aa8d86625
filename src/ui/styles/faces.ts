/** What takes longer is drawn in the reader's own fonts first. */
const longestMs = 1_000

/**
 * Settled when the faces of the dashboard are there, or do not come. What is drawn in another face
 * before moves when they arrive.
 */
export const faces: Promise<unknown> = Promise.race([
  Promise.allSettled([
    document.fonts.load("1rem 'Schibsted Grotesk'"),
    document.fonts.load("1rem 'JetBrains Mono'"),
  ]),
  new Promise((resolve) => setTimeout(resolve, longestMs)),
])
