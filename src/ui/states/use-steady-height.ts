import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'

/**
 * The height that an element keeps if its `content` changes without an action of the person, so
 * that nothing below it moves. Null means its natural height. `isGone`: more of its content comes
 * later. A change of the element's width resets the height.
 */
export function useSteadyHeight(
  ref: RefObject<HTMLElement | null>,
  content: unknown,
  isGone: boolean,
): number | null {
  const laid = useRef<{ width: number; height: number } | null>(null)
  const [px, setPx] = useState<number | null>(null)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      const { width, height } = element.getBoundingClientRect()
      if (laid.current !== null && laid.current.width !== width) setPx(null)
      laid.current = { width, height }
    })
    observer.observe(element)
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
