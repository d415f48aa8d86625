import { Button } from '@mantine/core'
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { splitLines } from '#domain/text/line-pieces.ts'
import './turn-words.css'

/** Longer texts are folded. */
const max = { lines: 200, characters: 24_000 }

/**
 * The words of a message. Of a long text the beginning is shown at first, with a button for the
 * rest. All of the text is on the page: if the browser's search scrolls to a folded part, the text
 * unfolds there.
 */
export function TurnWords({ text, children }: { text: string; children: ReactNode }) {
  const { length: lines } = splitLines(text).lines
  const isLong = lines > max.lines || text.length > max.characters
  const [isOpen, setOpen] = useState(false)
  const words = useRef<HTMLDivElement>(null)
  /** the scroll position of the folded text if a search unfolded it; null: the button did */
  const place = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (!isOpen) return
    if (place.current === null) words.current?.focus({ preventScroll: true })
    else window.scrollBy({ top: place.current, behavior: 'instant' })
  }, [isOpen])
  if (!isLong) return <div className="turn-text">{children}</div>
  const onScroll = (): void => {
    place.current = words.current?.scrollTop ?? 0
    setOpen(true)
  }
  return (
    <>
      <div
        ref={words}
        className={isOpen ? 'turn-text' : 'turn-text turn-text-folded'}
        tabIndex={-1}
        {...(!isOpen && { onScroll })}
      >
        {children}
      </div>
      {!isOpen && (
        <Button
          className="turn-unfold"
          size="compact-sm"
          variant="default"
          onClick={() => setOpen(true)}
        >
          Show all {lines > 1 ? `${count(lines)} lines` : `${count(text.length)} characters`}
        </Button>
      )}
    </>
  )
}

function count(number: number): string {
  return number.toLocaleString('en')
}
