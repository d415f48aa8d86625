import type { InsightView } from '#api/schemas/requests/insights.ts'
import { visibleString } from '../text/visible-string.ts'
import { FigureLink } from './figure-link.tsx'
import { ChartRow, rowHeight, rowWidth } from './chart-row.tsx'
import type { LinkScope } from './insight-links.ts'
import { secondsInWords, withinInWords } from './seconds-in-words.ts'

/**
 * The time from opening to decision: a bar to the median, and a line to the 90th percentile. The
 * scale is logarithmic, because times differ by orders of magnitude.
 */
export function TimeChart(props: { scope: LinkScope; items: readonly InsightView[] }) {
  const { scope, items } = props
  const decidedItems = items.filter(({ medianSeconds }) => medianSeconds !== null)
  const longest = Math.max(10, ...decidedItems.map(({ p90Seconds }) => p90Seconds ?? 0))
  const place = (seconds: number): number => (Math.log1p(seconds) / Math.log1p(longest)) * rowWidth
  return (
    <ul className="chart" aria-label="How long deciding took">
      {decidedItems.map((item) => {
        const median = item.medianSeconds ?? 0
        const p90 = item.p90Seconds ?? median
        const label = `half ${withinInWords(median)}, nine of ten ${withinInWords(p90)}: ${visibleString(item.name)}`
        return (
          <ChartRow key={item.key} scope={scope} item={item} figure={secondsInWords(median)}>
            <FigureLink scope={scope} item={item} what="decided" label={label}>
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
            </FigureLink>
          </ChartRow>
        )
      })}
    </ul>
  )
}
