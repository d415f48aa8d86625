import type { RunDetail } from '#api/schemas/runs/runs.ts'
import './window-meter.css'

/** Above this share, the next steps of the run will omit old content. */
const nearlyFull = 0.7

/** The share of the model's context window that the last step used. */
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
      {percent}% of {limit.toLocaleString('en')} tokens
    </div>
  )
}
