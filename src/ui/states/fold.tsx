import { useLayoutEffect, useRef, useState, type RefObject } from 'react'

/**
 * Whether the end of a folded text is cut off, at any width and size of the text. Once it is open,
 * the answer stays, so that it can be folded again.
 */
export function useCut<T extends HTMLElement>(
  text: string,
  isOpen: boolean,
): { readonly ref: RefObject<T | null>; readonly isCut: boolean } {
  const ref = useRef<T>(null)
  const [isCut, setCut] = useState(false)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null || isOpen) return
    const measure = (): void => setCut(element.scrollHeight > element.clientHeight + 1)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [text, isOpen])
  return { ref, isCut }
}

/** Shows all of a folded text, and folds it again (`useCut` says whether it is cut). */
export function FoldButton(props: {
  readonly what: string
  readonly isOpen: boolean
  readonly onToggle: () => void
}) {
  const { what, isOpen, onToggle } = props
  return (
    <button type="button" className="link-button" aria-expanded={isOpen} onClick={onToggle}>
      {isOpen ? 'Show less' : `Show all of the ${what}`}
    </button>
  )
}
