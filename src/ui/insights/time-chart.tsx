import { Link } from 'react-router'
import type { InsightView } from '#api/schemas/requests/insights.ts'
import type { InsightKey } from '#domain/insight-key.ts'
import { ChartRow, rowHeight, rowWidth } from './chart-row.tsx'
import { listBehind } from './insight-links.ts'
import { secondsInWords } from './seconds-in-words.ts'

/**
 * From opening to deciding: a bar to the median, a line to where nine of ten were decided. Times
 * differ by orders of magnitude, so that the scale is logarithmic.
 */
export function TimeChart({ by, items }: { by: InsightKey; items: readonly InsightView[] }) {
  const decided = items.filter(({ medianSeconds }) => medianSeconds !== null)
  const longest = Math.max(10, ...decided.map(({ p90Seconds }) => p90Seconds ?? 0))
  const place = (seconds: number): number => (Math.log1p(seconds) / Math.log1p(longest)) * rowWidth
  return (
    <ul className="chart" aria-label="How long deciding took">
      {decided.map((item) => {
        const median = item.medianSeconds ?? 0
        const p90 = item.p90Seconds ?? median
        const label = `half within ${secondsInWords(median)}, nine of ten within ${secondsInWords(p90)}: ${item.name}`
        return (
          <ChartRow key={item.key} by={by} item={item} figure={secondsInWords(median)}>
            <Link to={listBehind(by, item, 'approved')} aria-label={label}>
              <title>{label}</title>
              <rect className="mark-track" x={0} y={2} width={rowWidth} height={rowHeight - 4} />
              <rect className="mark-p90" x={0} y={9} width={Math.max(2, place(p90))} height={4} />
              <rect
                className="mark-median"
                x={0}
                y={5}
                width={Math.max(2, place(median))}
                height={12}
              />
            </Link>
          </ChartRow>
        )
      })}
    </ul>
  )
}
