/** After this time the page is drawn in the fonts of the reader's system first. */
const maxWaitMs = 1_000

/**
 * Settled when the fonts of the dashboard are loaded, or cannot be. Text that is drawn in another
 * font before moves when they arrive.
 */
export const fontFaces: Promise<unknown> = Promise.race([
  Promise.allSettled([
    document.fonts.load("1rem 'Schibsted Grotesk'"),
    document.fonts.load("1rem 'JetBrains Mono'"),
  ]),
  new Promise((resolve) => setTimeout(resolve, maxWaitMs)),
])
