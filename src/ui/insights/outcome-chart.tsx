import type { InsightView } from '#api/schemas/requests/insights.ts'
import { BarChart, ChartLegend, type BarPart } from './bar-chart.tsx'
import { outcomes, type LinkScope } from './insight-links.ts'

const parts = outcomes.map((what): BarPart => ({
  what,
  words: what,
  className: `mark-${what}`,
  count: (item) => item[what],
}))

/** What became of the requests of each group. */
export function OutcomeChart(props: { scope: LinkScope; items: readonly InsightView[] }) {
  const { scope, items } = props
  return (
    <>
      <ChartLegend parts={parts} />
      <BarChart label="Outcomes" parts={parts} scope={scope} items={items} figure="opened" />
    </>
  )
}
