import { useEffect, useState, useSyncExternalStore } from 'react'
import { unseenParts, type Interval } from './seen-intervals.ts'
import { scrollToPart } from './show-unseen.ts'
import type { SeenTracker } from './use-seen.ts'

/** The range of a change, for its mark in the map. */
interface Change extends Interval {
  readonly sign: 'added' | 'removed'
}

/**
 * The part that has not been on the screen yet: its size, a button that scrolls to it, and a map
 * with the changes. Hidden once everything has been seen.
 */
export function SeenMap({ region, tracker }: { region: HTMLElement | null; tracker: SeenTracker }) {
  const { intervals, height } = useSyncExternalStore(tracker.subscribe, tracker.read)
  const changes = useChanges(region, height)
  const unseen = height === 0 ? [] : unseenParts(intervals, height)
  const [first] = unseen
  if (region === null || first === undefined) return null
  const pixels = unseen.reduce((sum, { from, to }) => sum + to - from, 0)
  const rounded = Math.round((pixels / height) * 100)
  const share = intervals.length === 0 ? 100 : Math.min(99, Math.max(1, rounded))
  return (
    <>
      <div className="seen-note" role="group" aria-label="What has not been on the screen">
        <button
          type="button"
          className="link-button small"
          onClick={() => scrollToPart(region, first.from)}
        >
          {share}% not seen yet: show it
        </button>
      </div>
      <div className="seen-map">
        <svg
          viewBox={`0 0 10 ${height}`}
          // The map is not higher than the content that it shows.
          style={{ maxHeight: height }}
          preserveAspectRatio="none"
          aria-hidden
          onClick={(event) => {
            const box = event.currentTarget.getBoundingClientRect()
            scrollToPart(region, ((event.clientY - box.top) / box.height) * height)
          }}
        >
          {unseen.map(({ from, to }) => (
            <rect key={from} x="0" y={from} width="10" height={to - from} className="map-unseen" />
          ))}
          {changes.map(({ from, to, sign }) => (
            <rect
              key={from}
              x="3"
              y={from}
              width="4"
              height={to - from}
              className={`map-${sign}`}
            />
          ))}
        </svg>
      </div>
    </>
  )
}

/** The ranges of the changed lines, measured again when the total height changes. */
function useChanges(region: HTMLElement | null, height: number): readonly Change[] {
  const [changes, setChanges] = useState<readonly Change[]>([])
  useEffect(() => {
    if (region === null || height === 0) return
    const { top } = region.getBoundingClientRect()
    const visibleChanges: Change[] = []
    for (const cell of region.querySelectorAll<HTMLElement>(
      '.diff-code-insert, .diff-code-delete, .code-line-added, .code-line-removed',
    )) {
      const box = cell.getBoundingClientRect()
      const isAdded = cell.matches('.diff-code-insert, .code-line-added')
      const next: Change = {
        from: box.top - top,
        to: box.bottom - top,
        sign: isAdded ? 'added' : 'removed',
      }
      const last = visibleChanges.at(-1)
      if (last?.sign === next.sign && next.from <= last.to + 2) {
        visibleChanges[visibleChanges.length - 1] = { ...last, to: next.to }
      } else visibleChanges.push(next)
    }
    setChanges(visibleChanges)
  }, [region, height])
  return changes
}
