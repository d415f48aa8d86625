import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'

/** A reader within this distance of the end, in pixels, follows it. */
const maxDistancePx = 160

/** Events by which a person scrolls or reads. */
const acts = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Keeps the end of `region` on the screen while it grows (`growth` changes), unless the person has
 * scrolled away. On a phone other parts of the page are below the region. `behind`: new content is
 * not on the screen. `follow` does the same for content that grows without `growth`.
 */
export function useFollowEnd(
  region: RefObject<HTMLElement | null>,
  growth: string | null,
  startAtEnd: boolean,
): { readonly behind: boolean; readonly follow: () => void; readonly toEnd: () => void } {
  const isAtEnd = useRef(startAtEnd)
  const lastGrowth = useRef<string | null>(null)
  const [behind, setBehind] = useState(false)
  useEffect(() => {
    let beforeY = window.scrollY
    const onScroll = (): void => {
      // A person who was at the end at the last scroll is still there after the content has grown.
      const isUpward = window.scrollY < beforeY
      beforeY = window.scrollY
      isAtEnd.current = isNearEnd(region.current) || (isAtEnd.current && !isUpward)
      if (isAtEnd.current) setBehind(false)
    }
    // A keyboard that opens takes a part of the screen.
    const onResize = (): void => {
      if (isAtEnd.current) scrollToEnd(region.current)
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    window.addEventListener('resize', onResize)
    return () => {
      window.removeEventListener('scroll', onScroll)
      window.removeEventListener('resize', onResize)
    }
  }, [region])
  useEffect(() => {
    // Parts of the page that load later move the end of the turns. Follows it until the person
    // acts; from then on nothing moves by itself.
    const place = region.current
    if (!startAtEnd || place === null) return
    const observer = new ResizeObserver(() => {
      if (lastGrowth.current !== null && isAtEnd.current) scrollToEnd(place)
    })
    observer.observe(place)
    const stop = (): void => observer.disconnect()
    for (const act of acts) window.addEventListener(act, stop, { once: true, passive: true })
    return () => {
      stop()
      for (const act of acts) window.removeEventListener(act, stop)
    }
  }, [region, startAtEnd])
  useEffect(() => {
    if (growth === null || growth === lastGrowth.current) return
    const isFirst = lastGrowth.current === null
    lastGrowth.current = growth
    if (isFirst ? startAtEnd : isAtEnd.current || isNearEnd(region.current)) {
      scrollToEnd(region.current)
    } else if (!isFirst) setBehind(true)
  }, [region, growth, startAtEnd])
  const follow = useCallback((): void => {
    if (isAtEnd.current || isNearEnd(region.current)) scrollToEnd(region.current)
  }, [region])
  const toEnd = (): void => {
    setBehind(false)
    scrollToEnd(region.current)
  }
  return { behind, follow, toEnd }
}

/** Whether the last lines are on the screen, or a little below it. */
function isNearEnd(region: HTMLElement | null): boolean {
  if (region === null) return false
  const { bottom } = region.getBoundingClientRect()
  return bottom > 0 && bottom - window.innerHeight < maxDistancePx
}

function scrollToEnd(region: HTMLElement | null): void {
  region?.scrollIntoView({ block: 'end' })
}
