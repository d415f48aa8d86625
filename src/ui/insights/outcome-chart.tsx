import type { InsightView } from '#api/schemas/requests/insights.ts'
import { visibleString } from '../text/visible-string.ts'
import { Behind } from './behind.tsx'
import { ChartRow, rowHeight, rowWidth } from './chart-row.tsx'
import { outcomes, type LinkScope } from './insight-links.ts'

/**
 * A bar for each group, with a part for each outcome. Every part leads to the list behind it. The
 * table below says the same.
 */
export function OutcomeChart(props: { scope: LinkScope; items: readonly InsightView[] }) {
  const { scope, items } = props
  const totals = items.map((item) => outcomes.reduce((sum, what) => sum + item[what], 0))
  const most = Math.max(1, ...totals)
  return (
    <ul className="chart" aria-label="Outcomes">
      {items.map((item) => {
        let x = 0
        return (
          <ChartRow
            key={item.key}
            scope={scope}
            item={item}
            figure={
              <Behind
                scope={scope}
                item={item}
                what="opened"
                label={`${item.opened} opened: ${visibleString(item.name)}`}
              >
                {item.opened}
              </Behind>
            }
          >
            {outcomes.map((what) => {
              const size = (item[what] / most) * rowWidth
              const at = x
              x += size
              if (size === 0) return null
              const label = `${item[what]} ${what}: ${visibleString(item.name)}`
              return (
                <Behind key={what} scope={scope} item={item} what={what} label={label}>
                  <title>{label}</title>
                  <rect
                    className={`mark-${what}`}
                    x={at}
                    y={2}
                    width={Math.max(1, size - 1.5)}
                    height={rowHeight - 4}
                  />
                </Behind>
              )
            })}
          </ChartRow>
        )
      })}
    </ul>
  )
}

/** What the colours of the bars mean. */
export function OutcomeLegend() {
  return (
    <ul className="chart-legend" aria-label="Colours">
      {outcomes.map((what) => (
        <li key={what}>
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden>
            <rect className={`mark-${what}`} width="12" height="12" rx="2" />
          </svg>
          {what}
        </li>
      ))}
    </ul>
  )
}
