import { useQueryClient } from '@tanstack/react-query'
import { createContext, useEffect, useRef, useState, type ReactNode } from 'react'
import { LoadingCards, LoadingRows, type CardLayout } from './loading.tsx'

/** After this time the parts are shown, and what has not loaded shows its own placeholder. */
const maxWaitMs = 3_000
/**
 * Loading counts as ended after this many frames without a query, because one answer may cause the
 * next query.
 */
const quietFrames = 3

/** False while a part of a page is drawn and not on the screen yet: it takes no focus. */
export const OnScreenContext = createContext(true)

/**
 * Shows the parts of a page together once their first data is loaded, so that none moves another
 * when its data arrives. Until then they are rendered and hidden.
 */
export function Together(props: {
  what: string
  /** what stands in their place until then */
  layout: CardLayout | 'rows'
  children: ReactNode
}) {
  const { what, layout, children } = props
  const client = useQueryClient()
  const region = useRef<HTMLDivElement>(null)
  const [ready, setReady] = useState(false)
  useEffect(() => {
    if (ready) return undefined
    const until = performance.now() + maxWaitMs
    let quiet = 0
    let frame = 0
    const check = (): void => {
      const isBusy =
        document.fonts.status === 'loading' ||
        region.current?.querySelector('[aria-busy="true"]') !== null ||
        client.isFetching({ predicate: ({ state }) => state.data === undefined }) > 0
      quiet = isBusy ? 0 : quiet + 1
      if (quiet >= quietFrames || performance.now() > until) setReady(true)
      else frame = requestAnimationFrame(check)
    }
    frame = requestAnimationFrame(check)
    return () => cancelAnimationFrame(frame)
  }, [client, ready])
  return (
    <OnScreenContext value={ready}>
      {!ready &&
        (layout === 'rows' ? (
          <LoadingRows what={what} />
        ) : (
          <LoadingCards what={what} layout={layout} />
        ))}
      <div ref={region} hidden={!ready}>
        {children}
      </div>
    </OnScreenContext>
  )
}
