import { Link } from 'react-router'
import type { AttentionView } from '#api/schemas/requests/attention.ts'
import { ChartLegend } from './bar-chart.tsx'
import { openedOn, outcomes } from './insight-links.ts'
import { FigureHead, Figures } from './insight-table.tsx'

type Days = AttentionView['days']

const height = 96
const width = 600
const dayWords = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

/** The parts of a column, from the bottom: together they are all that was opened on the day. */
const parts = [...outcomes, 'cancelled'] as const
const legend = parts.map((what) => ({ words: what, className: `mark-${what}` }))

function dayOf(day: string): string {
  return dayWords.format(new Date(day))
}

function countOf(load: Days[number], what: (typeof parts)[number]): number {
  if (what !== 'cancelled') return load[what]
  return load.opened - outcomes.reduce((sum, one) => sum + load[one], 0)
}

/**
 * A column for each day with a part for each outcome. A part links to its requests, the rest of the
 * column to all of the day. The keyboard stops once at a day; the table has the links of its parts.
 */
export function LoadChart({ days }: { days: Days }) {
  const maxCount = Math.max(1, ...days.map(({ opened: count }) => count))
  const busiest = days.find(({ opened: count }) => count === maxCount)
  const [first, last] = [days[0], days.at(-1)]
  return (
    <>
      <ChartLegend parts={legend} />
      <svg
        className="load-chart"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="group"
        aria-label="Opened on each day"
      >
        {days.map((load, at) => (
          <Column key={load.day} load={load} place={{ at, of: days.length, maxCount }} />
        ))}
        <line className="load-base" x1={0} x2={width} y1={height} y2={height} />
      </svg>
      <p className="load-axis dim small">
        <span>{first !== undefined && dayOf(first.day)}</span>
        <span>{busiest !== undefined && `maximum: ${maxCount} on ${dayOf(busiest.day)}`}</span>
        <span>{last !== undefined && dayOf(last.day)}</span>
      </p>
    </>
  )
}

function Column(props: {
  load: Days[number]
  place: { readonly at: number; readonly of: number; readonly maxCount: number }
}) {
  const { load, place } = props
  if (load.opened === 0) return null
  const step = width / place.of
  const x = place.at * step
  const label = `${load.opened} opened on ${dayOf(load.day)}`
  const sizes = parts.map((what) => (countOf(load, what) / place.maxCount) * height)
  return (
    <>
      <Link to={openedOn(load.day, 'opened')} aria-label={label}>
        <title>{label}</title>
        <rect className="mark-track" x={x} y={0} width={step} height={height} />
      </Link>
      {parts.map((what, index) => {
        const count = countOf(load, what)
        if (count === 0) return null
        const below = sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0)
        const partLabel = `${count} ${what}, opened on ${dayOf(load.day)}`
        return (
          <Link key={what} to={openedOn(load.day, what)} aria-label={partLabel} tabIndex={-1}>
            <title>{partLabel}</title>
            <rect
              className={`mark-${what}`}
              x={x}
              y={height - below}
              width={Math.max(1, step - 2)}
              height={sizes[index]}
            />
          </Link>
        )
      })}
    </>
  )
}

/** The figures of the days on which requests were opened. */
export function LoadTable({ days }: { days: Days }) {
  return (
    <Figures caption="Opened" by="day">
      <FigureHead columns={['day (UTC)', 'opened', ...parts]} />
      <tbody>
        {days
          .filter(({ opened: count }) => count > 0)
          .map((load) => (
            <tr key={load.day}>
              <th scope="row">{dayOf(load.day)}</th>
              <td>
                <Link to={openedOn(load.day, 'opened')}>{load.opened}</Link>
              </td>
              {parts.map((what) => {
                const count = countOf(load, what)
                return (
                  <td key={what}>
                    {count === 0 ? 0 : <Link to={openedOn(load.day, what)}>{count}</Link>}
                  </td>
                )
              })}
            </tr>
          ))}
      </tbody>
    </Figures>
  )
}
