import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'

/**
 * The height that a row keeps when `content` of it changes by no act of the person, so that nothing
 * below it moves; null while it is its own. What became of a row that is gone is read later.
 * Another width of the row lets it go: then everything moves anyway.
 */
export function useSteadyHeight(
  ref: RefObject<HTMLElement | null>,
  content: unknown,
  isGone: boolean,
): number | null {
  const laid = useRef<{ width: number; height: number } | null>(null)
  const [px, setPx] = useState<number | null>(null)
  useEffect(() => {
    const row = ref.current
    if (row === null) return
    const observer = new ResizeObserver(() => {
      const { width, height } = row.getBoundingClientRect()
      if (laid.current !== null && laid.current.width !== width) setPx(null)
      laid.current = { width, height }
    })
    observer.observe(row)
    return () => observer.disconnect()
  }, [ref])
  useLayoutEffect(() => {
    const before = laid.current
    const now = ref.current?.getBoundingClientRect()
    if (before === null || now === undefined || now.width !== before.width) return
    if (isGone || now.height !== before.height) setPx(before.height)
  }, [ref, content, isGone])
  return px
}
