import type { InsightView } from '#api/schemas/requests/insights.ts'
import { waitingAges, type WaitingAge } from '#domain/waiting-age.ts'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { BarChart, type BarPart } from './bar-chart.tsx'
import { FigureCell, FigureHead, Figures } from './insight-table.tsx'
import type { LinkScope } from './insight-links.ts'

const words: Readonly<Record<WaitingAge, string>> = {
  hour: 'up to an hour',
  day: 'up to a day',
  week: 'up to a week',
  longer: 'longer',
}
const parts = waitingAges.map((age): BarPart => ({
  what: age,
  words: words[age],
  className: `mark-age-${age}`,
  count: ({ waitingByAge }) => waitingByAge[age],
}))

/** The pending requests by how long they have waited, with a table; nothing if there are none. */
export function WaitingAges(props: { scope: LinkScope; items: readonly InsightView[] }) {
  const { scope } = props
  const items = props.items.filter(({ waiting }) => waiting > 0)
  if (items.length === 0) return null
  const { by } = scope
  return (
    <section className="card column" aria-labelledby="ages-title">
      <h2 id="ages-title">Waiting, by age</h2>
      <BarChart
        label="Waiting, by age"
        parts={parts}
        scope={scope}
        items={items}
        figure="waiting"
      />
      <Figures caption="Waiting, by age" by={by}>
        <FigureHead columns={[by, ...waitingAges.map((age) => words[age]), 'oldest']} />
        <tbody>
          {items.map((item) => (
            <tr key={item.key}>
              <th scope="row">
                <VisibleText text={item.name} />
              </th>
              {waitingAges.map((age) => (
                <FigureCell
                  key={age}
                  scope={scope}
                  item={item}
                  what={age}
                  count={item.waitingByAge[age]}
                />
              ))}
              <td>{item.oldestAt === null ? '–' : <Time at={item.oldestAt} />}</td>
            </tr>
          ))}
        </tbody>
      </Figures>
    </section>
  )
}
