import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { InsightView } from '#api/schemas/requests/insights.ts'
import type { InsightKey } from '#domain/insight-key.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { listBehind } from './insight-links.ts'

/** The units that the marks of a row are drawn in. */
export const rowHeight = 22
export const rowWidth = 600

/** One group of a chart: its name, which leads to the list behind it, its marks, and a figure. */
export function ChartRow(props: {
  by: InsightKey
  item: InsightView
  figure: ReactNode
  children: ReactNode
}) {
  const { by, item } = props
  return (
    <li className="chart-row">
      <Link className="chart-name" to={listBehind(by, item, 'opened')}>
        <VisibleText text={item.name} />
      </Link>
      <svg
        className="chart-bar"
        viewBox={`0 0 ${rowWidth} ${rowHeight}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={item.name}
      >
        {props.children}
      </svg>
      <span className="chart-figure">{props.figure}</span>
    </li>
  )
}
