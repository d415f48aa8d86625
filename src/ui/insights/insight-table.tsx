import type { InsightView } from '#api/schemas/requests/insights.ts'
import type { InsightKey } from '#domain/insight-key.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { FigureLink } from './figure-link.tsx'
import type { LinkScope, Figure } from './insight-links.ts'
import { secondsInWords } from './seconds-in-words.ts'

interface Props {
  readonly scope: LinkScope
  readonly items: readonly InsightView[]
}

/** The columns of the bars' table: a figure, and its name. */
const outcomeColumns = [
  ['opened', 'opened'],
  ['approved', 'approved'],
  ['denied', 'denied'],
  ['expired', 'expired'],
  ['carriedOut', 'carried out'],
  ['failed', 'failed'],
  ['grantsUsed', 'grants used'],
  ['waiting', 'waiting'],
] as const

/** The figures of the bars: opened requests and their outcomes. */
export function OutcomeTable({ scope, items }: Props) {
  const { by } = scope
  return (
    <Figures caption="Outcomes" by={by}>
      <FigureHead columns={[by, ...outcomeColumns.map(([, name]) => name)]} />
      <tbody>
        {items.map((item) => (
          <tr key={item.key}>
            <th scope="row">
              <VisibleText text={item.name} />
            </th>
            {outcomeColumns.map(([what]) => (
              <FigureCell key={what} scope={scope} item={item} what={what} count={item[what]} />
            ))}
          </tr>
        ))}
      </tbody>
    </Figures>
  )
}

/** The figures of the chart of times. */
export function TimeTable({ scope, items }: Props) {
  const { by } = scope
  return (
    <Figures caption="How long deciding took" by={by}>
      <FigureHead columns={[by, 'decided', 'median', 'nine of ten within']} />
      <tbody>
        {items.map((item) => (
          <tr key={item.key}>
            <th scope="row">
              <VisibleText text={item.name} />
            </th>
            <FigureCell scope={scope} item={item} what="decided" count={decidedCount(by, item)} />
            <td>{secondsInWords(item.medianSeconds)}</td>
            <td>{secondsInWords(item.p90Seconds)}</td>
          </tr>
        ))}
      </tbody>
    </Figures>
  )
}

/** The number of requests behind the median: for a person, those that they voted on. */
function decidedCount(by: InsightKey, { opened: voted, approved, denied }: InsightView): number {
  return by === 'person' ? voted : approved + denied
}

/** The folded table of a chart. */
export function Figures({
  caption,
  by,
  children,
}: {
  caption: string
  by: InsightKey | 'day'
  children: React.ReactNode
}) {
  return (
    <details>
      <summary>Figures</summary>
      <FigureTable label={`${caption}, by ${by}`}>{children}</FigureTable>
    </details>
  )
}

/** A table of figures that scrolls sideways where it is wider than its place. */
export function FigureTable({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="scroll-edges" role="region" aria-label={label}>
      <table className="insight-table">
        <caption className="visually-hidden">{label}</caption>
        {children}
      </table>
    </div>
  )
}

/** The head of a table of figures. */
export function FigureHead({ columns }: { columns: readonly string[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** A figure that links to the list behind it, unless the list is empty. */
export function FigureCell(props: {
  scope: LinkScope
  item: InsightView
  what: Figure
  count: number
}) {
  const { count, ...behind } = props
  return <td>{count === 0 ? 0 : <FigureLink {...behind}>{count}</FigureLink>}</td>
}
