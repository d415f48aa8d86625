import type { InsightView } from '#api/schemas/requests/insights.ts'
import { visibleString } from '../text/visible-string.ts'
import { FigureLink } from './figure-link.tsx'
import { ChartRow, rowHeight, rowWidth } from './chart-row.tsx'
import type { Figure, LinkScope } from './insight-links.ts'

/** One part of the bars of a chart: what it counts, its words, and its colour. */
export interface BarPart {
  readonly what: Figure
  readonly words: string
  readonly className: string
  readonly count: (item: InsightView) => number
}

/**
 * A bar for each group, with a part for each count, below what the colours mean. Every part leads
 * to the list behind it. The table below says the same.
 */
export function BarChart(props: {
  label: string
  parts: readonly BarPart[]
  scope: LinkScope
  items: readonly InsightView[]
  /** the text beside each bar */
  figure: 'opened' | 'waiting'
}) {
  const { label, parts, scope, items, figure } = props
  const totals = items.map((item) => parts.reduce((sum, part) => sum + part.count(item), 0))
  const maxCount = Math.max(1, ...totals)
  return (
    <>
      <ChartLegend parts={parts} />
      <ul className="chart" aria-label={label}>
        {items.map((item) => {
          let x = 0
          return (
            <ChartRow
              key={item.key}
              scope={scope}
              item={item}
              figure={
                <FigureLink
                  scope={scope}
                  item={item}
                  what={figure}
                  label={`${item[figure]} ${figure}: ${visibleString(item.name)}`}
                >
                  {item[figure]}
                </FigureLink>
              }
            >
              {parts.map(({ what, words, className, count }) => {
                const size = (count(item) / maxCount) * rowWidth
                const at = x
                x += size
                if (size === 0) return null
                const partLabel = `${count(item)} ${words}: ${visibleString(item.name)}`
                return (
                  <FigureLink key={words} scope={scope} item={item} what={what} label={partLabel}>
                    <title>{partLabel}</title>
                    <rect
                      className={className}
                      x={at}
                      y={2}
                      width={Math.max(1, size - 1.5)}
                      height={rowHeight - 4}
                    />
                  </FigureLink>
                )
              })}
            </ChartRow>
          )
        })}
      </ul>
    </>
  )
}

/** What the colours of the bars mean. */
export function ChartLegend({ parts }: { parts: readonly Pick<BarPart, 'words' | 'className'>[] }) {
  return (
    <ul className="chart-legend" aria-label="Colours">
      {parts.map(({ words, className }) => (
        <li key={words}>
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden>
            <rect className={className} width="12" height="12" rx="2" />
          </svg>
          {words}
        </li>
      ))}
    </ul>
  )
}
