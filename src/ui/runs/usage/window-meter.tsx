import type { RunDetail } from '#api/schemas/runs/runs.ts'
import './window-meter.css'

/** From here on a run's next steps will leave something out. */
const nearlyFull = 0.7

/** How much of what a run's model takes its last step took. */
export function WindowMeter({ context }: { context: RunDetail['context'] }) {
  const { used, limit } = context
  const share = Math.min(1, used / limit)
  const percent = Math.round(share * 100)
  return (
    <div>
      <span
        className="window-meter"
        role="meter"
        aria-label="Context window"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={`${percent} percent of ${limit} tokens`}
      >
        <span
          className={share >= nearlyFull ? 'window-used window-full' : 'window-used'}
          style={{ inlineSize: `${percent}%` }}
        />
      </span>
      {percent} % of {limit.toLocaleString('en')} tokens
    </div>
  )
}
