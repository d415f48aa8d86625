import { Link } from 'react-router'
import type { InsightView } from '#api/schemas/requests/insights.ts'
import type { InsightKey } from '#domain/insight-key.ts'
import { ChartRow, rowHeight, rowWidth } from './chart-row.tsx'
import { listBehind, outcomes } from './insight-links.ts'

/**
 * A bar for each group, with a part for each outcome. Every part leads to the list behind it. The
 * table below says the same.
 */
export function OutcomeChart({ by, items }: { by: InsightKey; items: readonly InsightView[] }) {
  const totals = items.map((item) => outcomes.reduce((sum, what) => sum + item[what], 0))
  const most = Math.max(1, ...totals)
  return (
    <ul className="chart" aria-label="Outcomes">
      {items.map((item) => {
        let x = 0
        return (
          <ChartRow
            key={item.key}
            by={by}
            item={item}
            figure={
              <Link
                to={listBehind(by, item, 'opened')}
                aria-label={`${item.opened} opened: ${item.name}`}
              >
                {item.opened}
              </Link>
            }
          >
            {outcomes.map((what) => {
              const size = (item[what] / most) * rowWidth
              const at = x
              x += size
              if (size === 0) return null
              const label = `${item[what]} ${what}: ${item.name}`
              return (
                <Link key={what} to={listBehind(by, item, what)} aria-label={label}>
                  <title>{label}</title>
                  <rect
                    className={`mark-${what}`}
                    x={at}
                    y={2}
                    width={Math.max(1, size - 1.5)}
                    height={rowHeight - 4}
                  />
                </Link>
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
