import { cloneElement, useEffect, useState, type PointerEvent, type ReactElement } from 'react'
import { later } from '../states/later.tsx'

const HintBubble = later(
  () => import('./hint-bubble.tsx').then((module) => module.HintBubble),
  () => null,
  // Without the script the page has no hints, and is otherwise complete.
  { needOf: ({ target }) => target, onFailure: () => undefined },
)

/** A mouse that only crosses an element shows no hint. */
const delayMs = 350

interface PointerHandlers {
  onPointerEnter?: (event: PointerEvent<HTMLElement>) => void
  onPointerLeave?: () => void
}

/**
 * A text beside its child while a mouse rests on it. The child must say the same to a screen
 * reader. Its script is loaded when it is first shown. Escape hides it.
 */
export function Hint(props: {
  label: string
  maxWidth?: number
  children: ReactElement<PointerHandlers>
}) {
  const { label, maxWidth, children } = props
  const [over, setOver] = useState<HTMLElement | null>(null)
  const [target, setTarget] = useState<HTMLElement | null>(null)
  useEffect(() => {
    if (over === null) return
    const timer = setTimeout(() => setTarget(over), delayMs)
    return () => clearTimeout(timer)
  }, [over])
  const leave = (): void => {
    setOver(null)
    setTarget(null)
  }
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: (event) => {
          if (event.pointerType === 'mouse') setOver(event.currentTarget)
        },
        onPointerLeave: leave,
      })}
      {target !== null && (
        <HintBubble target={target} label={label} maxWidth={maxWidth} onClose={leave} />
      )}
    </>
  )
}
