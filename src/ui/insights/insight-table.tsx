import { Link } from 'react-router'
import type { InsightView } from '#api/schemas/requests/insights.ts'
import type { InsightKey } from '#domain/insight-key.ts'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { listBehind } from './insight-links.ts'
import { secondsInWords } from './seconds-in-words.ts'

interface Props {
  readonly by: InsightKey
  readonly items: readonly InsightView[]
}

/** The figures of the bars: how many were opened, and what became of them. */
export function OutcomeTable({ by, items }: Props) {
  return (
    <Figures caption="Outcomes" by={by}>
      <thead>
        <tr>
          <th scope="col">{by}</th>
          <th scope="col">opened</th>
          <th scope="col">approved</th>
          <th scope="col">denied</th>
          <th scope="col">expired</th>
          <th scope="col">carried out</th>
          <th scope="col">failed</th>
          <th scope="col">grants used</th>
          <th scope="col">waiting</th>
          <th scope="col">oldest</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.key}>
            <th scope="row">
              <VisibleText text={item.name} />
            </th>
            <Figure by={by} item={item} what="opened" />
            <Figure by={by} item={item} what="approved" />
            <Figure by={by} item={item} what="denied" />
            <Figure by={by} item={item} what="expired" />
            <td>{item.carriedOut}</td>
            <td>{item.failed}</td>
            <td>{item.grantsUsed}</td>
            <Figure by={by} item={item} what="waiting" />
            <td>{item.oldestAt === null ? '–' : <Time at={item.oldestAt} />}</td>
          </tr>
        ))}
      </tbody>
    </Figures>
  )
}

/** The figures of the times. */
export function TimeTable({ by, items }: Props) {
  return (
    <Figures caption="How long deciding took" by={by}>
      <thead>
        <tr>
          <th scope="col">{by}</th>
          <th scope="col">median</th>
          <th scope="col">nine of ten within</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.key}>
            <th scope="row">
              <VisibleText text={item.name} />
            </th>
            <td>{secondsInWords(item.medianSeconds)}</td>
            <td>{secondsInWords(item.p90Seconds)}</td>
          </tr>
        ))}
      </tbody>
    </Figures>
  )
}

/** The table of a picture, folded. */
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
      <div className="table-scroll" role="region" aria-label={`${caption}, by ${by}`}>
        <table className="insight-table">
          <caption className="visually-hidden">
            {caption}, by {by}
          </caption>
          {children}
        </table>
      </div>
    </details>
  )
}

function Figure({
  by,
  item,
  what,
}: {
  by: InsightKey
  item: InsightView
  what: Parameters<typeof listBehind>[2]
}) {
  const count = item[what]
  return <td>{count === 0 ? 0 : <Link to={listBehind(by, item, what)}>{count}</Link>}</td>
}
