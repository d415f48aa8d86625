import { Link } from 'react-router'
import type { TranscriptItem } from '#api/schemas/runs/transcript.ts'
import { shortDuration } from '#domain/text/quantities/durations.ts'
import { timeHolders, type TimeHolder } from '#domain/runs/time-holders.ts'
import { useNowMs } from '../../text/time.tsx'
import { turnPlace } from '../turns/go-to-turn.tsx'
import { runTimes, timeTotals } from './run-times.ts'
import './waterfall.css'

const names: Readonly<Record<TimeHolder, string>> = {
  model: 'Model',
  tools: 'Tools',
  people: 'People',
}
/** The largest number of rows. */
const maxRows = 60

/**
 * The times of a run: a bar for each interval, which leads to its turn, and a table with the same
 * data. The bar of a call that waits for people grows until it is decided.
 */
export function Waterfall(props: { items: readonly TranscriptItem[]; hasEnded: boolean }) {
  const nowMs = useNowMs()
  const intervals = runTimes(props.items, props.hasEnded ? null : nowMs)
  const end = Math.max(0, ...intervals.map(({ to }) => to))
  if (end === 0) return null
  const totals = timeTotals(intervals)
  const visible = intervals.slice(-maxRows)
  return (
    <section className="card" aria-labelledby="times-title">
      <h2 id="times-title">Time</h2>
      <dl className="times-totals">
        {timeHolders.map((holder) => (
          <div key={holder}>
            <dt>
              <span className={`times-key times-${holder}`} aria-hidden /> {names[holder]}
            </dt>
            <dd>{shortDuration(totals[holder])}</dd>
          </div>
        ))}
      </dl>
      <svg
        className="times-bars"
        viewBox={`0 0 1000 ${visible.length * 10}`}
        preserveAspectRatio="none"
        style={{ height: `${visible.length * 0.5}rem` }}
        aria-hidden
      >
        {visible.map(({ holder, turn, what, from, to }, index) => (
          <Link key={`${holder} ${from} ${index}`} to={`#${turnPlace(turn)}`} tabIndex={-1}>
            <title>{`${names[holder]}, ${what}: ${shortDuration(to - from)}`}</title>
            <rect className="times-row" x={0} y={index * 10} width={1000} height={10} />
            <rect
              className={`times-${holder}`}
              x={Math.min((from / end) * 1000, 996)}
              y={index * 10 + 1}
              width={Math.max(((to - from) / end) * 1000, 4)}
              height={8}
            />
          </Link>
        ))}
      </svg>
      {intervals.length > maxRows && (
        <p className="dim small">
          The newest {maxRows} of {intervals.length.toLocaleString('en')} times.
        </p>
      )}
      <details>
        <summary className="small">As a table</summary>
        <table className="times-table small">
          <thead>
            <tr>
              <th scope="col">Turn</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">Took</th>
            </tr>
          </thead>
          <tbody>
            {visible.map(({ holder, turn, what, from, to }, index) => (
              <tr key={`${holder} ${from} ${index}`}>
                <td>
                  <Link to={`#${turnPlace(turn)}`}>{turn}</Link>
                </td>
                <td>{names[holder]}</td>
                <td>{what}</td>
                <td>{shortDuration(to - from)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}
