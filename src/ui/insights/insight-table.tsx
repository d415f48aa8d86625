import type { InsightView } from '#api/schemas/requests/insights.ts'
import type { InsightKey } from '#domain/insight-key.ts'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { Behind } from './behind.tsx'
import type { LinkScope, Figure } from './insight-links.ts'
import { secondsInWords } from './seconds-in-words.ts'

interface Props {
  readonly scope: LinkScope
  readonly items: readonly InsightView[]
}

/** The figures of the bars: how many were opened, and what became of them. */
export function OutcomeTable({ scope, items }: Props) {
  const { by } = scope
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
            <FigureCell scope={scope} item={item} what="opened" />
            <FigureCell scope={scope} item={item} what="approved" />
            <FigureCell scope={scope} item={item} what="denied" />
            <FigureCell scope={scope} item={item} what="expired" />
            <FigureCell scope={scope} item={item} what="carriedOut" />
            <FigureCell scope={scope} item={item} what="failed" />
            <td>{item.grantsUsed}</td>
            <FigureCell scope={scope} item={item} what="waiting" />
            <td>{item.oldestAt === null ? '–' : <Time at={item.oldestAt} />}</td>
          </tr>
        ))}
      </tbody>
    </Figures>
  )
}

/** The figures of the times. */
export function TimeTable({ scope, items }: Props) {
  const { by } = scope
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

function FigureCell(props: { scope: LinkScope; item: InsightView; what: Figure }) {
  const count = props.item[props.what]
  return <td>{count === 0 ? 0 : <Behind {...props}>{count}</Behind>}</td>
}
