import { useEffect, useRef, useState, type ReactNode } from 'react'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { linesAtOnce } from '../effect/lines-view.tsx'

/**
 * Draws `children` once their place has been within one screen height of the screen. Until then it
 * has about their height. What was drawn stays.
 */
export function NearScreen(props: { isDrawnAtOnce: boolean; lines: number; children: ReactNode }) {
  const { isDrawnAtOnce, lines } = props
  const [isNear, setNear] = useState(isDrawnAtOnce)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const observer = new IntersectionObserver(
      (changes) => {
        if (changes.some(({ isIntersecting }) => isIntersecting)) setNear(true)
      },
      { rootMargin: '100% 0px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [isNear])
  if (isNear) return props.children
  const height = `calc(${Math.min(lines, linesAtOnce)} * var(--code-size) * var(--code-leading))`
  return (
    <div ref={place} style={{ minHeight: height }}>
      <p className="dim small">
        {countWords(lines, 'line')}, drawn when they come near the screen.
      </p>
    </div>
  )
}
