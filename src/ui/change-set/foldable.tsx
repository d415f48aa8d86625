import { useLayoutEffect, useRef, type ReactNode } from 'react'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { headerBottom } from '../effect/seeing/sticky-heads.ts'
import { cardAround } from './call-focus.ts'

/**
 * The effect of a call, which is folded once it was viewed: it keeps its state, and nothing of it
 * is on the screen. The focus and the start of the call stay on the screen when it is folded.
 */
export function Foldable(props: {
  isFolded: boolean
  lines: number
  onUnfold: () => void
  children: ReactNode
}) {
  const { isFolded, lines, onUnfold } = props
  const content = useRef<HTMLDivElement>(null)
  const wasFolded = useRef(isFolded)
  useLayoutEffect(() => {
    if (isFolded && !wasFolded.current) keepInSight(content.current)
    wasFolded.current = isFolded
  }, [isFolded])
  return (
    <>
      {isFolded && (
        <button type="button" className="code-fold" onClick={onUnfold}>
          Viewed: show the {countWords(lines, 'line')}
        </button>
      )}
      <div ref={content} className="change-effect" hidden={isFolded}>
        {props.children}
      </div>
    </>
  )
}

/** Shows the call of the folded content if it lost its place on the screen, or had the focus. */
function keepInSight(content: HTMLElement | null): void {
  const card = cardAround(content)
  if (card === null) return
  // The browser takes the focus from hidden elements later.
  const hadFocus = content?.contains(document.activeElement) === true
  if (card.getBoundingClientRect().top < headerBottom()) card.scrollIntoView({ block: 'start' })
  if (hadFocus) card.focus({ preventScroll: true })
}
