/**
 * Gives the bar of the browser or of the installed app the colour of the page, even if the person
 * has chosen another scheme than that of the system. Returns a function that stops it.
 */
export function colourBrowserBar(): () => void {
  const root = document.documentElement
  const colour = (): void => {
    const background = getComputedStyle(root).getPropertyValue('--bg')
    for (const bar of document.querySelectorAll('meta[name="theme-color"]')) {
      bar.setAttribute('content', background)
    }
  }
  colour()
  const observer = new MutationObserver(colour)
  observer.observe(root, { attributeFilter: ['data-mantine-color-scheme'] })
  return () => observer.disconnect()
}
