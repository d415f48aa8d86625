import { useEffect, useRef, useState } from 'react'

/** Nearer to the end than this, in pixels, somebody reads the end. */
const nearMost = 160

/**
 * Keeps the end of the page on the screen while it grows (`growth` says that it did), unless the
 * reader has scrolled up. `behind`: something came since that is not on the screen.
 */
export function useFollowEnd(
  growth: string | null,
  startAtEnd: boolean,
): { readonly behind: boolean; readonly toEnd: () => void } {
  const isAtEnd = useRef(startAtEnd)
  const [behind, setBehind] = useState(false)
  useEffect(() => {
    const onScroll = (): void => {
      isAtEnd.current = distanceToEnd() < nearMost
      if (isAtEnd.current) setBehind(false)
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [])
  const seen = useRef<string | null>(null)
  useEffect(() => {
    if (growth === null || growth === seen.current) return
    const isFirst = seen.current === null
    seen.current = growth
    if (isFirst ? startAtEnd : isAtEnd.current || distanceToEnd() < nearMost) scrollToEnd()
    else if (!isFirst) setBehind(true)
  }, [growth, startAtEnd])
  const toEnd = (): void => {
    setBehind(false)
    scrollToEnd()
  }
  return { behind, toEnd }
}

function distanceToEnd(): number {
  const { scrollHeight, clientHeight } = document.documentElement
  return scrollHeight - clientHeight - window.scrollY
}

function scrollToEnd(): void {
  window.scrollTo({ top: document.documentElement.scrollHeight })
}
