import { cloneElement, useState, type PointerEvent, type ReactElement } from 'react'
import { later } from '../states/later.tsx'

const HintBubble = later(() => import('./hint-bubble.tsx').then((module) => module.HintBubble))

interface PointerHandlers {
  onPointerEnter?: (event: PointerEvent<HTMLElement>) => void
  onPointerLeave?: () => void
}

/**
 * A text beside its child while a mouse is over it. It adds nothing that the child does not also
 * say to a screen reader. Its script is loaded when it is first shown. Escape hides it.
 */
export function Hint(props: {
  label: string
  maxWidth?: number
  children: ReactElement<PointerHandlers>
}) {
  const { label, maxWidth, children } = props
  const [target, setTarget] = useState<HTMLElement | null>(null)
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: (event) => {
          if (event.pointerType === 'mouse') setTarget(event.currentTarget)
        },
        onPointerLeave: () => setTarget(null),
      })}
      {target !== null && (
        <HintBubble
          target={target}
          label={label}
          maxWidth={maxWidth}
          onClose={() => setTarget(null)}
        />
      )}
    </>
  )
}
