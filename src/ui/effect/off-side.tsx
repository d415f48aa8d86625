import { useEffect, useRef, useState, type ReactNode } from 'react'

/**
 * The box of a difference. If lines continue beyond its right edge, the difference is not complete,
 * and the box says so.
 */
export function OffSide(props: {
  wrap: boolean
  isComplete: boolean
  onComplete?: ((isComplete: boolean) => void) | undefined
  children: ReactNode
}) {
  const { wrap, isComplete, onComplete } = props
  const box = useRef<HTMLDivElement>(null)
  const [hides, setHides] = useState(false)
  useEffect(() => {
    const element = box.current
    if (wrap || element === null) {
      setHides(false)
      return undefined
    }
    const measure = (): void => {
      // While it is folded it has no width, and keeps what was said of it.
      if (element.clientWidth > 0) setHides(element.scrollWidth > element.clientWidth + 1)
    }
    const resizeObserver = new ResizeObserver(measure)
    resizeObserver.observe(element)
    if (element.firstElementChild !== null) resizeObserver.observe(element.firstElementChild)
    return () => resizeObserver.disconnect()
  }, [wrap])
  useEffect(() => onComplete?.(isComplete && !hides), [onComplete, isComplete, hides])
  return (
    <>
      {hides && (
        <p className="small soon">
          Lines continue beyond the right edge. They count as not seen until you wrap them.
        </p>
      )}
      <div
        ref={box}
        className={wrap ? 'diff-box' : 'diff-box diff-unwrapped'}
        {...(!wrap && { tabIndex: 0, role: 'region', 'aria-label': 'The difference' })}
      >
        {props.children}
      </div>
    </>
  )
}
