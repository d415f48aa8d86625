import { Link } from 'react-router'
import type { AttentionView } from '#api/schemas/requests/attention.ts'
import { outcomes, openedOn } from './insight-links.ts'
import { FigureHead, Figures } from './insight-table.tsx'

type Days = AttentionView['days']

const height = 96
const width = 600
const dayWords = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

function dayOf(day: string): string {
  return dayWords.format(new Date(day))
}

/** A column for each day with a part for each outcome. Each part links to its requests. */
export function LoadChart({ days }: { days: Days }) {
  const maxCount = Math.max(1, ...days.map(({ opened: count }) => count))
  const step = width / days.length
  const busiest = days.find(({ opened: count }) => count === maxCount)
  const [first, last] = [days[0], days.at(-1)]
  return (
    <>
      <svg
        className="load-chart"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="group"
        aria-label="Opened on each day"
      >
        {days.map((load, at) => {
          if (load.opened === 0) return null
          const label = `${load.opened} opened on ${dayOf(load.day)}`
          const others = load.opened - outcomes.reduce((sum, what) => sum + load[what], 0)
          let y = height
          return (
            <Link key={load.day} to={openedOn(load.day, 'opened')} aria-label={label}>
              <title>{label}</title>
              <rect className="mark-track" x={at * step} y={0} width={step} height={height} />
              {([...outcomes, 'others'] as const).map((what) => {
                const size = ((what === 'others' ? others : load[what]) / maxCount) * height
                y -= size
                if (size === 0) return null
                return (
                  <rect
                    key={what}
                    className={`mark-${what}`}
                    x={at * step}
                    y={y}
                    width={Math.max(1, step - 2)}
                    height={size}
                  />
                )
              })}
            </Link>
          )
        })}
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

/** The figures of the days on which requests were opened. */
export function LoadTable({ days }: { days: Days }) {
  return (
    <Figures caption="Opened" by="day">
      <FigureHead columns={['day (UTC)', 'opened', ...outcomes]} />
      <tbody>
        {days
          .filter(({ opened: count }) => count > 0)
          .map((load) => (
            <tr key={load.day}>
              <th scope="row">{dayOf(load.day)}</th>
              <td>
                <Link to={openedOn(load.day, 'opened')}>{load.opened}</Link>
              </td>
              {outcomes.map((what) => (
                <td key={what}>
                  {load[what] === 0 ? 0 : <Link to={openedOn(load.day, what)}>{load[what]}</Link>}
                </td>
              ))}
            </tr>
          ))}
      </tbody>
    </Figures>
  )
}
