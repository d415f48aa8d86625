import type { ReactNode } from 'react'
import type { InsightView } from '#api/schemas/requests/insights.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { visibleString } from '../text/visible-string.ts'
import { FigureLink } from './figure-link.tsx'
import type { LinkScope } from './insight-links.ts'

/** The units of the marks of a row. */
export const rowHeight = 22
export const rowWidth = 600

/** One group of a chart: its name with a link to its list, its marks, and a figure. */
export function ChartRow(props: {
  scope: LinkScope
  item: InsightView
  figure: ReactNode
  children: ReactNode
}) {
  const { scope, item } = props
  return (
    <li className="chart-row">
      <FigureLink scope={scope} item={item} what="opened" className="chart-name">
        <VisibleText text={item.name} />
      </FigureLink>
      <svg
        className="chart-bar"
        viewBox={`0 0 ${rowWidth} ${rowHeight}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={visibleString(item.name)}
      >
        {props.children}
      </svg>
      <span className="chart-figure">{props.figure}</span>
    </li>
  )
}
